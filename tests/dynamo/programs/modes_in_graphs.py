"""Modes of torch in compiled code: what graphs set, and that it is so after them as without compilation."""
import contextlib

import torch

x = torch.ones(2, requires_grad=True)


def show(title, fn, fullgraph=True):
    torch._dynamo.reset()
    graphs = []

    def backend(gm, inputs):
        graphs.append([f"{node.name}{node.args if 'mode' in node.name or 'enabled' in node.name else ''}"
                       for node in gm.graph.nodes if node.op not in ("placeholder", "output")])
        return gm.forward

    wanted = fn(x)
    mode = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    try:
        given = torch.compile(fn, backend=backend, fullgraph=fullgraph)(x)
        print(title, graphs, [str(w) for w in given] == [str(w) for w in wanted], mode == torch.is_grad_enabled())
    except torch._dynamo.exc.Unsupported as error:
        print(title, "|".join(str(error).splitlines()[:2]))
    torch.set_grad_enabled(True)


@torch.no_grad()
def decorated(t):
    return t * 2


@torch.inference_mode()
def inferred(t):
    return t * 2


def inside(t):
    @torch.no_grad()
    def inner(u):
        return u * 3

    return inner(t).requires_grad, (t * 2).requires_grad


def same_again(t):
    with torch.enable_grad():
        a = t * 2
    with torch.no_grad(), torch.no_grad():
        b = t * 3
    return a.requires_grad, b.requires_grad


def not_inferred(t):
    with torch.inference_mode(False):
        return ((t * 2).requires_grad,)


def set_for_good(t):
    torch.set_grad_enabled(False)
    return ((t * 2).requires_grad,)


def set_and_broken(t):
    with torch.set_grad_enabled(True):
        a = t * 2
        torch._dynamo.graph_break()
        b = a * 2
    with torch.inference_mode():
        c = t * 2
        torch._dynamo.graph_break()
        d = c * 2
    return a.requires_grad, b.requires_grad, d.requires_grad, (t * 2).requires_grad


def ranges(t):
    with torch.profiler.record_function("a"), torch.autograd.profiler.profile():
        a = t * 2
    with contextlib.nullcontext(a) as b:
        return (b * 3,)


def ranges_broken(t):
    with torch.profiler.record_function("a"):
        a = t * 2
        torch._dynamo.graph_break()
        return (a * 3,)


def on_device(t):
    with torch.device("meta"):
        return (t * 2, torch.ones(2).device.type)


show("no_grad of a function", lambda t: (decorated(t).requires_grad, (t * 2).requires_grad))
show("inference_mode of a function", lambda t: (inferred(t).requires_grad, (t * 2).requires_grad))
show("of an inner function", inside)
show("set only where it changes", same_again)
show("inference_mode(False)", not_inferred)
show("set_grad_enabled()", set_for_good)
show("broken inside", set_and_broken, fullgraph=False)
show("profilers", ranges)
show("profilers, broken", ranges_broken, fullgraph=False)
show("torch.device", on_device)
show("is_inference_mode_enabled", lambda t: (torch.is_inference_mode_enabled(),))
show("is_inference", lambda t: (t.is_inference(),))
show("manual_seed", lambda t: (torch.manual_seed(0), t * 2)[1:])
show("fork_rng", lambda t: [t * 2 for _ in [torch.random.fork_rng().__enter__()]])
show("graph_break with a message", lambda t: (torch._dynamo.graph_break(msg="here"),))
show("disable inside", lambda t: (torch._dynamo.disable(decorated)(t),))
show("compile inside", lambda t: (torch.compile(decorated, backend="eager")(t),))
show("scripting", lambda t: (t * 2, torch.jit.is_scripting(), torch.jit.is_tracing()))
show("operators in Python", lambda t: (torch.inner(t, t), torch.rsub(t, 1), torch._foreach_add([t, t], 1)[0]))
show("a test of a tensor", lambda t: (torch.is_conj(t),))

linear = torch.nn.Linear(2, 2)


def of_linear(t):
    y = linear(t.detach())
    with torch.no_grad():
        z = linear(t.detach())
    return y.requires_grad, z.requires_grad


show("what linear gives", of_linear)
