import string
import textwrap


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


print(string.ascii_letters, string.digits, string.hexdigits, string.octdigits, string.punctuation, repr(string.whitespace), len(string.printable))
print(string.capwords("hello the  world"), string.capwords("a-b", "-"))
t = string.Template("$who likes ${what}, $$5 $_x")
print(t.substitute(who="tim", what="kung pao", _x=1), t.safe_substitute(who="a"), t.substitute({"who": 1, "what": 2}, _x=3))
shown(lambda: t.substitute(who=1))
shown(lambda: string.Template("a\n $ b").substitute())
print(string.Template("a $ b ${c").safe_substitute(c=1), t.get_identifiers(), t.is_valid(), string.Template("$").is_valid())
print(string.Formatter().format("{0} {a!r:>5} {} {{}}".replace("{} ", ""), 1, a="x"), string.Formatter().format("{:{w}} {}", 5, "ab", w=4))
text = "The quick brown fox jumped over the lazy dog's back, a well-known sentence -- of 35 letters. Supercalifragilisticexpialidocious!"
for width in (10, 20, 40, 70):
    print(textwrap.wrap(text, width))
print(textwrap.fill("a b c d e f", 5, initial_indent="* ", subsequent_indent="  "))
print(textwrap.shorten("Hello  world!", 12), textwrap.shorten("Hello  world!", 11), textwrap.shorten("Hello world", width=10, placeholder="..."))
print(repr(textwrap.dedent("""
    a
      b

    c
    """)), repr(textwrap.dedent("  a\n\tb")), repr(textwrap.indent("a\n\nb\n", "> ")), repr(textwrap.indent("a\n\nb", "> ", lambda line: True)))
print(textwrap.wrap("aaaa bbbb cccc", 4), textwrap.wrap("aaaaaaaa", 3, break_long_words=False), textwrap.wrap(""), textwrap.wrap("one  two", 20), textwrap.wrap("a. b. Foo bar. Baz", 80, fix_sentence_endings=True))
print(textwrap.wrap("one-two three-four-five x-y --opt", 9), textwrap.wrap("one two three four", 8, max_lines=2))
