"""Files of data sets. Behaviour: torchvision/datasets/utils.py, where there is no network."""
import gzip
import hashlib
import os
import tarfile
import zipfile

from _stand_in import part_of

__getattr__ = part_of(__name__)


def calculate_md5(fpath, chunk_size=1024 * 1024):
    with open(fpath, "rb") as file:
        return hashlib.md5(file.read()).hexdigest()


def check_md5(fpath, md5, **kwargs):
    return md5 == calculate_md5(fpath, **kwargs)


def check_integrity(fpath, md5=None):
    return os.path.isfile(fpath) and (md5 is None or check_md5(fpath, md5))


def download_url(url, root, filename=None, md5=None, max_redirect_hops=3):
    """Errors: RuntimeError where the file is not there already."""
    path = os.path.join(os.path.expanduser(root), filename or os.path.basename(url))
    if not check_integrity(path, md5):
        raise RuntimeError(f"{path} is not there (or damaged), and nothing is downloaded by nnscope: put the file of {url} there")


def extract_archive(from_path, to_path=None, remove_finished=False):
    to_path = os.path.dirname(from_path) if to_path is None else to_path
    if from_path.endswith((".tar", ".tar.gz", ".tgz")):
        with tarfile.open(from_path) as archive:
            archive.extractall(to_path)
    elif from_path.endswith(".zip"):
        with zipfile.ZipFile(from_path) as archive:
            archive.extractall(to_path)
    elif from_path.endswith(".gz"):
        to_path = os.path.join(to_path, os.path.splitext(os.path.basename(from_path))[0])
        with gzip.open(from_path) as packed, open(to_path, "wb") as file:
            file.write(packed.read())
    else:
        raise RuntimeError(f"Unknown compression or archive type: '{os.path.splitext(from_path)[1]}'.\n"
                           "Known types are: '.gz', '.tar', '.tgz', '.zip'.")
    if remove_finished:
        os.remove(from_path)
    return to_path


def download_and_extract_archive(url, download_root, extract_root=None, filename=None, md5=None, remove_finished=False):
    name = filename or os.path.basename(url)
    download_url(url, download_root, name, md5)
    extract_archive(os.path.join(os.path.expanduser(download_root), name), extract_root or download_root, remove_finished)


def list_dir(root, prefix=False):
    root = os.path.expanduser(root)
    found = [one for one in os.listdir(root) if os.path.isdir(os.path.join(root, one))]
    return [os.path.join(root, one) for one in found] if prefix else found


def list_files(root, suffix, prefix=False):
    root = os.path.expanduser(root)
    found = [one for one in os.listdir(root) if os.path.isfile(os.path.join(root, one)) and one.endswith(suffix)]
    return [os.path.join(root, one) for one in found] if prefix else found


def verify_str_arg(value, arg=None, valid_values=None, custom_msg=None):
    """The value. Errors: ValueError where it is no text, or none of those that are valid."""
    about = "" if arg is None else f" for argument {arg}"
    if not isinstance(value, str):
        raise ValueError(f"Expected type str{about}, but got type {type(value)}.")
    if valid_values is not None and value not in valid_values:
        known = "'" + "', '".join(str(one) for one in valid_values) + "'"
        raise ValueError(custom_msg or f"Unknown value '{value}' for argument {arg}. Valid values are {{{known}}}.")
    return value


def _not_found(folder, files):
    """The error for a data set that would have to be downloaded."""
    return RuntimeError(f"Dataset not found: nothing is downloaded by nnscope. Put {', '.join(files)} into {folder}")
