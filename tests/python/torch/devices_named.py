"""torch.device is the name of a place: it may be named where it is not."""
import copy
import io
import pickle

import torch


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


for made in (torch.device("cuda"), torch.device("cuda:1"), torch.device("cuda", 1), torch.device("mps"), torch.device("xpu", index=0),
             torch.device("cpu"), torch.device("cpu", 0), torch.device(torch.device("cuda", 2)), torch.device(type="meta")):
    print(repr(made), str(made), made.type, made.index, copy.deepcopy(made) == made, pickle.loads(pickle.dumps(made)) == made)
print(torch.device("cuda") == torch.device("cuda:0"), torch.device("cuda:1") == torch.device("cuda", 1), torch.device("cpu") == "cpu",
      len({torch.device("cuda"), torch.device("cuda"), torch.device("cuda:0")}), torch.zeros(1).device == torch.device("cpu"))
saved = io.BytesIO()
torch.save({"device": torch.device("cuda:1")}, saved)
saved.seek(0)
print(torch.load(saved))
for name in ("foo", "cuda:x", "cuda:01", "cuda:999", "", "cuda:", ":1", "cuda 1"):
    attempt(lambda: torch.device(name))
attempt(lambda: torch.device("cuda:1", 2))
attempt(lambda: torch.device("cuda", -2))
attempt(lambda: torch.device(1.5))
for name in ("mps", "xpu", "cuda", "hpu:0"):
    attempt(lambda: torch.zeros(1, device=name))
