"""Constants of characters, and templates."""

__all__ = ["ascii_letters", "ascii_lowercase", "ascii_uppercase", "capwords", "digits", "hexdigits", "octdigits", "printable",
           "punctuation", "whitespace", "Formatter", "Template"]

whitespace = " \t\n\r\v\f"
ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdef" + "ABCDEF"
octdigits = "01234567"
punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    """The words with a capital letter each."""
    return (sep or " ").join(map(str.capitalize, s.split(sep)))


_missing = object()


class Template:
    """A text with $names in it. Classes derived from it may say what delimiters and names are, or a whole pattern with the
    groups escaped, named, braced and invalid."""

    delimiter = "$"
    idpattern = "(?a:[_a-z][_a-z0-9]*)"
    braceidpattern = None
    flags = None  # IGNORECASE

    def __init_subclass__(cls):
        super().__init_subclass__()
        cls._compiled()

    @classmethod
    def _compiled(cls):
        """The pattern, made when it is first needed: not every program that imports this module has templates."""
        pattern = cls.__dict__.get("pattern", None)
        import re
        if isinstance(pattern, re.Pattern):
            return pattern
        if pattern is None:
            mark = re.escape(cls.delimiter)
            pattern = f"{mark}(?:(?P<escaped>{mark})|(?P<named>{cls.idpattern})|" \
                      f"{{(?P<braced>{cls.braceidpattern or cls.idpattern})}}|(?P<invalid>))"
        cls.pattern = re.compile(pattern, (re.IGNORECASE if cls.flags is None else cls.flags) | re.VERBOSE)
        return cls.pattern

    def __init__(self, template):
        self.template = template

    def _refuse(self, match):
        place = match.start("invalid")
        lines = self.template[:place].splitlines(keepends=True)
        if not lines:
            line, column = 1, 1
        else:
            line, column = len(lines), place - len("".join(lines[:-1]))
        raise ValueError(f"Invalid placeholder in string: line {line}, col {column}")

    def _substituted(self, mapping, kws, is_safe):
        if mapping is None:
            mapping = kws
        elif kws:
            mapping = {**mapping, **kws}

        def text_of(match):
            name = match["named"] or match["braced"]
            if name is not None:
                if not is_safe:
                    return str(mapping[name])
                try:
                    return str(mapping[name])
                except KeyError:
                    return match.group()
            if match["escaped"] is not None:
                return self.delimiter
            if match["invalid"] is None:
                raise ValueError("Unrecognized named group in pattern", self.pattern)
            if is_safe:
                return match.group()
            self._refuse(match)

        return self._compiled().sub(text_of, self.template)

    def substitute(self, mapping=None, /, **kws):
        """The text with every name replaced. Errors: KeyError, ValueError."""
        return self._substituted(mapping, kws, False)

    def safe_substitute(self, mapping=None, /, **kws):
        """The text with the names replaced that are known."""
        return self._substituted(mapping, kws, True)

    def is_valid(self):
        """Whether there is nothing but names behind the delimiters."""
        return all(match["invalid"] is None for match in self._compiled().finditer(self.template))

    def get_identifiers(self):
        """The names, each once, in order."""
        names = [match["named"] or match["braced"] for match in self._compiled().finditer(self.template)]
        return list(dict.fromkeys(name for name in names if name is not None))


class Formatter:
    """str.format() whose steps can be changed."""

    def format(self, format_string, /, *args, **kwargs):
        """The text with its fields replaced."""
        return self.vformat(format_string, args, kwargs)

    def vformat(self, format_string, args, kwargs):
        """The same from a tuple and a dict."""
        used = set()
        result, _ = self._vformat(format_string, args, kwargs, used, 2, 0)
        self.check_unused_args(used, args, kwargs)
        return result

    def _vformat(self, format_string, args, kwargs, used, depth, number):
        if depth < 0:
            raise ValueError("Max string recursion exceeded")
        result = []
        for literal, field, specification, conversion in self.parse(format_string):
            result.append(literal)
            if field is None:
                continue
            first = field.split(".")[0].split("[")[0]
            if first == "":
                if number is False:
                    raise ValueError("cannot switch from manual field specification to automatic field numbering")
                field = str(number) + field
                number += 1
            elif first.isdigit():
                if number:
                    raise ValueError("cannot switch from manual field specification to automatic field numbering")
                number = False
            obj, used_name = self.get_field(field, args, kwargs)
            used.add(used_name)
            obj = self.convert_field(obj, conversion)
            specification, number = self._vformat(specification, args, kwargs, used, depth - 1, number)
            result.append(self.format_field(obj, specification))
        return "".join(result), number

    def parse(self, format_string):
        """(literal, field, specification, conversion) of each field."""
        at = 0
        literal = []
        size = len(format_string)
        while at < size:
            char = format_string[at]
            if char in "{}" and format_string[at + 1:at + 2] == char:
                literal.append(char)
                at += 2
            elif char == "}":
                raise ValueError("Single '}' encountered in format string")
            elif char == "{":
                depth = 1
                end = at + 1
                while end < size and depth:
                    depth += {"{": 1, "}": -1}.get(format_string[end], 0)
                    end += 1
                if depth:
                    raise ValueError("Single '{' encountered in format string" if end == at + 1 else "expected '}' before end of string")
                inside = format_string[at + 1:end - 1]
                stop = 0
                brackets = 0
                while stop < len(inside) and (brackets or inside[stop] not in "!:"):
                    brackets += {"[": 1, "]": -1}.get(inside[stop], 0)
                    stop += 1
                field, rest = inside[:stop], inside[stop:]
                conversion = None
                if rest.startswith("!"):
                    conversion, rest = rest[1:2], rest[2:]
                yield "".join(literal), field, rest[1:], conversion
                literal = []
                at = end
            else:
                literal.append(char)
                at += 1
        if literal:
            yield "".join(literal), None, None, None

    def get_field(self, field_name, args, kwargs):
        """(object, first name) of a field like 0.name[key]."""
        end = 0
        while end < len(field_name) and field_name[end] not in ".[":
            end += 1
        first = field_name[:end]
        first = int(first) if first.isdigit() else first
        obj = self.get_value(first, args, kwargs)
        while end < len(field_name):
            if field_name[end] == ".":
                start = end = end + 1
                while end < len(field_name) and field_name[end] not in ".[":
                    end += 1
                obj = getattr(obj, field_name[start:end])
            else:
                close = field_name.index("]", end)
                key = field_name[end + 1:close]
                obj = obj[int(key) if key.isdigit() else key]
                end = close + 1
        return obj, first

    def get_value(self, key, args, kwargs):
        """The argument of a number or name."""
        return args[key] if isinstance(key, int) else kwargs[key]

    def check_unused_args(self, used_args, args, kwargs):
        """Told which arguments were used."""

    def format_field(self, value, format_spec):
        """The text of a value."""
        return format(value, format_spec)

    def convert_field(self, value, conversion):
        """The value behind !s, !r or !a."""
        if conversion is None:
            return value
        if conversion in ("s", "r", "a"):
            return {"s": str, "r": repr, "a": ascii}[conversion](value)
        raise ValueError(f"Unknown conversion specifier {conversion!s}")
