"""Processes, which nnscope does not start. Behaviour: CPython Lib/subprocess.py.

A command is answered as on a machine that has no such program: FileNotFoundError with its name, which is what programs
that ask git for a revision, or nvidia-smi for a device, are prepared for; of a shell it is its status 127."""
import os as _os
import sys as _sys

PIPE, STDOUT, DEVNULL = -1, -2, -3


class SubprocessError(Exception):
    """What goes wrong with processes."""


class _WithOutput(SubprocessError):
    """What a process wrote has two names."""

    @property
    def stdout(self):
        return self.output

    @stdout.setter
    def stdout(self, value):
        self.output = value


class CalledProcessError(_WithOutput):
    """A process ended with another status than 0."""

    def __init__(self, returncode, cmd, output=None, stderr=None):
        self.returncode, self.cmd, self.output, self.stderr = returncode, cmd, output, stderr

    def __str__(self):
        if self.returncode and self.returncode < 0:
            return f"Command '{self.cmd}' died with <Signals.{-self.returncode}>."
        return f"Command '{self.cmd}' returned non-zero exit status {self.returncode}."


class TimeoutExpired(_WithOutput):
    """A process did not end in time."""

    def __init__(self, cmd, timeout, output=None, stderr=None):
        self.cmd, self.timeout, self.output, self.stderr = cmd, timeout, output, stderr

    def __str__(self):
        return f"Command '{self.cmd}' timed out after {self.timeout} seconds"


class CompletedProcess:
    """A process that has ended."""

    def __init__(self, args, returncode, stdout=None, stderr=None):
        self.args, self.returncode, self.stdout, self.stderr = args, returncode, stdout, stderr

    def __repr__(self):
        parts = [f"args={self.args!r}", f"returncode={self.returncode!r}"]
        if self.stdout is not None:
            parts.append(f"stdout={self.stdout!r}")
        if self.stderr is not None:
            parts.append(f"stderr={self.stderr!r}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def check_returncode(self):
        if self.returncode:
            raise CalledProcessError(self.returncode, self.args, self.stdout, self.stderr)


_NO_SHELL = 127


class Popen:
    """A process: there is none, so that a shell's command ends with status 127 and another raises FileNotFoundError."""

    def __init__(self, args, bufsize=-1, executable=None, stdin=None, stdout=None, stderr=None, preexec_fn=None,
                 close_fds=True, shell=False, cwd=None, env=None, universal_newlines=None, startupinfo=None,
                 creationflags=0, restore_signals=True, start_new_session=False, pass_fds=(), *, user=None, group=None,
                 extra_groups=None, encoding=None, errors=None, text=None, umask=-1, pipesize=-1, process_group=None):
        if not isinstance(bufsize, int):
            raise TypeError("bufsize must be an integer")
        self.args, self.returncode, self.pid = args, None, 0
        self._is_text = bool(encoding or errors or text or universal_newlines)
        name = executable or (args if isinstance(args, (str, bytes, _os.PathLike)) else list(args)[0])
        name = _os.fspath(name)
        name = name.decode() if isinstance(name, bytes) else name
        if not shell:
            raise FileNotFoundError(2, "No such file or directory", name)
        told = f"/bin/sh: 1: nnscope starts no processes: {name}\n"
        self._out = self._err = None
        if stdout == PIPE:
            self._out = told if stderr == STDOUT else ""
        if stderr == PIPE:
            self._err = told
        elif stderr is None or (stderr == STDOUT and stdout is None):
            print(told, end="", file=_sys.stderr)
        self.stdin, self.stdout, self.stderr = None, self._stream(self._out), self._stream(self._err)

    def _shaped(self, given):
        return given if given is None or self._is_text else given.encode()

    def _stream(self, given):
        import io
        given = self._shaped(given)
        return None if given is None else io.StringIO(given) if self._is_text else io.BytesIO(given)

    def poll(self):
        self.returncode = _NO_SHELL
        return self.returncode

    def wait(self, timeout=None):
        return self.poll()

    def communicate(self, input=None, timeout=None):
        self.poll()
        return self._shaped(self._out), self._shaped(self._err)

    def send_signal(self, signal):
        self.poll()

    terminate = kill = poll

    def __enter__(self):
        return self

    def __exit__(self, *given):
        self.poll()

    def __repr__(self):
        return f"<Popen: returncode: {self.returncode} args: {self.args!r}>"


def run(*popenargs, input=None, capture_output=False, timeout=None, check=False, **kwargs):
    if input is not None and kwargs.get("stdin") is not None:
        raise ValueError("stdin and input arguments may not both be used.")
    if capture_output:
        if kwargs.get("stdout") is not None or kwargs.get("stderr") is not None:
            raise ValueError("stdout and stderr arguments may not be used with capture_output.")
        kwargs["stdout"] = kwargs["stderr"] = PIPE
    with Popen(*popenargs, **kwargs) as process:
        out, err = process.communicate(input)
        if check and process.poll():
            raise CalledProcessError(process.returncode, process.args, out, err)
        return CompletedProcess(process.args, process.poll(), out, err)


def call(*popenargs, timeout=None, **kwargs):
    return Popen(*popenargs, **kwargs).wait()


def check_call(*popenargs, **kwargs):
    status = call(*popenargs, **kwargs)
    if status:
        raise CalledProcessError(status, kwargs.get("args") or popenargs[0])
    return 0


def check_output(*popenargs, timeout=None, **kwargs):
    for name in ("stdout", "check"):
        if name in kwargs:
            raise ValueError(f"{name} argument not allowed, it will be overridden.")
    return run(*popenargs, stdout=PIPE, check=True, **kwargs).stdout


def getstatusoutput(cmd, *, encoding=None, errors=None):
    done = run(cmd, shell=True, text=True, stdout=PIPE, stderr=STDOUT)
    return done.returncode, done.stdout.rstrip("\n")


def getoutput(cmd, *, encoding=None, errors=None):
    return getstatusoutput(cmd)[1]


def list2cmdline(seq):
    """The words as one line, as programs of Windows read it."""
    made = []
    for word in map(_os.fsdecode, seq):
        quoted = not word or " " in word or "\t" in word
        text, slashes = "", 0
        for char in word:
            if char == "\\":
                slashes += 1
                continue
            text += "\\" * (2 * slashes + 1 if char == '"' else slashes) + char
            slashes = 0
        text += "\\" * (2 * slashes if quoted else slashes)
        made.append(f'"{text}"' if quoted else text)
    return " ".join(made)
