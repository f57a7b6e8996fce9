"""Copies and pickles of objects of the program's own numbers, bytes, tuples, lists, sets: what they are and what they have beside."""
import copy, enum, pickle
class C(enum.IntEnum):
    A=3
class D(enum.Enum):
    A=3
class S(enum.StrEnum):
    A="x"
class F(enum.Flag):
    A=1
    B=2
class I(int):
    pass


class St(str):
    pass


for x in (C.A, D.A, S.A, F.A|F.B, F.A):
    print(copy.deepcopy(x) is x, copy.copy(x) is x, pickle.loads(pickle.dumps(x)) is x, repr(copy.deepcopy([x])))
i=I(5); i.z=1; j=copy.deepcopy(i); print(type(j), j, j.z, copy.copy(i), copy.copy(i).z)
s=St("ab"); s.z=[1]; j=copy.deepcopy(s); print(type(j), j, j.z, copy.copy(s))
class T(tuple):
    pass


t=T((1,[2])); t.q=5; u=copy.deepcopy(t); print(u, type(u), u.q, u[1] is t[1])
class Fl(float):
    pass


print(copy.deepcopy(Fl(2.5)), type(copy.deepcopy(Fl(2.5))), copy.deepcopy(True), copy.deepcopy(b"x"))
class By(bytes):
    pass


print(copy.deepcopy(By(b"xy")), type(copy.deepcopy(By(b"xy"))))
class Fs(frozenset):
    pass


print(copy.deepcopy(Fs([1])), copy.copy(Fs([2])))
class Cx(complex):
    pass


print(copy.deepcopy(Cx(1,2)), type(copy.copy(Cx(1,2))))

class L(list):
    pass


l=L([1,[2]]); l.a=[3]; m=copy.deepcopy(l); print(m, type(m), m.a, m.a is l.a, copy.copy(l).a is l.a)
class Se(set):
    pass


l=Se([1]); l.a=[3]; m=copy.deepcopy(l); print(m, m.a, copy.copy(l).a)
class Di(dict):
    pass


l=Di({1:[2]}); l.a=[3]; m=copy.deepcopy(l); print(m, m.a, copy.copy(l).a)
for x in (Cx(1,2), By(b"a"), Fl(1.5), I(3), L([1]), T((1,))):
    y=pickle.loads(pickle.dumps(x)); print(type(y).__name__, y)
