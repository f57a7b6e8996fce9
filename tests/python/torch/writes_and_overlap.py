"""What is written in place may not be read again behind it, nor lie in one place twice."""
import warnings

import torch


def attempt(label, function):
    try:
        print(label, function())
    except Exception as error:
        print(f"{label} {type(error).__name__}: {error}")


wide = torch.zeros(1).expand(4)
index = torch.tensor([2, 1, 0])
row = torch.arange(4.0)
for name, args in (("uniform_", ()), ("random_", ()), ("bernoulli_", ()), ("exponential_", ()), ("normal_", ()), ("geometric_", (0.5,)),
                   ("index_copy_", (0, index, torch.ones(3))), ("index_add_", (0, index, torch.ones(3))),
                   ("scatter_", (0, index, torch.ones(3))), ("put_", (index, torch.ones(3))),
                   ("masked_scatter_", (torch.ones(4, dtype=torch.bool), torch.ones(4)))):
    attempt(name, lambda: getattr(wide, name)(*args))
attempt("own index", lambda: index.scatter_(0, index, index.clone()))
attempt("own items", lambda: row.index_add_(0, index, row[:3]))
attempt("own values", lambda: row.index_put_((index,), row[:3]))
attempt("gather out", lambda: torch.gather(row, 0, index, out=row))
attempt("take out", lambda: torch.take(row, index, out=row[1:]))
attempt("cat out", lambda: torch.cat([row, row], out=row))
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    wide.index_fill_(0, index, 7.0)
print(wide, [str(one.message).split(" is")[0] for one in told])
print([torch._debug_has_internal_overlap(one) for one in (row, wide, torch.zeros(6).as_strided((3, 3), (1, 1)))])
attempt("index_copy", lambda: row.index_copy(0, index, torch.ones(2)))
attempt("index_copy", lambda: row.index_copy(0, index, torch.ones(3, dtype=torch.float64)))
attempt("index_copy", lambda: torch.zeros(2, 3).index_copy(1, index, torch.ones(3, 3)))
attempt("index_copy", lambda: torch.zeros(2, 3).index_copy(1, index, torch.ones(2, 3).cumsum(1)))
attempt("index_add", lambda: torch.zeros(2, 3).index_add(1, index, torch.ones(3, 3)))
attempt("index_add", lambda: torch.zeros(3, 2).index_add(0, index, torch.ones(3, 2, dtype=torch.int64)))
attempt("masked_scatter", lambda: row.masked_scatter(torch.ones(4, dtype=torch.bool), torch.ones(2)))
attempt("masked_scatter", lambda: row.masked_scatter(torch.ones(4), torch.ones(4)))
attempt("put", lambda: row.clone().put_(index, torch.ones(2)))
attempt("take", lambda: torch.empty(0).take(index))
attempt("index_select", lambda: torch.empty(0, 3).index_select(0, index))
