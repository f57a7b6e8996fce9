"""What pickles of numpy name. Behaviour: numpy/_core/__init__.py."""
from numpy._core import multiarray, numeric
