import json


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


data = {"a": [1, 2.5, None, True, False, "x\n\"é\U0001F600\x7f"], "b": {}, "c": [], "d": {"e": [[], {}]}, 1: 2, None: 3, 1.5: 4, True: 5}
print(json.dumps(data))
print(json.dumps(data, indent=2))
print(json.dumps({"b": 1, "a": [1, 2]}, sort_keys=True, separators=(",", ":")), json.dumps([1], indent="\t"), json.dumps("é", ensure_ascii=False))
print(json.dumps([float("inf"), float("-inf"), float("nan"), 1e100, -0.0, 10 ** 30]), json.dumps((1, (2,))), json.dumps(3), json.dumps("s"))
shown(lambda: json.dumps({1, 2}))
shown(lambda: json.dumps({(1, 2): 3}))
shown(lambda: json.dumps(float("nan"), allow_nan=False))
loop = []
loop.append(loop)
shown(lambda: json.dumps(loop))
print(json.dumps({(1,): 2, "a": 3}, skipkeys=True), json.dumps({1, 2}, default=sorted), json.dumps(object, default=lambda o: o.__name__))


class Encoder(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, complex):
            return [o.real, o.imag]
        return super().default(o)


print(json.dumps([1j], cls=Encoder))
shown(lambda: json.dumps([b"x"], cls=Encoder))
print(json.loads(' {"a": [1, -2.5e3, 1E2, null, true, false, "\\u00e9\\ud83d\\ude00\\n\\/"], "b": {}} '), json.loads("[]"), json.loads('"x"'), json.loads(b"[1]"))
print(json.loads("[NaN, Infinity, -Infinity, 0, -0, 12345678901234567890]"), json.loads('{"a": 1, "a": 2}'))
print(json.loads('{"a": 1}', object_hook=lambda d: sorted(d.items())), json.loads('{"a": 1}', object_pairs_hook=list), json.loads("[1.5]", parse_float=str))
for text in ("", "{", "[1,", "[1,]", '{"a":1,}', "{'a': 1}", '{"a" 1}', '{"a": }', "[1 2]", "nul", '"abc', '"\\x"', '"\\u12"', '"\\u00e9', "1 2", "[1\n, 2\n, x]", '"a\nb"', "-", "01", '{"a":1 "b"}', "{1: 2}", '"a\\'):
    shown(lambda: json.loads(text))
shown(lambda: json.loads(3))
try:
    json.loads("[1,\n x]")
except json.JSONDecodeError as error:
    print(error.msg, error.pos, error.lineno, error.colno, isinstance(error, ValueError))
print(json.loads(json.dumps(data)) == json.loads(json.dumps(json.loads(json.dumps(data)))), json.JSONDecoder().raw_decode("[1] x"))
import io
f = io.StringIO()
json.dump({"k": [1]}, f)
f.seek(0)
print(f.getvalue(), json.load(f))
