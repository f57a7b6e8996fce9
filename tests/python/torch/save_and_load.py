"""torch.save and torch.load in memory: what comes back, what shares memory, what is refused."""
import collections
import io
import pickle
import warnings

import torch
from torch import nn


def saved(value, **options):
    file = io.BytesIO()
    torch.save(value, file, **options)
    return file.getvalue()


def again(value, **options):
    return torch.load(io.BytesIO(saved(value)), **options)


def refused(action):
    try:
        action()
    except Exception as error:
        print(f"{type(error).__module__}.{type(error).__name__}: {error}")


def archive(pickled, **records):
    file = io.BytesIO()
    writer = torch._C.PyTorchFileWriter(file.write, "archive")
    writer.write_record("data.pkl", pickled)
    for name, contents in records.items():
        writer.write_record(name.replace("_", "/"), contents)
    writer.write_end_of_file()
    return io.BytesIO(file.getvalue())


print("# values")
for value in (torch.arange(4.).reshape(2, 2).t(), torch.tensor(3), torch.empty(0, 2), torch.ones(2, requires_grad=True),
              nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1), requires_grad=False),
              torch.Size([1, 2]), torch.device("cpu"), torch.bfloat16, [1, 2.5, "text", None, True, (1,), {2}, 2**70],
              {"a": b"bytes", "b": bytearray(b"array"), "c": 1 + 2j},
              collections.OrderedDict(x=1), collections.Counter("aab"),
              torch.empty(2, 3, device="meta")):
    print(again(value))
for dtype in (torch.float64, torch.float16, torch.int8, torch.uint8, torch.int16, torch.int32, torch.bool,
              torch.uint16, torch.uint32, torch.float8_e5m2):
    made = again(torch.tensor([0, 1, 1]).to(dtype))
    print(made.dtype, made.tolist())
for value in (torch.ones(2).to(torch.complex64), torch.ones(1).to(torch.complex128)):
    print(again(value).untyped_storage().tolist() == value.untyped_storage().tolist(), again(value).dtype)

print("# shared storages")
whole = torch.arange(6.)
made = again({"whole": whole, "part": whole[2:4], "grid": whole.view(2, 3).t(), "again": whole})
made["part"].fill_(9)
print(made["whole"].tolist(), made["grid"].tolist(), made["again"] is made["whole"])
print(made["part"].storage_offset(), made["grid"].stride(), made["part"].untyped_storage().nbytes())
layer = nn.Linear(2, 2)
tied = nn.Sequential(layer, nn.ReLU(), layer)
back = again(tied, weights_only=False)
print(back[0] is back[2], back[0].weight is back[2].weight, back[0].weight is layer.weight)
refused(lambda: saved([whole, torch.tensor([], dtype=torch.int32).set_(whole.untyped_storage())]))

print("# the archive")
reader = torch._C.PyTorchFileReader(saved({"w": whole, "n": 1}))
print(reader.get_all_records(), reader.get_record("byteorder"), reader.get_record("version"))
print(reader.get_record("data/0") == whole.untyped_storage()._to_bytes())
print(len(reader.get_record(".data/serialization_id")))
print(reader.get_record("data.pkl"))
print(saved(whole) == saved(torch.arange(6.)))

print("# modules")
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.LSTM(4, 2))
state = again(net.state_dict())
print(type(state).__name__, list(state), dict(state._metadata["1"]))
other = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.LSTM(4, 2))
print(other.load_state_dict(state))
print(all(torch.equal(a, b) for a, b in zip(net.state_dict().values(), other.state_dict().values())))
copy = again(net, weights_only=False)
x = torch.randn(5, 3)
print(copy, torch.equal(copy(x)[0], net(x)[0]), copy.training)
copy = pickle.loads(pickle.dumps(net.eval()))
print(torch.equal(copy(x)[0], net(x)[0]), copy.training)


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("seen", torch.zeros(1))
        self.register_buffer("passing", torch.zeros(1), persistent=False)
        self.note = "hello"

    def forward(self, x):
        return x * self.scale


own = again(Own(), weights_only=False)
print(own, own.note, list(own.state_dict()), own(torch.tensor(2.)).item())

lazy = again(nn.LazyLinear(3), weights_only=False)
print(lazy, lazy(torch.ones(1, 2)).shape)
calls = []


def note(*args):
    calls.append(1)


hooked = nn.Linear(1, 1)
handle = hooked.register_forward_hook(note)
copy, handle = again((hooked, handle), weights_only=False)
copy(torch.ones(1, 1))
handle.remove()
copy(torch.ones(1, 1))
print(len(calls), len(hooked._forward_hooks), len(copy._forward_hooks))
for layer in (nn.Transformer(4, 2, 1, 1, 8, batch_first=True), nn.GRU(2, 3), nn.MultiheadAttention(4, 2),
              nn.ModuleDict({"a": nn.ReLU()}), nn.ParameterList([nn.Parameter(torch.ones(1))]), nn.CrossEntropyLoss(),
              nn.Conv2d(1, 2, 3), nn.Embedding(3, 2)):
    print(type(layer).__name__, repr(again(layer, weights_only=False)) == repr(layer))
refused(lambda: saved(nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))))

