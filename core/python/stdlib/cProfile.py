"""The same as profile, under the name of CPython's faster one. Behaviour: CPython Lib/cProfile.py."""
import profile as _profile

__all__ = ["run", "runctx", "Profile"]


class Profile(_profile.Profile):
    pass


def run(statement, filename=None, sort=-1):
    raise _profile._refused("cProfile.run")


def runctx(statement, globals, locals, filename=None, sort=-1):
    raise _profile._refused("cProfile.runctx")
