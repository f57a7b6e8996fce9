import os.path as path


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


print(path.join("a", "b"), path.join("a/", "b"), path.join("a", "/b"), path.join("a", ""), path.join("", "b"), path.join("a"), path.join("/", "b"))
for p in ("/a/b.txt", "a/b/", "/", "//x", "", "file.tar.gz", ".bashrc", "a/.x.y", "a.b/c", "...", "/a//b", "a/..", "///"):
    print(repr(p), path.split(p), path.splitext(p), path.basename(p), path.dirname(p), path.normpath(p), path.isabs(p), path.splitroot(p))
for p in ("a/./b/../c", "../a", "/../a", "a//b", "./", "a/b/../../..", "//a/b"):
    print(path.normpath(p))
print(path.relpath("/a/b/c", "/a/d"), path.relpath("/a", "/a"), path.relpath("/", "/a/b"), path.abspath("/a/../b"))
print(path.commonprefix(["/usr/lib", "/usr/local"]), path.commonpath(["/usr/lib", "/usr/local/lib"]), path.commonpath(["a/b", "a/c"]), path.commonprefix([]))
shown(lambda: path.commonpath(["/a", "b"]))
shown(lambda: path.commonpath([]))
shown(lambda: path.relpath(""))
shown(lambda: path.join("a", 3))
shown(lambda: path.basename(None))
print(path.exists("/surely/not/there"), path.isfile("/surely/not/there"), path.isdir("/"), path.join(b"a", b"b"), path.sep, path.splitext(b"a.b"))
print(path.expanduser("a/~"), path.expandvars("$SURELY_NOT_SET/x ${ALSO_NOT} $"))
