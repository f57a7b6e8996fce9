"""Enumerations: classes whose attributes are their only instances."""

__all__ = ["EnumType", "EnumMeta", "EnumDict", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum", "auto", "unique",
           "property", "verify", "member", "nonmember", "FlagBoundary", "STRICT", "CONFORM", "EJECT", "KEEP", "global_str",
           "global_enum", "global_enum_repr", "global_flag_repr", "EnumCheck", "CONTINUOUS", "NAMED_FLAGS", "UNIQUE", "pickle_by_global_name",
           "pickle_by_enum_name"]

import _enum_type
from _enum_type import EnumDict, EnumType, auto, member, nonmember, property

EnumMeta = EnumType


class Enum(metaclass=EnumType):
    """An enumeration: its attributes are its members."""

    def __init__(self, *args, **kwds):
        pass

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        """What auto() is: one more than the largest value before."""
        if not last_values:
            return start
        try:
            return sorted(last_values)[-1] + 1
        except TypeError:
            raise TypeError("unable to sort non-numeric values") from None

    @classmethod
    def _missing_(cls, value):
        """What a value that no member has stands for."""
        return None

    def _add_alias_(self, name):
        """Gives the member one more name."""
        type(self)._member_map_[name] = self
        type.__setattr__(type(self), name, self)

    def _add_value_alias_(self, value):
        """Gives the member one more value."""
        type(self)._value2member_map_[value] = self

    def __repr__(self):
        show = type(self)._value_repr_ or repr
        return f"<{type(self).__name__}.{self._name_}: {show(self._value_)}>"

    def __str__(self):
        return f"{type(self).__name__}.{self._name_}"

    def __dir__(self):
        names = {"__class__", "__doc__", "__eq__", "__hash__", "__module__", "name", "value"}
        for base in type(self).__mro__:
            if isinstance(base, EnumType) and base is not Enum:
                names.update(name for name in base.__dict__ if name[0] != "_" and name not in base._member_map_)
        return sorted(names)

    def __format__(self, format_spec):
        return str.__format__(str(self), format_spec)

    def __hash__(self):
        return hash(self._name_)

    def __reduce_ex__(self, proto):
        return type(self), (self._value_,)

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self

    @property
    def name(self):
        """The name of the member."""
        return self._name_

    @property
    def value(self):
        """The value of the member."""
        return self._value_

    _value_repr_ = None


_enum_type.Enum = Enum


class ReprEnum(Enum):
    """An enumeration whose members read as their values, but for repr()."""


_enum_type.ReprEnum = ReprEnum


class FlagBoundary(str, Enum):
    """What becomes of bits that no member of a flag has."""

    STRICT = "strict"
    CONFORM = "conform"
    EJECT = "eject"
    KEEP = "keep"


STRICT, CONFORM, EJECT, KEEP = FlagBoundary
_enum_type.EJECT = EJECT


class IntEnum(int, ReprEnum):
    """An enumeration whose members are ints."""


class StrEnum(str, ReprEnum):
    """An enumeration whose members are texts."""

    def __new__(cls, *values):
        if len(values) > 3:
            raise TypeError(f"too many arguments for str(): {values!r}")
        if len(values) == 1 and not isinstance(values[0], str):
            raise TypeError(f"{values[0]!r} is not a string")
        if len(values) >= 2 and not isinstance(values[1], str):
            raise TypeError(f"encoding must be a string, not {values[1]!r}")
        if len(values) == 3 and not isinstance(values[2], str):
            raise TypeError(f"errors must be a string, not {values[2]!r}")
        value = str(*values)
        made = str.__new__(cls, value)
        made._value_ = value
        return made

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        """What auto() is: the name in small letters."""
        return name.lower()


def _bits(number, width):
    """A number as two's complement, its sign apart: 0b0 101."""
    digits = format(number & ((1 << width) - 1), f"0{width}b") if width else ""
    return f"0b{int(number < 0)} {digits}"


