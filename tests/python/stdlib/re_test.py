"""Regular expressions: patterns, matches, flags, errors."""
import copy
import re


def shown(pattern, text, flags=0, call="search"):
    try:
        match = getattr(re, call)(pattern, text, flags)
    except re.error as error:
        print(ascii(pattern), "->", error, error.msg, error.pos, error.lineno, error.colno)
    except (ValueError, TypeError, OverflowError) as error:
        print(ascii(pattern), "->", type(error).__name__, error)
    else:
        print(ascii(pattern), "->", match if match is None else (match.regs, match.lastindex, match.lastgroup))


# Matches and what they know.
pattern = re.compile(r"(?P<first>\w+)\s(?P<second>\w+)?(x)?", re.I | re.M)
match = pattern.match("  héllo wörld", 2)
print(pattern, pattern.pattern, pattern.flags, pattern.groups, pattern.groupindex, dict(pattern.groupindex))
print(match, match.group(), match.group(0, 1, "second"), match[1], match["second"], match[3])
print(match.groups(), match.groups("-"), match.groupdict(), match.groupdict("none"))
print(match.span(), match.span("second"), match.span(3), match.start(2), match.end("first"), match.regs)
print(match.pos, match.endpos, match.lastindex, match.lastgroup, match.re is pattern, match.string)
print(match.expand(r"\2-\g<first>\g<3>\n|\x41" if False else r"\2-\g<first>\g<3>\n|\101"), bool(match))
print(copy.copy(match) is match, copy.deepcopy(pattern) is pattern, pattern == re.compile(pattern.pattern, re.I | re.M))
for bad in (4, -1, "third", 1.5):
    try:
        match.group(bad)
    except IndexError as error:
        print("IndexError", error)
print(re.compile("a" * 300), re.match("a*", "a" * 80))
print(re.compile(b"\x00a", re.L), re.compile("a", re.A | re.X | re.S | re.U & 0))

# Searching.
print(re.findall("a|", "baac"), re.findall("(a)(b)?", "abaa"), re.findall("(a)|b", "ab"), re.findall("", "é"))
print([found.span() for found in re.finditer(r"\b|x", "ax éx")])
print(re.split(r"(-)|,", "a-b,c,"), re.split("x*", "axbc"), re.split(",", "a,b,c", maxsplit=1), re.split(r"\W", ""))
print(re.sub("x*", "-", "abxd"), re.subn("b", "x", "abab", count=1), re.sub("(.)(z)?", r"\1\1\2", "éa"))
print(re.sub(r"(?P<a>.)", r"<\g<a>>\g<0>\\", "xy"), re.sub(".", lambda found: str(found.start()), "aéb"))
print(re.sub("a", "\\n\\t\\.", "bab") == "b\n\t\\.b", re.sub("", "-", "ab"), re.sub("b", lambda found: "", "abc"))
print(pattern.search("ab cd ef", 3), pattern.fullmatch("ab cd"), pattern.fullmatch("ab cd!"), pattern.match("ab cd", 0, 4))
print(re.compile("^b").search("ab", 1), re.compile("^b", re.M).search("a\nb", 1), re.compile("b$").search("abc", 0, 2))
print(re.compile("(?<=a)b").search("ab", 1), re.compile("x").search("xxx", 2, 1), re.fullmatch("a|ab", "ab"))

# What patterns mean.
for given in (r"\Aab\Z", "a$", r"[\s\S]", r"[^\W\d_]+", r"[]a]+", r"[^]]", r"[a\]-]", r"[\w.-]+", r"\d+", r"é+", r"[à-é]+",
              r"(a)(?:b)(c)?", r"(?P<n>a)(?P=n)", r"(a)\1", r"a{2}", "a{,2}b", "a{1,}", "a{", "a{x}", "a{2,1}", "x{,}y",
              r"(?i:A)b", r"(?i)A", r"(?s).", r"(?m)^b", "(?x) a # c\n b", r"(?<!a)b", r"(?=a)", r"(a)?(?(1)b|c)",
              r"(?>a+)b", r"a++b", r"a*?b", r"(a|ab)(c|bcd)(d*)", r"\x61\u00e9\U000000e9", r"\07|\141|\0", r"[\b]", r"a\
b", r"((a)|(b))+", r"(?:(a)|b)*", r"\b\w+\b", r"\Bb", r"(?#c)a", r"(?a:\w)+", r"(a(b)c)", "[[:alpha:]]", r"a\/b"):
    shown(given, "ab")
    shown(given, "\n aabécdé9 ")
