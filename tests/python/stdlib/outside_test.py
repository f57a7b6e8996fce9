# Modules that reach outside of the program, and texts: what needs no network and no process works.
import ast
import calendar
import cmath
import codecs
import configparser
import graphlib
import hmac
import html
import io
import locale
import multiprocessing
import pkgutil
import secrets
import shlex
import signal
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request
import uuid
from unittest import mock


def problem(call, *args, **kwargs):
    try:
        print("no problem:", call(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__, "-", error)


for text in ("[1, 2.5, -3]", "{'a': (1, 'b'), 2: None}", "1 + 2j", "{1, 2}", "()", "(1,)", "1, 2", "b'x' b'y'", " True", "-1e-3",
             "set()", "'''a\nb'''", "[\n 1,\n 2 # two\n]", "0x1f", "1_000", "...", "(1)", "{}", "['a' 'b']", "((1, 2), [3])"):
    print(ast.literal_eval(text), end=" ")
print()
for text in ("a", "1 + 1", "f(1)", "[x for x in y]", "'a' % 1", "1 + 2j + 3", "-'a'", "not True"):
    try:
        ast.literal_eval(text)
    except ValueError as error:
        print("ValueError", str(error)[:33], end="; ")
print()
for text in ("[1", "1 +", "", "a b"):
    try:
        ast.literal_eval(text)
    except SyntaxError as error:
        print("SyntaxError", end=" ")
print()

for command in (["git", "rev-parse", "HEAD"], ["nvidia-smi"]):
    try:
        with mock.patch.dict("os.environ", {"PATH": "/nowhere"}):
            subprocess.check_output(["/nowhere/" + command[0], *command[1:]])
    except FileNotFoundError as error:
        print(error)
print(subprocess.PIPE, subprocess.CompletedProcess(["a"], 1), subprocess.list2cmdline(["a b", 'c"d', "e"]))
problem(subprocess.CompletedProcess(["a"], 1).check_returncode)
problem(subprocess.run, "x", capture_output=True, stdout=1)
print(subprocess.TimeoutExpired("x", 3), issubclass(subprocess.CalledProcessError, subprocess.SubprocessError))
print(multiprocessing.cpu_count() >= 1, multiprocessing.current_process().name, multiprocessing.active_children())
print(isinstance(socket.gethostname(), str), socket.inet_aton("1.2.3.4"), socket.AF_INET, socket.htons(1), socket.SOCK_STREAM.name)
problem(socket.inet_aton, "x")

problem(urllib.request.urlopen, "nowhere")
with urllib.request.urlopen("data:text/plain;base64,aGk=") as response:
    print(response.read(), response.geturl()[:10])
print(urllib.error.URLError("why"), urllib.error.HTTPError("http://x", 404, "Not Found", {}, None))
parts = urllib.parse.urlparse("https://user:pw@Example.com:8080/a/b;p?q=1&r=%20x#frag")
print(parts, parts.hostname, parts.port, parts.username, parts.geturl())
print(urllib.parse.urlsplit("//host/path?x"), urllib.parse.urlparse("file.txt").path, urllib.parse.urlparse("a:b").scheme)
for base, other in (("http://a/b/c/d", "../e"), ("http://a/b/c/d", "/e?f"), ("http://a/b", "//c/d"), ("http://a/b/", "c/./d/.."),
                    ("http://a/b", "#f"), ("a/b", "c")):
    print(urllib.parse.urljoin(base, other), end=" ")
print(urllib.parse.quote("a b/ü?"), urllib.parse.quote_plus("a b/ü?"), urllib.parse.unquote("a%20b%C3%BC+"), urllib.parse.unquote_plus("a+b"))
print(urllib.parse.urlencode({"a": 1, "b": "x y", "c": [1, 2]}, doseq=True), urllib.parse.parse_qs("a=1&b=2&a=3&c="))
problem(lambda: urllib.parse.urlparse("http://x:99999/").port)

print(shlex.split("a 'b c' \"d\\\"e\" f\\ g # h"), shlex.split("a # b", comments=True), shlex.quote("it's"), shlex.join(["a b", "c"]))
problem(shlex.split, "'a")
print(html.escape("<a href=\"x\">'&'"), html.unescape("&lt;&#65;&#x42;&eacute;&nbsp;&amp &hellip;&notit;"))
print(list(graphlib.TopologicalSorter({"d": {"b", "c"}, "b": ["a"], "c": ["a"]}).static_order())[::3])
try:
    graphlib.TopologicalSorter({1: [2], 2: [1]}).prepare()
except graphlib.CycleError as error:
    print(error.args[0], sorted(set(error.args[1])))
print(hmac.new(b"key", b"message", "sha256").hexdigest(), hmac.compare_digest("a", "a"))
print(len(secrets.token_hex(4)), len(secrets.token_bytes(5)), 0 <= secrets.randbelow(3) < 3, secrets.compare_digest(b"a", b"b"))
one = uuid.uuid4()
print(one.version, one.variant == uuid.RFC_4122, uuid.UUID(str(one)) == one, len({uuid.uuid4() for _ in range(9)}), len(one.hex))
print(uuid.uuid5(uuid.NAMESPACE_DNS, "python.org"), uuid.uuid3(uuid.NAMESPACE_URL, "x"), repr(uuid.UUID(int=5)), uuid.uuid1().version)
problem(uuid.UUID, "x")

z = 1 + 2j
print(cmath.sqrt(-1), cmath.phase(-1), cmath.polar(3 + 4j), cmath.rect(2, 0), cmath.isclose(cmath.exp(cmath.log(z)), z))
print(all(cmath.isclose(back(there(z)), z) for there, back in ((cmath.sin, cmath.asin), (cmath.tan, cmath.atan), (cmath.sinh, cmath.asinh),
                                                               (cmath.tanh, cmath.atanh), (cmath.cosh, cmath.acosh))))
print(cmath.isnan(complex(0, cmath.nan)), cmath.isinf(cmath.infj), cmath.isfinite(z))
problem(cmath.log, 0)
print(calendar.monthrange(2024, 2)[1], calendar.isleap(1900), calendar.leapdays(2000, 2021), calendar.timegm((2024, 2, 29, 12, 0, 0)))
print(calendar.month(2024, 2), calendar.monthcalendar(2023, 10)[0], calendar.month_name[3], calendar.day_abbr[6])
problem(calendar.monthrange, 2024, 13)
print(codecs.encode("ü", "utf-8"), codecs.lookup("latin1").name, codecs.BOM_UTF8, codecs.getreader("utf-8")(io.BytesIO("ä\nb".encode())).readlines())
print("".join(codecs.iterdecode([b"\xc3", b"\xbc"], "utf-8")), codecs.getwriter("utf-8")(io.BytesIO()).write("x"))
signal.signal(signal.SIGTERM, lambda number, frame: print("signal", number))
signal.raise_signal(signal.SIGTERM)
print(signal.Signals(15), signal.SIGINT.name, signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL, signal.strsignal(9))
problem(signal.signal, 99, signal.SIG_IGN)
print(locale.localeconv()["decimal_point"], locale.atof("1.5"), pkgutil.resolve_name("math:pi") == cmath.pi)

config = configparser.ConfigParser()
config.read_string("""
[DEFAULT]
root = /data

[train]
lr = 0.1
epochs: 10
use_cuda = yes
path = %(root)s/mnist
words = one
    two

# a comment
[empty]
""")
print(config.sections(), config["train"]["path"], config.getfloat("train", "lr"), config["train"].getint("epochs"))
print(config.getboolean("train", "use_cuda"), repr(config["train"]["words"]), config.get("train", "none", fallback=3), "lr" in config["train"])
config["new"] = {"A": "1"}
config.set("new", "b", "x%%y")
out = io.StringIO()
config.write(out)
print(out.getvalue(), config.items("new"))
problem(config.get, "none", "x")
problem(config.get, "train", "none")
problem(config.getboolean, "train", "lr")
problem(config.read_string, "x = 1")
problem(config.read_string, "[a]\n[a]")
problem(config.set, "new", "c", 5)
problem(lambda: config["none"])

# Mocks.
thing = mock.Mock(return_value=3, name="thing")
print(thing(1, a=2), thing.called, thing.call_count, thing.call_args, thing.call_args == mock.call(1, a=2))
thing.method.return_value.value = 7
print(thing.method("x").value, thing.mock_calls)
thing.assert_called_once_with(1, a=2)
for check in (lambda: thing.assert_called_once_with(2), lambda: thing.assert_not_called(), lambda: mock.Mock().assert_called(),
              lambda: thing.method.assert_called_with("y")):
    try:
        check()
    except AssertionError as error:
        print(str(error).splitlines()[0])
effects = mock.Mock(side_effect=[1, ValueError("no"), 3])
print(effects(), end=" ")
problem(effects)
print(effects())
magic = mock.MagicMock()
magic.__len__.return_value = 4
magic.__getitem__.side_effect = lambda key: key * 2
print(len(magic), magic[3], list(magic), bool(magic), int(magic))
with mock.patch("math.sqrt", return_value="patched") as patched, mock.patch.object(shlex, "quote", str.upper):
    import math
    print(math.sqrt(4), shlex.quote("a"), patched.call_args)
print(math.sqrt(4), shlex.quote("a"))


class Service:
    def work(self):
        return "real"


@mock.patch.object(Service, "work")
def test(work):
    work.return_value = "mocked"
    return Service().work()


print(test(), Service().work(), isinstance(mock.Mock(spec=Service), Service), mock.ANY == 5)
problem(lambda: mock.Mock(spec=Service).other)
values = {"a": 1}
with mock.patch.dict(values, {"b": 2}, clear=True):
    print(values)
print(values)
with mock.patch("builtins.open", mock.mock_open(read_data="inside")):
    print(open("nothing").read())
