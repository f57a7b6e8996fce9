"""Arguments of command lines."""

import os
import sys

__all__ = ["ArgumentParser", "ArgumentError", "ArgumentTypeError", "BooleanOptionalAction", "FileType", "HelpFormatter",
           "ArgumentDefaultsHelpFormatter", "RawDescriptionHelpFormatter", "RawTextHelpFormatter", "MetavarTypeHelpFormatter",
           "Namespace", "Action", "ONE_OR_MORE", "OPTIONAL", "PARSER", "REMAINDER", "SUPPRESS", "ZERO_OR_MORE"]

SUPPRESS = "==SUPPRESS=="
OPTIONAL = "?"
ZERO_OR_MORE = "*"
ONE_OR_MORE = "+"
PARSER = "A..."
REMAINDER = "..."


class ArgumentTypeError(Exception):
    """Raised by a type function for a text that it refuses."""


class ArgumentError(Exception):
    """A command line that does not fit."""

    def __init__(self, argument, message):
        self.argument_name = _argument_name(argument)
        self.message = message

    def __str__(self):
        return self.message if self.argument_name is None else f"argument {self.argument_name}: {self.message}"


def _argument_name(argument):
    if argument is None:
        return None
    if argument.option_strings:
        return "/".join(argument.option_strings)
    if isinstance(argument.metavar, str) and argument.metavar != SUPPRESS:
        return argument.metavar
    if isinstance(argument.metavar, tuple):
        return f"{{{','.join(argument.metavar)}}}"
    if argument.dest not in (None, SUPPRESS):
        return argument.dest
    return f"{{{','.join(argument.choices)}}}" if argument.choices else None


class Namespace:
    """The values by name."""

    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)

    def __eq__(self, other):
        return vars(self) == vars(other) if isinstance(other, Namespace) else NotImplemented

    __hash__ = None

    def __contains__(self, key):
        return key in self.__dict__

    def __repr__(self):
        named = [f"{name}={value!r}" for name, value in self.__dict__.items() if name.isidentifier()]
        rest = {name: value for name, value in self.__dict__.items() if not name.isidentifier()}
        return f"{type(self).__name__}({', '.join(named + ([f'**{rest!r}'] if rest else []))})"


class FileType:
    """A type that opens files."""

    def __init__(self, mode="r", bufsize=-1, encoding=None, errors=None):
        self._mode, self._bufsize, self._encoding, self._errors = mode, bufsize, encoding, errors

    def __call__(self, string):
        if string == "-":
            return sys.stdin if "r" in self._mode else sys.stdout
        try:
            return open(string, self._mode, self._bufsize, self._encoding, self._errors)
        except OSError as error:
            raise ArgumentTypeError(f"can't open '{string}': {error}") from None

    def __repr__(self):
        parts = [repr(one) for one in (self._mode, self._bufsize) if one != -1]
        parts += [f"{name}={one!r}" for name, one in (("encoding", self._encoding), ("errors", self._errors)) if one is not None]
        return f"{type(self).__name__}({', '.join(parts)})"


from argparse._actions import _ACTIONS, Action, BooleanOptionalAction, _SubParsersAction  # noqa: E402
from argparse._help import (ArgumentDefaultsHelpFormatter, HelpFormatter, MetavarTypeHelpFormatter,  # noqa: E402
                            RawDescriptionHelpFormatter, RawTextHelpFormatter)
from argparse._parse import _Parse  # noqa: E402


