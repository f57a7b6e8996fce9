"""Reading a command line: which texts are options, and which values belong to whom."""

from argparse import ONE_OR_MORE, OPTIONAL, PARSER, REMAINDER, SUPPRESS, ZERO_OR_MORE, ArgumentError, ArgumentTypeError, _argument_name


def _is_number(text):
    """Whether it reads as a negative number, which is an argument unless there are options that look like one."""
    digits = text[1:].replace(".", "", 1)
    return text[:1] == "-" and digits.isdecimal() and text[-1] != "."


class _Parse:
    """One reading of one command line."""

    def __init__(self, parser, namespace):
        self.parser = parser
        self.namespace = namespace
        self.extras = []
        self.seen = set()
        self.seen_given = set()
        self.conflicts = {}
        for group in parser._mutually_exclusive_groups:
            for at, action in enumerate(group._group_actions):
                others = group._group_actions
                self.conflicts.setdefault(action, []).extend(others[:at] + others[at + 1:])
        self.has_number_options = any(_is_number(option) for option in parser._option_string_actions)

    def run(self, args):
        """(values, what was not understood). Errors: ArgumentError."""
        if self.parser.fromfile_prefix_chars is not None:
            args = self.with_files(args)
        self.args = args
        options = {}
        kinds = []
        is_plain = False
        for at, text in enumerate(args):
            if is_plain:
                kinds.append("A")
            elif text == "--":
                kinds.append("-")
                is_plain = True
            else:
                found = self.option(text)
                kinds.append("A" if found is None else "O")
                if found is not None:
                    options[at] = found
        self.kinds = "".join(kinds)
        self.options = options
        self.positionals = [action for action in self.parser._actions if not action.option_strings]
        at = 0
        last_option = max(options, default=-1)
        while at <= last_option:
            following = min(place for place in options if place >= at)
            if at != following:
                end = self.take_positionals(at, False)
                if end > at:
                    at = end
                    continue
                at = end
            if at not in options:
                self.extras.extend(args[at:following])
                at = following
            at = self.take_option(at)
        stop = self.take_positionals(at, True)
        self.extras.extend(args[stop:])
        self.check_required()
        self.extras.extend(self.namespace.__dict__.pop("_unrecognized_args", ()))
        return self.namespace, self.extras

    def with_files(self, args):
        result = []
        for text in args:
            if not text or text[0] not in self.parser.fromfile_prefix_chars:
                result.append(text)
                continue
            try:
                with open(text[1:]) as file:
                    lines = file.read().splitlines()
            except OSError as error:
                raise ArgumentError(None, str(error)) from None
            result.extend(self.with_files([one for line in lines for one in self.parser.convert_arg_line_to_args(line)]))
        return result

    def option(self, text):
        """[(action or None, option, separator, value)] of what may be an option, None for an argument."""
        chars = self.parser.prefix_chars
        known = self.parser._option_string_actions
        if not text or text[0] not in chars:
            return None
        if text in known:
            return [(known[text], text, None, None)]
        if len(text) == 1:
            return None
        name, equals, value = text.partition("=")
        if equals and name in known:
            return [(known[name], name, equals, value)]
        found = self.abbreviated(text)
        if found:
            return found
        if _is_number(text) and not self.has_number_options:
            return None
        if " " in text:
            return None
        return [(None, text, None, None)]

    def abbreviated(self, text):
        chars = self.parser.prefix_chars
        known = self.parser._option_string_actions
        found = []
        if text[1] in chars:
            if self.parser.allow_abbrev:
                prefix, equals, value = text.partition("=")
                for option, action in known.items():
                    if option.startswith(prefix):
                        found.append((action, option, equals or None, value if equals else None))
            return found
        prefix, equals, value = text.partition("=")
        for option, action in known.items():
            if option == text[:2]:
                rest = text[2:]
                found.append((action, option, "=" if rest.startswith("=") else "", rest.removeprefix("=")))
            elif self.parser.allow_abbrev and option.startswith(prefix):
                found.append((action, option, equals or None, value if equals else None))
        return found

    # How many of the texts an argument takes.

    @staticmethod
    def bounds(action):
        """(at least, at most or None)"""
        nargs = action.nargs
        if nargs is None:
            return 1, 1
        if nargs == OPTIONAL:
            return 0, 1
        if nargs in (ZERO_OR_MORE, REMAINDER):
            return 0, None
        if nargs in (ONE_OR_MORE, PARSER):
            return 1, None
        if nargs == SUPPRESS:
            return 0, 0
        if isinstance(nargs, int):
            return nargs, nargs
        raise ValueError("invalid nargs value")

    def plain_run(self, start, nargs):
        """How many texts from `start` on are arguments, a -- counted with them."""
        end = start
        everything = nargs in (REMAINDER, PARSER)
        while end < len(self.kinds):
            kind = self.kinds[end]
            if kind == "O" and not (everything and (nargs == REMAINDER or end > start)):
                break
            end += 1
        return end - start

    def count_for_option(self, action, start):
        least, most = self.bounds(action)
        nargs = action.nargs
        count = 0
        at = start
        while at < len(self.kinds) and (most is None or count < most):
            kind = self.kinds[at]
            if kind == "-" or kind == "O" and not (nargs == REMAINDER or nargs == PARSER and count):
                break
            count += 1
            at += 1
        if count < least:
            messages = {None: "expected one argument", OPTIONAL: "expected at most one argument",
                        ONE_OR_MORE: "expected at least one argument"}
            message = messages.get(nargs)
            if message is None:
                message = f"expected {nargs} argument{'' if nargs == 1 else 's'}"
            raise ArgumentError(action, message)
        return count

    def take_option(self, start):
        found = self.options[start]
        if len(found) > 1:
            raise ArgumentError(None, f"ambiguous option: {self.args[start]} could match "
                                      f"{', '.join(option for _, option, _, _ in found)}")
        action, option, separator, value = found[0]
        known = self.parser._option_string_actions
        if action is None:
            self.extras.append(self.args[start])
            stop = start + 1
            return stop
        while True:
            if value is None or separator == "" and value == "":
                count = self.count_for_option(action, start + 1)
                stop = start + 1 + count
                self.act(action, self.args[start + 1:stop], option)
                return stop
            least, most = self.bounds(action)
            if most == 0 and option[1] not in self.parser.prefix_chars and separator == "":
                # -xyz: x takes nothing, so y is the next option.
                self.act(action, [], option)
                option = option[0] + value[0]
                rest = value[1:]
                action = known.get(option)
                if action is None:
                    self.extras.append(option[0] + value)
                    return start + 1
                separator, value = ("=", rest[1:]) if rest.startswith("=") else ("", rest) if rest else (None, None)
                continue
            if least <= 1 and (most is None or most >= 1):
                self.act(action, [value], option)
                return start + 1
            raise ArgumentError(action, f"ignored explicit argument {value!r}")

    def take_positionals(self, start, is_end):
        """Gives as many positional arguments their texts as these are enough for."""
        available = self.plain_run(start, None)
        texts = available - self.kinds[start:start + available].count("-")
        taken = []
        for count in range(len(self.positionals), 0, -1):
            actions = self.positionals[:count]
            least = [self.bounds(action)[0] for action in actions]
            if sum(least) > texts:
                continue
            left = texts - sum(least)
            for action, needed in zip(actions, least):
                most = self.bounds(action)[1]
                extra = left if most is None else min(left, most - needed)
                left -= extra
                taken.append(needed + extra)
            break
        at = start
        for place, count in enumerate(taken):
            action = self.positionals[place]
            if action.nargs in (REMAINDER, PARSER) and (count or action.nargs == REMAINDER):
                stop = at + self.plain_run(at, action.nargs)
                values = self.args[at:stop]
                for one in range(at, stop):
                    self.options.pop(one, None)
            else:
                stop = at
                values = []
                while len(values) < count or stop < len(self.kinds) and self.kinds[stop] == "-" and count:
                    if self.kinds[stop] != "-":
                        values.append(self.args[stop])
                    stop += 1
            if not count and not is_end and action.nargs != SUPPRESS and stop < len(self.kinds) and self.kinds[stop] != "-":
                # Nothing for it yet: what comes behind the option may be.
                taken = taken[:place]
                break
            self.act(action, values, None)
            at = stop
        else:
            if is_end and at < len(self.kinds) and self.kinds[at] == "-":
                at += 1
        self.positionals = self.positionals[len(taken):]
        return at

    # Values

    def act(self, action, texts, option):
        self.seen.add(action)
        values = self.values(action, texts)
        if values is not action.default:
            self.seen_given.add(action)
            for other in self.conflicts.get(action, ()):
                if other in self.seen_given:
                    raise ArgumentError(action, f"not allowed with argument {_argument_name(other)}")
        if values is not SUPPRESS:
            action(self.parser, self.namespace, values, option)

    def values(self, action, texts):
        nargs = action.nargs
        if not texts and nargs == OPTIONAL:
            value = action.const if action.option_strings else action.default
            if isinstance(value, str) and value is not SUPPRESS:
                value = self.value(action, value)
            return value
        if not texts and nargs == ZERO_OR_MORE and not action.option_strings:
            return action.default if action.default is not None else []
        if len(texts) == 1 and nargs in (None, OPTIONAL):
            value = self.value(action, texts[0])
            self.check(action, value)
            return value
        if nargs == REMAINDER:
            return [self.value(action, text) for text in texts]
        if nargs == PARSER:
            values = [self.value(action, text) for text in texts]
            self.check(action, values[0])
            return values
        if nargs == SUPPRESS:
            return SUPPRESS
        values = [self.value(action, text) for text in texts]
        for value in values:
            self.check(action, value)
        return values

    def value(self, action, text):
        function = action.type or (lambda one: one)
        function = self.parser._registries["type"].get(function, function)
        try:
            return function(text)
        except ArgumentTypeError as error:
            raise ArgumentError(action, str(error)) from None
        except (TypeError, ValueError):
            name = getattr(action.type, "__name__", repr(action.type))
            raise ArgumentError(action, f"invalid {name} value: {text!r}") from None

    @staticmethod
    def check(action, value):
        choices = action.choices
        if choices is None:
            return
        if isinstance(choices, str):
            choices = iter(choices)
        if value not in choices:
            shown = ", ".join(map(str, action.choices))
            raise ArgumentError(action, f"invalid choice: {value!r} (choose from {shown})")

    def check_required(self):
        missing = []
        for action in self.parser._actions:
            if action in self.seen:
                continue
            if action.required:
                missing.append(_argument_name(action))
            elif isinstance(action.default, str) and action.default is not SUPPRESS and \
                    getattr(self.namespace, action.dest, None) is action.default:
                # A default that is a text is read as if it had been given.
                setattr(self.namespace, action.dest, self.value(action, action.default))
        if missing:
            raise ArgumentError(None, f"the following arguments are required: {', '.join(missing)}")
        for group in self.parser._mutually_exclusive_groups:
            if group.required and not any(action in self.seen_given for action in group._group_actions):
                names = " ".join(_argument_name(action) for action in group._group_actions if action.help is not SUPPRESS)
                raise ArgumentError(None, f"one of the arguments {names} is required")
