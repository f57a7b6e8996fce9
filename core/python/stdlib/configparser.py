"""Settings in sections. Behaviour: CPython Lib/configparser.py."""
import re as _re
from collections.abc import MutableMapping as _MutableMapping

DEFAULTSECT = "DEFAULT"
MAX_INTERPOLATION_DEPTH = 10
_UNSET = object()


class Error(Exception):
    """What goes wrong with settings."""

    def __init__(self, msg=""):
        self.message = msg
        super().__init__(msg)

    def __repr__(self):
        return self.message

    __str__ = __repr__


class NoSectionError(Error):
    def __init__(self, section):
        super().__init__(f"No section: {section!r}")
        self.section = section


class DuplicateSectionError(Error):
    def __init__(self, section, source=None, lineno=None):
        place = "" if source is None else f"While reading from {source!r}" + (
            "" if lineno is None else f" [line {lineno:2d}]") + ": section "
        super().__init__(f"{place}{section!r} already exists" if place else f"Section {section!r} already exists")
        self.section, self.source, self.lineno = section, source, lineno


class DuplicateOptionError(Error):
    def __init__(self, section, option, source=None, lineno=None):
        place = f"While reading from {source!r}" + ("" if lineno is None else f" [line {lineno:2d}]") + ": option " \
            if source is not None else "Option "
        super().__init__(f"{place}{option!r} in section {section!r} already exists")
        self.section, self.option, self.source, self.lineno = section, option, source, lineno


class NoOptionError(Error):
    def __init__(self, option, section):
        super().__init__(f"No option {option!r} in section: {section!r}")
        self.option, self.section = option, section


class InterpolationError(Error):
    def __init__(self, option, section, msg):
        super().__init__(msg)
        self.option, self.section = option, section


class InterpolationMissingOptionError(InterpolationError):
    def __init__(self, option, section, rawval, reference):
        super().__init__(option, section, f"Bad value substitution: option {option!r} in section {section!r} contains an "
                         f"interpolation key {reference!r} which is not a valid option name. Raw value: {rawval!r}")
        self.reference = reference


class InterpolationSyntaxError(InterpolationError):
    """A value refers to others in no right way."""


class InterpolationDepthError(InterpolationError):
    def __init__(self, option, section, rawval):
        super().__init__(option, section, f"Recursion limit exceeded in value substitution: option {option!r} in section "
                         f"{section!r} contains an interpolation key which cannot be substituted in "
                         f"{MAX_INTERPOLATION_DEPTH} steps. Raw value: {rawval!r}")


class ParsingError(Error):
    def __init__(self, source, *args):
        super().__init__(f"Source contains parsing errors: {source!r}")
        self.source, self.errors = source, []

    def append(self, lineno, line):
        self.errors.append((lineno, line))
        self.message += f"\n\t[line {lineno:2d}]: {line!r}"


class MissingSectionHeaderError(ParsingError):
    def __init__(self, filename, lineno, line):
        Error.__init__(self, f"File contains no section headers.\nfile: {filename!r}, line: {lineno}\n{line!r}")
        self.source, self.lineno, self.line = filename, lineno, line


class Interpolation:
    """Values as they are."""

    def before_get(self, parser, section, option, value, defaults):
        return value

    def before_set(self, parser, section, option, value):
        return value


class BasicInterpolation(Interpolation):
    """%(name)s is another value of the section."""

    def before_get(self, parser, section, option, value, defaults):
        return self._filled(parser, section, option, value, defaults, 1, value)

    def before_set(self, parser, section, option, value):
        bare = _re.sub(r"%\(([^)]+)\)s", "", value.replace("%%", ""))
        if "%" in bare:
            raise ValueError(f"invalid interpolation syntax in {value!r} at position {bare.find('%')}")
        return value

    def _filled(self, parser, section, option, value, defaults, depth, raw):
        if depth > MAX_INTERPOLATION_DEPTH:
            raise InterpolationDepthError(option, section, raw)
        made, at = [], 0
        while at < len(value):
            mark = value.find("%", at)
            if mark < 0:
                made.append(value[at:])
                break
            made.append(value[at:mark])
            following = value[mark + 1:mark + 2]
            if following == "%":
                made.append("%")
                at = mark + 2
                continue
            found = _re.match(r"%\(([^)]+)\)s", value[mark:])
            if following != "(":
                raise InterpolationSyntaxError(option, section, f"'%' must be followed by '%' or '(', found: {value[mark:]!r}")
            if found is None:
                raise InterpolationSyntaxError(option, section, f"bad interpolation variable reference {value[mark:]!r}")
            name = parser.optionxform(found.group(1))
            if name not in defaults:
                raise InterpolationMissingOptionError(option, section, raw, name)
            made.append(self._filled(parser, section, option, defaults[name], defaults, depth + 1, raw))
            at = mark + found.end()
        return "".join(made)


