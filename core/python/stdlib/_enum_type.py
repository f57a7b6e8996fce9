"""How the classes of enumerations are made; module enum has those that programs derive from."""


from builtins import property as builtins_property
from types import MappingProxyType

# The classes of module enum, once they are there.
Enum = Flag = ReprEnum = EJECT = None


class nonmember:
    """Keeps a value from becoming a member."""

    def __init__(self, value):
        self.value = value


class member:
    """Makes a value a member that would be none by itself: a function, a class."""

    def __init__(self, value):
        self.value = value


_unset = object()


class auto:
    """A value that the class chooses."""

    def __init__(self, value=_unset):
        self.value = value

    def __repr__(self):
        return f"auto({'' if self.value is _unset else self.value!r})"


class property:
    """An attribute of members that is none of the class, where a member may have its name."""

    def __init__(self, fget=None, fset=None, fdel=None, doc=None):
        self.fget = fget
        self.fset = fset
        self.fdel = fdel
        self.__doc__ = doc or getattr(fget, "__doc__", None)
        self.name = getattr(fget, "__name__", None)

    def __set_name__(self, owner, name):
        self.name = name
        self.clsname = owner.__name__

    def __get__(self, instance, owner=None):
        if instance is not None:
            if self.fget is None:
                raise AttributeError(f"{owner!r} has no attribute {self.name!r}")
            return self.fget(instance)
        found = owner._member_map_.get(self.name)
        if found is None:
            raise AttributeError(f"{owner!r} has no attribute {self.name!r}")
        return found

    def __set__(self, instance, value):
        if self.fset is None:
            raise AttributeError(f"<enum {self.clsname!r}> cannot set attribute {self.name!r}")
        self.fset(instance, value)

    def __delete__(self, instance):
        if self.fdel is None:
            raise AttributeError(f"<enum {self.clsname!r}> cannot delete attribute {self.name!r}")
        self.fdel(instance)

    def setter(self, fset):
        """The same with a setter."""
        return type(self)(self.fget, fset, self.fdel, self.__doc__)

    def deleter(self, fdel):
        """The same with a deleter."""
        return type(self)(self.fget, self.fset, fdel, self.__doc__)


def _is_dunder(name):
    return len(name) > 4 and name[:2] == name[-2:] == "__" and name[2] != "_" and name[-3] != "_"


def _is_sunder(name):
    return len(name) > 2 and name[0] == name[-1] == "_" and name[1] != "_" and name[-2] != "_"


def _is_descriptor(value):
    return not isinstance(value, type) and any(hasattr(type(value), name) for name in ("__get__", "__set__", "__delete__"))


_SUNDER_NAMES = ("_order_", "_generate_next_value_", "_numeric_repr_", "_missing_", "_ignore_", "_iter_member_",
                 "_iter_member_by_value_", "_iter_member_by_def_", "_add_alias_", "_add_value_alias_",
                 "_use_args_", "_member_names_", "_value_repr_")


