"""Counters of torch._dynamo. Behaviour: torch/_dynamo/utils.py."""
from collections import Counter
from collections.abc import Mapping

from torch._C import _dynamo as _native


def _counted():
    graphs, calls, total, ok, breaks = _native.counters()
    return {"stats": Counter(unique_graphs=graphs, calls_captured=calls), "frames": Counter(total=total, ok=ok),
            "graph_break": Counter(breaks), "nnscope": Counter(_native.plans())}


class _Counters(Mapping):
    """A dict of Counters that shows what was counted since clear()."""

    def __init__(self):
        self._before = {}

    def _now(self):
        counted = {group: counts - self._before.get(group, Counter()) for group, counts in _counted().items()}
        return {group: counts for group, counts in counted.items() if counts}

    def __getitem__(self, group):
        return self._now().get(group, Counter())

    def __contains__(self, group):
        return group in self._now()

    def __iter__(self):
        return iter(self._now())

    def __len__(self):
        return len(self._now())

    def __repr__(self):
        return f"defaultdict(<class 'collections.Counter'>, {self._now()!r})"

    def clear(self):
        self._before = _counted()


counters = _Counters()


# Classes of models' results.
_COMPARED_BY_ATTRIBUTES = ("MaskedLMOutput", "Seq2SeqLMOutput", "CausalLMOutputWithCrossAttentions", "LongformerMaskedLMOutput",
                           "Instances", "SquashedNormal", "Boxes", "Normal", "TanhTransform", "Foo", "Variable")


def same(ref, res, fp64_ref=None, cos_similarity=False, tol=1e-4, equal_nan=False, exact_dtype=True, relax_numpy_equality=False,
         ignore_non_fp=False, log_error=None, use_larger_multiplier_for_smaller_tensor=False, force_max_multiplier=False):
    """Whether two results are the same up to `tol`, in all containers of theirs."""
    import torch
    if isinstance(ref, (list, tuple, torch.nn.ParameterList, torch.Size)):
        return len(ref) == len(res) and all(same(one, other, None, cos_similarity, tol, equal_nan, exact_dtype)
                                            for one, other in zip(ref, res))
    if isinstance(ref, dict):
        return set(ref) == set(res) and all(same(ref[key], res[key], None, cos_similarity, tol, equal_nan, exact_dtype) for key in ref)
    if isinstance(ref, torch.Tensor):
        if isinstance(res, (bool, int, float)):
            return same(ref, torch.tensor(res).expand_as(ref), None, cos_similarity, tol, equal_nan, exact_dtype)
        if not isinstance(res, torch.Tensor) or ref.shape != res.shape or (exact_dtype and ref.dtype != res.dtype):
            return False
        if ref.dtype == torch.bool:
            return bool((ref == res).all())
        if cos_similarity:
            similarity = torch.nn.functional.cosine_similarity(ref.flatten().float(), res.flatten().float(), dim=0, eps=1e-6)
            return bool(similarity >= 0.99) or torch.equal(ref, res)
        return torch.allclose(ref.double(), res.double(), rtol=tol, atol=tol, equal_nan=equal_nan)
    if isinstance(ref, float):
        return abs(ref - res) <= tol + tol * abs(ref) or (equal_nan and ref != ref and res != res)
    if type(ref).__name__ in _COMPARED_BY_ATTRIBUTES:
        return type(ref) is type(res) and all(
            same(getattr(ref, name), getattr(res, name), None, cos_similarity, tol, equal_nan, exact_dtype) for name in vars(ref))
    if type(ref).__module__ == "numpy":
        return same(torch.as_tensor(ref), torch.as_tensor(res), None, cos_similarity, tol, equal_nan, exact_dtype)
    if isinstance(ref, (str, int, type(None), bool, set, torch.device, torch.dtype)):
        return ref == res
    raise RuntimeError(f"unsupported type: {type(ref).__name__}")
