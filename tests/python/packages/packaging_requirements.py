"""Requirements of packages and markers."""
from packaging.markers import InvalidMarker, Marker, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement

for text in ("torch", "torch>=2.0", "Torch_Vision [extra2, extra1] >= 1.0, <2 ; python_version >= '3.8'", "a @ https://x.org/a.zip",
             "name (>=1,<2)", "x; os_name == 'posix' and (python_version > \"3\" or extra == 'test')", "numpy ~=1.2", "b==1.*"):
    made = Requirement(text)
    print(made.name, sorted(made.extras), made.specifier, made.url, made.marker, "|", made)
for text in ("", "==1", "a >> 1", "a[!]", "a; unknown_name == '1'", "a ="):
    try:
        print(Requirement(text))
    except InvalidRequirement as error:
        print("InvalidRequirement")
here = {"python_version": "3.14", "os_name": "posix", "sys_platform": "linux", "extra": "test", "platform_system": "Linux"}
for text in ("python_version >= '3.9'", "python_version < '3'", "os_name == 'nt' or sys_platform == 'linux'",
             "'linux' in sys_platform", "extra == 'test'", "extra == 'other'", "(python_version > '3.20')",
             "os_name == 'posix' and (python_version > \"3\" or extra == 'x')", "platform_system != 'Windows'",
             "sys_platform not in 'win32 darwin'"):
    marker = Marker(text)
    print(marker, marker.evaluate(here))
for text in ("python_version", "python_version = '3'", "(os_name == 'a'", "os_name == 'a' and", "1 == 2"):
    try:
        print(Marker(text))
    except InvalidMarker:
        print("InvalidMarker")
print(Requirement("a[x]>=1") == Requirement("A[x] >= 1"), Marker("os_name=='a'") == Marker('os_name == "a"'))
print(Requirement("torch>=2").specifier.contains("2.14.1"), Requirement("torch<2").specifier.contains("2.14.1"))