class EnumDict(dict):
    """The namespace of an enumeration's class statement: sorts the members out as they come."""

    def __init__(self, cls_name=None):
        super().__init__()
        self._members = {}
        self._last_values = []
        self._ignored = []
        self._generate = None
        self._cls_name = cls_name

    @builtins_property
    def member_names(self):
        return list(self._members)

    def _is_private(self, name):
        prefix = f"_{self._cls_name}__"
        return self._cls_name is not None and name.startswith(prefix) and len(name) > len(prefix) and \
            not name.endswith("__")

    def __setitem__(self, key, value):
        if self._is_private(key):
            pass
        elif _is_sunder(key):
            if key not in _SUNDER_NAMES and not key.startswith("_repr_"):
                raise ValueError(f"_sunder_ names, such as {key!r}, are reserved for future Enum use.")
            if key == "_generate_next_value_":
                if self._members:
                    raise TypeError("_generate_next_value_ must be defined before members")
                self._generate = getattr(value, "__func__", value)
            elif key == "_ignore_":
                value = value.replace(",", " ").split() if isinstance(value, str) else list(value)
                self._ignored = value
                taken = set(value) & set(self._members)
                if taken:
                    raise ValueError(f"_ignore_ cannot specify already set names: {taken!r}")
        elif _is_dunder(key):
            if key == "__order__":
                key = "_order_"
        elif key in self._members:
            raise TypeError(f"{key!r} already defined as {self[key]!r}")
        elif key in self._ignored:
            pass
        elif isinstance(value, nonmember):
            value = value.value
        elif _is_descriptor(value) and not isinstance(value, member):
            pass
        elif isinstance(value, type) and self._cls_name is not None and \
                getattr(value, "__qualname__", "").endswith(f"{self._cls_name}.{value.__name__}"):
            # A class that is defined inside of the enumeration belongs to it as it is.
            pass
        else:
            if key in self:
                raise TypeError(f"{key!r} already defined as {self[key]!r}")
            if isinstance(value, member):
                value = value.value
            value = self._resolved(key, value)
            self._members[key] = None
            self._last_values.append(value)
        super().__setitem__(key, value)

    def _resolved(self, key, value):
        """`value` with each auto() in it replaced."""
        if isinstance(value, auto):
            if value.value is _unset:
                value.value = self._generate(key, 1, len(self._members), self._last_values[:])
            return value.value
        if type(value) is tuple and any(isinstance(item, auto) for item in value):
            items = []
            for item in value:
                if isinstance(item, auto):
                    if item.value is _unset:
                        item.value = self._generate(key, 1, len(self._members), self._last_values[:])
                    item = item.value
                    self._last_values.append(item)
                items.append(item)
            return tuple(items)
        return value

    def update(self, members, **more_members):
        """Sets each pair as the class statement would."""
        pairs = members.items() if hasattr(members, "items") else members
        for name, value in (*pairs, *more_members.items()):
            self[name] = value


_EnumDict = EnumDict


def _data_type(class_name, bases):
    """The built-in (or other) type that the members are of, beside being members."""
    found = []
    for chain in bases:
        candidate = None
        for base in chain.__mro__:
            if base is object:
                continue
            if isinstance(base, EnumType):
                if base._member_type_ is not object:
                    found.append(base._member_type_)
                    break
            elif "__new__" in base.__dict__ or "__dataclass_fields__" in base.__dict__:
                found.append(candidate or base)
                break
            else:
                candidate = candidate or base
    unique_types = list(dict.fromkeys(found))
    if len(unique_types) > 1:
        raise TypeError(f"too many data types for {class_name!r}: {set(unique_types)!r}")
    return unique_types[0] if unique_types else object


def _dataclass_repr(self):
    shown = self.__dataclass_fields__
    return ", ".join(f"{name}={getattr(self, name)!r}" for name in shown if shown[name].repr)


def _value_repr(bases):
    """How the data type shows the values, None for repr()."""
    for chain in bases:
        for base in chain.__mro__:
            if isinstance(base, EnumType):
                return base._value_repr_
            if base is not object and "__repr__" in base.__dict__:
                params = base.__dict__.get("__dataclass_params__")
                return _dataclass_repr if params is not None and params.repr else base.__dict__["__repr__"]
    return None


