"""What is nested too deep raises RecursionError, or is refused as a program: it never ends the process."""
import copy
import itertools


def attempt(what, action):
    try:
        action()
    except (RecursionError, SyntaxError) as error:
        print(what, type(error).__name__)
    else:
        print(what, "fine")


def nested(wrap, start, levels=100000):
    value = start
    for _ in range(levels):
        value = wrap(value)
    return value


class Node:
    def __init__(self, next_node):
        self.next = next_node


tuples = nested(lambda x: (x,), ())
lists = nested(lambda x: [x], [])
attempt("hash of tuples", lambda: hash(tuples))
attempt("key of a dict", lambda: {tuples: 1})
attempt("element of a set", lambda: tuples in {1, 2})
attempt("tuples compared", lambda: tuples == nested(lambda x: (x,), ()))
attempt("lists compared", lambda: lists == nested(lambda x: [x], []))
attempt("repr", lambda: repr(lists))
attempt("deepcopy", lambda: copy.deepcopy(lists))
attempt("isinstance", lambda: isinstance("", nested(lambda x: (x,), int)))
attempt("issubclass", lambda: issubclass(str, nested(lambda x: (x,), int)))
attempt("enumerate", lambda: list(nested(enumerate, iter([1]))))
attempt("map", lambda: list(nested(lambda x: map(str, x), iter([1]))))
attempt("chain", lambda: list(nested(itertools.chain, iter([1]))))
attempt("zip", lambda: list(nested(zip, iter([1]))))
attempt("brackets", lambda: eval("[" * 5000 + "]" * 5000))
attempt("minus signs", lambda: eval("-" * 5000 + "1"))
attempt("lambdas", lambda: eval("lambda: " * 5000 + "1"))
attempt("a long chain that goes", lambda: nested(Node, None))
key = nested(lambda x: (x,), (), 100)
print({key: "found"}[nested(lambda x: (x,), (), 100)], {key} == {nested(lambda x: (x,), (), 100)})
