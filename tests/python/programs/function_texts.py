"""What functions, methods and code are shown as."""
import re


def shown(value):
    return re.sub(r"0x[0-9a-f]+", "0x", repr(value))


class A:
    def method(self):
        pass

    @staticmethod
    def static():
        pass

    @classmethod
    def of_class(cls):
        pass

    def __repr__(self):
        return "an A"


def outer():
    def inner():
        pass
    return inner


for one in (A.method, A().method, A.static, A.of_class, A.__dict__["static"], A.__dict__["of_class"], outer(),
            lambda: 0, [outer], len, [].append, dict.fromkeys, outer.__code__.co_name):
    print(shown(one))
print(re.sub('file ".*"', "file", shown(outer.__code__)))
print(str(outer) == repr(outer), f"{outer!r}" == repr(outer))
