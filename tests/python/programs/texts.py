# f-strings, formatting, literals, numbers.
name, value, width = "net", 3.14159, 10
print(f"{name!r:>{width}}|{value:.2f}|{value:{width}.3e}|{{literal}}|{name:<6}|{1_000_000:,}|{255:#x}|{True}|{None}")
print(f"{value=:.1f} {name=} {1 + 1 = }", f"{'nested ' + f'{name}'}", f"{[x for x in range(3)]}", f"{ {'a': 1}['a'] }")
print("a" 'b' """c
d""", r"\n", "\x41\u00e9", b"by\x00tes", "tab\tquote\"", 'it\'s', "it's", 'say "hi"', "both ' and \"")
print("%s %d %5.2f %x %r %%" % ("s", 5, 2.5, 255, "q"), "{} {0!r} {k}".format if False else "{0} {0!r} {k:>4}".format("a", k=2))
print(0xFF, 0o17, 0b101, 1_000, 1e3, 1e16, 1e-5, 0.1 + 0.2, 1 / 3, 2 ** 100, -7 // 2, -7 % 3, 7 // -2, 2 ** -1, 1e308 * 10, float("nan"))
print(10 ** 20 // 3, (1 << 70) + 1, -(2 ** 65), 2 ** 64 - 2 ** 64 + 5, hash(2 ** 61 - 1), int("123456789012345678901234567890"))
print("abc"[::-1], "abc"[1:], [1, 2, 3, 4][::2], (1, 2, 3)[-2:], "x" * 3, [0] * 2 + [1], "b" in "abc", 3 not in [1, 2])
print(1 < 2 < 3, 1 < 3 < 2, not 1, 1 and 2, 0 or "x", None is None, 5 if False else 6, (1, 2) == (1, 2), [1] is [1])
print(str(1.0), repr("a\n"), str([1, "a", None, 2.0]), {"k": (1,)}, {1, 2}, set(), frozenset([1]), (), (1,), range(3), slice(1, 2))
print("a,b,c".split(","), " x ".strip(), "-".join(["a", "b"]), "Title case".title(), "abc".find("c"), "aXbX".replace("X", "-"), "abc".upper())
print(round(2.5), round(-1.5), round(2.675, 2), abs(-3), divmod(7, 3), pow(2, 10, 1000), int(3.9), int("0x1f", 16), bool([]), float("1e3"))
print(isinstance(True, int), type(1).__name__, type("").__mro__[-1].__name__, callable(len), chr(8364), ord("€"), hex(255), bin(5), oct(8))
print(min(3, 1, 2), max([1, 5, 2]), sum([0.1] * 10), sorted({"b": 1, "a": 2}), list(reversed([1, 2, 3])), list(range(10, 0, -3)))
d = {"a": 1}
d.update(b=2)
d |= {"c": 3}
print(d, d.pop("a"), d.get("z", 0), d.setdefault("e", []), list(d.items()), {**d, "x": 9}, [*d, *"xy"])
l = [3, 1, 2]
l.sort()
l.append(4)
l[1:3] = [9, 9, 9]
del l[0]
l += (7,)
print(l, l.index(9), l.count(9), l.pop(), l[::-1])
exec("made = 5\ndef ff(n): return n + made")
print(made, ff(2), eval("made * 2 + len('abc')"), eval("x + 1", {"x": 4}))
