import torch
from einops import rearrange, reduce, repeat, pack, unpack, parse_shape, EinopsError
from einops.layers.torch import Rearrange, Reduce


def shown(action):
    try:
        result = action()
        print(result.tolist() if hasattr(result, "tolist") else result)
    except RuntimeError as error:
        print(f"{type(error).__name__}: {error}")


x = torch.arange(24).reshape(2, 3, 4)
print(rearrange(x, "a b c -> c b a").tolist())
print(rearrange(x, "a b c -> a (b c)").tolist(), tuple(rearrange(x, "a b c -> (a b) c").shape))
print(rearrange(x, "a b (c1 c2) -> (a c1) b c2", c1=2).tolist())
print(rearrange(x, "a b (c1 c2) -> a c2 (b c1)", c2=2).tolist())
print(tuple(rearrange(x, "... c -> c ...").shape), tuple(rearrange(x, "a ... -> a (...)").shape), tuple(rearrange(x, "a b c -> a 1 b () c").shape))
print(tuple(rearrange([x, x], "n a b c -> a b (c n)").shape), rearrange(x.reshape(24), "(a b) -> b a", a=4).tolist())
print(reduce(x, "a b c -> b", "sum").tolist(), reduce(x, "a b c -> a c", "max").tolist(), reduce(x, "... c -> ...", "min").tolist())
print(reduce(x, "a b (c 2) -> a (b c)", "max").tolist(), tuple(reduce(x, "a b c -> a 1 c", "sum").shape), reduce(x, "a b c -> b a", "prod").tolist())
print(repeat(torch.arange(3), "a -> a b", b=2).tolist(), repeat(torch.arange(3), "a -> (b a)", b=2).tolist(), repeat(torch.arange(3), "a -> (a b) 2", b=2).tolist())
print(tuple(repeat(x, "a b c -> (a 2) b 3 c").shape), parse_shape(x, "a _ c"), issubclass(EinopsError, RuntimeError))
packed, shapes = pack([x, x.reshape(6, 4)], "* c")
print(tuple(packed.shape), [tuple(shape) for shape in shapes], [tuple(one.shape) for one in unpack(packed, shapes, "* c")])
layer = Rearrange("a b c -> c (a b)")
print(layer, tuple(layer(x).shape), Reduce("a b c -> a", "max"), Reduce("a b c -> a", "max")(x).tolist(), Rearrange("a (b d) c -> a b d c", b=3))
shown(lambda: rearrange(x, "a b -> b a"))
shown(lambda: rearrange(x, "a b c -> a b"))
shown(lambda: rearrange(x, "a (b d) c -> a b d c", b=2))
shown(lambda: rearrange(x, "a b c -> a b c", b=7))
shown(lambda: rearrange(x, "a b c -> a b c", z=1))
shown(lambda: rearrange(x, "a b a -> a b"))
shown(lambda: repeat(x, "a b c -> a b c d"))
shown(lambda: rearrange(x, "a ((b) c) -> a b c"))
