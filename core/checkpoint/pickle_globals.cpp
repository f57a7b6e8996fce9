#include "core/checkpoint/pickle_globals.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/tensor/dtype.h"

namespace nns::checkpoint {

namespace {

struct Name {
  std::string_view module;
  std::string_view name;
};

/// Modules, or names in modules, of one reason: everything in them and below them. Words are divided by blanks; Python
/// 2's names stand beside those of today. What is listed is Python's library, and what model files are known to misuse.
struct Group {
  std::string_view why;
  std::string_view words;
};

constexpr Group kDangerous[] = {
    {"runs commands of the system",
     "os posix nt posixpath ntpath subprocess _posixsubprocess _winapi commands popen2 pty pexpect sh plumbum fabric "
     "invoke paramiko psutil _osx_support _aix_support _bootsubprocess _pyrepl uuid._get_command_stdout "
     "torch.utils.collect_env torch.utils.bottleneck torch.distributed.run torch.distributed.launch "
     "torch.distributed.launcher torch.distributed.elastic torch.utils.cpp_extension numpy.distutils "
     "numpy.f2py distutils setuptools imaplib.IMAP4_stream test.support mailcap nturl2path webbrowser antigravity"},
    {"runs Python code",
     "builtins.eval builtins.exec builtins.execfile builtins.compile builtins.input builtins.raw_input "
     "builtins.__build_class__ builtins.breakpoint builtins.help code codeop runpy bdb pdb cmd timeit profile cProfile "
     "hotshot trace doctest unittest test pytest _pytest nose idlelib lib2to3 pydoc rlcompleter compileall py_compile "
     "ast dis symtable sched dataclasses._create_fn typing.ForwardRef typing._eval_type typing.get_type_hints "
     "gettext.c2py IPython jupyter_client numexpr pandas.eval pandas.core.computation jax.eval sympy numpy.testing "
     "torch.jit torch.compile torch._inductor torch._dynamo torch._functorch torch._export torch.fx torch.package "
     "torch.testing torch.utils.benchmark torch.utils._config_module torch.distributed.rpc "
     "torch.onnx jinja2 mako tornado.template types.FunctionType types.LambdaType types.CodeType types.MethodType "
     "types.ModuleType types.new_class types.DynamicClassAttribute types.coroutine new inspect _testcapi "
     "_xxsubinterpreters _interpreters"},
    {"imports modules",
     "builtins.__import__ builtins.reload importlib _frozen_importlib _frozen_importlib_external imp pkgutil "
     "pkg_resources "
     "zipimport zipapp modulefinder site sitecustomize usercustomize sys pip _pip ensurepip venv virtualenv wheel"},
    {"reaches other functions through names or calls them",
     "builtins.getattr builtins.setattr builtins.delattr builtins.apply builtins.globals builtins.locals builtins.vars "
     "builtins.dir builtins.super builtins.map builtins.filter builtins.reduce builtins.property builtins.classmethod "
     "builtins.staticmethod builtins.callable builtins.exit builtins.quit builtins.memoryview operator _operator "
     "functools "
     "_functools itertools.starmap multiprocessing _multiprocessing threading _threading_local _thread thread "
     "dummy_thread dummy_threading _dummy_thread concurrent asyncio _asyncio asyncore asynchat signal _signal atexit "
     "weakref.finalize contextlib.ExitStack contextlib.AsyncExitStack gc torch.multiprocessing torch.ops "
     "torch.classes"},
    {"loads another pickle or program",
     "pickle _pickle cPickle pickletools _compat_pickle shelve marshal dill cloudpickle joblib jsonpickle hickle "
     "klepto yaml torch.load torch.save torch.hub torch.export.load torch.serialization torch.storage._load_from_bytes "
     "torch.utils.model_zoo torch.utils.data.datapipes.utils.decoder torch._C.PyTorchFileReader "
     "torch._C.import_ir_module numpy.load numpy.lib.npyio numpy.lib._npyio_impl "
     "numpy.loads pandas.read_pickle pandas.io keras.models keras.saving tensorflow.keras.models "
     "copyreg.add_extension copyreg.remove_extension copyreg.clear_extension_cache copyreg.pickle copyreg.constructor "
     "codecs.decode codecs.open codecs.EncodedFile"},
    {"reaches the network",
     "socket _socket ssl _ssl socketserver SocketServer select selectors http httplib urllib urllib2 urllib3 requests "
     "aiohttp httpx ftplib smtplib smtpd telnetlib poplib imaplib nntplib xmlrpc xmlrpclib SimpleXMLRPCServer "
     "DocXMLRPCServer BaseHTTPServer SimpleHTTPServer CGIHTTPServer wsgiref cgi cgitb websockets websocket boto3 "
     "botocore huggingface_hub fsspec smart_open gradio flask"},
    {"reads or writes files",
     "builtins.open builtins.file builtins.print shutil tempfile fileinput linecache io _io _pyio mmap tarfile zipfile "
     "gzip bz2 lzma filecmp dbm anydbm dumbdbm gdbm dbhash bsddb sqlite3 _sqlite3 logging mailbox netrc "
     "tokenize optparse numpy.fromfile numpy.loadtxt numpy.genfromtxt numpy.memmap numpy.save numpy.savez "
     "numpy.savetxt "
     "numpy.tofile torch.from_file"},
    {"reaches the interpreter or the machine",
     "ctypes _ctypes cffi _cffi_backend resource fcntl platform winreg _winreg msvcrt winsound termios tty curses "
     "readline faulthandler tracemalloc tkinter _tkinter Tkinter turtle crypt getpass sysconfig nis spwd syslog"},
};

/// Names that mean the same in whatever module a file finds them: modules import them from each other.
constexpr std::string_view kDangerousAnywhere =
    "os sys posix nt subprocess builtins __builtin__ __builtins__ importlib runpy socket shutil ctypes system popen "
    "Popen "
    "check_output check_call execv execve execvp spawn spawnl spawnv eval exec execfile __import__ import_module "
    "runstring getattr setattr __getattribute__ __globals__ __builtins__ __subclasses__ __reduce__ __class__ __dict__ "
    "__code__ __init__ __call__ __loader__ __spec__";

/// Inside what is listed above, and harmless as long as nothing calls what they make (which a scan sees).
constexpr std::string_view kHarmlessInDangerous =
    "functools.partial types.SimpleNamespace types.MappingProxyType types.GenericAlias io.BytesIO io.StringIO "
    "_io.BytesIO "
    "_io.StringIO logging.Logger logging.getLogger inspect.Signature inspect.Parameter inspect._ParameterKind "
    "inspect._empty "
    "joblib.numpy_pickle.NumpyArrayWrapper joblib.numpy_pickle.NDArrayWrapper "
    "joblib.numpy_pickle_compat.NDArrayWrapper "
    "torch.fx.immutable_collections.immutable_list torch.fx.immutable_collections.immutable_dict signal.Signals "
    "http.HTTPStatus optparse.Values";

/// What cloudpickle writes for a function that has no name to be found by: they make it of its code, and call nothing.
constexpr std::string_view kFunctionMakers =
    "_make_function _builtin_type _make_empty_cell _make_cell _function_setstate _make_skel_func _fill_function";

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

/// Whether `is_it(word)` for one of the words of `words`.
template <class IsIt>
bool any_word(std::string_view words, IsIt&& is_it) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (is_it(words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
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

Judgement judge(std::string_view module, std::string_view name) {
  // Python 2's names for the same things.
  if (module == "__builtin__") module = "builtins";
  if (module == "copy_reg") module = "copyreg";
  // TorchScript's marks on lists, in a module whose neighbours are not harmless.
  if (module == "torch.jit._pickle" && is_identifier(name) &&
      (name.substr(0, 6) == "build_" || name == "restore_type_tag")) {
    return {Verdict::Safe, {}};
  }
  if (module == "torch.serialization" && name == "_get_layout") return {Verdict::Safe, {}};
  const std::string whole = fmt::format("{}.{}", module, name);
  if (any_word(kHarmlessInDangerous, [&](std::string_view word) { return word == whole; })) {
    return {Verdict::Unknown, "harmless unless something calls it"};
  }
  // 1. What is dangerous, also as an attribute of it ("eval.__call__").
  for (const Group& group : kDangerous) {
    if (any_word(group.words, [&](std::string_view word) { return is_within(whole, word); })) {
      return {Verdict::Dangerous, group.why};
    }
  }
  // 2. The same by another way: a module that imported it, or dots, which reach attributes of attributes. Only a class
  //    inside a class is an ordinary name with dots.
  bool is_ordinary = true;
  for (std::string_view rest = name; is_ordinary;) {
    const std::string_view part = rest.substr(0, rest.find('.'));
    is_ordinary = !any_word(kDangerousAnywhere, [&](std::string_view word) { return word == part; });
    if (part.size() == rest.size()) break;
    is_ordinary = is_ordinary && is_class_name(part);
    rest.remove_prefix(part.size() + 1);
  }
  if (!is_ordinary) return {Verdict::Dangerous, "reaches what is dangerous through another module or by attributes"};
  if (name.find('.') != std::string_view::npos) return {Verdict::Unknown, {}};
  // 3. What is harmless.
  for (const Name& row : kSafeNames) {
    if (row.module == module && row.name == name) return {Verdict::Safe, {}};
  }
  return {is_in_safe_family(module, name) ? Verdict::Safe : Verdict::Unknown, {}};
}

GlobalRole role_of(std::string_view module, std::string_view name) {
  if (module != "cloudpickle.cloudpickle") return GlobalRole::Ordinary;
  if (name == "_builtin_type") return GlobalRole::BuiltinType;
  const bool is_maker = any_word(kFunctionMakers, [&](std::string_view word) { return word == name; });
  return is_maker ? GlobalRole::FunctionMaker : GlobalRole::Ordinary;
}

Verdict judge_global(std::string_view module, std::string_view name) { return judge(module, name).verdict; }

}  // namespace nns::checkpoint
