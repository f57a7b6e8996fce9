"""Versions, their order, and conditions on them."""
from packaging import version
from packaging.specifiers import InvalidSpecifier, Specifier, SpecifierSet
from packaging.utils import canonicalize_name, canonicalize_version
from packaging.version import InvalidVersion, Version, parse

ordered = ["1.0.dev456", "1.0a1", "1.0a2.dev456", "1.0a12.dev456", "1.0a12", "1.0b1.dev456", "1.0b2", "1.0b2.post345.dev456",
           "1.0b2.post345", "1.0rc1.dev456", "1.0rc1", "1.0", "1.0+abc.5", "1.0+abc.7", "1.0+5", "1.0.post456.dev34",
           "1.0.post456", "1.1.dev1", "1!0.1"]
versions = [parse(text) for text in ordered]
print(sorted(reversed(versions)) == versions)
print(versions)
for text in ["v1.0", "1.0-ALPHA.1", "1.0.Post-3", "1.0-4", "1.0c1", "1.0preview", "2!1.02.3rc4.post5.dev6+Ubuntu_1-2", "01.002",
             "  2.14.1+cu128\n", "1.0.dev", "1.0r3"]:
    v = Version(text)
    print(v, repr(v), v.epoch, v.release, v.pre, v.post, v.dev, v.local, v.public, v.base_version, v.is_prerelease,
          v.is_postrelease, v.is_devrelease, v.major, v.minor, v.micro)
for text in ["", "french toast", "1.0+a+b", "1..0", "1.0.x"]:
    try:
        parse(text)
    except InvalidVersion as e:
        print(e)
print(Version("1.0") == Version("1.0.0"), hash(Version("1.0")) == hash(Version("1")), Version("1.0") != Version("1.1"))
print(Version("2.14.1") >= Version("1.8"), version.parse("1.10") > version.parse("1.9"), Version("1.0") == "1.0")
try:
    Version("1.0") < "2.0"
except TypeError as e:
    print(e)

texts = ["0.9", "1.0.dev1", "1.0", "1.0+local", "1.0.1", "1.0.post1", "1.4", "1.4.2", "1.4.5a1", "1.10", "2.0", "2.0a1", "2.1rc1", "1!1.0"]
for spec in ["~=1.4", "~=1.4.2", "~=1.4.5a1", "==1.0", "==1.0+local", "==1.4.*", "==1.0.*", "!=1.4.*", "!=1.0", "<2.0", "<2.0a2",
             ">1.0", ">1.0.post0", ">=1.0", "<=1.0", "===1.0", "===1.0+LOCAL", ">=1!0", "== 1.4 ", "==1.0.post1"]:
    one = Specifier(spec)
    print(repr(one), str(one), one.operator, one.version, one.prereleases)
    print("   ", [t for t in texts if one.contains(t)], [t for t in texts if one.contains(t, prereleases=True)])
for spec in ["1.0", "=>1.0", "~=1", ">=1.0.*", "<1.0+local", "==", "", "== 1.0 1.1"]:
    try:
        Specifier(spec)
    except InvalidSpecifier as e:
        print(e)
both = SpecifierSet(">=1.0,<2, !=1.4")
print(both, repr(both), len(both), [t for t in texts if t in both], "1.5" in both, Version("1.4") in both)
print([t for t in texts if both.contains(t, prereleases=True)])
print(list(both.filter(texts)), list(SpecifierSet(">=2.0a1").filter(texts)), list(SpecifierSet("").filter(["1.0a1", "1.0b2"])))
print(SpecifierSet(">=1") & SpecifierSet("<2") == SpecifierSet("<2,>=1"), SpecifierSet() == SpecifierSet(""), "3" in SpecifierSet())
print(SpecifierSet(">=1", prereleases=True), repr(SpecifierSet(">=1", prereleases=True)), SpecifierSet(">=1", prereleases=True).contains("2a1"))
print(Specifier("==1.0") == Specifier("==1.0.0"), Specifier("~=1.0") == Specifier("~=1.0.0"), Specifier(">=1") == ">=1.0")
print(canonicalize_version("1.4.0.0.0"), canonicalize_version("1.0rc1"), canonicalize_version("x"), canonicalize_name("Foo_Bar--baz.q"))
