"""torch.testing.FileCheck: texts in an order."""
from torch.testing import FileCheck

TEXT = "graph:\n  %a = add(x)\n  %b = mul(a)\n  %c = add(b)\nreturn c\n"
FileCheck().check("add").check_next("mul").check("add").check_not("mul").run(TEXT)
FileCheck().check_count("add", 2, exactly=True).check("return").run(TEXT)
FileCheck().check_dag("mul").check_dag("graph").check_same("%c = add").run(TEXT.replace("\n", " "))
FileCheck().check_regex(r"%\w = mul").run(TEXT)
for check in (FileCheck().check("sub"), FileCheck().check("mul").check_not("add"), FileCheck().check_count("add", 3)):
    try:
        check.run(TEXT)
    except RuntimeError as error:
        print(str(error).splitlines()[0])
