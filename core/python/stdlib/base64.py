"""Base16, Base32, Base64 and Base85. Behaviour: RFC 4648; CPython Lib/base64.py."""
import binascii

_TO_URL = bytes.maketrans(b"+/", b"-_")
_FROM_URL = bytes.maketrans(b"-_", b"+/")
_BASE32 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BASE32_HEX = b"0123456789ABCDEFGHIJKLMNOPQRSTUV"
_BASE85 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_Z85 = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
MAXLINESIZE, MAXBINSIZE = 76, 57


def _from_text(given):
    if isinstance(given, str):
        try:
            return given.encode("ascii")
        except UnicodeEncodeError:
            raise ValueError("string argument should contain only ASCII characters") from None
    if isinstance(given, (bytes, bytearray)):
        return bytes(given)
    raise TypeError(f"argument should be a bytes-like object or ASCII string, not {type(given).__name__!r}")


def b64encode(s, altchars=None):
    encoded = binascii.b2a_base64(s, newline=False)
    if altchars is not None:
        assert len(altchars) == 2, repr(altchars)
        return encoded.translate(bytes.maketrans(b"+/", altchars))
    return encoded


def b64decode(s, altchars=None, validate=False):
    s = _from_text(s)
    if altchars is not None:
        altchars = _from_text(altchars)
        assert len(altchars) == 2, repr(altchars)
        s = s.translate(bytes.maketrans(altchars, b"+/"))
    return binascii.a2b_base64(s, strict_mode=validate)


def standard_b64encode(s):
    return b64encode(s)


def standard_b64decode(s):
    return b64decode(s)


def urlsafe_b64encode(s):
    return b64encode(s).translate(_TO_URL)


def urlsafe_b64decode(s):
    return b64decode(_from_text(s).translate(_FROM_URL))


def _encode32(alphabet, s):
    s = binascii._bytes_of(s)
    padded = s + bytes(-len(s) % 5)
    made = bytearray()
    for at in range(0, len(padded), 5):
        word = int.from_bytes(padded[at:at + 5], "big")
        made += bytes(alphabet[word >> shift & 31] for shift in range(35, -1, -5))
    pads = {0: 0, 1: 6, 2: 4, 3: 3, 4: 1}[len(s) % 5]
    return bytes(made[:len(made) - pads]) + b"=" * pads


def _decode32(alphabet, s, casefold):
    s = _from_text(s)
    if len(s) % 8:
        raise binascii.Error("Incorrect padding")
    if casefold:
        s = s.upper()
    bare = s.rstrip(b"=")
    pads = len(s) - len(bare)
    values = {code: at for at, code in enumerate(alphabet)}
    if any(code not in values for code in bare):
        raise binascii.Error("Non-base32 digit found")
    if pads not in (0, 1, 3, 4, 6):
        raise binascii.Error("Incorrect padding")
    made = bytearray()
    bare += bytes([alphabet[0]]) * pads
    for at in range(0, len(bare), 8):
        word = 0
        for code in bare[at:at + 8]:
            word = word << 5 | values[code]
        made += word.to_bytes(5, "big")
    dropped = {0: 0, 1: 1, 3: 2, 4: 3, 6: 4}[pads]
    return bytes(made[:len(made) - dropped])


def b32encode(s):
    return _encode32(_BASE32, s)


def b32decode(s, casefold=False, map01=None):
    s = _from_text(s)
    if map01 is not None:
        s = s.translate(bytes.maketrans(b"01", b"O" + _from_text(map01)))
    return _decode32(_BASE32, s, casefold)


def b32hexencode(s):
    return _encode32(_BASE32_HEX, s)


def b32hexdecode(s, casefold=False):
    return _decode32(_BASE32_HEX, s, casefold)


def b16encode(s):
    return binascii.hexlify(s).upper()


def b16decode(s, casefold=False):
    s = _from_text(s)
    if casefold:
        s = s.upper()
    if any(code not in b"0123456789ABCDEF" for code in s):
        raise binascii.Error("Non-base16 digit found")
    return binascii.unhexlify(s)


def _digits85(b):
    """Five digits, the largest first, for each four bytes; the last four may be padded."""
    padded = b + bytes(-len(b) % 4)
    for at in range(0, len(padded), 4):
        word = int.from_bytes(padded[at:at + 4], "big")
        digits = []
        for _ in range(5):
            word, digit = divmod(word, 85)
            digits.append(digit)
        yield digits[::-1]


