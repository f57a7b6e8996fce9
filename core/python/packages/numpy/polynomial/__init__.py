"""Polynomials with the lowest power first. Behaviour: numpy/polynomial/__init__.py."""
from numpy._dtypes import no_attribute
from numpy.polynomial import polynomial
from numpy.polynomial._object import Polynomial


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy.polynomial' has no attribute {name!r}")
    raise no_attribute("module 'numpy.polynomial'", name)
