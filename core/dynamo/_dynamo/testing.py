"""What tests of compiled programs use. Behaviour: torch/_dynamo/testing.py."""
import contextlib
import functools
import random
import re
import sys
import unittest
from unittest.mock import patch

import torch
from torch._dynamo import config, eval_frame, optimize_assert, reset
from torch._dynamo.backends.registry import lookup_backend
from torch._dynamo.utils import same

unsupported = eval_frame.unsupported
three = 3


def _calls(gm):
    return sum("call" in node.op for node in gm.graph.nodes)


class CompileCounter:
    """A backend that counts: graphs (frame_count) and the calls in them (op_count)."""

    def __init__(self):
        self.clear()

    def __call__(self, gm, example_inputs):
        self.frame_count += 1
        self.op_count += _calls(gm)
        return gm.forward

    def clear(self):
        self.frame_count, self.op_count = 0, 0


class CompileCounterWithBackend:
    """The same around another backend; keeps the graphs, too."""

    def __init__(self, backend):
        self.backend = backend
        self.clear()

    def __call__(self, gm, example_inputs):
        self.frame_count += 1
        self.op_count += _calls(gm)
        self.graphs.append(gm)
        return lookup_backend(self.backend)(gm, example_inputs)

    def clear(self):
        self.frame_count, self.op_count, self.graphs = 0, 0, []


class EagerAndRecordGraphs:
    """A backend that keeps the graphs and their inputs."""

    def __init__(self):
        self.graphs, self.example_inputs = [], []

    def __call__(self, gm, example_inputs):
        self.graphs.append(gm)
        self.example_inputs.append(example_inputs)
        return gm.forward


class InductorAndRecordGraphs:
    """The same, and the graphs run by the backend "inductor"."""

    def __init__(self):
        self.graphs, self.inductor_graphs = [], []

    def __call__(self, gm, example_inputs):
        self.graphs.append(gm)
        return lookup_backend("inductor")(gm, example_inputs)


def extract_graph_backend(gm, example_inputs, graphs):
    """A backend, once `graphs` is bound: it keeps the graphs there."""
    graphs.append(gm)
    return gm.forward


def extract_graph(fn, *args, **kwargs):
    """A result of a compiled function and the graphs that were made for it."""
    backend = EagerAndRecordGraphs()
    return torch.compile(backend=backend)(fn)(*args, **kwargs), backend.graphs, []


def dummy_fx_compile(gm, example_inputs):
    return gm.forward


def clone_me(x):
    """A leaf with the same values; None stays None."""
    return None if x is None else x.detach().clone().requires_grad_(x.requires_grad)


def remove_optimized_module_prefix(name):
    return re.sub(r"^_orig_mod[.]", "", name)


def collect_results(model, prediction, loss, example_inputs):
    """Everything by which a step of training is compared: results, gradients, parameters, buffers."""
    strip = remove_optimized_module_prefix if isinstance(model, eval_frame.OptimizedModule) else str
    grads, params = {}, {}
    for name, param in model.named_parameters():
        params[strip(name)] = param
        # No gradient counts as one of zeros.
        grads[strip(name) + ".grad"] = torch.zeros_like(param) if param.grad is None else param.grad
    results = [prediction, loss, grads, params, {strip(name): buffer for name, buffer in model.named_buffers()}]
    for example in example_inputs:
        inside = example if isinstance(example, (tuple, list)) else (example,)
        results += [one.grad for one in inside if isinstance(one, torch.Tensor)]
    return results


def requires_bwd_pass(out):
    if isinstance(out, torch.Tensor):
        return out.requires_grad
    if isinstance(out, (list, tuple)):
        return any(requires_bwd_pass(one) for one in out)
    if out is None or isinstance(out, int):
        return False
    raise NotImplementedError("Don't know how to reduce", type(out))


# What classes of results keep the tensor in that a loss is made from.
_LOGITS = ("MaskedLMOutput", "Seq2SeqLMOutput", "CausalLMOutputWithCrossAttentions")


def reduce_to_scalar_loss(out):
    """A number that depends on all of a model's results."""
    if isinstance(out, torch.Tensor):
        return out.sum() / out.numel()
    if isinstance(out, (list, tuple)):
        return sum(reduce_to_scalar_loss(one) for one in out) / len(out)
    if type(out).__name__ in _LOGITS:
        return reduce_to_scalar_loss(out.logits)
    if type(out).__name__ == "SquashedNormal":
        return out.mean.sum()
    if isinstance(out, dict):
        return sum(reduce_to_scalar_loss(one) for one in out.values()) / len(out)
    raise NotImplementedError("Don't know how to reduce", type(out))


def strip_comment(code):
    return re.sub(r"(?m)^ *#.*\n?", "", str(code))