class _Container:
    """What arguments are added to: a parser or a group of one."""

    def __init__(self, description, prefix_chars, argument_default, conflict_handler):
        self.description = description
        self.argument_default = argument_default
        self.prefix_chars = prefix_chars
        self.conflict_handler = conflict_handler
        if conflict_handler not in ("error", "resolve"):
            raise ValueError(f"invalid conflict_resolution value: {conflict_handler!r}")
        self._actions = []
        self._option_string_actions = {}
        self._action_groups = []
        self._mutually_exclusive_groups = []
        self._defaults = {}
        self._registries = {"action": dict(_ACTIONS), "type": {None: lambda string: string}}

    def register(self, registry_name, value, object):
        """Gives an action or type a name."""
        self._registries[registry_name][value] = object

    def set_defaults(self, **kwargs):
        """Values of names that the command line does not give."""
        self._defaults.update(kwargs)
        for action in self._actions:
            if action.dest in kwargs:
                action.default = kwargs[action.dest]

    def get_default(self, dest):
        """The default of a name, or None."""
        for action in self._actions:
            if action.dest == dest and action.default is not None:
                return action.default
        return self._defaults.get(dest)

    def add_argument(self, *args, **kwargs):
        """Adds an argument. Errors: ValueError, TypeError, ArgumentError."""
        chars = self.prefix_chars
        if not args or len(args) == 1 and args[0][0] not in chars:
            if args and "dest" in kwargs:
                raise TypeError("dest supplied twice for positional argument, did you mean metavar?")
            kwargs = self._positional(*args, **kwargs)
        else:
            kwargs = self._optional(*args, **kwargs)
        if "default" not in kwargs:
            dest = kwargs["dest"]
            if dest in self._defaults:
                kwargs["default"] = self._defaults[dest]
            elif self.argument_default is not None:
                kwargs["default"] = self.argument_default
        given = kwargs.pop("action", None)
        cls = self._registries["action"].get(given, given)
        if not callable(cls):
            raise ValueError(f"unknown action {given!r}")
        action = cls(**kwargs)
        function = self._registries["type"].get(action.type, action.type) if _hashable(action.type) else action.type
        if not callable(function):
            raise TypeError(f"{function!r} is not callable")
        if function is FileType:
            raise TypeError(f"{function!r} is a FileType class object, instance of it must be passed")
        metavar = action.metavar
        if isinstance(metavar, tuple) and isinstance(action.nargs, int) and len(metavar) != action.nargs:
            raise ValueError("length of metavar tuple does not match nargs")
        return self._add_action(action)

    @staticmethod
    def _positional(dest=None, **kwargs):
        if "required" in kwargs:
            raise TypeError("'required' is an invalid argument for positionals")
        nargs = kwargs.get("nargs")
        if nargs == 0:
            raise ValueError("nargs for positionals must be != 0")
        if dest is None:
            dest = kwargs.pop("dest", None)
        if kwargs.get("action") not in ("store_const", "store_true", "store_false", "append_const", "count"):
            kwargs["required"] = nargs not in (OPTIONAL, REMAINDER, SUPPRESS, 0) and \
                not (nargs == ZERO_OR_MORE)
        return {**kwargs, "dest": dest, "option_strings": []}

    def _optional(self, *args, **kwargs):
        for option in args:
            if option[:1] not in self.prefix_chars:
                raise ValueError(f"invalid option string {option!r}: must start with a character {self.prefix_chars!r}")
        dest = kwargs.pop("dest", None)
        if dest is None:
            long = [option for option in args if len(option) > 1 and option[1] in self.prefix_chars]
            dest = (long[0] if long else args[0]).lstrip(self.prefix_chars)
            if not dest:
                raise TypeError(f"dest= is required for options like {args[0]!r}")
            dest = dest.replace("-", "_")
        return {**kwargs, "dest": dest, "option_strings": list(args)}

    def _add_action(self, action):
        taken = [(option, self._option_string_actions[option]) for option in action.option_strings
                 if option in self._option_string_actions]
        if taken:
            if self.conflict_handler == "error":
                plural = "s" if len(taken) > 1 else ""
                raise ArgumentError(action, f"conflicting option string{plural}: {', '.join(option for option, _ in taken)}")
            for option, other in taken:
                other.option_strings.remove(option)
                self._option_string_actions.pop(option)
                if not other.option_strings:
                    other.container._remove_action(other)
        self._actions.append(action)
        action.container = self
        for option in action.option_strings:
            self._option_string_actions[option] = action
        return action

    def _remove_action(self, action):
        self._actions.remove(action)

    def add_argument_group(self, *args, **kwargs):
        """A group with a title of its own in the help."""
        group = _ArgumentGroup(self, *args, **kwargs)
        self._action_groups.append(group)
        return group

    def add_mutually_exclusive_group(self, *, required=False):
        """A group of which only one argument may be given."""
        group = _MutuallyExclusiveGroup(self, required)
        self._mutually_exclusive_groups.append(group)
        return group


def _hashable(value):
    return getattr(type(value), "__hash__", None) is not None


class _ArgumentGroup(_Container):
    """Some arguments of a parser under a title."""

    def __init__(self, container, title=None, description=None, **kwargs):
        super().__init__(description, kwargs.get("prefix_chars", container.prefix_chars),
                         kwargs.get("argument_default", container.argument_default),
                         kwargs.get("conflict_handler", container.conflict_handler))
        self.title = title
        self._container = container
        self._group_actions = []
        self._registries = container._registries
        self._option_string_actions = container._option_string_actions
        self._defaults = container._defaults
        self._actions = container._actions
        self._mutually_exclusive_groups = container._mutually_exclusive_groups

    def _add_action(self, action):
        action = super()._add_action(action)
        self._group_actions.append(action)
        return action

    def _remove_action(self, action):
        super()._remove_action(action)
        self._group_actions.remove(action)


class _MutuallyExclusiveGroup(_ArgumentGroup):
    """Arguments of which only one may be given."""

    def __init__(self, container, required):
        super().__init__(container)
        self.required = required

    def _add_action(self, action):
        if action.required:
            raise ValueError("mutually exclusive arguments must be optional")
        action = self._container._add_action(action)
        self._group_actions.append(action)
        return action