class ExtendedInterpolation(Interpolation):
    """${name} and ${section:name} are other values."""

    def before_get(self, parser, section, option, value, defaults):
        return self._filled(parser, section, option, value, defaults, 1)

    def _filled(self, parser, section, option, value, defaults, depth):
        if depth > MAX_INTERPOLATION_DEPTH:
            raise InterpolationDepthError(option, section, value)

        def one(found):
            if found.group() == "$$":
                return "$"
            where, colon, name = found.group(1).rpartition(":")
            name = parser.optionxform(name)
            try:
                if colon:
                    inner = parser.get(where, name, raw=True)
                    return self._filled(parser, where, name, inner, dict(parser.items(where, raw=True)), depth + 1)
                return self._filled(parser, section, option, defaults[name], defaults, depth + 1)
            except (KeyError, NoSectionError, NoOptionError):
                raise InterpolationMissingOptionError(option, section, value, found.group(1)) from None

        return _re.sub(r"\$\$|\$\{([^}]+)\}", one, value)


class SectionProxy(_MutableMapping):
    """One section as a dictionary."""

    def __init__(self, parser, name):
        self._parser, self._name = parser, name

    def __repr__(self):
        return f"<Section: {self._name}>"

    def _options(self):
        return self._parser.options(self._name) if self._name != self._parser.default_section else list(
            self._parser.defaults())

    def __getitem__(self, key):
        if not self._parser.has_option(self._name, key):
            raise KeyError(key)
        return self._parser.get(self._name, key)

    def __setitem__(self, key, value):
        self._parser._check_value(key, value)
        self._parser.set(self._name, key, value)

    def __delitem__(self, key):
        if not (self._parser.has_option(self._name, key) and self._parser.remove_option(self._name, key)):
            raise KeyError(key)

    def __contains__(self, key):
        return self._parser.has_option(self._name, key)

    def __len__(self):
        return len(self._options())

    def __iter__(self):
        return iter(self._options())

    parser = property(lambda self: self._parser)
    name = property(lambda self: self._name)

    def get(self, option, fallback=None, *, raw=False, vars=None):
        return self._parser.get(self._name, option, raw=raw, vars=vars, fallback=fallback)

    def getint(self, option, fallback=None, **given):
        return self._parser.getint(self._name, option, fallback=fallback, **given)

    def getfloat(self, option, fallback=None, **given):
        return self._parser.getfloat(self._name, option, fallback=fallback, **given)

    def getboolean(self, option, fallback=None, **given):
        return self._parser.getboolean(self._name, option, fallback=fallback, **given)


