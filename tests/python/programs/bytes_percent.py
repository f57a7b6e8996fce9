"""bytes % arguments, and methods that see bytes as ASCII characters: printed or refused as CPython does."""
tests=r'''
print(b'%d %s %5.2f|%-5b|%05d' % (3, b'x', 2.5, b'ab', 42), b'%c%c' % (65, b'B'), b'%r %a' % ('é', 'é'), b'%(k)s' % {b'k': b'v'})
---
print(bytearray(b'%s!') % b'q', b'%.2s' % b'abcd', b'%x %X %#x %o' % (255,255,255,8), b'100%%' % ())
---
b'%s' % 'text'
---
b'%d' % b'1'
---
b'%c' % 300
---
b'%c' % b'ab'
---
b'%s' % (b'a', b'b')
---
b'%s %s' % b'a'
---
b'%z' % 1
---
print(b"hello wORLD".capitalize(), b"Hello World".istitle(), b"abc".translate(bytes.maketrans(b"ab", b"xy")), b"abc".translate(None, b"b"), bytearray(b"aB").capitalize(), b"".istitle(), b"A1b".istitle())
---
b"a".translate(b"x")
---
bytes.maketrans(b"a", b"bc")
---
b"a".translate("x")
---
class V:
    def __bytes__(self): return b"own"
print(b"<%s>" % V())
'''
for s in tests.split('\n---\n'):
    try: exec(s.strip('\n'),{})
    except Exception as e: print(type(e).__name__, e)
