"""Files for a while, in a folder of the program's."""
import os
import tempfile

os.mkdir("own")
tempfile.tempdir = os.path.abspath("own")
with tempfile.TemporaryDirectory(prefix="x_") as folder:
    print(os.path.basename(folder).startswith("x_"), os.path.isdir(folder))
    with open(os.path.join(folder, "a.txt"), "w") as file:
        file.write("text")
    print(os.listdir(folder))
print(os.path.exists(folder), tempfile.gettempprefix())
with tempfile.NamedTemporaryFile("w+", suffix=".txt") as file:
    file.write("line\n")
    file.flush()
    file.seek(0)
    print(file.read(), os.path.exists(file.name), file.name.endswith(".txt"))
print(os.path.exists(file.name))
kept = tempfile.NamedTemporaryFile(delete=False)
kept.write(b"12")
kept.close()
print(os.path.exists(kept.name), os.path.getsize(kept.name))
os.remove(kept.name)
made = tempfile.mkdtemp()
print(os.path.isdir(made), os.path.dirname(made) == tempfile.gettempdir(), os.path.exists(tempfile.mktemp()))
os.rmdir(made)
with tempfile.TemporaryFile() as file:
    file.write(b"abc")
    file.seek(1)
    print(file.read())
print(os.listdir("own"))
os.rmdir("own")
