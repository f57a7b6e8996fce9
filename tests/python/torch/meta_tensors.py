"""Tensors without items: what needs the items is refused, what mixes devices too, and no function reads what is not there."""
import torch
import torch.nn.functional as F

meta = torch.empty(4, 4, device="meta")
cpu = torch.ones(4, 4)
places = torch.empty(4, dtype=torch.long, device="meta")


def tell(label, call):
    try:
        made = call()
        if isinstance(made, torch.Tensor):
            made = (made.device.type, tuple(made.shape), made.dtype)
        print(f"{label}: {made}")
    except Exception as error:
        print(f"{label}: {type(error).__name__}: {str(error)[:100]}")


tell("cpu + meta", lambda: cpu + meta)
tell("meta + cpu", lambda: meta + cpu)
tell("meta + number on the cpu", lambda: meta + torch.tensor(2.0))
for name in ("add_", "eq_", "clamp_", "clamp_min_", "pow_", "xlogy_", "atan2_", "logical_and_", "fmod_"):
    tell(f"cpu.{name}(meta)", lambda: getattr(cpu, name)(meta))
tell("cpu.lerp_", lambda: cpu.lerp_(meta, 0.5))
tell("cpu.copy_(meta)", lambda: cpu.copy_(meta))
tell("meta.copy_(cpu)", lambda: meta.copy_(cpu))
tell("cpu[0] = meta[0]", lambda: cpu.__setitem__(0, meta[0]))
tell("meta[0] = cpu[0]", lambda: meta.__setitem__(0, cpu[0]))
tell("cpu.fill_(meta number)", lambda: cpu.fill_(meta[0, 0]))
print(cpu.sum().item())

tell("item", lambda: meta[0, 0].item())
tell("bool", lambda: bool(meta[0, 0]))
tell("is_nonzero", lambda: torch.is_nonzero(meta[0, 0]))
tell("int", lambda: int(places[0]))
tell("tensor of meta numbers", lambda: torch.tensor([meta[0, 0], meta[0, 1]]))
tell("as_tensor of them", lambda: torch.as_tensor([places[0]]))
tell("tensor of a meta tensor", lambda: torch.tensor(meta).device.type)
tell("allclose", lambda: torch.allclose(meta, meta))
tell("equal", lambda: torch.equal(meta, meta))
tell("isclose", lambda: torch.isclose(meta, meta))
tell("bincount", lambda: torch.bincount(places))
tell("tensor_split", lambda: torch.tensor_split(meta, places))
tell("tensor_split by ints", lambda: len(torch.tensor_split(meta, (1, 2))))
tell("to the cpu", lambda: meta.cpu())
tell("tolist", lambda: meta.tolist())

# Every function and method on such tensors: an error or a result, and the program goes on.
square, line, mask = meta, meta[0], torch.empty(4, 4, dtype=torch.bool, device="meta")
images = torch.empty(2, 3, 4, 4, device="meta")
groups = [(square,), (line,), (images,), (places,), (mask,), (square, square), (square, mask), (square, 0, places),
          (images, images, images), ([square, square],), (cpu, square), (square, cpu), (cpu, mask), (places, 3)]
left_alone = {"save", "load", "compile", "seed", "set_default_device", "set_default_dtype", "set_grad_enabled",
              "set_num_threads", "set_printoptions", "manual_seed"}
called = 0
for owner in (torch, F, torch.Tensor, torch.linalg, torch.special):
    for name in dir(owner):
        if name.startswith("__") or name in left_alone or name[0].isupper() or not callable(getattr(owner, name)):
            continue
        called += 1
        for group in groups:
            try:
                getattr(owner, name)(*group)
            except Exception:
                pass
print(called > 1000)