class EnumType(type):
    """The class of enumerations."""

    @classmethod
    def __prepare__(metacls, cls, bases, /, **kwds):
        metacls._check_bases(cls, bases)
        namespace = EnumDict(cls)
        first = bases[-1] if bases else None
        if isinstance(first, EnumType):
            namespace._generate = first._generate_next_value_
        return namespace

    @staticmethod
    def _check_bases(name, bases):
        for chain in bases:
            for base in chain.__mro__:
                if isinstance(base, EnumType) and base._member_names_:
                    raise TypeError(f"<enum {name!r}> cannot extend {base!r}")

    def __new__(metacls, name, bases, namespace, /, *, boundary=None, _simple=False, **kwds):
        members = {key: namespace[key] for key in namespace._members}
        attributes = {key: value for key, value in namespace.items()
                      if key not in members and key not in namespace._ignored and key != "_ignore_"}
        invalid = set(members) & {"mro", ""}
        if invalid:
            raise ValueError(f"invalid enum member name(s) {','.join(repr(one) for one in invalid)}")
        order = attributes.pop("_order_", None)
        first_enum = bases[-1] if bases else None
        member_type = _data_type(name, bases) if Enum is not None else object
        generate = attributes.get("_generate_next_value_")
        if generate is not None and not isinstance(generate, staticmethod):
            attributes["_generate_next_value_"] = staticmethod(generate)
        user_new = attributes.pop("__new__", None)
        if user_new is not None:
            attributes["__new_member__"] = user_new if isinstance(user_new, staticmethod) else staticmethod(user_new)
        attributes.update(_member_names_=[], _member_map_={}, _value2member_map_={}, _unhashable_values_=[],
                          _member_type_=member_type, _flag_mask_=0, _singles_mask_=0, _all_bits_=0, _inverted_=None,
                          _boundary_=boundary or getattr(first_enum, "_boundary_", None))
        cls = super().__new__(metacls, name, bases, attributes, **kwds)
        if Enum is not None:
            cls._value_repr_ = _value_repr(bases)
            cls._take_methods(first_enum, member_type, attributes)
        if members:
            cls._add_members(members, member_type)
        if Flag is not None and issubclass(cls, Flag):
            cls._measure()
        if order is not None:
            cls._check_order(order)
        return cls

    def _take_methods(cls, first_enum, member_type, attributes):
        """Lets the enumeration's texts go before those of the data type, which ReprEnum wants for str() and format()."""
        for name in ("__repr__", "__str__", "__format__"):
            if name not in attributes:
                found = getattr(cls, name)
                if found is getattr(member_type, name) or found is getattr(object, name) or \
                        found == getattr(member_type, name):
                    setattr(cls, name, getattr(first_enum, name))
        if ReprEnum is not None and ReprEnum in cls.__bases__:
            if member_type is object:
                raise TypeError("ReprEnum subclasses must be mixed with a data type (i.e. int, str, float, etc.)")
            if "__format__" not in attributes:
                cls.__format__ = member_type.__format__
            if "__str__" not in attributes:
                method = member_type.__str__
                cls.__str__ = member_type.__repr__ if method is object.__str__ else method
        if Flag is not None and issubclass(cls, Flag):
            for name in ("__or__", "__and__", "__xor__", "__ror__", "__rand__", "__rxor__", "__invert__"):
                if name not in attributes:
                    setattr(cls, name, getattr(Flag, name))

    def _add_members(cls, members, member_type):
        make = getattr(cls, "__new_member__", None)
        uses_arguments = make is not None or member_type.__new__ is not object.__new__
        if make is None:
            make = member_type.__new__
        for name, value in members.items():
            arguments = value if isinstance(value, tuple) else (value,)
            if member_type is tuple:
                arguments = (arguments,)
            if not uses_arguments:
                made = object.__new__(cls)
                made._value_ = value
            else:
                made = make(cls, *arguments)
                if not hasattr(made, "_value_"):
                    if member_type is object:
                        made._value_ = value
                    else:
                        try:
                            made._value_ = member_type(*arguments)
                        except Exception as error:
                            raise TypeError("_value_ not set in __new__, unable to create it") from error
            made._name_ = name
            made.__objclass__ = cls
            made.__init__(*arguments)
            cls._place(name, made)

    def _place(cls, name, made):
        value = made._value_
        try:
            known = cls._value2member_map_.get(value)
        except TypeError:
            known = next((one for one in cls._member_map_.values() if one._value_ == value), None)
            if known is None:
                cls._unhashable_values_.append(value)
        else:
            cls._value2member_map_.setdefault(value, made)
        if known is not None:
            made = known
        else:
            made._sort_order_ = len(cls._member_names_)
            is_alias = Flag is not None and issubclass(cls, Flag) and isinstance(value, int) and value.bit_count() != 1
            if not is_alias:
                cls._member_names_.append(name)
        cls._member_map_[name] = made
        type.__setattr__(cls, name, made)

    def _measure(cls):
        """Which bits the members of a flag have."""
        values = [one._value_ for one in cls._member_map_.values() if isinstance(one._value_, int)]
        mask = singles = 0
        for value in values:
            if value < 0:
                continue
            mask |= value
            if value.bit_count() == 1:
                singles |= value
        cls._flag_mask_ = mask
        cls._singles_mask_ = singles
        cls._all_bits_ = 2 ** mask.bit_length() - 1
        names = cls._member_names_
        in_order = sorted(names, key=lambda name: cls._member_map_[name]._value_)
        if in_order != names:
            cls._member_names_ = in_order

    def _check_order(cls, order):
        names = order.replace(",", " ").split() if isinstance(order, str) else list(order)
        names = [name for name in names if name in cls._member_map_ and cls._member_map_[name]._name_ == name]
        if names != cls._member_names_:
            raise TypeError("member order does not match _order_:\n  "
                            f"{cls._member_names_!r}\n  {names!r}")

    def __bool__(cls):
        return True

    def __call__(cls, value, names=_unset, *values, module=None, qualname=None, type=None, start=1, boundary=None):
        if cls._member_map_:
            if names is not _unset:
                value = (value, names, *values)
            return cls._find(value)
        if names is _unset and type is None:
            # There is no member that it could be.
            raise TypeError(f"{cls!r} has no members; specify `names=()` if you meant to create a new, empty, enum")
        return cls._create_(value, () if names is _unset else names, module=module, qualname=qualname, type=type,
                            start=start, boundary=boundary)

    def _find(cls, value):
        if value.__class__ is cls:
            return value
        try:
            return cls._value2member_map_[value]
        except KeyError:
            pass
        except TypeError:
            for one in cls._member_map_.values():
                if one._value_ == value:
                    return one
        problem = None
        try:
            found = cls._missing_(value)
        except Exception as error:
            problem = error
            found = None
        if isinstance(found, cls) or Flag is not None and issubclass(cls, Flag) and cls._boundary_ is EJECT and \
                isinstance(found, int):
            return found
        invalid = ValueError(f"{value!r} is not a valid {cls.__qualname__}")
        if found is None and problem is None:
            raise invalid
        if problem is None:
            problem = TypeError(f"error in {cls.__name__}._missing_: returned {found!r} instead of None or a valid member")
        if not isinstance(problem, ValueError):
            problem.__context__ = invalid
        raise problem

    def _create_(cls, class_name, names, *, module=None, qualname=None, type=None, start=1, boundary=None):
        metacls = cls.__class__
        bases = (cls,) if type is None else (type, cls)
        namespace = metacls.__prepare__(class_name, bases)
        if isinstance(names, str):
            names = names.replace(",", " ").split()
        if isinstance(names, (tuple, list)) and names and isinstance(names[0], str):
            last = []
            pairs = []
            for at, name in enumerate(names):
                value = cls._generate_next_value_(name, start, at, last[:])
                last.append(value)
                pairs.append((name, value))
            names = pairs
        for item in names:
            name, value = (item, names[item]) if isinstance(item, str) else item
            namespace[name] = value
        if module is None:
            from collections import _calling_module
            module = _calling_module(2)
        if module is not None:
            namespace["__module__"] = module
        if qualname is not None:
            namespace["__qualname__"] = qualname
        return metacls.__new__(metacls, class_name, bases, namespace, boundary=boundary)

    def __contains__(cls, value):
        if isinstance(value, cls):
            return True
        try:
            return value in cls._value2member_map_ or cls._is_combination(value)
        except TypeError:
            return value in cls._unhashable_values_

    def _is_combination(cls, value):
        if Flag is None or not issubclass(cls, Flag) or not isinstance(value, int):
            return False
        try:
            return isinstance(cls._missing_(value), cls)
        except ValueError:
            return False

    def __delattr__(cls, attr):
        if attr in cls._member_map_:
            raise AttributeError(f"{cls.__name__!r} cannot delete member {attr!r}.")
        super().__delattr__(attr)

    def __setattr__(cls, name, value):
        if name in cls.__dict__.get("_member_map_", {}):
            raise AttributeError(f"cannot reassign member {name!r}")
        super().__setattr__(name, value)

    def __dir__(cls):
        names = {"__class__", "__contains__", "__doc__", "__getitem__", "__iter__", "__len__", "__members__", "__module__",
                 "__name__", "__qualname__", *cls._member_names_}
        if cls._member_type_ is object:
            return sorted(names)
        return sorted(set(dir(cls._member_type_)) | names)

    def __getitem__(cls, name):
        return cls._member_map_[name]

    def __iter__(cls):
        return (cls._member_map_[name] for name in cls._member_names_)

    def __reversed__(cls):
        return (cls._member_map_[name] for name in reversed(cls._member_names_))

    def __len__(cls):
        return len(cls._member_names_)

    @builtins_property
    def __members__(cls):
        """All members by name, aliases too."""
        return MappingProxyType(cls._member_map_)

    def __repr__(cls):
        kind = "flag" if Flag is not None and issubclass(cls, Flag) else "enum"
        return f"<{kind} {cls.__name__!r}>"


for _class in (nonmember, member, auto, property, EnumDict, EnumType):
    _class.__module__ = "enum"
