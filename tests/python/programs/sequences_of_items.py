# What has __getitem__ and no __iter__ is iterated all the same, until it raises IndexError.
class Letters:
    def __getitem__(self, at):
        if at >= 3:
            raise IndexError(at)
        return 65 + at


class Nothing:
    pass


letters = Letters()
print(bytes(letters), bytearray(letters), list(letters), int.from_bytes(letters, "big"))
a, b, c = letters
print(a, b, c)
first, *rest = letters
print(first, rest, [*letters], 66 in letters)
for unpack in (lambda: bytes(Nothing()), lambda: [x for x, y in [Nothing()]], lambda: [x for x, *y in [Nothing()]],
               lambda: [x for x, y in [letters]]):
    try:
        unpack()
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
