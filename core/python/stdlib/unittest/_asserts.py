"""What a test can assert."""

import warnings


def _short(value):
    """repr(), its middle left out where it is long."""
    try:
        text = repr(value)
    except Exception:
        text = object.__repr__(value)
    return text if len(text) <= 80 * 3 else text[:200] + " [truncated]..."


class _Raises:
    """What assertRaises() gives: a context manager, after which .exception is what was raised."""

    def __init__(self, expected, test, pattern=None):
        self.expected = expected
        self.test = test
        self.pattern = pattern
        self.msg = None
        self.obj_name = None

    def _fail(self, text):
        raise self.test.failureException(self.test._formatMessage(self.msg, text))

    def _name(self):
        try:
            return self.expected.__name__
        except AttributeError:
            return str(self.expected)

    def handle(self, name, args, kwargs):
        if not isinstance(self.expected, type) or not issubclass(self.expected, BaseException):
            if not isinstance(self.expected, tuple):
                raise TypeError(f"{name}() arg 1 must be an exception type or tuple of exception types")
        if not args:
            self.msg = kwargs.pop("msg", None)
            if kwargs:
                raise TypeError(f"{next(iter(kwargs))!r} is an invalid keyword argument for this function")
            return self
        function, *args = args
        self.obj_name = getattr(function, "__name__", str(function))
        with self:
            function(*args, **kwargs)
        return None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self._fail(f"{self._name()} not raised by {self.obj_name}" if self.obj_name else f"{self._name()} not raised")
        if not issubclass(kind, self.expected):
            return False
        self.exception = error
        if self.pattern is not None:
            import re
            pattern = re.compile(self.pattern) if isinstance(self.pattern, str) else self.pattern
            if not pattern.search(str(error)):
                self._fail(f'"{pattern.pattern}" does not match "{error}"')
        return True


class _Warns(_Raises):
    """What assertWarns() gives."""

    def handle(self, name, args, kwargs):
        if not args:
            self.msg = kwargs.pop("msg", None)
            return self
        function, *args = args
        self.obj_name = getattr(function, "__name__", str(function))
        with self:
            function(*args, **kwargs)
        return None

    def __enter__(self):
        self._manager = warnings.catch_warnings(record=True)
        self._found = self._manager.__enter__()
        warnings.simplefilter("always", self.expected if isinstance(self.expected, type) else Warning)
        return self

    def __exit__(self, kind, error, traceback):
        found = list(self._found)
        self._manager.__exit__(kind, error, traceback)
        if kind is not None:
            return
        first = None
        for one in found:
            if not isinstance(one.message, self.expected):
                continue
            first = first or one.message
            if self.pattern is not None:
                import re
                if not re.search(self.pattern, str(one.message)):
                    continue
            self.warning, self.filename, self.lineno = one.message, one.filename, one.lineno
            return
        if first is not None:
            self._fail(f'"{self.pattern}" does not match "{first}"')
        self._fail(f"{self._name()} not triggered by {self.obj_name}" if self.obj_name else f"{self._name()} not triggered")


class _Logs:
    """What assertLogs() gives: .output has the messages."""

    def __init__(self, test, logger, level, is_none):
        self.test, self.name, self.level, self.is_none = test, logger, level, is_none

    def __enter__(self):
        import logging
        context = self
        self.records, self.output = [], []

        class Handler(logging.Handler):
            def emit(self, record):
                context.records.append(record)
                context.output.append(self.format(record))

        self.logger = self.name if isinstance(self.name, logging.Logger) else logging.getLogger(self.name)
        handler = Handler()
        level = logging.INFO if self.level is None else logging._check_level(self.level)
        handler.setLevel(level)
        handler.setFormatter(logging.Formatter("%(levelname)s:%(name)s:%(message)s"))
        self._old = self.logger.handlers, self.logger.level, self.logger.propagate
        self.logger.handlers, self.logger.propagate = [handler], False
        self.logger.setLevel(level)
        self._level_name = logging.getLevelName(level)
        return None if self.is_none else self

    def __exit__(self, kind, error, traceback):
        self.logger.handlers, self.logger.level, self.logger.propagate = self._old
        if kind is not None:
            return False
        if self.is_none and self.records:
            raise self.test.failureException(f"Unexpected logs found: {self.output!r}")
        if not self.is_none and not self.records:
            raise self.test.failureException(f"no logs of level {self._level_name} or higher triggered on {self.logger.name}")


