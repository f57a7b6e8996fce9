"""What modules and names of Python 3 are called in Python 2: pickles of protocols below 3 use those names.

Behaviour: Lib/_compat_pickle.py, for the modules that there are here."""

IMPORT_MAPPING = {
    "__builtin__": "builtins",
    "copy_reg": "copyreg",
    "cPickle": "pickle",
    "cStringIO": "io",
    "StringIO": "io",
    "Queue": "queue",
    "UserDict": "collections",
    "UserList": "collections",
    "UserString": "collections",
    "_abcoll": "collections.abc",
    "exceptions": "builtins",
    "repr": "reprlib",
}

NAME_MAPPING = {
    ("__builtin__", "xrange"): ("builtins", "range"),
    ("__builtin__", "reduce"): ("functools", "reduce"),
    ("__builtin__", "intern"): ("sys", "intern"),
    ("__builtin__", "unichr"): ("builtins", "chr"),
    ("__builtin__", "unicode"): ("builtins", "str"),
    ("__builtin__", "long"): ("builtins", "int"),
    ("itertools", "izip"): ("builtins", "zip"),
    ("itertools", "imap"): ("builtins", "map"),
    ("itertools", "ifilter"): ("builtins", "filter"),
    ("itertools", "ifilterfalse"): ("itertools", "filterfalse"),
    ("itertools", "izip_longest"): ("itertools", "zip_longest"),
    ("UserDict", "IterableUserDict"): ("collections", "UserDict"),
    ("UserList", "UserList"): ("collections", "UserList"),
    ("UserString", "UserString"): ("collections", "UserString"),
}

# Exceptions that Python 2 has, in a module of their own.
_EXCEPTIONS = (
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BufferError", "BytesWarning",
    "DeprecationWarning", "EOFError", "EnvironmentError", "Exception", "FloatingPointError", "FutureWarning",
    "GeneratorExit", "IOError", "ImportError", "ImportWarning", "IndentationError", "IndexError", "KeyError",
    "KeyboardInterrupt", "LookupError", "MemoryError", "NameError", "NotImplementedError", "OSError",
    "OverflowError", "PendingDeprecationWarning", "ReferenceError", "RuntimeError", "RuntimeWarning",
    "StopIteration", "SyntaxError", "SyntaxWarning", "SystemError", "SystemExit", "TabError", "TypeError",
    "UnboundLocalError", "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError",
    "UnicodeWarning", "UserWarning", "ValueError", "Warning", "ZeroDivisionError")
# Those that came with Python 3, by what they were before.
_LATER_EXCEPTIONS = {
    "OSError": ("BlockingIOError", "BrokenPipeError", "ChildProcessError", "ConnectionAbortedError",
                "ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "FileExistsError",
                "FileNotFoundError", "InterruptedError", "IsADirectoryError", "NotADirectoryError",
                "PermissionError", "ProcessLookupError", "TimeoutError"),
    "ImportError": ("ModuleNotFoundError",),
}

for _name in _EXCEPTIONS:
    NAME_MAPPING[("exceptions", _name)] = ("builtins", _name)

REVERSE_IMPORT_MAPPING = {"builtins": "__builtin__", "copyreg": "copy_reg", "queue": "Queue", "reprlib": "repr",
                          "collections.abc": "_abcoll"}
REVERSE_NAME_MAPPING = {new: old for old, new in NAME_MAPPING.items()
                        if new[1] not in ("EnvironmentError", "IOError")}
REVERSE_NAME_MAPPING[("builtins", "str")] = ("__builtin__", "unicode")
for _old, _names in _LATER_EXCEPTIONS.items():
    for _name in _names:
        REVERSE_NAME_MAPPING[("builtins", _name)] = ("exceptions", _old)