def _encode85(alphabet, b, pad):
    b = binascii._bytes_of(b)
    made = b"".join(bytes(alphabet[digit] for digit in digits) for digits in _digits85(b))
    missing = -len(b) % 4
    return made if pad or not missing else made[:-missing]


def _decode85(alphabet, name, b):
    b = _from_text(b)
    missing = -len(b) % 5
    padded = b + alphabet[-1:] * missing
    values = {code: at for at, code in enumerate(alphabet)}
    made = bytearray()
    for at in range(0, len(padded), 5):
        word = 0
        for place, code in enumerate(padded[at:at + 5]):
            if code not in values:
                raise ValueError(f"bad {name} character at position {at + place}")
            word = word * 85 + values[code]
        if word >= 1 << 32:
            raise ValueError(f"{name} overflow in hunk starting at byte {at}")
        made += word.to_bytes(4, "big")
    return bytes(made[:len(made) - missing])


def b85encode(b, pad=False):
    return _encode85(_BASE85, b, pad)


def b85decode(b):
    return _decode85(_BASE85, "base85", b)


def z85encode(s):
    return _encode85(_Z85, s, False)


def z85decode(s):
    return _decode85(_Z85, "z85", s)


def a85encode(b, *, foldspaces=False, wrapcol=0, pad=False, adobe=False):
    """Ascii85: four zero bytes are "z", four spaces with `foldspaces` "y"; `adobe` frames it with <~ and ~>."""
    b = binascii._bytes_of(b)
    missing = -len(b) % 4
    parts = []
    for digits in _digits85(b):
        word = bytes(digit + 33 for digit in digits)
        if word == b"!!!!!":
            word = b"z"
        elif foldspaces and word == b"+<VdL":
            word = b"y"
        parts.append(word)
    if missing and not pad:
        if parts[-1] == b"z":
            parts[-1] = b"!!!!!"
        parts[-1] = parts[-1][:-missing]
    made = b"".join(parts)
    if adobe:
        made = b"<~" + made
    if wrapcol:
        wrapcol = max(2 if adobe else 1, wrapcol)
        lines = [made[at:at + wrapcol] for at in range(0, len(made), wrapcol)]
        if adobe and len(lines[-1]) + 2 > wrapcol:
            lines.append(b"")
        made = b"\n".join(lines)
    return made + b"~>" if adobe else made


def a85decode(b, *, foldspaces=False, adobe=False, ignorechars=b" \t\n\r\v"):
    b = _from_text(b)
    if adobe:
        if not b.endswith(b"~>"):
            raise ValueError(f"Ascii85 encoded byte sequences must end with {b'~>'!r}")
        b = b.removesuffix(b"~>").removeprefix(b"<~")
    whole = {ord("z"): b"\0\0\0\0"}
    if foldspaces:
        whole[ord("y")] = b"    "
    made = bytearray()
    digits = []
    # What is missing of the last five is padded, and dropped again from the bytes.
    for code in b + b"uuuu":
        if 33 <= code <= 117:
            digits.append(code - 33)
            if len(digits) < 5:
                continue
            word = 0
            for digit in digits:
                word = word * 85 + digit
            if word >= 1 << 32:
                raise ValueError("Ascii85 overflow")
            made += word.to_bytes(4, "big")
            digits.clear()
        elif code in whole:
            if digits:
                raise ValueError(f"{chr(code)} inside Ascii85 5-tuple")
            made += whole[code]
        elif code not in ignorechars:
            raise ValueError(f"Non-Ascii85 digit found: {chr(code)}")
    return bytes(made[:len(made) - (4 - len(digits))])


def encodebytes(s):
    s = binascii._bytes_of(s)
    return b"".join(binascii.b2a_base64(s[at:at + MAXBINSIZE]) for at in range(0, len(s), MAXBINSIZE))


def decodebytes(s):
    return binascii.a2b_base64(s)


def encode(input, output):
    while part := input.read(MAXBINSIZE):
        output.write(binascii.b2a_base64(part))


def decode(input, output):
    while line := input.readline():
        output.write(binascii.a2b_base64(line))
