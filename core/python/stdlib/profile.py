"""Profiles of functions, which nnscope does not take: the module loads, and refuses by name. Behaviour: CPython Lib/profile.py."""

__all__ = ["run", "runctx", "Profile"]


def _refused(name):
    return NotImplementedError(f"{name}: nnscope has no hooks of profiles; torch.profiler.profile times ops, `nnscope train` "
                               "the parts of a step")


class Profile:
    def __init__(self, *args, **kwargs):
        raise _refused(f"{type(self).__module__}.Profile")


def run(statement, filename=None, sort=-1):
    raise _refused("profile.run")


def runctx(statement, globals, locals, filename=None, sort=-1):
    raise _refused("profile.runctx")
