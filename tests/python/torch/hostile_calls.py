"""Pickles of random calls of all that torch.load(weights_only=True) lets a file call: none does harm."""
import io
import random
import warnings

import torch
from torch import _weights_only_unpickler

warnings.simplefilter("ignore")
random.seed(3)
NAMES = sorted(_weights_only_unpickler._get_allowed_globals())
MAKERS = [name for name in NAMES if any(part in name for part in ("rebuild", "Parameter", "Size", "device", "Tensor"))]
STORAGES = [name for name in NAMES if "Storage" in name]
ARGUMENTS = {"_rebuild_tensor": 4, "_rebuild_tensor_v2": 6, "_rebuild_tensor_v3": 7, "_rebuild_parameter": 3,
             "_rebuild_parameter_with_state": 4, "_rebuild_from_type_v2": 4, "_rebuild_meta_tensor_no_storage": 4,
             "_rebuild_device_tensor_from_cpu_tensor": 4}
TEXTS = ("storage", "cpu", "meta", "0", "__class__", "__dict__", "data", "grad", "shape", "utf-8", "_untyped_storage",
         "dtype")


def archive(pickled):
    file = io.BytesIO()
    writer = torch._C.PyTorchFileWriter(file.write, "archive")
    writer.write_record("data.pkl", pickled)
    writer.write_record("data/0", bytes(64))
    writer.write_end_of_file()
    return io.BytesIO(file.getvalue())


def text(value):
    return b"X" + len(value).to_bytes(4, "little") + value.encode()


def found(name):
    module, _, last = name.rpartition(".")
    return b"c" + module.encode() + b"\n" + last.encode() + b"\n"


def storage(count):
    kind = found(random.choice(STORAGES))
    return b"(" + text("storage") + kind + text("0") + text("cpu") + b"K" + bytes((count,)) + b"tQ"


def values(count, depth):
    return b"".join(value(depth) for _ in range(count))


def value(depth):
    kind = random.randrange(16)
    if kind < 2:
        return random.choice((b"N", b"\x88", b"\x89"))
    if kind == 2:
        return b"K" + bytes((random.randrange(6),))
    if kind == 3:
        return b"J" + random.choice((b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80"))
    if kind == 4:
        return random.choice((b"\x8a\x08", b"G")) + bytes(random.randrange(256) for _ in range(8))
    if kind == 5:
        return text(random.choice(TEXTS))
    if kind < 8:
        return found(random.choice(NAMES))
    if depth <= 0:
        return b")"
    if kind < 11:
        return b"(" + values(random.randrange(5), depth - 1) + b"t"
    if kind == 11:
        return b"](" + values(random.randrange(4), depth - 1) + b"e"
    if kind == 12:
        return b"}(" + values(2 * random.randrange(3), depth - 1) + b"u"
    if kind == 13:
        return storage(random.randrange(9))
    name = random.choice(MAKERS if random.random() < 0.8 else NAMES)
    count = ARGUMENTS.get(name.rpartition(".")[2], random.randrange(3))
    call = found(name) + b"(" + values(count, depth - 1) + b"t" + random.choice((b"R", b"R", b"R", b"\x81"))
    return call + value(depth - 1) + b"b" if random.random() < 0.3 else call


def program():
    start = found("torch._utils._rebuild_tensor_v2") + b"(" + storage(6)
    chance = random.random()
    if chance < 0.4:
        call = start + values(5, 2) + b"tR"
        return call + value(3) + b"b" if random.random() < 0.5 else call
    if chance < 0.7:
        tensor = start + b"K\x00K\x03\x85K\x01\x85\x89}tR"
        target = found(random.choice(("torch.Tensor", "torch.nn.parameter.Parameter")))
        parts = found("torch._utils._rebuild_parameter") + target + b"(" + tensor + b"\x88}t" + value(3)
        return found("torch._tensor._rebuild_from_type_v2") + b"(" + parts + b"tR"
    return value(5)


counts = {"loaded": 0, "refused": 0}
for _ in range(2500):
    try:
        repr(torch.load(archive(b"\x80\x02" + program() + b".")))
        counts["loaded"] += 1
    except Exception:
        counts["refused"] += 1
print(sum(counts.values()), counts["loaded"] > 100, counts["refused"] > counts["loaded"])
