"""Archives of arrays. Behaviour: numpy/lib/npyio.py."""
from numpy._files import NpzFile
