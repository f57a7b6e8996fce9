"""An LSTM that writes letters. Paper: Hochreiter and Schmidhuber 1997.

    nnscope summary examples/char_lstm.py --call 'CharLSTM(64)' --input 8,128:long
"""
import torch
import torch.nn as nn

TEXT = "the cat sat on the mat and the dog sat on the log. "


class CharLSTM(nn.Module):
    def __init__(self, letters, width=128, layers=2):
        super().__init__()
        self.embedding = nn.Embedding(letters, width)
        self.lstm = nn.LSTM(width, width, layers, batch_first=True)
        self.head = nn.Linear(width, letters)

    def forward(self, text, state=None):
        x, state = self.lstm(self.embedding(text), state)
        return self.head(x), state

    @torch.no_grad()
    def write(self, first, count):
        text, state = [first], None
        for _ in range(count):
            logits, state = self(torch.tensor([[text[-1]]]), state)
            text.append(logits[0, -1].argmax().item())
        return text


if __name__ == "__main__":
    torch.manual_seed(1)
    alphabet = sorted(set(TEXT))
    data = torch.tensor([alphabet.index(letter) for letter in TEXT * 2])
    model = CharLSTM(len(alphabet), width=48)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(80):
        logits, _ = model(data[None, :-1])
        loss = nn.functional.cross_entropy(logits[0], data[1:])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    print("".join(alphabet[i] for i in model.write(alphabet.index("t"), len(TEXT) - 2)))
