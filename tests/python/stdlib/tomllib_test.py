import io
import pprint
import tomllib

text = '''
# A training
title = "run \\u00e9 \\"one\\""  # behind
[model]
name = 'C:\\path'
sizes = [ 64, 128,
  256, ] # three
dropout = 1e-1
nested.deep."a b" = true
[model.head]
classes = 0x0A
big = 1_000_000
minus = -17
[[layers]]
kind = "conv"
options = { kernel = 3, stride.x = 2, names = ["a", 'b'] }
[[layers]]
kind = "relu"
  [[layers.hooks]]
  name = "h"
[dates]
utc = 1979-05-27T07:32:00Z
offset = 1979-05-27 00:32:00.999999-07:00
local = 1979-05-27T07:32:00
day = 1979-05-27
clock = 07:32:00.5
[floats]
values = [3.14, -0.01, 5e+22, inf, -inf, +1.0, 6.626e-34, 0b101, 0o17]
[texts]
long = """
first \\
   joined
second ""quoted"" """
literal = \'\'\'
raw \\n\'\'\'
"" = "empty key"
'''
pprint.pprint(tomllib.loads(text), width=100)
print(tomllib.load(io.BytesIO(b"a = 1\r\nb = 2\r\n")), tomllib.loads("x = 1.5", parse_float=str), tomllib.loads(""))
for wrong in ("a", "a = ", "a = 1 b = 2", "[a", "[[a]", "a = 1\na = 2", "[a]\n[a]", "a.b = 1\n[a]\n", "a = [1", "a = {b = 1", "a = 'x",
              'a = "x', 'a = """x', "a = '''x", '= 1', "a = 01", 'a = "\\q"', 'a = "\\u12"', 'a = "\\ud800"', "a = {b = 1, b = 2}", "a = {b=1}\n[a.c]", "a = [1]\n[[a]]",
              "a = 1\n[a.b]", "a = 2021-02-30", "a = \x01", "a = 1 # \x02", "a = {b = 1,}", "[[a]]\n[a]", "a.b = 1\na.b.c = 2", "[a.b]\n[a]\nb.c = 1", "a = {x = {y = 1}, x.z = 2}", "!", "a = tru", "a = '\n'", 'a = "\n"', "a =1979-05-27T25:00:00"):
    try:
        print(wrong.encode(), tomllib.loads(wrong))
    except tomllib.TOMLDecodeError as error:
        print(wrong.encode(), error)
for call in (lambda: tomllib.loads(b"a = 1"), lambda: tomllib.load(io.StringIO("a = 1")), lambda: tomllib.loads("a = 1.5", parse_float=lambda text: [])):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)
