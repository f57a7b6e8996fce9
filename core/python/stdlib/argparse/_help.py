"""The texts of usage and help."""

import os

from argparse import ONE_OR_MORE, OPTIONAL, PARSER, REMAINDER, SUPPRESS, ZERO_OR_MORE


def _columns():
    try:
        return int(os.environ["COLUMNS"])
    except (AttributeError, KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size().columns
    except (AttributeError, OSError):
        return 80


class HelpFormatter:
    """Writes usage, texts and lists of arguments."""

    def __init__(self, prog, indent_increment=2, max_help_position=24, width=None):
        self._prog = prog
        self._step = indent_increment
        self._width = max(_columns() - 2 if width is None else width, 11)
        self._help_position = min(max_help_position, max(self._width - 20, indent_increment * 2))
        self._indent = 0
        self._longest = 0
        self._parts = []
        self._sections = []

    def start_section(self, heading):
        """What follows stands below a heading."""
        self._sections.append((heading, self._parts))
        self._parts = []
        self._indent += self._step

    def end_section(self):
        """Ends it; a section without anything in it is left out."""
        heading, before = self._sections.pop()
        self._indent -= self._step
        if self._parts:
            title = f"{' ' * self._indent}{heading}:\n" if heading not in (None, SUPPRESS) else ""
            before.extend(("\n" + title, *self._parts, "\n"))
        self._parts = before

    def add_text(self, text):
        """A paragraph."""
        if text is not SUPPRESS and text is not None:
            if "%(prog)" in text:
                text = text % {"prog": self._prog}
            width = max(self._width - self._indent, 11)
            self._parts.append(self._fill_text(text, width, " " * self._indent) + "\n\n")

    def add_usage(self, usage, actions, groups, prefix=None):
        """The usage."""
        if usage is SUPPRESS:
            return
        prefix = "usage: " if prefix is None else prefix
        if usage is not None:
            text = usage % {"prog": self._prog}
        elif not actions:
            text = self._prog
        else:
            text = self._usage(actions, groups, prefix)
        self._parts.append(f"{prefix}{text}\n\n")

    def add_argument(self, action):
        """A line of an argument and its help."""
        if action.help is not SUPPRESS:
            self._measure(action)
            self._parts.append((self._indent, action))
            for inner in getattr(action, "_choices_actions", ()):
                self._indent += self._step
                self._measure(inner)
                self._parts.append((self._indent, inner))
                self._indent -= self._step

    def _measure(self, action):
        self._longest = max(self._longest, self._indent + len(self._invocation(action)))

    def add_arguments(self, actions):
        """Lines of arguments."""
        for action in actions:
            self.add_argument(action)

    def format_help(self):
        """The whole text."""
        text = self._join(self._parts)
        while "\n\n\n" in text:
            text = text.replace("\n\n\n", "\n\n")
        text = text.strip("\n")
        return text + "\n" if text else ""

    def _join(self, parts):
        return "".join(part if isinstance(part, str) else self._format_action(*part) for part in parts)

    # Usage

    def _usage(self, actions, groups, prefix):
        parts = self._usage_parts(actions, groups)
        text = " ".join([self._prog, *parts])
        room = self._width - self._indent
        if len(prefix) + len(text) <= room:
            return text
        options = [part for part, action in zip(parts, self._shown) if action.option_strings]
        positionals = [part for part, action in zip(parts, self._shown) if not action.option_strings]
        if len(prefix) + len(self._prog) <= 0.75 * room:
            indent = " " * (len(prefix) + len(self._prog) + 1)
            if options:
                lines = self._lines([self._prog, *options], indent, prefix, room)
                lines.extend(self._lines(positionals, indent, None, room))
            elif positionals:
                lines = self._lines([self._prog, *positionals], indent, prefix, room)
            else:
                lines = [self._prog]
        else:
            indent = " " * len(prefix)
            lines = self._lines(options + positionals, indent, None, room)
            if len(lines) > 1:
                lines = self._lines(options, indent, None, room) + self._lines(positionals, indent, None, room)
            lines = [self._prog, *lines]
        return "\n".join(lines)

    @staticmethod
    def _lines(parts, indent, prefix, room):
        lines = []
        line = []
        start = len(indent) if prefix is None else len(prefix)
        used = start - 1
        for part in parts:
            if used + 1 + len(part) > room and line:
                lines.append(indent + " ".join(line))
                line = []
                used = len(indent) - 1
            line.append(part)
            used += len(part) + 1
        if line:
            lines.append(indent + " ".join(line))
        if prefix is not None:
            lines[0] = lines[0][len(indent):]
        return lines

    def _usage_parts(self, actions, groups):
        """The texts of the arguments, options first; those of a group that excludes are one text."""
        shown = [action for action in (*[one for one in actions if one.option_strings],
                                       *[one for one in actions if not one.option_strings]) if action.help is not SUPPRESS]
        group_of = {}
        for group in groups:
            members = [action for action in group._group_actions if action.help is not SUPPRESS]
            places = [at for at, action in enumerate(shown) if action in members]
            if len(members) and len(places) == len(members) and places[-1] - places[0] + 1 == len(places):
                for member in members:
                    group_of[member] = group, members
        parts = []
        self._shown = []
        for action in shown:
            if action in group_of:
                group, members = group_of[action]
                if action is members[0]:
                    inner = " | ".join(self._usage_part(one, True) for one in members)
                    if group.required:
                        parts.append(f"({inner})" if len(members) > 1 else inner)
                    else:
                        parts.append(f"[{inner}]")
                    self._shown.append(action)
                continue
            parts.append(self._usage_part(action, False))
            self._shown.append(action)
        return parts

    def _usage_part(self, action, is_in_group):
        if not action.option_strings:
            text = self._format_args(action, self._positional_default(action))
            if is_in_group and text.startswith("[") and text.endswith("]"):
                text = text[1:-1]
            return text
        if action.nargs == 0:
            text = action.format_usage()
        else:
            text = f"{action.option_strings[0]} {self._format_args(action, self._optional_default(action))}"
        return text if action.required or is_in_group else f"[{text}]"

    # Arguments

    def _format_action(self, indent, action):
        position = min(self._longest + 2, self._help_position)
        width = max(self._width - position, 11)
        room = position - indent - 2
        header = self._invocation(action)
        if not action.help or not action.help.strip():
            return f"{' ' * indent}{header}\n"
        lines = self._split_lines(self._expand_help(action), width)
        if len(header) <= room:
            text = f"{' ' * indent}{header:<{room}}  {lines[0]}\n" if lines else f"{' ' * indent}{header}\n"
            lines = lines[1:]
        else:
            text = f"{' ' * indent}{header}\n"
        return text + "".join(f"{' ' * position}{line}\n" for line in lines)

    def _invocation(self, action):
        if not action.option_strings:
            return " ".join(self._metavars(action, self._positional_default(action), 1))
        if action.nargs == 0:
            return ", ".join(action.option_strings)
        return f"{', '.join(action.option_strings)} {self._format_args(action, self._optional_default(action))}"

    def _metavars(self, action, default, count):
        if action.metavar is not None:
            given = action.metavar
        elif action.choices is not None:
            given = f"{{{','.join(map(str, action.choices))}}}"
        else:
            given = default
        return given if isinstance(given, tuple) else (given,) * count

    def _format_args(self, action, default):
        nargs = action.nargs
        if nargs is None:
            return self._metavars(action, default, 1)[0]
        if nargs == OPTIONAL:
            return f"[{self._metavars(action, default, 1)[0]}]"
        if nargs == ZERO_OR_MORE:
            names = self._metavars(action, default, 1)
            return f"[{names[0]} [{names[1]} ...]]" if len(names) == 2 else f"[{names[0]} ...]"
        if nargs == ONE_OR_MORE:
            names = self._metavars(action, default, 2)
            return f"{names[0]} [{names[1]} ...]"
        if nargs == REMAINDER:
            return "..."
        if nargs == PARSER:
            return f"{self._metavars(action, default, 1)[0]} ..."
        if nargs == SUPPRESS:
            return ""
        return " ".join(self._metavars(action, default, nargs))

    def _expand_help(self, action):
        values = {"prog": self._prog, **vars(action)}
        for name, value in list(values.items()):
            if value is SUPPRESS:
                del values[name]
            elif hasattr(value, "__name__"):
                values[name] = value.__name__
        if values.get("choices") is not None:
            values["choices"] = ", ".join(map(str, values["choices"]))
        text = self._get_help_string(action)
        return text % values if "%" in text else text

    # What the classes below change

    def _split_lines(self, text, width):
        from textwrap import wrap
        return wrap(" ".join(text.split()), width)

    def _fill_text(self, text, width, indent):
        from textwrap import fill
        return fill(" ".join(text.split()), width, initial_indent=indent, subsequent_indent=indent)

    def _get_help_string(self, action):
        return action.help

    def _optional_default(self, action):
        return action.dest.upper()

    def _positional_default(self, action):
        return action.dest


class RawDescriptionHelpFormatter(HelpFormatter):
    """Leaves descriptions as they are."""

    def _fill_text(self, text, width, indent):
        return "".join(indent + line for line in text.splitlines(keepends=True))


class RawTextHelpFormatter(RawDescriptionHelpFormatter):
    """Leaves all texts as they are."""

    def _split_lines(self, text, width):
        return text.splitlines()


class ArgumentDefaultsHelpFormatter(HelpFormatter):
    """Tells the defaults."""

    def _get_help_string(self, action):
        text = action.help or ""
        if "%(default)" not in text and action.default is not SUPPRESS and \
                (action.option_strings or action.nargs in (OPTIONAL, ZERO_OR_MORE)):
            text += " (default: %(default)s)"
        return text


class MetavarTypeHelpFormatter(HelpFormatter):
    """Shows the types in the place of values."""

    def _optional_default(self, action):
        return action.type.__name__

    _positional_default = _optional_default


for _class in (HelpFormatter, RawDescriptionHelpFormatter, RawTextHelpFormatter, ArgumentDefaultsHelpFormatter,
               MetavarTypeHelpFormatter):
    _class.__module__ = "argparse"
