# unicodedata, and what str, int and literals know of characters beyond ASCII.
import re
import unicodedata

print(unicodedata.unidata_version)
for c in "aÀ½ﬁ٠①ǅ가一ªß☃ \u0301\u0378":
    print(ascii(c), unicodedata.category(c), unicodedata.bidirectional(c), unicodedata.combining(c), unicodedata.mirrored(c),
          unicodedata.east_asian_width(c), repr(unicodedata.decomposition(c)), unicodedata.name(c, None), unicodedata.decimal(c, None),
          unicodedata.digit(c, -1), unicodedata.numeric(c, None))


def without_accents(text):
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


print(without_accents("Ślusàrski"), without_accents("O'Néàl"))
for form in ("NFC", "NFD", "NFKC", "NFKD"):
    print(form, [ascii(unicodedata.normalize(form, text)) for text in ("Å", "ﬁ", "각", "ṩ", "각", "①½", "a\u0315\u0300\u05aeb")],
          unicodedata.is_normalized(form, "Å"))
print("\N{EM DASH}", "\N{LATIN SMALL LETTER A WITH GRAVE}", f"x\N{BULLET}{1}", rb"\N{BULLET}", unicodedata.lookup("snowman"),
      ascii(unicodedata.lookup("LATIN SMALL LETTER R WITH TILDE")), unicodedata.lookup("HANGUL SYLLABLE GAG"))
print(re.findall(r"\N{EM DASH}|[\N{BULLET}]", "a—b•"))


def attempt(function, *args):
    try:
        print(function(*args))
    except Exception as error:
        print(type(error).__name__, error)


attempt(unicodedata.lookup, "nothing of this name")
attempt(unicodedata.name, "\x00")
attempt(unicodedata.category, "ab")
attempt(unicodedata.category, 3)
attempt(unicodedata.decimal, "½")
attempt(unicodedata.digit, "a")
attempt(unicodedata.numeric, "a")
attempt(unicodedata.numeric, "")
attempt(unicodedata.normalize, "NFX", "a")
attempt(unicodedata.normalize, 1, "a")
attempt(unicodedata.normalize, "NFC", b"a")
attempt(re.compile, r"\N{nothing of this name}")
for source in (r"'\N{nothing}'", r"'\N{}'", r"'\N'", r"'ab\N{EM DASH'"):
    try:
        eval(source)
    except SyntaxError as error:
        print(source, error.msg)

for word in ("ΑΣ", "ΑΣ.", "Α.ΣΑ", "Σ", "ΑΣ\u0301", "ǆungla", "ŉ ﬁ", "İstanbul", "STRASSE ß", "ὈΔΥΣΣΕΎΣ", "ᏣᎳᎩ", "𐐔𐐯𐑅𐐨𐑉𐐯𐐻", "ԱՐԵՎ", "ꭓ Ɡ"):
    print(ascii([word.lower(), word.upper(), word.title(), word.casefold(), word.capitalize(), word.swapcase()]), word.istitle(),
          word.isupper(), word.islower())
print(["ǅ".isupper(), "ǅ".istitle(), "ªº".islower(), "Ⅷ".isupper(), "一二".isnumeric(), "²".isdigit(), "²".isdecimal(), "٣".isdecimal()])
print(["ℼ".isidentifier(), "x·".isidentifier(), "·x".isidentifier(), "ꯀ".isidentifier(), "a\u200b".isidentifier()])


# Names are in normal form.
ﬁ = 1
print(fi)


class Holder:
    𝒙 = 3


def passed(ªb):
    return ab


print(Holder.x, Holder().𝐱, passed(ªb=2), "ﬁ" == "fi")
print(int("٣٤"), int(" １２\u3000", 16), float("١.٥e١"), complex("１+２j"), int("-๔_๒"))
attempt(int, "²")
attempt(float, "½")
print(repr("a\u200b\u0378\U0001f600\U000e0001é"))
