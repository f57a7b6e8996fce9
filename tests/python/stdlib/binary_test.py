# Bytes of other formats: struct, array, base64, zlib, gzip, zip, tar.
import array
import base64
import binascii
import gzip
import io
import os
import struct
import tarfile
import tempfile
import zipfile
import zlib


def problem(call, *args, **kwargs):
    try:
        print("no problem:", call(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__, "-", error)


print(struct.pack("<IHb?d", 1, 2, -3, True, 0.5), struct.pack(">e4sxf", 1.5, b"ab", 0.1))
print(struct.pack("bi", 1, 2), struct.calcsize("bid"), struct.calcsize("=bid"), struct.calcsize("3p4x"))
print(struct.unpack("<IHb?d", struct.pack("<IHb?d", 1, 2, -3, True, 0.5)), struct.unpack(">3sBe", b"abc\xff\x7b\xff"))
print(struct.pack("5p", b"abcdefgh"), struct.unpack("5p", b"\x03abcd"), list(struct.iter_unpack("<H", b"\x01\x00\x02\x00")))
buffer = bytearray(8)
struct.pack_into("<H", buffer, 2, 513)
print(bytes(buffer), struct.unpack_from("<H", buffer, 2), struct.Struct("<q").unpack(b"\xff" * 8))
print(struct.unpack("<eee", struct.pack("<eee", 65504, 6e-8, float("-inf"))), struct.pack("<f", 3.4e38))
problem(struct.pack, "<H", 65536)
problem(struct.pack, "<h", 1.5)
problem(struct.pack, "<HH", 1)
problem(struct.unpack, "<I", b"abc")
problem(struct.pack, "<Z", 1)
problem(struct.pack, "<f", 1e39)
problem(struct.pack, "f", "x")
problem(struct.pack, "3")

numbers = array.array("i", [1, 2, 3])
numbers.append(4)
numbers.extend(range(2))
print(numbers, numbers.itemsize, numbers[1:3], numbers.tobytes()[:8], len(numbers), numbers.index(3), 9 in numbers)
print(array.array("f", [0.1]), array.array("d", b"\x00" * 8), array.array("b", [1]) * 3, numbers == array.array("l", [1]))
problem(numbers.append, 2**40)
problem(numbers.append, 1.5)
problem(array.array, 5)
problem(array.array("B").append, -1)

data = bytes(range(256))
for name in ("b64", "b32", "b16", "b85", "urlsafe_b64"):
    encode, decode = getattr(base64, name + "encode"), getattr(base64, name + "decode")
    print(name, encode(data[:7]), encode(b"\xfb\xff"), all(decode(encode(data[:n])) == data[:n] for n in range(40)))
for options in ({}, {"foldspaces": True}, {"wrapcol": 5}, {"pad": True}, {"adobe": True, "wrapcol": 9}):
    encoded = base64.a85encode(b"    \0\0\0\0four    \0\0", **options)
    frame = {name: value for name, value in options.items() if name in ("foldspaces", "adobe")}
    print(encoded, base64.a85decode(encoded, **frame))
problem(base64.a85decode, "!!z")
problem(base64.a85decode, "uuuuu")
problem(base64.a85decode, "y")
problem(base64.a85decode, "!!!", adobe=True)
print(base64.b64decode("aGk="), base64.b64decode(b"aG\nk="), base64.encodebytes(b"x" * 60))
problem(base64.b64decode, "aGk")
problem(base64.b64decode, "a")
problem(base64.b64decode, "a!Gk=", validate=True)
problem(base64.b16decode, "ff")
print(binascii.hexlify(b"\x01\xff"), binascii.unhexlify("01ff"), binascii.crc32(b"hello"), binascii.hexlify(b"abcd", "-", 2))
problem(binascii.unhexlify, "abc")
problem(binascii.unhexlify, "zz")

text = b"the same words, the same words, " * 40
packed = zlib.compress(text)
print(len(packed) < 100, zlib.decompress(packed) == text, zlib.crc32(text), zlib.adler32(text), zlib.crc32(b"b", zlib.crc32(b"a")))
stream = zlib.decompressobj()
parts = [stream.decompress(packed[at:at + 10]) for at in range(0, len(packed), 10)]
print(b"".join(parts) == text, stream.eof, stream.unused_data)
stream = zlib.decompressobj()
print(stream.decompress(packed + b"rest", 100) == text[:100], stream.eof, len(stream.unconsumed_tail) > 0)
print(stream.decompress(stream.unconsumed_tail) == text[100:], stream.eof, stream.unused_data)
raw = zlib.compressobj(9, zlib.DEFLATED, -15)
raw_bytes = raw.compress(text) + raw.flush()
print(zlib.decompress(raw_bytes, -15) == text, zlib.decompress(zlib.compress(b"", 0)))
problem(zlib.decompress, b"nonsense")
problem(zlib.decompress, packed[:-3])
problem(zlib.compress, text, 11)

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "a.gz")
    with gzip.open(path, "wb") as file:
        file.write(b"one\ntwo\n")
        file.write(b"three")
    with gzip.open(path, "rt") as file:
        print([line for line in file])
    with gzip.open(path) as file:
        print(file.read(4), file.readline(), file.read(), file.tell())
    with gzip.open(path, "wt", encoding="utf-8") as file:
        print("größer", file=file)
    print(gzip.open(path, "rt", encoding="utf-8").read(), gzip.decompress(gzip.compress(text)) == text)
    with open(path, "wb") as file:
        file.write(b"not packed")
    problem(gzip.open(path).read)
    problem(gzip.open, path, "rbt")

    path = os.path.join(folder, "a.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("texts/one.txt", "one " * 100)
        archive.writestr("two.bin", data, compress_type=zipfile.ZIP_STORED)
        with archive.open("three.txt", "w") as file:
            file.write(b"three")
        archive.comment = b"a comment"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("four.txt", b"4")
    with zipfile.ZipFile(path) as archive:
        print(archive.namelist(), archive.testzip(), archive.comment, archive.read("two.bin") == data)
        info = archive.getinfo("texts/one.txt")
        print(info.file_size, info.compress_size < 40, info.compress_type, hex(info.CRC), info.is_dir())
        archive.extractall(os.path.join(folder, "out"))
        problem(archive.read, "five.txt")
        with archive.open("texts/one.txt") as file:
            print(file.read(7), io.BytesIO(file.read()).getvalue()[:5])
    print(sorted(os.listdir(os.path.join(folder, "out"))), zipfile.is_zipfile(path), zipfile.is_zipfile(__file__ + "x"))
    problem(archive.read, "two.bin")
    problem(zipfile.ZipFile, io.BytesIO(b"nothing"))
    problem(zipfile.ZipFile, path, "q")

    os.makedirs(os.path.join(folder, "tree", "inner"))
    for name in ("tree/a.txt", "tree/inner/b.txt"):
        with open(os.path.join(folder, name), "w") as file:
            file.write(name * 3)
    path = os.path.join(folder, "a.tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        archive.add(os.path.join(folder, "tree"), arcname="tree")
        info = tarfile.TarInfo("x/" * 60 + "long.txt")
        info.size = 5
        archive.addfile(info, io.BytesIO(b"12345"))
    with tarfile.open(path) as archive:
        print([(one.name[-12:], one.size, one.isdir()) for one in archive])
        print(archive.extractfile("tree/inner/b.txt").read(), archive.extractfile("tree"), len(archive.getnames()))
        archive.extractall(os.path.join(folder, "untarred"), filter="data")
        problem(archive.getmember, "none")
    print(open(os.path.join(folder, "untarred", "tree", "a.txt")).read(), tarfile.is_tarfile(path))
    with tarfile.open(os.path.join(folder, "evil.tar"), "w") as archive:
        info = tarfile.TarInfo("../evil.txt")
        archive.addfile(info)
    with tarfile.open(os.path.join(folder, "evil.tar")) as archive:
        try:
            archive.extractall(os.path.join(folder, "safe"), filter="data")
        except tarfile.OutsideDestinationError as error:
            print(type(error).__name__, error.tarinfo.name)
    with open(path, "wb") as file:
        file.write(b"x" * 2000)
    print(tarfile.is_tarfile(path))
