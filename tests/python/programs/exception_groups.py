import traceback

eg = ExceptionGroup("eg", [ValueError(1), TypeError("t"), ExceptionGroup("inner", [ValueError(2), KeyError("k")])])
print(eg, repr(eg), eg.message, eg.exceptions)
print(isinstance(eg, Exception), isinstance(eg, BaseExceptionGroup), ExceptionGroup.__mro__)
match, rest = eg.split(ValueError)
print(repr(match), repr(rest))
print(repr(eg.subgroup(lambda e: isinstance(e, KeyError))), eg.subgroup(OSError), eg.split((ValueError, TypeError, KeyError))[1])
print(type(BaseExceptionGroup("b", [ValueError()])).__name__, type(BaseExceptionGroup("b", [KeyboardInterrupt()])).__name__)
for wrong in (lambda: ExceptionGroup("x", [KeyboardInterrupt()]), lambda: ExceptionGroup("x", []), lambda: ExceptionGroup("x", [1]), lambda: eg.split(3)):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)


class Mine(ExceptionGroup):
    def derive(self, excs):
        return Mine(self.message, excs)


print(repr(Mine("m", [ValueError(1), OSError(2)]).split(OSError)))


def run(error, clauses=3):
    try:
        try:
            raise error
        except* ValueError as e:
            print("values", repr(e))
        except* (TypeError, OSError) as e:
            print("types", repr(e))
        else:
            print("else")
        finally:
            print("finally")
    except BaseException as left:
        print("left", repr(left))


run(eg)
run(ValueError("naked"))
run(KeyError("other"))
run(ExceptionGroup("all", [ValueError(1)]))


def raising():
    try:
        try:
            raise ExceptionGroup("g", [ValueError(1), TypeError(2), OSError(3)])
        except* ValueError:
            raise RuntimeError("new")
        except* TypeError as e:
            raise
    except BaseExceptionGroup as left:
        print(repr(left), [repr(one.__context__) for one in left.exceptions])


raising()
try:
    try:
        pass
    except* ValueError:
        print("never")
    else:
        print("else runs")
    try:
        raise ExceptionGroup("g", [ValueError(1)])
    except* ValueError as e:
        raise LookupError("only one") from e
except LookupError as error:
    print(repr(error), repr(error.__cause__))
for i in range(3):
    try:
        if i == 1:
            continue
        raise ExceptionGroup(str(i), [ValueError(i)])
    except* ValueError as e:
        for one in e.exceptions:
            if one.args[0] == 0:
                continue
            print("value", one)
try:
    e
except NameError as error:
    print(error)
for text in ("try: pass\nexcept* A: pass\nexcept B: pass", "for x in y:\n    try: pass\n    except* A: break", "def f():\n    try: pass\n    except* A: return 1"):
    try:
        compile(text, "t", "exec")
    except SyntaxError as error:
        print(error.msg)
try:
    try:
        raise ValueError(1)
    except* ExceptionGroup:
        pass
except TypeError as error:
    print(error)


def deep():
    raise ExceptionGroup("outer", [ValueError("v"), ExceptionGroup("inner", [TypeError("t")]), OSError("o")])


try:
    deep()
except ExceptionGroup as error:
    print("".join(line for line in "".join(traceback.format_exception(error)).splitlines(keepends=True) if "  File " not in line))
    print("".join(traceback.format_exception(ExceptionGroup("many", [ValueError(i) for i in range(18)]))))


def two():
    with_both = []
    try:
        raise ExceptionGroup("x", [ValueError(1)])
    except* ValueError as e:
        with_both.append(repr(e))
        try:
            raise ExceptionGroup("y", [KeyError(2)])
        except* KeyError as inner:
            with_both.append(repr(inner))
    return with_both


print(two())
