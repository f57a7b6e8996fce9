# Texts with tensors in them: they are made when the graph has run.
import torch

x = torch.tensor([1.0, -2.0, 3.0])


def check(function):
    plain = function(x)
    torch._dynamo.reset()
    compiled = torch.compile(function, backend="eager")(x)
    print(function.__name__, plain[0], plain[0] == compiled[0], torch.equal(plain[1], compiled[1]))
    torch._dynamo.reset()
    try:
        torch.compile(function, backend="eager", fullgraph=True)(x)
        print("  one graph")
    except torch._dynamo.exc.Unsupported as error:
        print(*("  " + line.strip() for line in str(error).split("\n\n For more")[0].split("\n") if line.strip()), sep="\n")


def plain(x): return f"{x}", x + 1
def several(x):
    z = x + 1
    return f"{{a}} {z} b {z.shape} {3}", z
def with_specification(x): return f"{x[0]:.2f} and {x[2]:5.1f}", x + 1
def by_method(x): return "{1} {0} {k}".format(x, 2, k=x[0]), x + 1
def of_list(x): return f"{[x, 1]}", x + 1
def of_text(x):
    inner = f"<{x}>"
    return f"{inner} {inner}", x + 1
def of_repr(x): return f"{x!r}", x + 1
def of_str(x): return str(x), x + 1
def repr_of_list(x): return repr([x]), x + 1
def percent(x): return "%s" % x, x + 1
def compared(x):
    s = f"{x}"
    return s == "a", x + 1


for function in (plain, several, with_specification, by_method, of_list, of_text, of_repr, of_str, repr_of_list, percent,
                 compared):
    check(function)


@torch.compile(backend="eager")
def printed(x):
    z = x + 1
    print(f"z is {z}")
    return z * 2


print(printed(x))