class ArgumentParser(_Container):
    """Reads command lines."""

    def __init__(self, prog=None, usage=None, description=None, epilog=None, parents=(), formatter_class=HelpFormatter,
                 prefix_chars="-", fromfile_prefix_chars=None, argument_default=None, conflict_handler="error", add_help=True,
                 allow_abbrev=True, exit_on_error=True, *, suggest_on_error=False, color=False):
        super().__init__(description, prefix_chars, argument_default, conflict_handler)
        self.prog = prog if prog is not None else (sys.argv[0].replace("\\", "/").rpartition("/")[2] if sys.argv else "")
        self.usage = usage
        self.epilog = epilog
        self.formatter_class = formatter_class
        self.fromfile_prefix_chars = fromfile_prefix_chars
        self.add_help = add_help
        self.allow_abbrev = allow_abbrev
        self.exit_on_error = exit_on_error
        self._positionals = self.add_argument_group("positional arguments")
        self._optionals = self.add_argument_group("options")
        self._subparsers = None
        if add_help:
            start = "-" if "-" in prefix_chars else prefix_chars[0]
            self.add_argument(start + "h", start * 2 + "help", action="help", default=SUPPRESS,
                              help="show this help message and exit")
        for parent in parents:
            self._take_from(parent)

    def _take_from(self, parent):
        groups = {}
        for group in parent._action_groups:
            mine = next((one for one in self._action_groups if one.title == group.title), None)
            if mine is None:
                mine = self.add_argument_group(group.title, group.description)
            for action in group._group_actions:
                groups[id(action)] = mine
        for group in parent._mutually_exclusive_groups:
            exclusive = self.add_mutually_exclusive_group(required=group.required)
            for action in group._group_actions:
                groups[id(action)] = exclusive
        for action in parent._actions:
            groups.get(id(action), self)._add_action(action)
        self._defaults.update(parent._defaults)

    def __repr__(self):
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in
                          ("prog", "usage", "description", "formatter_class", "conflict_handler", "add_help"))
        return f"{type(self).__name__}({shown})"

    def _add_action(self, action):
        (self._optionals if action.option_strings else self._positionals)._add_action(action)
        return action

    def add_subparsers(self, **kwargs):
        """Parsers for commands. Errors: ValueError at the second time."""
        if self._subparsers is not None:
            raise ValueError("cannot have multiple subparser arguments")
        kwargs.setdefault("parser_class", type(self))
        if "title" in kwargs or "description" in kwargs:
            self._subparsers = self.add_argument_group(kwargs.pop("title", "subcommands"), kwargs.pop("description", None))
        else:
            self._subparsers = self._positionals
        if kwargs.get("prog") is None:
            formatter = self._get_formatter()
            formatter.add_usage(self.usage, [one for one in self._actions if not one.option_strings],
                                self._mutually_exclusive_groups, "")
            kwargs["prog"] = formatter.format_help().strip()
        cls = self._registries["action"].get(kwargs.pop("action", "parsers"), _SubParsersAction)
        action = cls(option_strings=[], **kwargs)
        self._subparsers._add_action(action)
        return action

    def parse_args(self, args=None, namespace=None):
        """The values of a command line, sys.argv[1:] without one. What does not fit ends the program with status 2."""
        namespace, rest = self.parse_known_args(args, namespace)
        if rest:
            message = f"unrecognized arguments: {' '.join(rest)}"
            if not self.exit_on_error:
                raise ArgumentError(None, message)
            self.error(message)
        return namespace

    def parse_known_args(self, args=None, namespace=None):
        """(values, what was not understood)"""
        args = list(sys.argv[1:] if args is None else args)
        if namespace is None:
            namespace = Namespace()
        for action in self._actions:
            if action.dest is not SUPPRESS and not hasattr(namespace, action.dest) and action.default is not SUPPRESS:
                setattr(namespace, action.dest, action.default)
        for dest, value in self._defaults.items():
            if not hasattr(namespace, dest):
                setattr(namespace, dest, value)
        if not self.exit_on_error:
            return _Parse(self, namespace).run(args)
        try:
            return _Parse(self, namespace).run(args)
        except ArgumentError as error:
            self.error(str(error))

    parse_intermixed_args = parse_args
    parse_known_intermixed_args = parse_known_args

    def convert_arg_line_to_args(self, arg_line):
        """The arguments in a line of a file."""
        return [arg_line]

    def _get_formatter(self):
        return self.formatter_class(prog=self.prog)

    def format_usage(self):
        """The text of usage."""
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        return formatter.format_help()

    def format_help(self):
        """The text of the help."""
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def print_usage(self, file=None):
        """Writes the usage."""
        self._print_message(self.format_usage(), sys.stdout if file is None else file)

    def print_help(self, file=None):
        """Writes the help."""
        self._print_message(self.format_help(), sys.stdout if file is None else file)

    def _print_message(self, message, file=None):
        if message:
            (file or sys.stderr).write(message)

    def exit(self, status=0, message=None):
        """Ends the program."""
        if message:
            self._print_message(message, sys.stderr)
        sys.exit(status)

    def error(self, message):
        """Tells what does not fit, and ends the program with status 2."""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}\n")
