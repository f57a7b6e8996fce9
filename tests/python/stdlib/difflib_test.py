import difflib
from difflib import SequenceMatcher

old = "def forward(self, x):\n    x = self.conv1(x)\n    x = F.relu(x)\n    return x\n\n# end\n".splitlines(keepends=True)
new = "def forward(self, x):\n    x = self.conv2(x)\n    x = F.gelu(x)\n    x = self.norm(x)\n    return x\n# end\n".splitlines(keepends=True)
print("".join(difflib.unified_diff(old, new, "before.py", "after.py", "2024", n=1)), end="")
print("".join(difflib.context_diff(old, new, "before.py", "after.py")), end="")
delta = list(difflib.ndiff(old, new))
print("".join(delta), end="")
print("".join(difflib.restore(delta, 1)) == "".join(old), "".join(difflib.restore(delta, 2)) == "".join(new))
matcher = SequenceMatcher(None, "private volatile int", "private int volatile x")
print(matcher.ratio(), matcher.quick_ratio(), matcher.real_quick_ratio())
print(matcher.get_matching_blocks())
print(matcher.get_opcodes())
print(matcher.find_longest_match(0, 5, 0, 9), matcher.find_longest_match())
print(SequenceMatcher(lambda one: one == " ", " abcd", "abcd abcd").find_longest_match())
print(SequenceMatcher(None, "x" * 250, "x" * 250).ratio(), SequenceMatcher(None, "x" * 250, "y" + "x" * 250, autojunk=False).ratio())
print(list(SequenceMatcher(None, list(range(30)), list(range(10)) + [0] + list(range(11, 30))).get_grouped_opcodes(2)))
print(difflib.get_close_matches("conv2", ["conv1", "conv2d", "linear", "conv", "relu"]), difflib.get_close_matches("x", []))
print(list(difflib.unified_diff(["one"], ["one"])), list(difflib.unified_diff([], ["a", "b"], lineterm="")))
print(list(difflib.diff_bytes(difflib.unified_diff, [b"a\xff"], [b"b"], b"x", b"y")))
print(list(difflib.ndiff(["\tint a\n"], ["\tint  b\n"])), difflib.IS_LINE_JUNK(" # \n"), difflib.IS_CHARACTER_JUNK("\t"))
for call in (lambda: difflib.get_close_matches("a", [], n=0), lambda: difflib.get_close_matches("a", [], cutoff=2),
             lambda: list(difflib.restore([], 3)), lambda: list(difflib.unified_diff([1], [2]))):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
