"""Groups of exceptions: how they are divided, and what `except*` does with them.

Behaviour: PEP 654; CPython Objects/exceptions.c, BaseExceptionGroup_split and _PyExc_PrepReraiseStar.
"""


def _condition(matcher):
    if isinstance(matcher, type) and issubclass(matcher, BaseException):
        return lambda error: isinstance(error, matcher)
    if isinstance(matcher, tuple) and all(isinstance(one, type) and issubclass(one, BaseException) for one in matcher):
        return lambda error: isinstance(error, matcher)
    if callable(matcher) and not isinstance(matcher, type):
        return matcher
    raise TypeError("expected an exception type, a tuple of exception types, or a callable (other than a class)")


def _derived(group, members):
    """Another group of these members with what `group` tells besides; None of none."""
    if not members:
        return None
    made = group.derive(members)
    if not isinstance(made, BaseExceptionGroup):
        raise TypeError("derive must return an instance of BaseExceptionGroup")
    made.__traceback__, made.__context__, made.__cause__ = group.__traceback__, group.__context__, group.__cause__
    if hasattr(group, "__notes__"):
        made.__notes__ = list(group.__notes__)
    return made


def _split(error, fits):
    if fits(error):
        return error, None
    if not isinstance(error, BaseExceptionGroup):
        return None, error
    matched, others = [], []
    for one in error.exceptions:
        match, rest = _split(one, fits)
        if match is not None:
            matched.append(match)
        if rest is not None:
            others.append(rest)
    return _derived(error, matched), _derived(error, others)


def split(group, matcher):
    """The groups of those that match and of the others; None for an empty one."""
    return _split(group, _condition(matcher))


def subgroup(group, matcher):
    """The group of those that match, or None."""
    return _split(group, _condition(matcher))[0]


def derive(group, members):
    """A group with the same message."""
    return BaseExceptionGroup(group.message, members)


def _leaves(error):
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error


class Handling:
    """What a `try` with `except*` knows while its clauses run, one after the other."""

    def __init__(self, error):
        self.error = self.rest = error
        self.raised = []

    def match(self, kind):
        """The part that a clause handles, a group, or None."""
        kinds = kind if isinstance(kind, tuple) else (kind,)
        for one in kinds:
            if not (isinstance(one, type) and issubclass(one, BaseException)):
                raise TypeError("catching classes that do not inherit from BaseException is not allowed")
            if issubclass(one, BaseExceptionGroup):
                raise TypeError("catching ExceptionGroup with except* is not allowed. Use except instead.")
        if self.rest is None:
            return None
        if isinstance(self.error, BaseExceptionGroup):
            matched, self.rest = split(self.rest, kind)
            return matched
        if not isinstance(self.rest, kind):
            return None
        self.rest = None
        matched = BaseExceptionGroup("", (self.error,))
        matched.__traceback__ = self.error.__traceback__
        return matched

    def failed(self, error):
        """A clause ended with an exception."""
        self.raised.append(error)

    def left(self):
        """What is raised at the end, or None."""
        if not isinstance(self.error, BaseExceptionGroup):
            return self.raised[0] if self.raised else self.rest
        again = [] if self.rest is None else [self.rest]
        new = []
        for error in self.raised:
            is_same = (isinstance(error, BaseExceptionGroup) and error.__cause__ is self.error.__cause__ and
                       error.__context__ is self.error.__context__ and set(_leaves(error)) <= set(_leaves(self.error)))
            (again if is_same else new).append(error)
        kept = {id(leaf) for error in again for leaf in _leaves(error)}
        rest = _split(self.error, lambda error: not isinstance(error, BaseExceptionGroup) and id(error) in kept)[0] if kept else None
        if not new:
            return rest
        if rest is not None:
            new.append(rest)
        return new[0] if len(new) == 1 else BaseExceptionGroup("", new)
