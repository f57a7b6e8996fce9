"""torch.hub. Behaviour: torch/hub.py, where there is no network: what lies in the folder of downloads is read, nothing is
fetched."""
import os
import re
from urllib.parse import urlparse
from urllib.request import Request, urlopen

import torch

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_folder = None


def _get_torch_home():
    home = os.environ.get("TORCH_HOME") or os.path.join(os.environ.get("XDG_CACHE_HOME", "~/.cache"), "torch")
    return os.path.expanduser(home)


def get_dir():
    """The folder of downloads: set_dir()'s, else $TORCH_HOME/hub."""
    return _folder if _folder is not None else os.path.join(_get_torch_home(), "hub")


def set_dir(d):
    global _folder
    _folder = os.path.expanduser(d)


def load_state_dict_from_url(url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None,
                             weights_only=False):
    """The file that the address names, if it was downloaded before."""
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    name = file_name if file_name is not None else os.path.basename(url.partition("?")[0].partition("#")[0])
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        raise RuntimeError(f"nothing is downloaded here: put {url} to {path}, and let the program read that folder")
    return torch.load(path, map_location=map_location, weights_only=weights_only)


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    raise RuntimeError(f"nothing is downloaded here: {url}")


def load(repo_or_dir, model, *args, source="github", **kwargs):
    raise RuntimeError(f"nothing is downloaded here: {repo_or_dir}; import its hubconf.py instead")


def list(github, *args, **kwargs):
    raise RuntimeError(f"nothing is downloaded here: {github}")


def help(github, model, *args, **kwargs):
    raise RuntimeError(f"nothing is downloaded here: {github}")
