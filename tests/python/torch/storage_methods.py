# Behaviour: torch/storage.py; torch/csrc/StorageMethods.cpp, Storage.cpp.
import copy
import warnings

import torch

warnings.simplefilter("ignore")


def shown(action):
    try:
        return action()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[-1]}"


# Bytes.
s = torch.UntypedStorage([1, 2, 3, 4, 5, 6, 7, 8])
print(s)
print(s[0], s[-1], list(s), len(s), s.element_size(), s.type())
part = s[2:5]
print(part.tolist(), part.resizable(), s.resizable())
part[0] = 99
print(s.tolist())
s[6:] = 300
print(s.tolist())
print(shown(lambda: s[8]))
print(shown(lambda: s["a"]))
print(shown(lambda: s[::2]))
print(shown(lambda: s.__setitem__(0, 1.5)))
print(shown(lambda: part.resize_(10)))
print(shown(lambda: torch.UntypedStorage([1, "a"])))

# A tensor goes on looking at a storage whose size changes.
t = torch.arange(4, dtype=torch.int16)
u = t.untyped_storage()
view = t[1:3]
u.resize_(12)
print(u.nbytes(), t.tolist(), view.tolist())
t.resize_(6)
t[4:] = torch.tensor([7, 8], dtype=torch.int16)
print(u.nbytes(), t.tolist(), t.untyped_storage().data_ptr() == u.data_ptr())
u.resize_(2)
print(u.nbytes(), u.tolist(), shown(lambda: t.view(2, 3).tolist()))
u.resize_(0)
print(u.data_ptr(), torch.empty(0).data_ptr(), torch.empty(3)[3:].data_ptr())

# Copies.
a = torch.UntypedStorage([1, 2, 3])
b = copy.copy(a)
c, d = copy.deepcopy([a, a])
a.fill_(9)
print(a.tolist(), b.tolist(), c.tolist(), c is d)
print(shown(lambda: a.copy_(torch.UntypedStorage(2))))
a.note = "kept"
print(a.note, a.__sizeof__() > 3, a.new().nbytes(), a.filename)
w = torch.UntypedStorage([1, 2, 3, 4])
w.byteswap(torch.int16)
print(w.tolist())

# Buffers.
f = bytearray([0, 0, 128, 63, 63, 128, 0, 0])
print(torch.FloatStorage.from_buffer(f, "little", 1).tolist(), torch.FloatStorage.from_buffer(f, "big", 1, 4).tolist())
print(torch.BoolStorage.from_buffer(bytearray([0, 1, 7]), "big").tolist())
print(torch.UntypedStorage.from_buffer(bytearray([1, 2]), dtype=torch.uint8).tolist())
print(shown(lambda: torch.IntStorage.from_buffer(f)))
print(shown(lambda: torch.IntStorage.from_buffer(f, "middle")))
print(shown(lambda: torch.IntStorage.from_buffer(f, "big", 3)))
print(shown(lambda: torch.IntStorage.from_buffer(f, "big", -1, 9)))

# Numbers.
n = torch.IntStorage([-1, 0, 300])
print(n.type(), n.float().tolist(), n.byte().tolist(), n.bool().tolist(), n.double().dtype)
print(isinstance(n, torch.IntStorage), isinstance(n, torch.FloatStorage), type(n).__name__)
print(n)
n.resize_(4)
n[3] = 5
print(n.size(), n.tolist(), n.resizable(), n.nbytes())
print(torch.QInt8Storage([1, -2]).tolist(), torch.QUInt2x4Storage([3]).dtype, torch.complex64 == torch.ComplexFloatStorage._dtype)
print(shown(lambda: torch.FloatStorage(dtype=torch.float)))
print(shown(lambda: torch.FloatStorage(1, 2)))
print(shown(lambda: torch.FloatStorage(torch.ones(2))))
print(shown(lambda: torch.TypedStorage(wrap_storage=n.untyped())))
print(shown(lambda: n[0:1]))
print(shown(lambda: torch.TypedStorage(3, device="meta")[0]))
print(torch.TypedStorage(3, device="meta"))

# Tensors of storages.
x = torch.tensor([1.0, 2.0])
print(torch.tensor(x.storage()), torch.tensor(x.untyped_storage(), dtype=torch.float32))
print(shown(lambda: torch.tensor(x.storage(), dtype=torch.int32)))
print(shown(lambda: torch.tensor([], dtype=torch.float64).set_(x.storage())))
print(shown(lambda: x.set_(torch.zeros(2, dtype=torch.float64))))
y = torch.tensor([]).set_(x.untyped_storage(), 0, (2, 2))
print(y.shape, x.untyped_storage().nbytes(), y[0].tolist())
print(x.storage_type(), torch.FloatStorage in torch._storage_classes, torch.cuda.FloatStorage.__module__)
print(shown(lambda: torch.cuda.FloatStorage.from_buffer()))
print(shown(lambda: torch._C.StorageBase()), shown(lambda: torch._C.TensorBase()))
print(isinstance(x, torch._C.TensorBase), issubclass(torch.UntypedStorage, torch._C.StorageBase))


class Named(torch.UntypedStorage):
    pass


named = Named(4)
print(type(named).__name__, named.nbytes(), named.fill_(1).tolist())

torch.storage._reset_warn_typed_storage_removal()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    torch.FloatStorage()
    x.storage()
    x._typed_storage()
print([str(one.message).split(".")[0] for one in told])
