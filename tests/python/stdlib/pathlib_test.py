import os
from pathlib import Path, PurePath, PurePosixPath


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


p = PurePosixPath("/usr/lib/python3/x.tar.gz")
print(p, repr(p), p.parts, p.parent, p.name, p.stem, p.suffix, p.suffixes, p.root, p.anchor, p.is_absolute(), list(p.parents))
print(PurePosixPath("a") / "b" / "../c", "x" / PurePosixPath("y"), PurePosixPath("a", "/b", "c"), PurePosixPath("a//b/./c/"), PurePosixPath(), PurePosixPath("") == PurePosixPath("."))
print(p.with_name("y"), p.with_suffix(".zip"), p.with_suffix(""), p.with_stem("z"), p.joinpath("q", "r"), p.relative_to("/usr"), p.is_relative_to("/usr/lib"), p.is_relative_to("/etc"))
print(p.match("*.gz"), p.match("python3/*"), p.match("*.py"), PurePosixPath("a/b.py").match("/a/*.py"), hash(p) == hash(PurePosixPath(str(p))), p == str(p), sorted([PurePosixPath("b"), PurePosixPath("a/c"), PurePosixPath("a")]))
shown(lambda: p.relative_to("/etc"))
shown(lambda: PurePosixPath("/").with_name("x"))
shown(lambda: p.with_name("a/b"))
shown(lambda: p.with_suffix("zip"))
shown(lambda: PurePosixPath(3))
shown(lambda: PurePosixPath("a") / 3)
print(PurePosixPath(".bashrc").suffix, PurePosixPath(".bashrc").stem, PurePosixPath("a/b").parent.parent, PurePosixPath("/a/b").as_uri(), PurePosixPath("/a").relative_to("/b", walk_up=True))
print(type(Path("x")).__name__, type(PurePath("x")).__name__, isinstance(Path("x"), PurePosixPath), os.fspath(Path("a/b")), Path("a").exists())
# Below the working folder, and gone at the end.
top = Path("pathlib_test_files")
(top / "a" / "b").mkdir(parents=True)
print((top / "a" / "f.txt").write_text("hello"), (top / "a" / "f.txt").read_text(), (top / "a" / "b" / "g.txt").write_bytes(b"xy"))
print(sorted(one.name for one in (top / "a").iterdir()), sorted(str(one.relative_to(top)) for one in top.rglob("*.txt")), sorted(str(one.relative_to(top)) for one in top.glob("*/*")))
print((top / "a").is_dir(), (top / "a" / "f.txt").is_file(), (top / "zzz").exists(), (top / "a" / "f.txt").stat().st_size)
try:
    (top / "a").mkdir()
except FileExistsError as error:
    print(error.strerror)
(top / "a").mkdir(exist_ok=True)
(top / "a" / "f.txt").rename(top / "h.txt")
(top / "h.txt").unlink()
(top / "h.txt").unlink(missing_ok=True)
print(sorted(one.name for one in top.iterdir()), [(path.name, folders, files) for path, folders, files in (top / "a").walk()])
(top / "a" / "b" / "g.txt").unlink()
for one in (top / "a" / "b", top / "a", top):
    one.rmdir()
print(top.exists())