class RawConfigParser(_MutableMapping):
    """Sections with options, whose values are texts as they are written."""

    _DEFAULT_INTERPOLATION = Interpolation()
    BOOLEAN_STATES = {"1": True, "yes": True, "true": True, "on": True, "0": False, "no": False, "false": False, "off": False}

    def __init__(self, defaults=None, dict_type=dict, allow_no_value=False, *, delimiters=("=", ":"),
                 comment_prefixes=("#", ";"), inline_comment_prefixes=None, strict=True, empty_lines_in_values=True,
                 default_section=DEFAULTSECT, interpolation=_UNSET, converters=None, allow_unnamed_section=False):
        self._sections, self._defaults = {}, {}
        self._allow_no_value, self._delimiters = allow_no_value, tuple(delimiters)
        self._comments, self._inline = tuple(comment_prefixes or ()), tuple(inline_comment_prefixes or ())
        self._strict, self._empty_lines, self.default_section = strict, empty_lines_in_values, default_section
        self._interpolation = self._DEFAULT_INTERPOLATION if interpolation is _UNSET else interpolation or Interpolation()
        for name, convert in (converters or {}).items():
            setattr(self, "get" + name, lambda section, option, convert=convert, **given: self._converted(
                section, option, convert, **given))
        if defaults:
            for key, value in defaults.items():
                self._defaults[self.optionxform(key)] = value

    def optionxform(self, optionstr):
        return optionstr.lower()

    def defaults(self):
        return self._defaults

    def sections(self):
        return list(self._sections)

    def add_section(self, section):
        if section == self.default_section:
            raise ValueError(f"Invalid section name: {section!r}")
        if section in self._sections:
            raise DuplicateSectionError(section)
        self._sections[section] = {}

    def has_section(self, section):
        return section in self._sections

    def options(self, section):
        if section not in self._sections:
            raise NoSectionError(section)
        return list({**self._sections[section], **self._defaults})

    def read(self, filenames, encoding=None):
        import os
        if isinstance(filenames, (str, bytes, os.PathLike)):
            filenames = [filenames]
        found = []
        for name in filenames:
            try:
                with open(name, encoding=encoding) as file:
                    self._read(file, name)
            except OSError:
                continue
            found.append(os.fspath(name))
        return found

    def read_file(self, f, source=None):
        self._read(f, getattr(f, "name", "<???>") if source is None else source)

    def read_string(self, string, source="<string>"):
        self._read(string.splitlines(True), source)

    def read_dict(self, dictionary, source="<dict>"):
        seen = set()
        for section, values in dictionary.items():
            section = str(section)
            if section != self.default_section and not self.has_section(section):
                self.add_section(section)
            elif self._strict and section in seen:
                raise DuplicateSectionError(section)
            seen.add(section)
            for key, value in values.items():
                self.set(section, self.optionxform(str(key)), None if value is None else str(value))

    def _read(self, lines, source):
        section = option = problem = None
        seen, indent = set(), 0
        values = {}
        for number, line in enumerate(lines, 1):
            bare = line
            for prefix in self._inline:
                at = bare.find(prefix)
                while at > 0 and not bare[at - 1].isspace():
                    at = bare.find(prefix, at + 1)
                if at >= 0:
                    bare = bare[:at]
            text = "" if bare.strip().startswith(self._comments) and self._comments else bare.strip()
            if not text:
                is_comment = bool(line.strip())
                if option is not None and self._empty_lines and not is_comment and section is not None:
                    values[section, option].append("")
                elif not self._empty_lines:
                    indent = 1 << 30
                continue
            here = len(line) - len(line.lstrip())
            if section is not None and option is not None and here > indent:
                if values.get((section, option)) is not None:
                    values[section, option].append(text)
                continue
            indent = here
            header = _re.match(r"\[(?P<header>.+)\]", text)
            if header:
                section, option = header.group("header"), None
                if section in self._sections:
                    if self._strict and section in seen:
                        raise DuplicateSectionError(section, source, number)
                elif section != self.default_section:
                    self._sections[section] = {}
                seen.add(section)
                continue
            if section is None:
                raise MissingSectionHeaderError(source, number, line)
            marks = [at for at in (text.find(mark) for mark in self._delimiters) if at >= 0]
            if not marks and not self._allow_no_value:
                problem = problem or ParsingError(source)
                problem.append(number, line)
                continue
            at = min(marks, default=len(text))
            name = text[:at].rstrip()
            if not name:
                problem = problem or ParsingError(source)
                problem.append(number, line)
                continue
            option = self.optionxform(name)
            if self._strict and (section, option) in seen:
                raise DuplicateOptionError(section, option, source, number)
            seen.add((section, option))
            values[section, option] = [text[at + 1:].strip()] if marks else None
        for (where, name), parts in values.items():
            target = self._defaults if where == self.default_section else self._sections[where]
            target[name] = None if parts is None else "\n".join(parts).rstrip()
        if problem:
            raise problem

    def _values(self, section, vars=None):
        if section not in self._sections and section != self.default_section:
            raise NoSectionError(section)
        own = {self.optionxform(key): str(value) for key, value in (vars or {}).items()}
        return {**self._defaults, **self._sections.get(section, {}), **own}

    def get(self, section, option, *, raw=False, vars=None, fallback=_UNSET):
        try:
            values = self._values(section, vars)
        except NoSectionError:
            if fallback is _UNSET:
                raise
            return fallback
        option = self.optionxform(option)
        if option not in values:
            if fallback is _UNSET:
                raise NoOptionError(option, section)
            return fallback
        value = values[option]
        if raw or value is None:
            return value
        return self._interpolation.before_get(self, section, option, value, values)

    def _converted(self, section, option, convert, *, raw=False, vars=None, fallback=_UNSET):
        try:
            value = self.get(section, option, raw=raw, vars=vars)
        except (NoSectionError, NoOptionError):
            if fallback is _UNSET:
                raise
            return fallback
        return convert(value)

    def getint(self, section, option, **given):
        return self._converted(section, option, int, **given)

    def getfloat(self, section, option, **given):
        return self._converted(section, option, float, **given)

    def getboolean(self, section, option, **given):
        return self._converted(section, option, self._boolean, **given)

    def _boolean(self, value):
        if value.lower() not in self.BOOLEAN_STATES:
            raise ValueError(f"Not a boolean: {value}")
        return self.BOOLEAN_STATES[value.lower()]

    def items(self, section=_UNSET, raw=False, vars=None):
        if section is _UNSET:
            return super().items()
        values = self._values(section, vars)
        if raw:
            return list(values.items())
        return [(name, value if value is None else self._interpolation.before_get(self, section, name, value, values))
                for name, value in values.items()]

    def has_option(self, section, option):
        option = self.optionxform(option)
        if not section or section == self.default_section:
            return option in self._defaults
        return section in self._sections and (option in self._sections[section] or option in self._defaults)

    def _check_value(self, option="", value=""):
        pass

    def set(self, section, option, value=None):
        if value:
            value = self._interpolation.before_set(self, section, option, value)
        if not section or section == self.default_section:
            target = self._defaults
        elif section in self._sections:
            target = self._sections[section]
        else:
            raise NoSectionError(section)
        target[self.optionxform(option)] = value

    def remove_option(self, section, option):
        if section != self.default_section and section not in self._sections:
            raise NoSectionError(section)
        target = self._defaults if section == self.default_section else self._sections[section]
        return target.pop(self.optionxform(option), _UNSET) is not _UNSET

    def remove_section(self, section):
        return self._sections.pop(section, None) is not None

    def write(self, fp, space_around_delimiters=True):
        mark = f" {self._delimiters[0]} " if space_around_delimiters else self._delimiters[0]
        for section, values in ((self.default_section, self._defaults), *self._sections.items()):
            if section == self.default_section and not values:
                continue
            fp.write(f"[{section}]\n")
            for name, value in values.items():
                shown = "" if value is None and self._allow_no_value else mark + str(value).replace("\n", "\n\t")
                fp.write(f"{name}{shown}\n")
            fp.write("\n")

    def __getitem__(self, key):
        if key != self.default_section and key not in self._sections:
            raise KeyError(key)
        return SectionProxy(self, key)

    def __setitem__(self, key, value):
        if key == self.default_section:
            self._defaults.clear()
        elif key in self._sections:
            self._sections[key].clear()
        self.read_dict({key: value})

    def __delitem__(self, key):
        if key == self.default_section:
            raise ValueError("Cannot remove the default section.")
        if key not in self._sections:
            raise KeyError(key)
        self.remove_section(key)

    def __contains__(self, key):
        return key == self.default_section or key in self._sections

    def __len__(self):
        return len(self._sections) + 1

    def __iter__(self):
        return iter([self.default_section, *self._sections])


class ConfigParser(RawConfigParser):
    """The same, whose values may refer to others: %(name)s."""

    _DEFAULT_INTERPOLATION = BasicInterpolation()

    def _check_value(self, option="", value=""):
        if not isinstance(option, str):
            raise TypeError("option keys must be strings")
        if not (value is None and self._allow_no_value) and not isinstance(value, str):
            raise TypeError("option values must be strings")

    def set(self, section, option, value=None):
        self._check_value(option, value)
        super().set(section, option, value)

    def add_section(self, section):
        if not isinstance(section, str):
            raise TypeError("section names must be strings")
        super().add_section(section)
