"""Paths to elements. Behaviour: CPython Lib/xml/etree/ElementPath.py."""
import re as _re

_TOKEN = _re.compile(r"('[^']*'|\"[^\"]*\")|(::|//?|\.\.|\(\)|!=|[/.*:\[\]\(\)@=])|((?:\{[^}]+\})?[^/\[\]\(\)@!=\s]+)|\s+")
_compiled = {}


def _tokens(path, namespaces):
    """[(sign, name or text)]: names with their address."""
    made, is_attribute = [], False
    default = namespaces.get("") if namespaces else None
    for found in _TOKEN.finditer(path):
        text, sign, name = found.groups()
        if text is not None:
            made.append(("'", text[1:-1]))
        elif sign is not None:
            made.append((sign, ""))
        elif name is not None:
            if name[0] != "{":
                prefix, colon, local = name.partition(":")
                if colon:
                    if not namespaces or prefix not in namespaces:
                        raise SyntaxError("prefix %r not found in prefix map" % prefix) from None
                    name = "{%s}%s" % (namespaces[prefix], local)
                elif default and not is_attribute:
                    name = "{%s}%s" % (default, name)
            made.append(("", name))
        if text is not None or sign is not None or name is not None:
            is_attribute = sign == "@"
    return made


def tag_test(tag):
    """Whether an element has a tag, in which "*" stands for any address or name."""
    if tag == "*" or tag == "{*}*":
        return lambda one: isinstance(one.tag, str) or tag == "*"
    if tag.startswith("{*}"):
        local = tag[3:]
        return lambda one: isinstance(one.tag, str) and (one.tag == local or one.tag.endswith("}" + local))
    if tag.startswith("{}") and tag[2:] == "*":
        return lambda one: isinstance(one.tag, str) and one.tag[:1] != "{"
    if tag.startswith("{}"):
        return lambda one: one.tag == tag[2:]
    if tag.endswith("}*"):
        return lambda one: isinstance(one.tag, str) and one.tag.startswith(tag[:-1])
    return lambda one: one.tag == tag


class _Context:
    """The parent of each element below the one that was asked."""

    def __init__(self, root):
        self.root, self._parents = root, None

    def parent(self, one):
        if self._parents is None:
            self._parents = {child: parent for parent in self.root.iter() for child in parent}
        return self._parents.get(one)


def _text_of(one):
    return "".join(one.itertext())


def _predicate(tokens):
    """What stands in [ ], as a step. Errors: SyntaxError."""
    signature, values = "", []
    for sign, value in tokens:
        if (sign, value) in (("", ""),):
            continue
        if sign == "'":
            signature += "'"
        elif sign == "" and _re.fullmatch(r"-?\d+", value):
            signature += "0"
        else:
            signature += sign or "-"
        values.append(value)
    if signature == "@-":
        return lambda context, found: (one for one in found if one.get(values[1]) is not None)
    if signature in ("@-='", "@-!='"):
        wants = "!" not in signature
        return lambda context, found: (one for one in found if one.get(values[1]) is not None
                                       and (one.get(values[1]) == values[-1]) == wants)
    if signature == "-":
        return lambda context, found: (one for one in found if one.find(values[0]) is not None)
    if signature in (".='", ".!='"):
        wants = "!" not in signature
        return lambda context, found: (one for one in found if (_text_of(one) == values[-1]) == wants)
    if signature in ("-='", "-!='"):
        wants = "!" not in signature
        return lambda context, found: (one for one in found
                                       if any((_text_of(part) == values[-1]) == wants for part in one.iterfind(values[0])))
    if signature == "0" or signature == "-()" or signature == "-()0":
        return _place(signature, values)
    raise SyntaxError("invalid predicate")


def _place(signature, values):
    if signature == "0":
        at = int(values[0]) - 1
        if at < 0:
            raise SyntaxError("XPath position >= 1 expected")
    else:
        if values[0] != "last":
            raise SyntaxError("unsupported function")
        at = int(values[2]) - 1 if signature == "-()0" else -1
        if at > -1:
            raise SyntaxError("XPath offset from last() must be negative")

    def step(context, found):
        for one in found:
            parent = context.parent(one)
            if parent is not None:
                like = list(parent.findall(one.tag))
                if -len(like) <= at < len(like) and like[at] is one:
                    yield one

    return step


def _step(tokens):
    """Takes one step off the front."""
    sign, name = tokens.pop(0)
    if sign == "" or sign == "*":
        test = tag_test(name or "*")
        return lambda context, found: (child for one in found for child in one if test(child))
    if sign == ".":
        return lambda context, found: found
    if sign == "..":
        def up(context, found):
            seen = {}
            for one in found:
                parent = context.parent(one)
                if parent is not None and parent not in seen:
                    seen[parent] = None
                    yield parent

        return up
    if sign == "//":
        if not tokens or tokens[0][0] not in ("", "*"):
            raise SyntaxError("invalid descendant")
        kind, name = tokens.pop(0)
        tag = name if kind == "" else "*"
        test = tag_test(tag)
        return lambda context, found: (child for one in found for child in one.iter() if child is not one and test(child))
    if sign == "[":
        inside = []
        while True:
            if not tokens:
                raise SyntaxError("invalid path")
            token = tokens.pop(0)
            if token[0] == "]":
                return _predicate(inside)
            inside.append(token)
    raise SyntaxError("invalid path")


def _steps(path, namespaces):
    if path[-1:] == "/":
        path += "*"
    key = (path, tuple(sorted((k or "", v) for k, v in namespaces.items())) if namespaces else None)
    if key not in _compiled:
        if path[:1] == "/":
            raise SyntaxError("cannot use absolute path on element")
        tokens, steps = _tokens(path, namespaces), []
        if not tokens:
            raise SyntaxError("invalid path")
        while tokens:
            steps.append(_step(tokens))
            if tokens and tokens[0][0] == "/":
                tokens.pop(0)
                if not tokens:
                    raise SyntaxError("invalid path")
        _compiled[key] = steps
    return _compiled[key]


def iterfind(root, path, namespaces=None):
    """All elements that a path leads to, in order."""
    if not namespaces and path and not set(path) & set("/*[@.{"):
        return (child for child in root if child.tag == path)
    context, found = _Context(root), [root]
    for step in _steps(path, namespaces):
        found = step(context, found)
    return iter(found)
