import argparse
import io
import contextlib
import os

os.environ["COLUMNS"] = "80"


def run(parser, *args):
    err, out = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stderr(err), contextlib.redirect_stdout(out):
            result = parser.parse_args(args)
        print(result)
    except SystemExit as error:
        print("exit", error.code)
        print(out.getvalue() + err.getvalue(), end="")


p = argparse.ArgumentParser(prog="train.py", description="Trains a model.", epilog="The end.")
p.add_argument("--batch-size", type=int, default=64, metavar="N", help="input batch size for training (default: 64)")
p.add_argument("--lr", type=float, default=1.0, help="learning rate")
p.add_argument("--no-cuda", action="store_true", default=False, help="disables CUDA training")
p.add_argument("-v", "--verbose", action="count", default=0)
p.add_argument("--mode", choices=["train", "test"], default="train", help="a mode that has a help text which is much longer than one line of the terminal can hold")
p.add_argument("--betas", type=float, nargs=2, default=[0.9, 0.999])
p.add_argument("--tags", nargs="*")
p.add_argument("--more", action="append")
p.add_argument("--flag", action=argparse.BooleanOptionalAction)
p.add_argument("file", nargs="?", default="-", help="a file")
run(p)
run(p, "--batch-size", "3", "--lr=0.5", "--no-cuda", "-vvv", "x.txt")
run(p, "--betas", "0.1", "0.2", "--tags", "a", "b", "--more", "1", "--more", "2", "--no-flag", "--mode", "test")
run(p, "--batch", "7", "--lr", "-1e-3")
run(p, "--lr", "-5", "--tags", "--flag")
run(p, "--batch-size", "x")
run(p, "--mode", "other")
run(p, "--unknown", "5")
run(p, "--lr")
run(p, "--betas", "1")
run(p, "--no", "x")
run(p, "a", "b")
run(p, "--help")
print(p.parse_known_args(["--zzz", "1", "f"]))

q = argparse.ArgumentParser(prog="q", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
q.add_argument("src")
q.add_argument("dst", nargs="+", help="where to")
q.add_argument("-n", type=int, required=True, help="how many")
q.add_argument("-x", "--extra", default="e", help="extra")
g = q.add_mutually_exclusive_group()
g.add_argument("--fast", action="store_true")
g.add_argument("--slow", action="store_const", const=3, dest="speed")
run(q, "a", "b", "c", "-n3")
run(q, "a", "-n", "1", "b")
run(q)
run(q, "a", "b", "-n", "1", "--fast", "--slow")
run(q, "-h")
run(q, "-n", "1", "--", "-a", "-b")

s = argparse.ArgumentParser(prog="s")
s.add_argument("--level", default="low")
sub = s.add_subparsers(dest="command", help="commands")
a = sub.add_parser("add", help="adds")
a.add_argument("x", type=int)
a.set_defaults(func="add")
b = sub.add_parser("drop")
b.add_argument("--all", action="store_true")
run(s, "--level", "high", "add", "3")
run(s, "drop", "--all")
run(s, "nope")
run(s, "add")
run(s, "-h")
run(s, "add", "-h")
n = argparse.Namespace(a=1, b="x")
print(n, n == argparse.Namespace(b="x", a=1), "a" in n, vars(n))
try:
    p.add_argument("--lr")
except argparse.ArgumentError as error:
    print(error)
