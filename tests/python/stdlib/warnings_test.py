import warnings


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    warnings.warn("first")
    warnings.warn("second", DeprecationWarning)
    warnings.warn(RuntimeWarning("third"))
    print(len(w), [(str(one.message), one.category.__name__) for one in w], w[0].lineno, w[-1].filename)
print(len(w), issubclass(w[1].category, DeprecationWarning))

with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("default")
    for _ in range(3):
        warnings.warn("again")
    warnings.simplefilter("once")
    for _ in range(2):
        warnings.warn("once")
        warnings.warn("once")
    warnings.simplefilter("ignore")
    warnings.warn("nothing")
    warnings.simplefilter("always")
    warnings.filterwarnings("ignore", message="hid")
    warnings.warn("hidden")
    warnings.warn("seen, not hidden")
    print([str(one.message) for one in w])


def inner():
    warnings.warn("from the caller", stacklevel=2)


with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    inner()
    print(w[0].lineno)

with warnings.catch_warnings():
    warnings.simplefilter("error")
    shown(lambda: warnings.warn("raised"))
    shown(lambda: warnings.warn("raised", FutureWarning))
shown(lambda: warnings.warn("x", int))
shown(lambda: warnings.simplefilter("sometimes"))
print(warnings.formatwarning("text", UserWarning, "file.py", 3, "a = 1"), end="")
with warnings.catch_warnings():
    warnings.showwarning = lambda message, category, filename, lineno, file=None, line=None: print("own:", category.__name__, message)
    warnings.simplefilter("always")
    warnings.warn("mine")


@warnings.deprecated("old")
def old():
    return 1


with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    print(old(), str(w[0].message), w[0].category.__name__)
with warnings.catch_warnings(record=True) as w:
    warnings.warn("ignored", DeprecationWarning, stacklevel=5)
    warnings.warn("shown", DeprecationWarning)
    print([str(one.message) for one in w])
