#include "core/checkpoint/pickle_globals.h"

#include <algorithm>

#include "core/tensor/dtype.h"

namespace nns::checkpoint {

namespace {

/// Modules that reach the system, the network, other code or the interpreter: everything in them and below them.
constexpr std::string_view kDangerousModules[] = {
    "os",
    "posix",
    "nt",
    "posixpath",
    "ntpath",
    "subprocess",
    "commands",
    "popen2",
    "pty",
    "sys",
    "shutil",
    "socket",
    "socketserver",
    "SocketServer",
    "ssl",
    "asyncore",
    "asyncio",
    "http",
    "httplib",
    "urllib",
    "urllib2",
    "urllib3",
    "requests",
    "aiohttp",
    "httpx",
    "ftplib",
    "smtplib",
    "telnetlib",
    "poplib",
    "imaplib",
    "nntplib",
    "xmlrpc",
    "webbrowser",
    "importlib",
    "imp",
    "runpy",
    "pkgutil",
    "zipimport",
    "site",
    "code",
    "codeop",
    "ctypes",
    "_ctypes",
    "cffi",
    "multiprocessing",
    "_multiprocessing",
    "threading",
    "_thread",
    "concurrent",
    "signal",
    "_posixsubprocess",
    "operator",
    "_operator",
    "functools",
    "_functools",
    "pickle",
    "_pickle",
    "cPickle",
    "pickletools",
    "shelve",
    "marshal",
    "dill",
    "cloudpickle",
    "joblib",
    "types",
    "new",
    "inspect",
    "gc",
    "atexit",
    "pdb",
    "bdb",
    "cmd",
    "timeit",
    "profile",
    "cProfile",
    "trace",
    "doctest",
    "unittest",
    "test",
    "idlelib",
    "distutils",
    "setuptools",
    "pip",
    "ensurepip",
    "venv",
    "virtualenv",
    "pydoc",
    "lib2to3",
    "tempfile",
    "fileinput",
    "linecache",
    "logging",
    "io",
    "_io",
    "mmap",
    "fcntl",
    "resource",
    "platform",
    "winreg",
    "_winreg",
    "msvcrt",
    "sqlite3",
    "tkinter",
    "turtle",
    "ast",
    "compileall",
    "py_compile",
    "tarfile",
    "zipfile",
    "cgi",
    "crypt",
    "getpass",
    "torch.hub",
    "torch.jit",
    "torch.load",
    "torch.utils.cpp_extension",
    "torch.utils.model_zoo",
    "torch.distributed",
    "torch._inductor",
    "torch._dynamo",
    "torch.package",
    "torch.utils.collect_env",
    "torch.utils.bottleneck",
    "torch.serialization.load",
    "numpy.testing",
    "numpy.f2py",
    "numpy.distutils",
    "numpy.lib.npyio",
    "numpy.load",
    "pandas.eval",
    "jax.eval",
};

struct Name {
  std::string_view module;
  std::string_view name;
};

/// Single names of otherwise harmless modules.
constexpr Name kDangerousNames[] = {
    {"builtins", "eval"},
    {"builtins", "exec"},
    {"builtins", "execfile"},
    {"builtins", "compile"},
    {"builtins", "open"},
    {"builtins", "file"},
    {"builtins", "input"},
    {"builtins", "raw_input"},
    {"builtins", "getattr"},
    {"builtins", "setattr"},
    {"builtins", "delattr"},
    {"builtins", "__import__"},
    {"builtins", "__build_class__"},
    {"builtins", "apply"},
    {"builtins", "globals"},
    {"builtins", "locals"},
    {"builtins", "vars"},
    {"builtins", "dir"},
    {"builtins", "breakpoint"},
    {"builtins", "reload"},
    {"builtins", "memoryview"},
    {"builtins", "type"},
    {"builtins", "super"},
    {"builtins", "exit"},
    {"builtins", "quit"},
    {"builtins", "map"},
    {"builtins", "filter"},
    {"builtins", "reduce"},
    {"builtins", "help"},
    {"builtins", "print"},
    {"builtins", "callable"},
    {"builtins", "classmethod"},
    {"builtins", "staticmethod"},
    {"builtins", "property"},
    {"codecs", "open"},
    {"codecs", "decode"},
    {"torch", "load"},
    {"torch", "compile"},
    {"torch", "hub"},
    {"torch", "save"},
    {"torch.serialization", "load"},
    {"torch.storage", "_load_from_bytes"},
    {"numpy", "load"},
    {"numpy", "fromfile"},
    {"numpy", "loadtxt"},
    {"numpy", "genfromtxt"},
    {"numpy", "memmap"},
    {"numpy", "save"},
    {"numpy", "savetxt"},
    {"pandas", "read_pickle"},
    {"pandas", "eval"},
    {"copyreg", "add_extension"},
    {"copyreg", "pickle"},
    {"torch", "classes"},
    {"torch", "ops"},
};

constexpr Name kSafeNames[] = {
    {"collections", "OrderedDict"},
    {"collections", "defaultdict"},
    {"collections", "Counter"},
    {"collections", "deque"},
    {"builtins", "set"},
    {"builtins", "frozenset"},
    {"builtins", "dict"},
    {"builtins", "list"},
    {"builtins", "tuple"},
    {"builtins", "int"},
    {"builtins", "long"},
    {"builtins", "float"},
    {"builtins", "complex"},
    {"builtins", "bool"},
    {"builtins", "str"},
    {"builtins", "unicode"},
    {"builtins", "bytes"},
    {"builtins", "bytearray"},
    {"builtins", "slice"},
    {"builtins", "range"},
    {"builtins", "xrange"},
    {"builtins", "object"},
    {"builtins", "NoneType"},
    {"builtins", "Ellipsis"},
    {"_codecs", "encode"},
    {"copyreg", "_reconstructor"},
    {"copyreg", "__newobj__"},
    {"argparse", "Namespace"},
    {"datetime", "datetime"},
    {"datetime", "date"},
    {"datetime", "time"},
    {"datetime", "timedelta"},
    {"datetime", "timezone"},
    {"decimal", "Decimal"},
    {"fractions", "Fraction"},
    {"uuid", "UUID"},
    {"pathlib", "Path"},
    {"pathlib", "PosixPath"},
    {"pathlib", "WindowsPath"},
    {"pathlib", "PurePosixPath"},
    {"pathlib", "PureWindowsPath"},
    {"pathlib._local", "PosixPath"},
    {"torch", "Size"},
    {"torch", "device"},
    {"torch", "Tensor"},
    {"torch", "Generator"},
    {"torch", "dtype"},
    {"torch", "layout"},
    {"torch", "memory_format"},
    {"torch", "finfo"},
    {"torch", "strided"},
    {"torch", "sparse_coo"},
    {"torch", "sparse_csr"},
    {"torch", "sparse_csc"},
    {"torch", "sparse_bsr"},
    {"torch", "sparse_bsc"},
    {"torch", "per_tensor_affine"},
    {"torch", "per_channel_affine"},
    {"torch", "per_channel_affine_float_qparams"},
    {"torch", "per_tensor_symmetric"},
    {"torch", "per_channel_symmetric"},
    {"torch.nn", "Parameter"},
    {"torch.nn.parameter", "Parameter"},
    {"torch.nn.parameter", "Buffer"},
    {"torch.nn.parameter", "UninitializedParameter"},
    {"torch.nn.parameter", "UninitializedBuffer"},
    {"torch.serialization", "_get_layout"},
    {"torch.storage", "TypedStorage"},
    {"torch.storage", "_TypedStorage"},
    {"torch.storage", "UntypedStorage"},
    {"torch.storage", "_UntypedStorage"},
    {"torch", "UntypedStorage"},
    {"torch", "TypedStorage"},
    {"torch._tensor", "_rebuild_from_type_v2"},
    {"torch._tensor", "_rebuild_from_type"},
    {"numpy", "ndarray"},
    {"numpy", "dtype"},
    {"numpy", "bool_"},
    {"numpy", "bool"},
    {"numpy", "float16"},
    {"numpy", "float32"},
    {"numpy", "float64"},
    {"numpy", "int8"},
    {"numpy", "int16"},
    {"numpy", "int32"},
    {"numpy", "int64"},
    {"numpy", "uint8"},
    {"numpy", "uint16"},
    {"numpy", "uint32"},
    {"numpy", "uint64"},
    {"numpy", "complex64"},
    {"numpy", "complex128"},
    {"numpy", "str_"},
    {"numpy", "bytes_"},
    {"numpy.core.multiarray", "_reconstruct"},
    {"numpy._core.multiarray", "_reconstruct"},
    {"numpy.core.multiarray", "scalar"},
    {"numpy._core.multiarray", "scalar"},
    {"numpy.core.numeric", "_frombuffer"},
    {"numpy._core.numeric", "_frombuffer"},
};

bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

bool is_class_name(std::string_view name) { return is_identifier(name) && name.front() >= 'A' && name.front() <= 'Z'; }

/// `module` itself or a module inside it.
bool is_within(std::string_view module, std::string_view outer) {
  return module.substr(0, outer.size()) == outer && (module.size() == outer.size() || module[outer.size()] == '.');
}

/// Whole families of which each member is harmless.
bool is_in_safe_family(std::string_view module, std::string_view name) {
  if (module == "torch._utils") return name.substr(0, 9) == "_rebuild_" && is_identifier(name);
  if (module == "torch") {
    return (is_identifier(name) && tensor::dtype_from_torch_name(name).has_value()) ||
           tensor::dtype_from_storage_class(name);
  }
  if (is_within(module, "torch.nn.modules") || is_within(module, "torch.optim") || module == "torch.nn" ||
      module == "numpy.dtypes") {
    return is_class_name(name);
  }
  // TorchScript's classes, which its own interpreter runs.
  if (is_within(module, "__torch__")) return is_identifier(name);
  if (is_within(module, "torch.ao.nn") || is_within(module, "torch.nn.quantized")) return is_class_name(name);
  return false;
}

}  // namespace

Verdict judge_global(std::string_view module, std::string_view name) {
  // Python 2's names for the same things.
  if (module == "__builtin__") module = "builtins";
  if (module == "copy_reg") module = "copyreg";
  // TorchScript's marks on lists, in a module whose neighbours are not harmless.
  if (module == "torch.jit._pickle" && is_identifier(name) &&
      (name.substr(0, 6) == "build_" || name == "restore_type_tag")) {
    return Verdict::Safe;
  }
  // 1. What is dangerous, also as an attribute of it ("eval.__call__").
  for (const std::string_view outer : kDangerousModules) {
    if (is_within(module, outer)) return Verdict::Dangerous;
    if (outer.size() > module.size() && outer.substr(0, module.size()) == module && outer[module.size()] == '.' &&
        is_within(name, outer.substr(module.size() + 1))) {
      return Verdict::Dangerous;
    }
  }
  for (const Name& row : kDangerousNames) {
    if (row.module == module && is_within(name, row.name)) return Verdict::Dangerous;
  }
  // 2. Dots reach attributes of attributes: from a harmless class to its module, from there to anything.
  if (name.find('.') != std::string_view::npos) {
    return name.find("__") != std::string_view::npos ? Verdict::Dangerous : Verdict::Unknown;
  }
  // 3. What is harmless.
  for (const Name& row : kSafeNames) {
    if (row.module == module && row.name == name) return Verdict::Safe;
  }
  return is_in_safe_family(module, name) ? Verdict::Safe : Verdict::Unknown;
}

}  // namespace nns::checkpoint
