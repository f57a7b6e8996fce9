"""Steps of GPT-2 (124 M parameters, block 1024) on a GPU: tokens a second, and the memory that it takes.

Usage: nnscope run gpt2_training.py [BATCH [STEPS [HOW]]], or python3 with PyTorch, where HOW is eager or compile.
bfloat16 by autocast, AdamW fused, attention causal; the loss is told so that both can be seen to learn alike."""
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

BATCH = int(sys.argv[1]) if len(sys.argv) > 1 else 16
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 10
HOW = sys.argv[3] if len(sys.argv) > 3 else "eager"
BLOCK, VOCABULARY, LAYERS, HEADS, WIDTH = 1024, 50304, 12, 12, 768


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.c_attn, self.c_proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.c_fc, self.c_out = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (one.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)
                   for one in self.c_attn(self.ln_1(x)).split(WIDTH, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.c_proj(y.transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.c_out(F.gelu(self.c_fc(self.ln_2(x)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(BLOCK, WIDTH)
        self.h = nn.ModuleList([Block() for _ in range(LAYERS)])
        self.ln_f = nn.LayerNorm(WIDTH)

    def forward(self, tokens, targets):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.h:
            x = block(x)
        logits = F.linear(self.ln_f(x), self.wte.weight)
        return F.cross_entropy(logits.view(-1, VOCABULARY), targets.view(-1))


torch.manual_seed(0)
model = GPT2()
for parameter in model.parameters():
    if parameter.dim() > 1:
        nn.init.normal_(parameter, std=0.02)
model = model.to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
network = torch.compile(model) if HOW == "compile" else model
tokens = (torch.arange(BATCH * (BLOCK + 1)) * 7919 % 50257).view(BATCH, BLOCK + 1).to("cuda")
x, y = tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


def step():
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = network(x, y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss


losses = [step().item() for _ in range(3)]
torch.cuda.synchronize()
began = time.perf_counter()
for _ in range(STEPS):
    loss = step()
torch.cuda.synchronize()
took = time.perf_counter() - began
losses.append(loss.item())
print(f"{HOW}: {BATCH * BLOCK * STEPS / took:,.0f} tokens/s, {took / STEPS * 1e3:.1f} ms a step of {BATCH} x {BLOCK}, "
      f"at most {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB, losses {', '.join(f'{one:.4f}' for one in losses)}")
