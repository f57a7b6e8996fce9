"""What functions, methods and classes say of themselves; surrogates that stand alone in texts."""


class Box:
    def open(self):
        pass

    class Lid:
        def lift(self):
            pass


print(type.__name__, type.__module__, object.__module__, int.__module__, Box.__module__)
print(len.__name__, len.__qualname__, len.__module__)
print(Box().open.__name__, Box().open.__qualname__, Box.Lid().lift.__qualname__)
alone = "a\ud800\udfffb"
for encoding in ("utf-8", "utf-16-le", "utf-32-be"):
    data = alone.encode(encoding, "surrogatepass")
    print(data, data.decode(encoding, "surrogatepass") == (alone if encoding != "utf-16-le" else "a\U000103ffb"))
for action in (lambda: alone.encode("ascii", "surrogatepass"), lambda: b"\xed\xa0".decode("utf-8", "surrogatepass"),
               lambda: b"\xff".decode("utf-8", "surrogatepass"), lambda: alone.encode()):
    try:
        action()
    except UnicodeError as error:
        print(type(error).__name__, error)
