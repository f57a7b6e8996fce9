"""The tower of numbers as abstract base classes."""

__all__ = ["Number", "Complex", "Real", "Rational", "Integral"]

from abc import ABCMeta, abstractmethod, update_abstractmethods


class Number(metaclass=ABCMeta):
    """Every number."""

    __slots__ = ()
    __hash__ = None


def _require(cls, *names):
    """Gives a class abstract methods of these names."""
    for name in names:
        def method(self, *others):
            raise NotImplementedError
        method.__name__ = name
        setattr(cls, name, abstractmethod(method))
    update_abstractmethods(cls)


class Complex(Number):
    """Numbers that are like complex."""

    __slots__ = ()

    def __bool__(self):
        return self != 0

    @property
    @abstractmethod
    def real(self):
        """The real part."""
        raise NotImplementedError

    @property
    @abstractmethod
    def imag(self):
        """The imaginary part."""
        raise NotImplementedError

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other


_require(Complex, "__complex__", "__add__", "__radd__", "__neg__", "__pos__", "__mul__", "__rmul__", "__truediv__",
         "__rtruediv__", "__pow__", "__rpow__", "__abs__", "conjugate", "__eq__")


class Real(Complex):
    """Numbers that are like float."""

    __slots__ = ()

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __complex__(self):
        return complex(float(self))

    @property
    def real(self):
        """The number itself."""
        return +self

    @property
    def imag(self):
        """Zero."""
        return 0

    def conjugate(self):
        """The number itself."""
        return +self


_require(Real, "__float__", "__trunc__", "__floor__", "__ceil__", "__round__", "__floordiv__", "__rfloordiv__",
         "__mod__", "__rmod__", "__lt__", "__le__")


class Rational(Real):
    """Numbers with a numerator and a denominator."""

    __slots__ = ()

    @property
    @abstractmethod
    def numerator(self):
        """The numerator, in lowest terms."""
        raise NotImplementedError

    @property
    @abstractmethod
    def denominator(self):
        """The denominator, in lowest terms and positive."""
        raise NotImplementedError

    def __float__(self):
        return int(self.numerator) / int(self.denominator)


class Integral(Rational):
    """Numbers that are like int."""

    __slots__ = ()

    def __index__(self):
        return int(self)

    def __float__(self):
        return float(int(self))

    @property
    def numerator(self):
        """The number itself."""
        return +self

    @property
    def denominator(self):
        """One."""
        return 1


_require(Integral, "__int__", "__pow__", "__lshift__", "__rlshift__", "__rshift__", "__rrshift__", "__and__",
         "__rand__", "__xor__", "__rxor__", "__or__", "__ror__", "__invert__")

Complex.register(complex)
Real.register(float)
Integral.register(int)
