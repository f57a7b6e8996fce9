#include <fmt/format.h>

#include <map>

#include "core/object/operations.h"
#include "core/ops/python_function.h"
#include "core/python/eval/run.h"
#include "core/python/torch/parts.h"
#include "core/python/torch/sources.h"
#include "core/python/torch/torch.h"
#include "core/python/torch/trees.h"

namespace nns::python {
namespace {

std::vector<EmbeddedModule> embedded_modules() {
  return {
#define NNS_SOURCE(name, is_package, text) {"torch." name, is_package, torch_sources::text, torch_sources::text##Tree},
#include "core/python/torch/sources.def"
#undef NNS_SOURCE
  };
}

// A name of a module that a program may use without importing what defines it.
struct LazyName {
  std::string_view module, name, source;
};
constexpr LazyName kLazyNames[] = {
    {"torch.autograd", "Variable", "torch.autograd.variable"},
    {"torch.autograd", "gradcheck", "torch.autograd.gradcheck"},
    {"torch.autograd", "gradgradcheck", "torch.autograd.gradcheck"},
    {"torch", "vmap", "torch._functorch.vmap"},
    {"torch", "cond", "torch._higher_order_ops.cond"},
    {"torch.nn", "DataParallel", "torch.nn.parallel.data_parallel"},
    {"torch.nn.functional", "grad", "torch.nn"},
    {"torch", "ops", "torch._ops"},
    {"torch", "classes", "torch._ops"},
    {"torch", "sparse_coo_tensor", "torch.sparse._tensors"},
    {"torch", "spmm", "torch.sparse._tensors"},
    {"torch", "smm", "torch.sparse._tensors"},
    {"torch", "dsmm", "torch.sparse._tensors"},
    {"torch", "FloatTensor", "torch._legacy_tensors"},
    {"torch", "DoubleTensor", "torch._legacy_tensors"},
    {"torch", "HalfTensor", "torch._legacy_tensors"},
    {"torch", "BFloat16Tensor", "torch._legacy_tensors"},
    {"torch", "LongTensor", "torch._legacy_tensors"},
    {"torch", "IntTensor", "torch._legacy_tensors"},
    {"torch", "ShortTensor", "torch._legacy_tensors"},
    {"torch", "CharTensor", "torch._legacy_tensors"},
    {"torch", "ByteTensor", "torch._legacy_tensors"},
    {"torch", "BoolTensor", "torch._legacy_tensors"},
    {"torch", "set_default_tensor_type", "torch._legacy_tensors"},
    {"torch", "from_numpy", "torch._numpy_bridge"},
    {"torch", "frombuffer", "torch._numpy_bridge"},
    {"torch", "asarray", "torch._asarray"},
    {"torch", "segment_reduce", "torch._segments"},
    {"torch", "_segment_reduce", "torch._segments"},
    {"torch._C", "_VariableFunctionsClass", "torch._variable_functions"},
    {"torch", "from_dlpack", "torch._dlpack"},
    {"torch", "to_dlpack", "torch._dlpack"},
    {"torch", "set_printoptions", "torch._tensor_str"},
    {"torch", "svd_lowrank", "torch._lowrank"},
    {"torch", "pca_lowrank", "torch._lowrank"},
    {"torch", "autocast", "torch.amp.autocast_mode"},
    {"torch", "GradScaler", "torch.amp.grad_scaler"},
    {"torch", "finfo", "torch._type_info"},
    {"torch", "iinfo", "torch._type_info"},
    {"torch", "save", "torch.serialization"},
    {"torch", "load", "torch.serialization"},
    {"torch", "TypedStorage", "torch.storage"},
    {"torch", "FloatStorage", "torch.storage"},
    {"torch", "DoubleStorage", "torch.storage"},
    {"torch", "HalfStorage", "torch.storage"},
    {"torch", "BFloat16Storage", "torch.storage"},
    {"torch", "LongStorage", "torch.storage"},
    {"torch", "IntStorage", "torch.storage"},
    {"torch", "ShortStorage", "torch.storage"},
    {"torch", "CharStorage", "torch.storage"},
    {"torch", "ByteStorage", "torch.storage"},
    {"torch", "BoolStorage", "torch.storage"},
    {"torch", "ComplexFloatStorage", "torch.storage"},
    {"torch", "ComplexDoubleStorage", "torch.storage"},
    {"torch", "QInt8Storage", "torch.storage"},
    {"torch", "QUInt8Storage", "torch.storage"},
    {"torch", "QInt32Storage", "torch.storage"},
    {"torch", "QUInt4x2Storage", "torch.storage"},
    {"torch", "QUInt2x4Storage", "torch.storage"},
    {"torch", "_storage_classes", "torch.storage"},
    {"torch", "_tensor_classes", "torch._legacy_tensors"},
};

// Packages of C++ whose other names stand in modules that are written in Python, which are asked in this order.
struct Supplement {
  std::string_view package, source;
};
constexpr Supplement kSupplements[] = {
    {"torch", "torch._settings"},
    {"torch", "torch._checks"},
    {"torch", "torch._composites"},
    {"torch", "torch._more"},
    {"torch", "torch._view_copies"},
    {"torch", "torch._foreach"},
    {"torch", "torch._qschemes"},
    {"torch.special", "torch._special"},
    {"torch._C._nn", "torch._nn_functions"},
    {"torch.nn", "torch.nn._more"},
    {"torch.nn.modules", "torch.nn._more"},
    {"torch.nn.init", "torch.nn._init_names"},
    {"torch.nn.modules.transformer", "torch.nn.modules._transformer_names"},
    {"torch.optim.optimizer", "torch.optim._names"},
    {"torch.optim.lr_scheduler", "torch.optim._names"},
    {"torch.optim.swa_utils", "torch.optim._swa"},
    {"torch._C", "torch._core_names"},
    {"torch.autograd", "torch.autograd._names"},
    {"torch.autograd.graph", "torch.autograd._graph_names"},
    {"torch.autograd.function", "torch.autograd._function_names"},
    {"torch.nn.utils.rnn", "torch.nn.utils._rnn_names"},
    {"torch.nn.utils.prune", "torch.nn.utils._prune_names"},
    {"torch.nn.utils.stateless", "torch.nn.utils._stateless_names"},
    {"torch.nn.functional", "torch.nn._functional_names"},
    {"torch.utils", "torch.utils._names"},
    {"torch.utils.hooks", "torch.utils._hook_names"},
    {"torch.cuda", "torch.cuda._functions"},
    {"torch.cuda", "torch.cuda._legacy"},
    {"torch.func", "torch._functorch"},
};

// Where a name of a package comes from: a module, or one of its attributes.
struct Origin {
  std::string module;
  bool is_module = false;
};
using Origins = std::map<std::string, Origin, std::less<>>;

// What a supplement of the package has under a name of its own; Absent: none has.
PyResult<Value> supplied_attribute(Interpreter& in, const std::string& package, const Value& wanted) {
  const auto* name = wanted.as<object::Str>();
  if (name == nullptr || name->view().starts_with("__")) return Value::absent();
  for (const Supplement& row : kSupplements) {
    if (row.package != package) continue;
    NNS_TRY_ASSIGN(const Value source, Machine::of(in).import_module(std::string(row.source), 0, nullptr));
    NNS_TRY_ASSIGN(const Value names, object::getattr(in, source, in.intern("__dict__")));
    const Value* const value = names.as<Dict>() == nullptr ? nullptr : names.as<Dict>()->find(wanted);
    // What the supplement itself imported is no name of the package.
    if (value == nullptr || value->as<ModuleObject>() != nullptr) continue;
    const Value keep = *value;
    ops::python_module(in, package).set(in.intern(name->view()), keep);
    return keep;
  }
  return Value::absent();
}

// Imports what has the name and keeps it, so that the next look finds it in the package.
PyResult<Value> lazy_attribute(Interpreter& in, const std::string& package, const Origins& known, const Value& wanted) {
  const auto* name = wanted.as<object::Str>();
  const auto found = name == nullptr ? known.end() : known.find(name->view());
  if (found == known.end()) {
    NNS_TRY_ASSIGN(Value supplied, supplied_attribute(in, package, wanted));
    if (!supplied.is_absent()) return supplied;
    NNS_TRY_ASSIGN(const std::string text, object::str(in, wanted));
    return object::attribute_error(in, "module '{}' has no attribute '{}'", package, text);
  }
  NNS_TRY_ASSIGN(Value value, Machine::of(in).import_module(found->second.module, 0, nullptr));
  if (!found->second.is_module) {
    NNS_TRY_ASSIGN(value, object::getattr(in, value, in.intern(name->view())));
  }
  ops::python_module(in, package).set(in.intern(name->view()), value);
  return value;
}

}  // namespace

// Behaviour: PEP 562; torch/__init__.py imports all of them.
void fill_lazy_names(Machine& machine) {
  Interpreter& in = machine.interpreter();
  std::map<std::string, Origins> packages;
  for (const EmbeddedModule& module : embedded_modules()) {
    const std::string name(module.name);
    const std::size_t dot = name.rfind('.');
    packages[name.substr(0, dot)].insert({name.substr(dot + 1), {name, true}});
  }
  for (const LazyName& row : kLazyNames) {
    packages[std::string(row.module)].insert_or_assign(std::string(row.name), Origin{std::string(row.source), false});
  }
  for (const Machine::LateName& row : machine.late_names) packages[row.package].insert({row.name, {row.module, true}});
  for (const Supplement& row : kSupplements) packages.try_emplace(std::string(row.package));
  for (const auto& [package, origins] : packages) {
    // Packages that are written in Python import what they show themselves.
    if (machine.modules().find(package) == nullptr) continue;
    const auto function = in.function("__getattr__(name)",
                                      [package = package, known = origins](Interpreter& i, std::span<const Value> a) {
                                        return lazy_attribute(i, package, known, a[0]);
                                      });
    ops::python_module(in, package).set(in.names().dunder_getattr, Value(function));
  }
}

std::vector<std::string> torch_python_modules() {
  std::vector<std::string> names;
  for (const EmbeddedModule& module : embedded_modules()) names.emplace_back(module.name);
  return names;
}

void add_python_modules(Machine& machine) {
  add_embedded_modules(machine, Machine::FinderOrder::Torch, embedded_modules());
}

}  // namespace nns::python
