"""A small GPT that learns a text letter by letter."""
import torch
from torch import nn
from torch.nn import functional as F

import nnscope.train as train

settings = train.settings(steps=2000, batch=16, block=32, dim=64, heads=4, layers=2, lr=1e-3, clip=0.0, evaluate=250,
                          sample=200, held=0.1, autocast="none", seed=1337)
DEVICE = train.device()

TEXT = """A network is a function with many numbers inside. At first the numbers are drawn at random, and what the
network says is noise. Then it is shown an example, and told how wrong it was; each number is asked which way it would
have to move for the answer to be a little less wrong, and each moves a little that way. That is one step. A training
is nothing but many steps. The loss is how wrong the network is now; the gradient is the way that each number should
go; the learning rate is how far it goes. If the rate is too small nothing happens, and if it is too large everything
happens at once and nothing is learned. What a layer gives to the next is called an activation. When the activations
grow from layer to layer the network shouts, and when they shrink it whispers until nobody hears the gradient any more.
Look at them while they change: a curve that falls, a histogram that widens, a row of zeros where a neuron has died.
"""


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (y.view(b, t, self.heads, d // self.heads).transpose(1, 2) for y in self.qkv(x).split(d, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).contiguous().view(b, t, d))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ln1, self.attn = nn.LayerNorm(dim), Attention(dim, heads)
        self.ln2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, letters, dim, heads, layers, block):
        super().__init__()
        self.tok, self.pos = nn.Embedding(letters, dim), nn.Embedding(block, dim)
        self.blocks = nn.ModuleList(Block(dim, heads) for _ in range(layers))
        self.ln, self.head = nn.LayerNorm(dim), nn.Linear(dim, letters, bias=False)

    def forward(self, index):
        x = self.tok(index) + self.pos(torch.arange(index.shape[1], device=index.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.ln(x))


def sample(model, letters, count, block):
    """What the model writes by itself; the training's random numbers stay as they were."""
    state = torch.get_rng_state()
    torch.manual_seed(1)
    index = torch.zeros(1, 1, dtype=torch.long)
    with torch.no_grad():
        for _ in range(count):
            logits = model(index[:, -block:].to(DEVICE))[:, -1].cpu()
            index = torch.cat([index, torch.multinomial(F.softmax(logits, dim=-1), 1)], dim=1)
    torch.set_rng_state(state)
    return "".join(letters[i] for i in index[0, 1:].tolist())


def held_loss(model, held):
    """The loss of text that is not trained on: at most 64 blocks of it, evenly spread."""
    size = settings.block
    count = min((len(held) - 1) // size, 64)
    starts = [i * (len(held) - 1 - size) // max(count - 1, 1) for i in range(count)]
    total = 0.0
    with torch.no_grad(), train.autocast(settings.autocast):
        for first in range(0, count, settings.batch):
            part = starts[first:first + settings.batch]
            x = torch.stack([held[i:i + size] for i in part]).to(DEVICE)
            y = torch.stack([held[i + 1:i + 1 + size] for i in part]).to(DEVICE)
            total += F.cross_entropy(model(x).flatten(0, 1), y.flatten()).item() * len(part)
    return total / count


def main():
    text = TEXT
    if train.data() is not None:
        with open(train.data(), encoding="utf-8", errors="replace") as file:
            text = file.read()
    if len(text) <= settings.block + 1:
        raise SystemExit(f"the text has {len(text)} letters, which is not enough for a block of {settings.block}")
    letters = sorted(set(text))
    number = {letter: i for i, letter in enumerate(letters)}
    data = torch.tensor([number[letter] for letter in text])
    if not 0 <= settings.held < 1:
        raise SystemExit(f"--set held={settings.held}: held is a share of the text, from 0 to below 1")
    # The end of the text, where that leaves enough to learn from.
    held = data[len(data) - int(settings.held * len(data)):]
    if len(held) <= settings.block or len(data) - len(held) <= settings.block + 1:
        held = data[:0]
    data = data[:len(data) - len(held)]
    torch.manual_seed(settings.seed)
    model = GPT(len(letters), settings.dim, settings.heads, settings.layers, settings.block).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.lr)
    run = train.Run(model=model, optimizer=optimizer)
    network = train.parallel(model)
    train.say(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(data):,} letters, {len(letters)} kinds, "
              f"{len(held):,} letters held out")
    for step in run.steps(settings.steps):
        at = train.share(torch.randint(len(data) - settings.block, (settings.batch,)))
        x = torch.stack([data[i:i + settings.block] for i in at]).to(DEVICE)
        y = torch.stack([data[i + 1:i + 1 + settings.block] for i in at]).to(DEVICE)
        with train.autocast(settings.autocast):
            loss = F.cross_entropy(network(x).view(-1, len(letters)), y.view(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if settings.clip:
            nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimizer.step()
        if settings.evaluate and (step + 1) % settings.evaluate == 0:
            text = f"step {step + 1}: loss {loss.item():.4f}"
            if len(held) > 0:
                apart = held_loss(model, held)
                train.evaluation(held_out_loss=apart)
                text += f", of the text held out {apart:.4f}"
            train.say(text)
            if settings.sample:
                train.say(sample(model, letters, settings.sample, settings.block))


main()