def remove_trailing_space(code):
    return "\n".join(line.rstrip() for line in code.split("\n"))


def normalize_gm(gm_str):
    """The code of a graph without what differs from machine to machine: comments name files."""
    return remove_trailing_space(strip_comment(gm_str))


def empty_line_normalizer(code):
    """The same without empty lines."""
    return normalize_gm(re.sub(r"[\r\n]+", "\n", code))


def standard_test(self, fn, nargs, expected_ops=None, expected_ops_dynamic=None, expected_frame_count=1):
    """Asserts that a function of `nargs` matrices gives the same when it is compiled, as one graph of so many calls."""
    if not config.assume_static_by_default and expected_ops_dynamic is not None:
        expected_ops = expected_ops_dynamic
    counter = CompileCounter()
    inputs = [[torch.randn(10, 10) for _ in range(nargs)] for _ in range(2)]
    correct = [fn(*args) for args in inputs]
    reset()
    compiled = optimize_assert(counter)(fn)
    results = [compiled(*args) for args in inputs + inputs]
    reset()
    for result, wanted in zip(results, correct + correct):
        self.assertTrue(same(result, wanted))
    self.assertEqual(counter.frame_count, expected_frame_count)
    if expected_ops is not None:
        self.assertEqual(counter.op_count, expected_ops)


def format_speedup(speedup, pvalue, is_correct=True, pvalue_threshold=0.1):
    if not is_correct:
        return "ERROR"
    return f"{speedup:.3f}x SAME" if pvalue > pvalue_threshold else f"{speedup:.3f}x p={pvalue:.2f}"


def rand_strided(size, stride, dtype=torch.float32, device="cpu", extra_size=0):
    """Random numbers in a given layout; zeros where the type holds no fractions."""
    needed = sum((length - 1) * step for length, step in zip(size, stride)) + 1 + extra_size
    if not dtype.is_floating_point:
        buffer = torch.zeros(size=[needed], dtype=dtype, device=device)
    elif dtype.itemsize == 1:
        # Numbers of eight bits have no generator of their own.
        buffer = torch.randn(needed, dtype=torch.float16, device=device).to(dtype=dtype)
    else:
        buffer = torch.randn(needed, dtype=dtype, device=device)
    return torch.as_strided(buffer, size, stride)


def _make_fn_with_patches(fn, *patches):
    @functools.wraps(fn)
    def patched(*args, **kwargs):
        with contextlib.ExitStack() as stack:
            for module, name, value in patches:
                stack.enter_context(patch.object(module, name, value))
            return fn(*args, **kwargs)

    return patched


def make_test_cls_with_patches(cls, cls_prefix, fn_suffix, *patches, xfail_prop=None, decorator=lambda x: x):
    """A class of the same tests, each run with attributes of modules replaced: (module, name, value) each."""
    made = type(f"{cls_prefix}{cls.__name__}", cls.__bases__, {})
    made.__qualname__ = made.__name__
    for name in dir(cls):
        value = getattr(cls, name)
        if not name.startswith("test_"):
            if not hasattr(made, name):
                setattr(made, name, value)
        elif not callable(value):
            setattr(made, name, value)
        else:
            test = _make_fn_with_patches(value, *patches)
            test.__name__ = f"{name}{fn_suffix}"
            if xfail_prop is not None and hasattr(value, xfail_prop):
                test = unittest.expectedFailure(test)
            setattr(made, test.__name__, decorator(test))
    return made


def _unless(version, decorate, is_met=True):
    """A decorator that leaves tests as they are where Python is at least `version`, or is older."""
    return (lambda fn: fn) if (sys.version_info >= version) is is_met else decorate


skipIfNotPy311 = _unless((3, 11), unittest.skip("Requires Python 3.11+"))
skipIfNotPy312 = _unless((3, 12), unittest.skip("Requires Python 3.12+"))
xfailIfPy312 = _unless((3, 12), unittest.expectedFailure, False)
skipIfPy312 = _unless((3, 12), unittest.skip("Not supported in Python 3.12+"), False)
requiresPy310 = _unless((3, 10), unittest.skip("Requires Python 3.10+"))


def expectedFailureDynamic(fn):
    fn._expected_failure_dynamic = True
    return fn


def expectedFailureCodegenDynamic(fn):
    fn._expected_failure_codegen_dynamic = True
    return fn


def expectedFailureDynamicWrapper(fn):
    fn._expected_failure_dynamic_wrapper = True
    return fn


def reset_rng_state(use_xla=False):
    """Seeds torch, random and numpy alike."""
    import numpy
    torch.manual_seed(1337)
    random.seed(1337)
    numpy.random.seed(1337)
