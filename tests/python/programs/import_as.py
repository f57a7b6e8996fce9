"""`import a.b as c` binds what a has under the name b, which need not be the module a.b."""
import sys
import types

package = types.ModuleType("package")
package.__path__ = []
inner = types.ModuleType("package.inner")
sys.modules.update({"package": package, "package.inner": inner})

import package.inner as first
print(first is inner)
package.inner = "an attribute"
import package.inner as second
print(second)
from package import inner as third
print(third)
import package.inner
print(package.inner)
import collections.abc as abc, xml.etree.ElementTree as tree
print(abc.__name__, tree.__name__)
try:
    import package.missing as fourth
except ModuleNotFoundError as error:
    print(error)
