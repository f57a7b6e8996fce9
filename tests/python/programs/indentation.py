"""Indentation that does not fit, what is taken for it elsewhere, and parameters that are there twice."""
SOURCES = ["  x = 1", "x = 1\n  y = 2", "  x = 1\n y = 2", "\tx = 1\n        y = 2", "def f():\n  x = 1\n    y = 2",
           "if True:\n    x = 1\n    y = 2; z = 3\nprint(x, y, z)", "x = 1; \\\n  y = 2\nprint(x + y)",
           "if True: x = 1; y = 2\nprint(x, y)", "# a\n    # b\nx = 5\n        # c\nprint(x)", "def f(a, a): pass",
           "x = (1,\n  2)\nprint(x)", "class A:\n    '''doc\n  text'''\n    x = 1\nprint(A.x)",
           "for i in range(2):\n  if i:\n      print(i)\n  else:\n    print('none')", "if True:\n\tx = 6\n\ty = 7\nprint(x, y)"]
for source in SOURCES:
    try:
        exec(source)
    except SyntaxError as error:
        print(type(error).__name__, error.msg)
print(eval("  1 + 1"), eval("\t2"))