class Asserts:
    """The assert methods of TestCase."""

    def fail(self, msg=None):
        """Fails."""
        raise self.failureException(msg)

    def _formatMessage(self, msg, standardMsg):
        if not self.longMessage:
            return msg or standardMsg
        return standardMsg if msg is None else f"{standardMsg} : {msg}"

    def _check(self, condition, msg, text):
        if not condition:
            raise self.failureException(self._formatMessage(msg, text))

    def assertTrue(self, expr, msg=None):
        """Fails unless it is true."""
        if not expr:
            self._check(False, msg, f"{_short(expr)} is not true")

    def assertFalse(self, expr, msg=None):
        """Fails if it is true."""
        if expr:
            self._check(False, msg, f"{_short(expr)} is not false")

    def addTypeEqualityFunc(self, typeobj, function):
        """Another function that assertEqual() asks for two objects of this class."""
        self._type_equality_funcs[typeobj] = function

    def assertEqual(self, first, second, msg=None):
        """Fails unless both are equal."""
        if type(first) is type(second):
            own = self._type_equality_funcs.get(type(first))
            if own is not None:
                (getattr(self, own) if isinstance(own, str) else own)(first, second, msg=msg)
                return
            if type(first) is str:
                self.assertMultiLineEqual(first, second, msg)
                return
            if type(first) in (list, tuple):
                self.assertSequenceEqual(first, second, msg, type(first))
                return
            if type(first) is dict:
                self.assertDictEqual(first, second, msg)
                return
            if type(first) in (set, frozenset):
                self.assertSetEqual(first, second, msg)
                return
        if not first == second:
            self._check(False, msg, f"{_short(first)} != {_short(second)}")

    def assertNotEqual(self, first, second, msg=None):
        """Fails if both are equal."""
        if not first != second:
            self._check(False, msg, f"{_short(first)} == {_short(second)}")

    def assertAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        """Fails unless both differ by no more than `delta`, or round to the same with `places` (7)."""
        if first == second:
            return
        if delta is not None and places is not None:
            raise TypeError("specify delta or places not both")
        difference = abs(first - second)
        if delta is not None:
            if difference <= delta:
                return
            text = f"{_short(first)} != {_short(second)} within {_short(delta)} delta ({_short(difference)} difference)"
        else:
            places = 7 if places is None else places
            if round(difference, places) == 0:
                return
            text = f"{_short(first)} != {_short(second)} within {places!r} places ({_short(difference)} difference)"
        self._check(False, msg, text)

    def assertNotAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        """Fails where assertAlmostEqual() would not."""
        if delta is not None and places is not None:
            raise TypeError("specify delta or places not both")
        difference = abs(first - second)
        if delta is not None:
            if not first == second and difference > delta:
                return
            text = f"{_short(first)} == {_short(second)} within {_short(delta)} delta ({_short(difference)} difference)"
        else:
            places = 7 if places is None else places
            if not first == second and round(difference, places) != 0:
                return
            text = f"{_short(first)} == {_short(second)} within {places!r} places"
        self._check(False, msg, text)

    def assertMultiLineEqual(self, first, second, msg=None):
        """Fails unless two texts are equal, and shows the lines that differ."""
        if first != second:
            text = f"{_short(first)} != {_short(second)}"
            self._check(False, msg, text + self._lines(first.splitlines(), second.splitlines()) + "\n")

    @staticmethod
    def _lines(first, second):
        """The lines that only one of both has."""
        result = []
        for at in range(max(len(first), len(second))):
            a = first[at] if at < len(first) else None
            b = second[at] if at < len(second) else None
            if a == b:
                result.append(f"  {a}")
            else:
                if a is not None:
                    result.append(f"- {a}")
                if b is not None:
                    result.append(f"+ {b}")
        return "\n" + "\n".join(result)

    def assertSequenceEqual(self, seq1, seq2, msg=None, seq_type=None):
        """Fails unless two sequences are equal, and shows the first difference."""
        kind = seq_type.__name__ if seq_type is not None else "sequence"
        if seq_type is not None:
            for at, one in (("First", seq1), ("Second", seq2)):
                if not isinstance(one, seq_type):
                    raise self.failureException(f"{at} sequence is not a {kind}: {_short(one)}")
        if seq1 == seq2:
            return
        text = f"{kind.capitalize()}s differ: {_short(seq1)} != {_short(seq2)}\n"
        for at in range(min(len(seq1), len(seq2))):
            if seq1[at] != seq2[at]:
                text += f"\nFirst differing element {at}:\n{_short(seq1[at])}\n{_short(seq2[at])}\n"
                break
        for name, more, less in (("First", seq1, seq2), ("Second", seq2, seq1)):
            if len(more) > len(less):
                text += f"\n{name} {kind} contains {len(more) - len(less)} additional elements.\n" \
                        f"First extra element {len(less)}:\n{_short(more[len(less)])}\n"
        from pprint import pformat
        self._check(False, msg, text + self._lines(pformat(seq1).splitlines(), pformat(seq2).splitlines()))

    def assertListEqual(self, list1, list2, msg=None):
        """Fails unless two lists are equal."""
        self.assertSequenceEqual(list1, list2, msg, list)

    def assertTupleEqual(self, tuple1, tuple2, msg=None):
        """Fails unless two tuples are equal."""
        self.assertSequenceEqual(tuple1, tuple2, msg, tuple)

    def assertSetEqual(self, set1, set2, msg=None):
        """Fails unless two sets are equal, and shows what only one has."""
        lines = []
        for name, only in (("first", set1 - set2), ("second", set2 - set1)):
            if only:
                lines.append(f"Items in the {name} set but not the {'second' if name == 'first' else 'first'}:")
                lines.extend(map(repr, only))
        if lines:
            self._check(False, msg, "\n".join(lines))

    def assertDictEqual(self, d1, d2, msg=None):
        """Fails unless two dicts are equal."""
        self.assertIsInstance(d1, dict, "First argument is not a dictionary")
        self.assertIsInstance(d2, dict, "Second argument is not a dictionary")
        if d1 != d2:
            from pprint import pformat
            lines = self._lines(pformat(d1).splitlines(), pformat(d2).splitlines())
            self._check(False, msg, f"{_short(d1)} != {_short(d2)}{lines}")

    def assertCountEqual(self, first, second, msg=None):
        """Fails unless both have the same items equally often, in whatever order."""
        first, rest = list(first), list(second)
        counts = []
        for item in [*first, *rest]:
            if all(item != other for _, _, other in counts):
                counts.append((first.count(item), rest.count(item), item))
        lines = [f"First has {a}, Second has {b}:  {item!r}" for a, b, item in counts if a != b]
        if lines:
            self._check(False, msg, "Element counts were not equal:\n" + "\n".join(lines))

    def assertIn(self, member, container, msg=None):
        """Fails unless it is in the container."""
        if member not in container:
            self._check(False, msg, f"{_short(member)} not found in {_short(container)}")

    def assertNotIn(self, member, container, msg=None):
        """Fails if it is in the container."""
        if member in container:
            self._check(False, msg, f"{_short(member)} unexpectedly found in {_short(container)}")

    def assertIs(self, expr1, expr2, msg=None):
        """Fails unless both are the same object."""
        if expr1 is not expr2:
            self._check(False, msg, f"{_short(expr1)} is not {_short(expr2)}")

    def assertIsNot(self, expr1, expr2, msg=None):
        """Fails if both are the same object."""
        if expr1 is expr2:
            self._check(False, msg, f"unexpectedly identical: {_short(expr1)}")

    def assertIsNone(self, obj, msg=None):
        """Fails unless it is None."""
        if obj is not None:
            self._check(False, msg, f"{_short(obj)} is not None")

    def assertIsNotNone(self, obj, msg=None):
        """Fails if it is None."""
        if obj is None:
            self._check(False, msg, "unexpectedly None")

    def assertIsInstance(self, obj, cls, msg=None):
        """Fails unless it is an instance."""
        if not isinstance(obj, cls):
            kind = f"any of {cls!r}" if isinstance(cls, tuple) else repr(cls)
            self._check(False, msg, f"{_short(obj)} is not an instance of {kind}")

    def assertNotIsInstance(self, obj, cls, msg=None):
        """Fails if it is an instance."""
        if isinstance(obj, cls):
            self._check(False, msg, f"{_short(obj)} is an instance of {cls!r}")

    def assertLess(self, a, b, msg=None):
        """Fails unless a < b."""
        if not a < b:
            self._check(False, msg, f"{_short(a)} not less than {_short(b)}")

    def assertLessEqual(self, a, b, msg=None):
        """Fails unless a <= b."""
        if not a <= b:
            self._check(False, msg, f"{_short(a)} not less than or equal to {_short(b)}")

    def assertGreater(self, a, b, msg=None):
        """Fails unless a > b."""
        if not a > b:
            self._check(False, msg, f"{_short(a)} not greater than {_short(b)}")

    def assertGreaterEqual(self, a, b, msg=None):
        """Fails unless a >= b."""
        if not a >= b:
            self._check(False, msg, f"{_short(a)} not greater than or equal to {_short(b)}")

    def assertRegex(self, text, expected_regex, msg=None):
        """Fails unless the pattern is found in the text."""
        import re
        pattern = re.compile(expected_regex) if isinstance(expected_regex, str) else expected_regex
        if not pattern.search(text):
            self._check(False, msg, f"Regex didn't match: {pattern.pattern!r} not found in {text!r}")

    def assertNotRegex(self, text, unexpected_regex, msg=None):
        """Fails if the pattern is found in the text."""
        import re
        pattern = re.compile(unexpected_regex) if isinstance(unexpected_regex, str) else unexpected_regex
        found = pattern.search(text)
        if found:
            self._check(False, msg, f"Regex matched: {found.group(0)!r} matches {pattern.pattern!r} in {text!r}")

    def assertRaises(self, expected_exception, *args, **kwargs):
        """Fails unless the function, or the with block, raises it."""
        return _Raises(expected_exception, self).handle("assertRaises", args, kwargs)

    def assertRaisesRegex(self, expected_exception, expected_regex, *args, **kwargs):
        """The same, and the pattern must be found in the message."""
        return _Raises(expected_exception, self, expected_regex).handle("assertRaisesRegex", args, kwargs)

    def assertWarns(self, expected_warning, *args, **kwargs):
        """Fails unless the function, or the with block, issues the warning."""
        return _Warns(expected_warning, self).handle("assertWarns", args, kwargs)

    def assertWarnsRegex(self, expected_warning, expected_regex, *args, **kwargs):
        """The same, and the pattern must be found in the text."""
        return _Warns(expected_warning, self, expected_regex).handle("assertWarnsRegex", args, kwargs)

    def assertLogs(self, logger=None, level=None):
        """Fails unless the with block logs something of the level (INFO)."""
        return _Logs(self, logger, level, False)

    def assertNoLogs(self, logger=None, level=None):
        """Fails if the with block logs something of the level (INFO)."""
        return _Logs(self, logger, level, True)
