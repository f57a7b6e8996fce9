"""Functions of torch that are made of others, torch.testing and trees of containers."""
import warnings

import torch
from torch.utils import _pytree


def refused(action):
    try:
        action()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


print(torch.is_floating_point(torch.ones(1)), torch.is_complex(torch.ones(1)), torch.is_storage(torch.ones(1)))
print(torch.inner(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])), torch.inner(torch.ones(2, 3), torch.ones(4, 3)).shape)
refused(lambda: torch.inner(torch.ones(2), torch.ones(3)))
print(torch.unravel_index(torch.tensor([7, 11]), (3, 4)), torch.vander(torch.tensor([1, 2, 3])))
print(torch.renorm(torch.tensor([[3.0, 4.0], [1.0, 0.0]]), 2, 0, 1.0))
print(torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0])), torch.gradient(torch.tensor([1.0, 4.0, 9.0]), edge_order=2))
print(torch.gradient(torch.tensor([[1.0, 2.0, 4.0], [4.0, 8.0, 16.0]]), spacing=2.0, dim=1))
with warnings.catch_warnings(record=True) as noted:
    warnings.simplefilter("always")
    print(torch.range(1, 4), torch.range(0, 1, 0.5), len(noted))
torch.manual_seed(0)
like = torch.randint_like(torch.zeros(3), 10)
torch.manual_seed(0)
print(torch.equal(like, torch.randint(0, 10, (3,)).float()))
print(torch.cosine_similarity(torch.ones(2, 2), torch.ones(2, 2)), torch.dropout(torch.ones(3), 0.5, False))
print(torch.fill(torch.zeros(2), 3), torch.row_stack([torch.ones(2), torch.zeros(2)]).shape)

assert_close = torch.testing.assert_close
assert_close([torch.ones(2), {"a": 1.0}], [torch.ones(2) + 1e-7, {"a": 1.0 + 1e-9}])
refused(lambda: assert_close(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.0, 4.0])))
refused(lambda: assert_close(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 2], [3, 7]])))
refused(lambda: assert_close({"a": [1, torch.tensor(1)]}, {"a": [1, torch.tensor(2)]}))
refused(lambda: assert_close(1.0, 2.0))
refused(lambda: assert_close(torch.ones(2), torch.ones(3)))
refused(lambda: assert_close(torch.ones(2), torch.ones(2, dtype=torch.float64)))
assert_close(torch.ones(2), torch.ones(2, dtype=torch.float64), check_dtype=False)
refused(lambda: assert_close(torch.tensor(float("nan")), torch.tensor(float("nan"))))
assert_close(torch.tensor(float("nan")), torch.tensor(float("nan")), equal_nan=True)
refused(lambda: assert_close(torch.ones(2), 1))
refused(lambda: assert_close([1], [1, 2]))
refused(lambda: assert_close({"a": 1}, {"b": 1}))
refused(lambda: assert_close(1, 2, msg="not the same"))
refused(lambda: assert_close(1, 1, rtol=0.1))
print(torch.testing.make_tensor(2, 3, dtype=torch.int64).shape)

leaves, spec = _pytree.tree_flatten({"a": [1, (2, 3)], "b": None})
print(leaves, spec.num_leaves, spec.unflatten([5, 6, 7, 8]))
print(spec)
print(_pytree.tree_map(lambda x, y: x + y, [1, (2,)], [10, (20,)]), _pytree.tree_any(lambda x: x > 1, [1, 2]))
print(_pytree.tree_map_only(int, lambda x: -x, {"a": 1, "b": "c"}), _pytree.tree_leaves([[], [1, [2]]]))
refused(lambda: _pytree.tree_map(lambda x, y: x, [1, 2], [1]))
refused(lambda: spec.unflatten([1]))