shown("a.c", "a\nc")
shown("a.c", "a\nc", re.S)
shown("^b$", "a\nb\n", re.M)
shown("b$", "ab\n")
shown(r"b\Z", "ab\n")
shown("STRASSE|É", "straße é", re.I)
shown("k", "\u212a", re.I)
shown("k", "\u212a", re.I | re.A)
shown("[a-z]", "\u0130", re.I)
shown("[^k]", "K\u212a", re.I)
shown(r"\w", "é", re.A)
shown(r"\d", "\u0663")
shown(r"\s", "\x1c")
shown(r"\w+", "a\u0301")
shown(rb"\w+", b"\xe9ab")
shown(rb"(?i)\xe9A", b"\xe9a")
shown("\ud800", "a\ud800b")
shown("[\ud800-\udfff]+", "é\udc80\udc81")
shown("(?s:.)+", "\ud800é")

# What is refused.
for given in ("(", ")", "a**", "*a", "^*", "[a", "a{2,1}", "[z-a]", r"[\w-a]", "(?P<1>a)", "(?P<a>b)(?P<a>c)", "(?P=a)", "(?P<a",
              r"\2", r"(\1)", r"\q", "\\", r"\x1", r"\u12", r"\400", r"[\400]", "(?z)", "(?P!a)", "a(?i)", "(?i-i:a)", "(?-a:b)",
              "(?<=a*)b", "(?<a)", "(?(2)a)", "(?(a)b)", "(?(0)b)", "(?(1)a|b|c)", "(?au:a)", "(?#", "(?", "(?P", "(?i", "(?-",
              "(?i-", "(?L:a)", "a\nb(", "x{99999999999}", "(?(", "(?P<>a)", "(?P<a-b>c)"):
    shown(given, "")
shown(b"(?u:a)", b"")
shown("a", b"a")
shown(b"a", "a")
shown("a", 5)
shown("a", "a", re.L)
shown(b"a", b"a", re.U)
shown("a", "a", re.A | re.U)
shown(5, "a")
for template in (r"\2", r"\g<2>", r"\g<a>", r"\g<a", r"\g", r"\q", r"\g<>", r"\g<-1>", r"\777", "\\"):
    try:
        print(re.sub("(a)", template, "a"))
    except (re.error, IndexError) as error:
        print(ascii(template), "->", error)
try:
    re.compile(pattern, re.I)
except ValueError as error:
    print(error)

# The rest.
print(re.escape("a.b*c é-_#\n"), re.escape(b"a.\xff"), re.compile(re.escape("[x]")).match("[x]"))
print(repr(re.I), re.I | re.M, repr(re.NOFLAG), re.RegexFlag(0) == 0, int(re.X | re.A), repr(~re.I & re.I), str(re.DOTALL))
print(isinstance(re.I, re.RegexFlag), re.compile("", re.I | re.S).flags == re.I | re.S | re.U, re.purge())
print(len(re.findall(r"(?:a|b)*c", "ab" * 20000 + "c")[0]), len(re.sub("é", "e", "éx" * 5000)))
text = "é" * 3000 + "x"
print([found.start() for found in re.finditer("x", text)], re.compile("x").search(text, 2999).span())
print(re.Pattern[str], re.Match[bytes], isinstance(re.compile("a"), re.Pattern))
print({re.compile("a"): 1}[re.compile("a")], type(re.compile("a")).__name__, re.Match, re.Pattern)
# Since Python 3.14: \z, and \B in an empty text. Since 3.13: PatternError.
shown(r"b\z", "ab\n")
shown(r"b\z", "ab")
shown(r"\B", "")
print(re.error is re.PatternError, re.PatternError)
