"""Paragraphs of a width, and indentation."""

__all__ = ["TextWrapper", "wrap", "fill", "dedent", "indent", "shorten"]

_WHITESPACE = "\t\n\x0b\x0c\r "
_END = ".!?"


def _is_letter(char):
    return char.isalpha()


def _is_word(char):
    return char.isalnum() or char == "_"


class TextWrapper:
    """Breaks texts into lines of at most `width` characters."""

    def __init__(self, width=70, initial_indent="", subsequent_indent="", expand_tabs=True, replace_whitespace=True,
                 fix_sentence_endings=False, break_long_words=True, drop_whitespace=True, break_on_hyphens=True, tabsize=8, *,
                 max_lines=None, placeholder=" [...]"):
        self.width = width
        self.initial_indent = initial_indent
        self.subsequent_indent = subsequent_indent
        self.expand_tabs = expand_tabs
        self.replace_whitespace = replace_whitespace
        self.fix_sentence_endings = fix_sentence_endings
        self.break_long_words = break_long_words
        self.drop_whitespace = drop_whitespace
        self.break_on_hyphens = break_on_hyphens
        self.tabsize = tabsize
        self.max_lines = max_lines
        self.placeholder = placeholder

    def _munge_whitespace(self, text):
        if self.expand_tabs:
            text = text.expandtabs(self.tabsize)
        if self.replace_whitespace:
            text = text.translate({ord(char): " " for char in _WHITESPACE})
        return text

    def _split(self, text):
        """Words, the space between them, and the parts of words with hyphens."""
        chunks = []
        at = 0
        while at < len(text):
            is_space = text[at] in _WHITESPACE
            end = at
            while end < len(text) and (text[end] in _WHITESPACE) == is_space:
                end += 1
            if is_space or not self.break_on_hyphens:
                chunks.append(text[at:end])
            else:
                chunks.extend(self._hyphenated(text[at:end]))
            at = end
        return chunks

    @staticmethod
    def _hyphenated(word):
        """The parts of a word, each up to its hyphen: between two letters each side, or around dashes."""
        parts = []
        start = at = 0
        while at < len(word):
            if word[at] != "-":
                at += 1
                continue
            end = at
            while end < len(word) and word[end] == "-":
                end += 1
            before = word[start:at]
            if end - at >= 2:
                if at > 0 and (_is_word(word[at - 1]) or word[at - 1] in "!\"'&.,?") and end < len(word) and _is_word(word[end]):
                    if before:
                        parts.append(before)
                    parts.append(word[at:end])
                    start = end
            elif len(before) >= 2 and _is_letter(word[at - 1]) and _is_letter(word[at - 2]) and \
                    end + 1 < len(word) and _is_letter(word[end]) and _is_letter(word[end + 1]):
                parts.append(word[start:end])
                start = end
            elif len(before) >= 2 and _is_letter(word[at - 1]) and word[at - 2] == "-" and \
                    end + 1 < len(word) and _is_letter(word[end]):
                parts.append(word[start:end])
                start = end
            at = end
        parts.append(word[start:])
        return [part for part in parts if part]

    @staticmethod
    def _fix_sentence_endings(chunks):
        for at in range(len(chunks) - 1):
            word = chunks[at].rstrip("\"'")
            if chunks[at + 1] == " " and len(word) > 1 and word[-1] in _END and word[-2].islower():
                chunks[at + 1] = "  "

    def _break_long_word(self, chunks, line, used, width):
        """Takes as much of the last chunk as the line has room for."""
        room = 1 if width < 1 else width - used
        if self.break_long_words and room > 0:
            end = room
            chunk = chunks[-1]
            if self.break_on_hyphens and len(chunk) > room:
                hyphen = chunk.rfind("-", 0, room)
                if hyphen > 0 and any(char != "-" for char in chunk[:hyphen]):
                    end = hyphen + 1
            line.append(chunk[:end])
            chunks[-1] = chunk[end:]
        elif not line:
            line.append(chunks.pop())

    def _wrap_chunks(self, chunks):
        if self.width <= 0:
            raise ValueError(f"invalid width {self.width!r} (must be > 0)")
        lines = []
        if self.max_lines is not None:
            indent = self.subsequent_indent if self.max_lines > 1 else self.initial_indent
            if len(indent) + len(self.placeholder.lstrip()) > self.width:
                raise ValueError("placeholder too large for max width")
        chunks.reverse()
        while chunks:
            line = []
            used = 0
            indent = self.subsequent_indent if lines else self.initial_indent
            width = self.width - len(indent)
            if self.drop_whitespace and chunks[-1].strip() == "" and lines:
                del chunks[-1]
            while chunks and used + len(chunks[-1]) <= width:
                used += len(chunks[-1])
                line.append(chunks.pop())
            if chunks and len(chunks[-1]) > width:
                self._break_long_word(chunks, line, used, width)
                used = sum(map(len, line))
            if self.drop_whitespace and line and line[-1].strip() == "":
                used -= len(line[-1])
                del line[-1]
            if not line:
                continue
            is_last = not chunks or self.drop_whitespace and len(chunks) == 1 and not chunks[0].strip()
            if self.max_lines is None or len(lines) + 1 < self.max_lines or is_last and used <= width:
                lines.append(indent + "".join(line))
                continue
            while line:
                if line[-1].strip() and used + len(self.placeholder) <= width:
                    line.append(self.placeholder)
                    lines.append(indent + "".join(line))
                    break
                used -= len(line[-1])
                del line[-1]
            else:
                if lines:
                    previous = lines[-1].rstrip()
                    if len(previous) + len(self.placeholder) <= self.width:
                        lines[-1] = previous + self.placeholder
                        break
                lines.append(indent + self.placeholder.lstrip())
            break
        return lines

    def wrap(self, text):
        """The lines."""
        chunks = self._split(self._munge_whitespace(text))
        if self.fix_sentence_endings:
            self._fix_sentence_endings(chunks)
        return self._wrap_chunks(chunks)

    def fill(self, text):
        """The lines as one text."""
        return "\n".join(self.wrap(text))


def wrap(text, width=70, **kwargs):
    """The lines of a paragraph."""
    return TextWrapper(width=width, **kwargs).wrap(text)


def fill(text, width=70, **kwargs):
    """A paragraph in lines."""
    return TextWrapper(width=width, **kwargs).fill(text)


def shorten(text, width, **kwargs):
    """As many words as fit."""
    return TextWrapper(width=width, max_lines=1, **kwargs).fill(" ".join(text.strip().split()))


def dedent(text):
    """The text without the indentation that all its lines have."""
    if not isinstance(text, str):
        raise TypeError(f"expected str object, not {type(text).__name__!r}")
    lines = text.split("\n")
    full = [line for line in lines if line and not line.isspace()]
    first, last = min(full, default=""), max(full, default="")
    margin = 0
    for a, b in zip(first, last):
        if a != b or a not in " \t":
            break
        margin += 1
    return "\n".join([line[margin:] if line and not line.isspace() else "" for line in lines])


def indent(text, prefix, predicate=None):
    """The text with a prefix in front of each line that is not empty."""
    result = []
    for line in text.splitlines(True):
        if predicate(line) if predicate is not None else not line.isspace():
            result.append(prefix)
        result.append(line)
    return "".join(result)