class Flag(Enum, boundary=STRICT):
    """An enumeration whose members can be combined."""

    _numeric_repr_ = repr

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        """What auto() is: the next power of two."""
        if not last_values:
            return start if start is not None else 1
        last = max(last_values)
        try:
            high = last.bit_length() - 1
        except AttributeError:
            raise TypeError(f"invalid flag value {last!r}") from None
        return 2 ** (high + 1)

    @classmethod
    def _missing_(cls, value):
        """The combination of members that a number stands for."""
        if not isinstance(value, int):
            raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")
        mask = cls._flag_mask_
        every = cls._all_bits_
        given = value
        if not ~every <= value <= every or value & (every ^ mask):
            if cls._boundary_ is STRICT:
                width = max(value.bit_length(), mask.bit_length())
                raise ValueError(f"{cls!r} invalid value {value!r}\n    given {_bits(value, width)}\n"
                                 f"  allowed {_bits(mask, width)}")
            if cls._boundary_ is CONFORM:
                value &= mask
            elif cls._boundary_ is EJECT:
                return value
            elif value < 0:
                value += max(every + 1, 2 ** value.bit_length())
        if value < 0:
            value += every + 1
            if cls._boundary_ is not KEEP:
                value &= mask
        known = cls._value2member_map_.get(value)
        if known is None:
            unknown = value & ~mask
            if cls._member_type_ is object:
                known = object.__new__(cls)
            else:
                known = cls._member_type_.__new__(cls, value)
            known._value_ = value
            names = [one._name_ for one in cls._iter_member_(value)]
            if names and unknown:
                names.append(cls._numeric_repr_(unknown))
            known._name_ = "|".join(names) if names else None
            known = cls._value2member_map_.setdefault(value, known)
        if given != value:
            cls._value2member_map_[given] = known
        return known

    @classmethod
    def _iter_member_(cls, value):
        """The members of one bit that are in a value."""
        for name in cls._member_names_:
            one = cls._member_map_[name]
            if one._value_ & value:
                yield one

    def __contains__(self, other):
        if not isinstance(other, self.__class__):
            raise TypeError(f"unsupported operand type(s) for 'in': {type(other).__qualname__!r} and "
                            f"{self.__class__.__qualname__!r}")
        return other._value_ & self._value_ == other._value_

    def __iter__(self):
        yield from self._iter_member_(self._value_)

    def __len__(self):
        return self._value_.bit_count()

    def __repr__(self):
        name = type(self).__name__
        show = type(self)._value_repr_ or repr
        if self._name_ is None:
            return f"<{name}: {show(self._value_)}>"
        return f"<{name}.{self._name_}: {show(self._value_)}>"

    def __str__(self):
        if self._name_ is None:
            return f"{type(self).__name__}({self._value_!r})"
        return f"{type(self).__name__}.{self._name_}"

    def __bool__(self):
        return bool(self._value_)

    def _number(self, flag):
        """The number of what can be combined with this, or None."""
        if isinstance(flag, self.__class__):
            return flag._value_
        if self._member_type_ is not object and isinstance(flag, self._member_type_):
            return flag
        return None

    def __or__(self, other):
        number = self._number(other)
        return NotImplemented if number is None else self.__class__(self._value_ | number)

    def __and__(self, other):
        number = self._number(other)
        return NotImplemented if number is None else self.__class__(self._value_ & number)

    def __xor__(self, other):
        number = self._number(other)
        return NotImplemented if number is None else self.__class__(self._value_ ^ number)

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__

    def __invert__(self):
        if self._boundary_ in (EJECT, KEEP):
            return self.__class__(~self._value_)
        return self.__class__(self._singles_mask_ & ~self._value_)


_enum_type.Flag = Flag


class IntFlag(int, ReprEnum, Flag, boundary=KEEP):
    """A flag whose members are ints."""


def unique(enumeration):
    """Refuses an enumeration in which a member has two names."""
    aliases = [f"{name} -> {one.name}" for name, one in enumeration.__members__.items() if name != one.name]
    if aliases:
        raise ValueError(f"duplicate values found in {enumeration!r}: {', '.join(aliases)}")
    return enumeration


class EnumCheck(StrEnum):
    """What verify() can look for."""

    CONTINUOUS = "no skipped integer values"
    NAMED_FLAGS = "multi-flag aliases may not contain unnamed flags"
    UNIQUE = "one name per value"


CONTINUOUS, NAMED_FLAGS, UNIQUE = EnumCheck


class verify:
    """Refuses an enumeration that is not as it is said to be."""

    def __init__(self, *checks):
        self.checks = checks

    def __call__(self, enumeration):
        name = enumeration.__name__
        for check in self.checks:
            if check is UNIQUE:
                aliases = [f"{alias} -> {one.name}" for alias, one in enumeration.__members__.items() if alias != one.name]
                if aliases:
                    raise ValueError(f"aliases found in {enumeration!r}: {', '.join(aliases)}")
            elif check is CONTINUOUS:
                values = {one.value for one in enumeration}
                if len(values) < 2:
                    continue
                low, high = min(values), max(values)
                if issubclass(enumeration, Flag):
                    expected = (2 ** at for at in range(low.bit_length(), high.bit_length() - 1))
                else:
                    expected = range(low + 1, high)
                missing = [value for value in expected if value not in values]
                if missing:
                    kind = "flag" if issubclass(enumeration, Flag) else "enum"
                    raise ValueError(f"invalid {kind} {name!r}: missing values {', '.join(map(str, missing))}"[:256])
            elif check is NAMED_FLAGS:
                known = enumeration._singles_mask_
                bad = [alias for alias, one in enumeration.__members__.items() if one.value >= 0 and one.value & ~known]
                if bad:
                    missing = 0
                    for alias in bad:
                        missing |= enumeration.__members__[alias].value & ~known
                    aliases = f"alias {bad[0]} is" if len(bad) == 1 else \
                        f"aliases {', '.join(bad[:-1])} and {bad[-1]} are"
                    value = f"value {missing:#x}" if missing.bit_count() == 1 else f"combined values of {missing:#x}"
                    raise ValueError(f"invalid Flag {name!r}: {aliases} missing {value} "
                                     "[use enum.show_flag_values(value) for details]")
        return enumeration


def global_str(self):
    """str() of a member that is a name of its module."""
    return f"{type(self).__name__}({self._value_!r})" if self._name_ is None else self._name_


def global_enum_repr(self):
    """repr() of a member that is a name of its module."""
    return f"{self.__class__.__module__.rpartition('.')[2]}.{self._name_}"


def global_flag_repr(self):
    """repr() of a flag whose members are names of its module."""
    module = self.__class__.__module__.rpartition(".")[2]
    if self._name_ is None:
        return f"{module}.{type(self).__name__}({self._value_!r})"
    return "|".join(name if name[0].isdigit() else f"{module}.{name}" for name in self._name_.split("|"))


def global_enum(cls, update_str=False):
    """Makes the members names of the module, and lets them read so."""
    import sys
    cls.__repr__ = global_flag_repr if issubclass(cls, Flag) else global_enum_repr
    if not issubclass(cls, ReprEnum) or update_str:
        cls.__str__ = global_str
    sys.modules[cls.__module__].__dict__.update(cls.__members__)
    return cls


def pickle_by_global_name(self, proto):
    """__reduce_ex__ by the name in the module."""
    return self.name


def pickle_by_enum_name(self, proto):
    """__reduce_ex__ by the name of the member."""
    return getattr, (self.__class__, self._name_)
