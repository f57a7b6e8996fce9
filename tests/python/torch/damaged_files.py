"""Files of torch.save and pickles with random damage: each is loaded or refused with an exception of Python."""
import io
import pickle
import random
import warnings

import torch

warnings.simplefilter("ignore")
random.seed(7)
OPCODES = b"(.01)2FGIJKLMNPQRSTUVXabcde}]ghijlopqrstu\x80\x81\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8f\x90\x91\x92\x93\x94"


def damaged(data):
    data = bytearray(data)
    for _ in range(random.randint(1, 4)):
        how, at = random.random(), random.randrange(len(data))
        if how < 0.4:
            data[at] = random.randrange(256)
        elif how < 0.6:
            data[at] = random.choice(OPCODES)
        elif how < 0.7:
            del data[at:at + random.randint(1, 20)]
        elif how < 0.8:
            data.insert(at, random.choice(OPCODES))
        elif how < 0.9:
            start = random.randrange(len(data))
            data[at:at] = data[start:start + random.randint(1, 30)]
        else:
            del data[at:]
        data = data or bytearray(b".")
    return bytes(data)


parameter = torch.nn.Parameter(torch.ones(3))
value = {"a": torch.arange(6.).reshape(2, 3), "b": parameter, "m": torch.empty(2, device="meta"),
         "c": [1, 2.5, "t", None, True, {1, 2}, (1,), b"xy", 2**70, bytearray(b"z"), torch.Size([2]), torch.float32]}
new, old = io.BytesIO(), io.BytesIO()
torch.save(value, new)
torch.save({"a": value["a"], "b": parameter}, old, _use_new_zipfile_serialization=False)
reader = torch._C.PyTorchFileReader(new.getvalue())
records = {name: reader.get_record(name) for name in reader.get_all_records()}


def with_damaged_pickle():
    file = io.BytesIO()
    writer = torch._C.PyTorchFileWriter(file.write, "archive")
    for name, contents in records.items():
        writer.write_record(name, damaged(contents) if name == "data.pkl" else contents)
    writer.write_end_of_file()
    return file.getvalue()


counts = {"loaded": 0, "refused": 0}
for turn in range(900):
    data = [with_damaged_pickle, lambda: damaged(old.getvalue()), lambda: damaged(new.getvalue())][turn % 3]()
    try:
        repr(torch.load(io.BytesIO(data)))
        counts["loaded"] += 1
    except Exception:
        counts["refused"] += 1
print(sum(counts.values()), counts["loaded"] > 0, counts["refused"] > counts["loaded"])

plain = [1, "a", {"b": (1, 2.5)}, b"x", {1}, 10**30, ["a"]]
counts = {"loaded": 0, "refused": 0}
for turn in range(600):
    try:
        pickle.loads(damaged(pickle.dumps(plain, turn % 6)))
        counts["loaded"] += 1
    except Exception:
        counts["refused"] += 1
print(sum(counts.values()), counts["loaded"] > 0, counts["refused"] > counts["loaded"])
