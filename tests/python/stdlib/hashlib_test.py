"""Digests, beside those that CPython gives."""
import hashlib
import io

texts = [b"", b"abc", b"a" * 1000, bytes(range(256)) * 3, b"x" * 111, b"y" * 112, b"z" * 127, b"w" * 128, b"v" * 55, b"u" * 64]
for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512",
             "blake2b", "blake2s"):
    print(name, [getattr(hashlib, name)(text).hexdigest()[:16] for text in texts])
    made = hashlib.new(name)
    print(made.name, made.digest_size, made.block_size, made.hexdigest())
for name in ("shake_128", "shake_256"):
    print(name, [hashlib.new(name, text).hexdigest(20) for text in texts[:4]], len(hashlib.new(name).digest(1000)))
grown = hashlib.sha256()
grown.update(b"ab")
other = grown.copy()
grown.update(b"c")
print(grown.hexdigest() == hashlib.sha256(b"abc").hexdigest(), other.hexdigest() == hashlib.sha256(b"ab").hexdigest())
print(hashlib.blake2b(b"text", digest_size=16, key=b"secret").hexdigest(), hashlib.blake2s(b"text", key=b"k").hexdigest())
print(hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 3).hex(), hashlib.pbkdf2_hmac("sha1", b"p", b"s", 2, 30).hex())
print(hashlib.file_digest(io.BytesIO(b"abc"), "sha256").hexdigest()[:8], "sha256" in hashlib.algorithms_available)
for wrong in (lambda: hashlib.new("sha9"), lambda: hashlib.md5("text")):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)