print("# optimisers")
for make in (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), lambda p: torch.optim.Adam(p, lr=0.01, amsgrad=True)):
    net = nn.Linear(2, 1)
    optimizer = make(net.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.ones(4, 2)).pow(2).sum().backward()
        optimizer.step()
    checkpoint = again({"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3})
    twin = nn.Linear(2, 1)
    twin.load_state_dict(checkpoint["model"])
    resumed = make(twin.parameters())
    resumed.load_state_dict(checkpoint["optimizer"])
    for one, how in ((net, optimizer), (twin, resumed)):
        how.zero_grad()
        one(torch.ones(4, 2)).pow(2).sum().backward()
        how.step()
    kept = sorted(checkpoint["optimizer"]["state"][0])
    print(type(optimizer).__name__, checkpoint["epoch"], kept, torch.equal(net.weight, twin.weight))

scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
print(again(scheduler.state_dict())["step_size"], again(optimizer, weights_only=False).param_groups[0]["lr"])
print(type(again(scheduler, weights_only=False).optimizer).__name__)
print(torch.equal(again(torch.get_rng_state()), torch.get_rng_state()))

print("# where storages go")
print(torch.load(io.BytesIO(saved(whole)), map_location="meta").device)
print(torch.load(io.BytesIO(saved(whole)), map_location=torch.device("cpu")).device)
seen = []
torch.load(io.BytesIO(saved([whole, torch.ones(2)])),
           map_location=lambda storage, location: seen.append((storage.nbytes(), location)))
print(seen)
pickled, contents = torch._C.PyTorchFileReader(saved(whole)).get_record("data.pkl"), whole.untyped_storage()._to_bytes()


def saved_from(device):
    text = b"X" + len(device).to_bytes(4, "little") + device
    return archive(pickled.replace(b"X\x03\x00\x00\x00cpu", text), data_0=contents)


print(torch.load(saved_from(b"cuda:0"), map_location={"cuda:0": "cpu"}).tolist())
print(torch.load(saved_from(b"cuda:1"), map_location="cpu").device)
if not torch.cuda.is_available():
    refused(lambda: torch.load(saved_from(b"cuda:0")))
refused(lambda: torch.load(saved_from(b"xla")))

print("# older files")
old = saved({"w": whole, "part": whole[1:3], "p": nn.Parameter(torch.ones(1))}, _use_new_zipfile_serialization=False)
for weights_only in (True, False):
    made = torch.load(io.BytesIO(old), weights_only=weights_only)
    made["part"].fill_(7)
    print(made["w"].tolist(), made["p"])
warnings.simplefilter("ignore")
print(torch.load(io.BytesIO(saved(Own(), _use_new_zipfile_serialization=False)), weights_only=False))
refused(lambda: torch.load(io.BytesIO(old[:-3])))
file = io.BytesIO(saved(1, _use_new_zipfile_serialization=False) + b"behind")
print(torch.load(file), file.read())
print(pickle.loads(pickle.dumps(whole)), pickle.loads(pickle.dumps(whole.untyped_storage())).nbytes())

print("# only weights")


class Thing:
    def __init__(self):
        self.x = 1


refused(lambda: again(Thing()))
with torch.serialization.safe_globals([Thing]):
    print(again(Thing()).x)
torch.serialization.add_safe_globals([Thing])
print(again(Thing()).x, torch.serialization.get_safe_globals() == [Thing])
torch.serialization.clear_safe_globals()
print(again(Thing(), weights_only=False).x)
print(sorted(torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(saved(nn.ReLU())))))
for hostile in (b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.",
                b"\x80\x02c__builtin__\neval\nX\x01\x00\x00\x001\x85R.",
                b"\x80\x02]K\x01b.", b"\x80\x02}q\x00K\x01a.", b"\x80\x02N)\x81.", b"\x80\x02K\x01)R.",
                b"\x80\x02h\x07.",
                b"\x80\x02X\xff\xff\x00\x00ab.", b"\x80\x02J\x01.", b"\x80\x02\x95.", b"\x80\x02K\x01Q.",
                b"\x80\x02X\x01\x00\x00\x00aQ."):
    refused(lambda: torch.load(archive(hostile)))

# A state may not make another thing of a tensor.
rebuilt = b"ctorch._utils\n_rebuild_meta_tensor_no_storage\n"
tensor = b"(ctorch\nfloat32\nK\x01\x85K\x01\x85\x89t"
device = b"ctorch\ndevice\n"
cls = b"X\x09\x00\x00\x00__class__"
for target, state in ((device, b"}"), (b"ctorch\nTensor\n", b"}" + cls + device + b"s")):
    call = b"\x80\x02ctorch._tensor\n_rebuild_from_type_v2\n(" + rebuilt + target + tensor + state + b"tR."
    refused(lambda: torch.load(archive(call)))
for value, cls in ((torch.device("cpu"), Thing), (Thing(), torch.Tensor), (torch.ones(1), nn.Linear)):
    refused(lambda: setattr(value, "__class__", cls))
plain = torch.ones(1)
plain.__class__ = nn.Parameter
print(type(plain).__name__)

print("# what is no file of torch.save")
refused(lambda: torch.load(io.BytesIO(b"")))
refused(lambda: torch.load(io.BytesIO(b"hello")))
refused(lambda: torch.load(io.BytesIO(b"PK\x03\x04 and so on")))
refused(lambda: torch.load(archive(pickled, data_0=b"1234")))
refused(lambda: torch.load(archive(pickled)))
refused(lambda: torch.load(archive(pickled.replace(b"K\x00K\x06\x85", b"K\x01K\x06\x85"), data_0=contents)))
refused(lambda: torch.load(archive(pickled, byteorder=b"middle", data_0=contents)))
print(torch.load(archive(pickled, byteorder=b"big", data_0=contents))[1].item() > 0)
refused(lambda: torch.load(io.BytesIO(saved(whole)), mmap=True))
refused(lambda: torch.load(io.BytesIO(old), mmap=True))
refused(lambda: torch.load(io.BytesIO(saved(whole)), pickle_module=pickle, weights_only=True))
refused(lambda: torch.save(whole, 5))
refused(lambda: torch.load("none.pt"))
refused(lambda: saved(x for x in ()))
