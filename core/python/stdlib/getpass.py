"""Who runs the program. Behaviour: CPython Lib/getpass.py. A password is asked for by nobody."""
import os as _os


class GetPassWarning(UserWarning):
    """The password may be seen."""


def getuser():
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        if _os.environ.get(name):
            return _os.environ[name]
    raise OSError("No username set in the environment")


def getpass(prompt="Password: ", stream=None, *, echo_char=None):
    raise NotImplementedError("getpass.getpass: nnscope asks for no passwords")
