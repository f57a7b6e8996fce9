"""Loops with a bar. Behaviour: tqdm/contrib/__init__.py."""
from tqdm import tqdm


def tenumerate(iterable, start=0, total=None, tqdm_class=tqdm, **tqdm_kwargs):
    return enumerate(tqdm_class(iterable, total=total, **tqdm_kwargs), start)


def tzip(iter1, *iter2plus, **tqdm_kwargs):
    yield from zip((tqdm_kwargs.pop("tqdm_class", tqdm))(iter1, **tqdm_kwargs), *iter2plus)


def tmap(function, *sequences, **tqdm_kwargs):
    for values in tzip(*sequences, **tqdm_kwargs):
        yield function(*values)
