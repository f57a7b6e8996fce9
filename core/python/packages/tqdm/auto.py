"""The bar under this name, too."""
from tqdm import TqdmDeprecationWarning, TqdmExperimentalWarning, TqdmKeyError, TqdmTypeError, TqdmWarning, tqdm, trange
