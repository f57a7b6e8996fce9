"""csv, fnmatch, glob, shutil, string.Template, os and io with files."""
import csv
import fnmatch
import glob
import io
import os
import shutil
import string
import sys


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


# csv
for given in ('a,b,c', '1,"x, y",3', '"a ""b""",,', '', '"two\nlines",x', ' a, b', "a;b", '"open', 'a"b,c', '"a"b,c'):
    print(list(csv.reader(io.StringIO(given, newline=""))))
print(list(csv.reader(["a;'b;c'", "1;2"], delimiter=";", quotechar="'")), list(csv.reader(["1,a,\"2\""], quoting=csv.QUOTE_ALL)))
print(list(csv.reader(["1,2.5,\"x\""], quoting=csv.QUOTE_NONNUMERIC)), list(csv.reader(["a\\,b,c"], escapechar="\\", quoting=csv.QUOTE_NONE)))
print(list(csv.reader(["a, b"], skipinitialspace=True)), list(csv.reader(["a\tb"], "excel-tab")))
out = io.StringIO()
writer = csv.writer(out)
print(writer.writerow(["a", 1, 2.5, None, "x,y", 'q"q', "l\nl", ""]), writer.writerow([""]), writer.writerow([]))
writer.writerows([[1, 2], ("x", "y")])
print(repr(out.getvalue()))
for quoting in (csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC, csv.QUOTE_MINIMAL):
    out = io.StringIO()
    csv.writer(out, quoting=quoting, delimiter="\t", lineterminator="\n").writerow(["a", 1, "b\tc", None])
    print(repr(out.getvalue()))
out = io.StringIO()
csv.writer(out, quoting=csv.QUOTE_NONE, escapechar="\\", lineterminator="|").writerow(["a,b", 'c"d'])
print(repr(out.getvalue()))
rows = csv.DictReader(["name,size", "a,1", "", "b", "c,3,4"])
print(rows.fieldnames, list(rows), rows.line_num)
out = io.StringIO()
table = csv.DictWriter(out, ["epoch", "loss"], restval="-")
table.writeheader()
table.writerow({"epoch": 1, "loss": 0.5})
table.writerow({"epoch": 2})
print(repr(out.getvalue()), sorted(csv.list_dialects()))
shown(lambda: table.writerow({"acc": 1}))
shown(lambda: csv.writer(io.StringIO(), quoting=csv.QUOTE_NONE).writerow(["a,b"]))
shown(lambda: csv.reader([], "none"))
shown(lambda: csv.writer(5))
shown(lambda: next(csv.reader([5])))

# Names and patterns.
for pattern, names in (("*.py", ["a.py", "b.txt", ".py"]), ("[!a-c]?", ["ax", "dx", "d"]), ("a[", ["a[", "a"]), ("*a*b*", ["xaxbx", "ba"]),
                       ("[]]", ["]", "a"]), ("[z-a]", ["z", "a"]), ("?", ["\n", "é"]), ("[*]", ["*", "x"]), ("a.b", ["a.b", "axb"])):
    print(pattern, fnmatch.filter(names, pattern), [fnmatch.fnmatch(one, pattern) for one in names])
print(fnmatch.fnmatch(b"ab", b"a*"), glob.escape("a[1]*?"), glob.has_magic("a*"), glob.has_magic("ab"))

# Files below the working folder, and gone at the end.
top = "small_modules_files"
os.makedirs(os.path.join(top, "run", "deep"), exist_ok=True)
os.makedirs(os.path.join(top, "run"), exist_ok=True)
for name in ("a.txt", "run/b.txt", "run/deep/c.txt", "run/deep/d.log", ".hidden.txt"):
    with open(os.path.join(top, name), "w") as file:
        print(file.write(name + "\n"), file.name, file.mode, file.writable(), file.readable(), file.closed)
print(file.closed, sorted(os.listdir(top)), os.path.getsize(top + "/a.txt"), os.path.isdir(top), os.path.isfile(top))
print(sorted(glob.glob(top + "/*.txt")), sorted(glob.glob(top + "/**/*.txt", recursive=True)), sorted(glob.glob(top + "/*/*")))
print(sorted(glob.glob("*.txt", root_dir=top)), sorted(glob.glob(top + "/**", recursive=True)), glob.glob(top + "/no*"), glob.glob(top + "/a.txt"))
print([(path, sorted(folders), sorted(files)) for path, folders, files in os.walk(top)])
with open(top + "/a.txt", "a") as file:
    print("more", file=file)
with open(top + "/a.txt") as file:
    print(file.readline(), list(file), file.read())
with open(top + "/a.txt", "rb") as file:
    print(file.read(3), file.tell(), file.read(), type(file).__name__)
print(shutil.copy(top + "/a.txt", top + "/run"), open(top + "/run/a.txt").read())
shutil.copytree(top + "/run", top + "/copy", ignore=shutil.ignore_patterns("*.log"))
print(sorted(one[len(top):] for one in glob.glob(top + "/copy/**", recursive=True)))
print(shutil.move(top + "/copy/a.txt", top + "/moved.txt"), os.path.exists(top + "/copy/a.txt"))
os.replace(top + "/moved.txt", top + "/again.txt")
with os.scandir(top) as entries:
    print(sorted((one.name, one.is_dir()) for one in entries))
for mode in ("r", "x", "q", "rw", "rb+t"):
    shown(lambda: open(top + ("/a.txt" if mode == "x" else "/none.txt"), mode))
for action in (lambda: os.listdir(top + "/none"), lambda: os.mkdir(top), lambda: os.rmdir(top + "/none"), lambda: os.remove(top + "/none"),
               lambda: os.makedirs(top), lambda: os.rmdir(top + "/run")):
    try:
        action()
    except OSError as error:
        print(type(error).__name__, error, error.errno, error.strerror, error.filename)
shown(lambda: open(top))
shown(lambda: open(top + "/x/y", "w"))
shown(lambda: open(top + "/a.txt").write("x"))
shutil.rmtree(top)
shutil.rmtree(top, ignore_errors=True)
print(os.path.exists(top), os.sep, os.getpid() > 0, os.path.isabs(os.getcwd()), os.environ.get("NOT_THERE", "unset"))

# Templates.
t = string.Template("$who likes ${what}s for $$5, ${un} $")
print(t.safe_substitute(who="Ann", what="cake"), string.Template("$a$b").substitute({"a": 1}, b=2))
shown(lambda: t.substitute(who=1, what=2, un=3))
shown(lambda: string.Template("$a").substitute())


class Percent(string.Template):
    delimiter = "%"
    idpattern = "[a-z]+_[a-z]+"


print(Percent("%% %with_underscore %notunderscored").safe_substitute(with_underscore="x"))
print(sys.byteorder, sys.maxsize, sys.getrecursionlimit() > 0)
