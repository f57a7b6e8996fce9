// What the translator asks of the interpreter's torch: which functions it knows, fakes, the library's Python.
#include "core/dynamo/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/dynamo/hints.h"
#include "core/dynamo/mode_context.h"
#include "core/nn/inner_functions.h"
#include "core/nn/library.h"
#include "core/nn/module.h"
#include "core/object/operations.h"
#include "core/object/operators.h"
#include "core/ops/op.h"
#include "core/ops/python_function.h"

namespace nns::dynamo {

using tensor::Tensor;

namespace {

using Args = std::span<const Value>;

// Those of torch that are written in torch/functional.py.
constexpr std::string_view kInFunctional[] = {
    "atleast_1d",        "atleast_2d", "atleast_3d", "align_tensors", "broadcast_shapes", "broadcast_tensors",
    "cartesian_prod",    "block_diag", "cdist",      "chain_matmul",  "einsum",           "lu",
    "meshgrid",          "norm",       "split",      "stft",          "tensordot",        "unique",
    "unique_consecutive"};

constexpr std::string_view kMakers[] = {"torch.rand",   "torch.randn",    "torch.randint",  "torch.randperm",
                                        "torch.zeros",  "torch.ones",     "torch.empty",    "torch.full",
                                        "torch.arange", "torch.linspace", "torch.logspace", "torch.eye"};

Value shape_value(Interpreter& in, const tensor::Dims& dims) {
  std::vector<Value> items;
  for (const std::int64_t one : dims.span()) items.emplace_back(one);
  return in.tuple(std::move(items));
}

}  // namespace

Engine& Engine::of(Machine& machine) {
  if (machine.compiler == nullptr) machine.compiler = std::make_shared<Engine>(machine);
  return static_cast<Engine&>(*machine.compiler);
}

Engine::Engine(Machine& machine) : machine_(machine), in_(machine.interpreter()), log_(machine) {}
Engine::~Engine() { machine_.frame_compiler = nullptr; }

void Engine::add_targets() {
  if (!functions_.empty()) return;
  const auto add = [&](const Value& value, std::string target, std::string name) {
    if (!value.is_object() || value.as<Class>() != nullptr || value.as<python::ModuleObject>() != nullptr) return;
    if (python::as_function(value) != nullptr) return;
    const bool is_callable = value.as<object::NativeFunction>() != nullptr ||
                             dynamic_cast<ops::PythonFunction*>(value.object()) != nullptr ||
                             in_.type_of(value).lookup(in_.intern("__call__")) != nullptr;
    if (!is_callable) return;
    kept_.push_back(value);
    functions_.try_emplace(value.object(), TorchFunction{std::move(target), std::move(name)});
  };
  const auto functional = [&](std::string_view name) {
    const std::string_view inner = nn::inner_path(name);
    return inner.empty() ? fmt::format("torch.nn.functional.{}", name) : std::string(inner);
  };
  for (const std::string_view module : {"torch._dynamo", "torch.compiler", "torch", "torch.nn.functional",
                                        "torch.linalg", "torch.fft", "torch.special", "torch._C"}) {
    Dict& names = ops::python_module(in_, module);
    std::size_t at = 0;
    std::vector<std::pair<std::string, Value>> all;
    while (Dict::Entry* entry = names.next(at)) {
      if (const auto* name = entry->key.as<object::Str>()) all.emplace_back(std::string(name->view()), entry->value);
    }
    for (const auto& [name, value] : all) {
      if (name.starts_with("__") || name == "compile" || name == "save" || name == "load") continue;
      if (module == "torch.nn.functional") {
        const std::string target = functional(name);
        add(value, target, target.substr(target.rfind('.') + 1));
      } else if (module == "torch" &&
                 std::find(std::begin(kInFunctional), std::end(kInFunctional), name) != std::end(kInFunctional)) {
        add(value, "torch.functional." + name, name);
      } else if (module == "torch.linalg" || module == "torch.fft") {
        // torch.linalg.inv is torch._C._linalg.linalg_inv.
        const std::string_view part = module.substr(module.find('.') + 1);
        add(value, fmt::format("torch._C._{0}.{0}_{1}", part, name), fmt::format("{}_{}", part, name));
      } else {
        add(value, fmt::format("{}.{}", module, name), name);
      }
    }
  }
}

const Engine::TorchFunction* Engine::torch_function(const Value& value) const {
  const auto found = value.is_object() ? functions_.find(value.object()) : functions_.end();
  return found == functions_.end() ? nullptr : &found->second;
}

bool Engine::is_torch_callable(const Value& value) const {
  return torch_function(value) != nullptr || value.as<object::NativeFunction>() != nullptr ||
         (value.is_object() && dynamic_cast<const ops::PythonFunction*>(value.object()) != nullptr);
}

bool Engine::is_compiled_module(const Value& value) const { return in_.type_of(value).name() == "OptimizedModule"; }

bool Engine::is_disabled_module(const Value& value) const {
  if (!value.is_object() || !is_compiled_module(value)) return false;
  const Value* const settings = value.object()->instance_dict(true)->find(in_.intern("_settings"));
  return settings != nullptr && settings->is_none();
}

bool Engine::has_global_backward_hooks() const {
  auto& library = nn::NnLibrary::of(in_);
  const auto filled = [&](nn::GlobalHooks which) { return !library.hooks(which).empty(); };
  return filled(nn::GlobalHooks::Backward) || filled(nn::GlobalHooks::BackwardPre);
}

bool Engine::has_global_hooks() const {
  auto& library = nn::NnLibrary::of(in_);
  const auto filled = [&](nn::GlobalHooks which) { return !library.hooks(which).empty(); };
  return has_global_backward_hooks() || filled(nn::GlobalHooks::Forward) || filled(nn::GlobalHooks::ForwardPre);
}

void Engine::mark_unspecialized(const Value& module, bool marks_class) {
  tagged_.insert(in_.id_of(*module.object()));
  if (marks_class) dynamic_classes_.insert(in_.id_of(in_.type_of(module)));
}

void Engine::note_module(std::array<std::string, 5> row) {
  if (module_rows_.insert(row).second) report_.modules.push_back(std::move(row));
}

Ref<Tensor> Engine::fake_of(Tensor& given, const tensor::Dims& shape, const tensor::Dims& strides) const {
  const ops::GradModeGuard no_grad(in_, true);
  Ref<Tensor> base = tensor::empty(in_, shape, given.dtype(), tensor::Device::Meta);
  Ref<Tensor> fake = tensor::as_strided(*base, shape, strides, 0);
  if (given.is_parameter()) fake->set_type(const_cast<Class&>(given.type()));
  if (!given.requires_grad()) return fake;
  static_cast<void>(fake->set_requires_grad(true));
  if (given.is_leaf()) return fake;
  // What follows from others may be written to.
  const ops::GradModeGuard with_grad(in_, true);
  const PyResult<Value> followed = in_.call_method(Value(base), in_.intern("requires_grad_"));
  const PyResult<Value> whole = followed.ok() ? in_.call_method(followed.value(), in_.intern("clone")) : followed;
  const PyResult<Value> strided = whole.ok() ? in_.call_method(whole.value(), in_.intern("as_strided"),
                                                               {shape_value(in_, shape), shape_value(in_, strides)})
                                             : whole;
  return strided.ok() ? Ref<Tensor>(strided.value().as<Tensor>()) : fake;
}

// What makes tensors of a size makes none of its contents, however large the size is that stands for others.
PyResult<Value> Engine::run_fake(const Value& function, Args args, std::span<const object::Keyword> keywords) const {
  const TorchFunction* const torch = torch_function(function);
  if (torch == nullptr || std::find(std::begin(kMakers), std::end(kMakers), torch->target) == std::end(kMakers))
    return in_.call(function, args, keywords);
  std::vector<object::Keyword> named;
  for (const object::Keyword& one : keywords) {
    if (one.name.view() != "device") named.push_back(one);
  }
  const Value nowhere = tensor::TensorLibrary::of(in_).device_value(tensor::Device::Meta);
  named.push_back({in_.intern("device"), nowhere});
  return in_.call(function, args, named);
}

PyResult<Value> Engine::run_fake_method(const Value& self, Name name, Args args,
                                        std::span<const object::Keyword> keywords) const {
  const auto* fake = self.as<Tensor>();
  if (name.view() == "to" && fake != nullptr && fake->is_meta()) {
    // What has no contents stays where it is.
    const auto& library = tensor::TensorLibrary::of(in_);
    const Value here = library.device_value(tensor::Device::Meta);
    const auto moved = [&](const Value& value) {
      const bool is_place =
          value.as<object::Str>() != nullptr || (value.is_object() && &in_.type_of(value) == library.device);
      return is_place ? here : value;
    };
    std::vector<Value> positional;
    std::vector<object::Keyword> named(keywords.begin(), keywords.end());
    for (const Value& value : args) positional.push_back(moved(value));
    for (object::Keyword& one : named) one.value = moved(one.value);
    return in_.call_method(self, name, positional, named);
  }
  return in_.call_method(self, name, args, keywords);
}

// A module on tensors without contents: its parameters and buffers are exchanged for fakes meanwhile.
PyResult<Value> Engine::run_fake_module(const Value& module, Args args,
                                        std::span<const object::Keyword> keywords) const {
  auto* one = module.as<nn::Module>();
  NNS_TRY_ASSIGN(const std::vector<nn::NamedModule> modules, one->named_modules());
  std::vector<std::pair<Value*, Value>> before;
  for (const nn::NamedModule& part : modules) {
    for (const char* registry : {"_parameters", "_buffers"}) {
      const Value* held = part.module->dict().find(in_.intern(registry));
      auto* dict = held == nullptr ? nullptr : held->as<Dict>();
      for (std::size_t at = 0; dict != nullptr;) {
        Dict::Entry* entry = dict->next(at);
        if (entry == nullptr) break;
        auto* tensor = entry->value.as<Tensor>();
        if (tensor == nullptr) continue;
        before.emplace_back(&entry->value, entry->value);
        entry->value = Value(fake_of(*tensor, tensor->shape(), tensor->strides()));
      }
    }
  }
  FrameCompiler* const compiler = std::exchange(machine_.frame_compiler, nullptr);
  PyResult<Value> result = one->call_forward({args, keywords});
  machine_.frame_compiler = compiler;
  for (auto& [place, value] : before) *place = value;
  return result;
}

void Engine::allow_in_graph(const Value& function) {
  add_targets();
  if (!function.is_object()) return;
  if (const auto known = disallowed_.find(function.object()); known != disallowed_.end()) {
    functions_.insert(*known);
    disallowed_.erase(known);
    return;
  }
  const std::string name = name_of(function);
  kept_.push_back(function);
  functions_[function.object()] = {"__main__." + name, name};
}

Value Engine::builtin(std::string_view name) const {
  const Value* found = machine_.builtins().find(name);
  return found == nullptr ? Value() : *found;
}

Value Engine::operator_function(const std::string& name) {
  if (const auto known = operators_.find(name); known != operators_.end()) return known->second;
  Value made;
  if (name.starts_with("torch.")) {
    const std::size_t dot = name.rfind('.');
    const Value* found = ops::python_module(in_, name.substr(0, dot)).find(in_.intern(name.substr(dot + 1)));
    if (found != nullptr) made = *found;
    operators_[name] = made;
    return made;
  }
  struct Row {
    std::string_view name;
    object::BinaryOperator op;
  };
  using Op = object::BinaryOperator;
  constexpr Row kBinary[] = {{"add", Op::Add},       {"sub", Op::Sub},         {"mul", Op::Mul},
                             {"matmul", Op::MatMul}, {"truediv", Op::TrueDiv}, {"floordiv", Op::FloorDiv},
                             {"mod", Op::Mod},       {"pow", Op::Pow},         {"lshift", Op::LShift},
                             {"rshift", Op::RShift}, {"and_", Op::And},        {"or_", Op::Or},
                             {"xor", Op::Xor},       {"eq", Op::Eq},           {"ne", Op::Ne},
                             {"lt", Op::Lt},         {"le", Op::Le},           {"gt", Op::Gt},
                             {"ge", Op::Ge}};
  for (const Row& row : kBinary) {
    const Op op = row.op;
    const std::string plain(row.name.ends_with('_') ? row.name.substr(0, row.name.size() - 1) : row.name);
    if (name == row.name) {
      made = Value(in_.function(name + "(a, b, /)",
                                [op](Interpreter& in, Args a) { return object::binary(in, op, a[0], a[1]); }));
    } else if (name == "i" + plain) {
      made = Value(in_.function(name + "(a, b, /)",
                                [op](Interpreter& in, Args a) { return object::in_place(in, op, a[0], a[1]); }));
    }
  }
  if (name == "neg" || name == "pos" || name == "invert") {
    const auto op = name == "neg"   ? object::UnaryOperator::Neg
                    : name == "pos" ? object::UnaryOperator::Pos
                                    : object::UnaryOperator::Invert;
    made = Value(in_.function(name + "(a, /)", [op](Interpreter& in, Args a) { return object::unary(in, op, a[0]); }));
  } else if (name == "getitem") {
    made = Value(
        in_.function("getitem(a, b, /)", [](Interpreter& in, Args a) { return object::getitem(in, a[0], a[1]); }));
  } else if (name == "sym_size") {
    made = Value(in_.function("sym_size(self, dim, /)", [](Interpreter&, Args a) -> PyResult<Value> {
      const auto* tensor = a[0].as<Tensor>();
      return tensor == nullptr ? Value() : Value(tensor->shape()[static_cast<std::size_t>(a[1].as_int())]);
    }));
  } else if (name == "_assert_scalar") {
    made = Value(in_.function("_assert_scalar(self, assert_msg, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY_ASSIGN(const bool is_true, object::truth(in, a[0]));
      if (is_true) return Value();
      return object::runtime_error(in, "{}", a[1].as<object::Str>()->view());
    }));
  } else if (name == "setitem") {
    made = Value(in_.function("setitem(a, b, c, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY(object::setitem(in, a[0], a[1], a[2]));
      return Value();
    }));
  } else if (name == "set_inplace_requires_grad_allowed") {
    made = Value(in_.function(name + "(allowed, /)", [](Interpreter&, Args) -> PyResult<Value> { return Value(); }));
  } else if (name == "_get_data_attr" || name == "_version") {
    const Name attribute = in_.intern(name == "_version" ? "_version" : "data");
    made = Value(in_.function(name + "(x, /)",
                              [attribute](Interpreter& in, Args a) { return object::getattr(in, a[0], attribute); }));
  } else if (name == "set_") {
    // With what follows it: the version stays as it was.
    made = Value(in_.function("set_(self, source, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
      NNS_TRY(object::setattr(in, a[0], in.intern("data"), a[1]));
      return a[0];
    }));
  } else if (name == "_lower_version_count_by_1") {
    made = Value(in_.function(name + "(x, /)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; }));
  } else if (name == "not_") {
    made = Value(in_.function("not_(a, /)", [](Interpreter& in, Args a) -> PyResult<Value> {
      if (const auto* tensor = a[0].as<Tensor>(); tensor != nullptr && tensor->is_meta())
        return Value(Ref<Tensor>(const_cast<Tensor*>(tensor)));
      NNS_TRY_ASSIGN(const bool is_true, object::truth(in, a[0]));
      return Value(!is_true);
    }));
  }
  operators_[name] = made;
  return made;
}

void Engine::read_stacks(const Value& graph, std::map<std::string, ModuleStack, std::less<>>& stacks) const {
  const auto part = [&](const Value& object, std::string_view name) {
    PyResult<Value> found = object::getattr(in_, object, in_.intern(name));
    return found.ok() ? std::move(found).value() : Value();
  };
  const PyResult<std::vector<Value>> nodes = object::to_vector(in_, part(graph, "nodes"));
  if (!nodes.ok()) return;
  for (const Value& node : nodes.value()) {
    const Value name = part(node, "name"), meta = part(node, "meta");
    auto* known = meta.as<Dict>();
    const Value* around = known == nullptr ? nullptr : known->find(std::string_view("nn_module_stack"));
    auto* entries = around == nullptr ? nullptr : around->as<Dict>();
    if (entries == nullptr || name.as<object::Str>() == nullptr) continue;
    ModuleStack stack;
    for (const Value& key : entries->keys()) {
      const Value entry = *entries->find(key);
      const auto* pair = entry.as<object::Tuple>();
      if (pair == nullptr || pair->size() != 2 || key.as<object::Str>() == nullptr) continue;
      const auto* path = (*pair)[0].as<object::Str>();
      const auto* cls = (*pair)[1].as<Class>();
      const auto* cls_text = (*pair)[1].as<object::Str>();
      StackEntry inner{.key = std::string(key.as<object::Str>()->view()),
                       .name = path == nullptr ? std::string() : std::string(path->view()),
                       .class_name = std::string(cls != nullptr        ? cls->name()
                                                 : cls_text != nullptr ? cls_text->view()
                                                                       : std::string_view())};
      stack = std::make_shared<const StackLink>(StackLink{std::move(inner), std::move(stack)});
    }
    stacks.emplace(std::string(name.as<object::Str>()->view()), std::move(stack));
  }
}

Value Engine::set_grad_function() { return library_value("torch._C", "_set_grad_enabled"); }

bool Engine::has_dynamic_shape(std::string_view target) const {
  const std::string_view name = target.substr(target.rfind('.') == std::string_view::npos ? 0 : target.rfind('.') + 1);
  return name == "nonzero" || name == "masked_select" || name == "unique" || name == "unique_consecutive" ||
         name == "argwhere";
}

std::string Engine::name_of(const Value& function) const {
  if (const TorchFunction* torch = torch_function(function)) return torch->name;
  if (const auto* native = function.as<object::NativeFunction>()) return std::string(native->name());
  if (const auto* cls = function.as<Class>()) return std::string(cls->name());
  const PyResult<Value> name =
      function.is_object() ? object::getattr(in_, function, in_.intern("__name__")) : PyResult<Value>(Value());
  if (name.ok()) {
    if (const auto* text = name.value().as<object::Str>()) return std::string(text->view());
  }
  return std::string(in_.type_of(function).name());
}

std::string Engine::module_of(const Value& function) const {
  const PyResult<Value> found =
      function.is_object() ? object::getattr(in_, function, in_.intern("__module__")) : PyResult<Value>(Value());
  const auto* text = found.ok() ? found.value().as<object::Str>() : nullptr;
  std::string_view module = text == nullptr ? std::string_view() : text->view();
  // What the Python of a module takes from one of its own in C++.
  if (module.starts_with('_')) module.remove_prefix(1);
  return std::string(module);
}

Value Engine::library_method(std::string_view cls, std::string_view name) {
  if (library_.is_none()) {
    PyResult<Value> module = machine_.import_module("torch._dynamo._library", 0, nullptr);
    if (!module.ok()) return Value::absent();
    library_ = module.value();
  }
  Dict* names = library_.object()->instance_dict(false);
  const Value* holder = names->find(in_.intern(cls));
  const auto* found_class = holder == nullptr ? nullptr : holder->as<Class>();
  if (found_class == nullptr) return Value::absent();
  const Value* found = const_cast<Class*>(found_class)->attributes_for_reading().find(in_.intern(name));
  return found == nullptr || python::as_function(*found) == nullptr ? Value::absent() : *found;
}

bool Engine::is_library_code(const Code& code) const {
  return std::string_view(code.tree->source().name()).starts_with("<torch._dynamo._library");
}
bool Engine::is_library_function(const Function& function) const { return is_library_code(function.code()); }

Value Engine::disabled_reason(Function& function) const {
  Dict* own = function.instance_dict(false);
  const Value* marked = own == nullptr ? nullptr : own->find(in_.intern("_torchdynamo_disable"));
  if (marked == nullptr || !marked->is_bool() || !marked->as_bool()) return Value::absent();
  const Value* reason = own->find(in_.intern("_torchdynamo_disable_msg"));
  return reason == nullptr ? Value() : *reason;
}

bool Engine::is_skipped_function(const Function& function) const {
  const std::string_view file = function.code().tree->source().name();
  if (!file.starts_with("<")) return false;
  // Of the library only what is known to be traceable is followed.
  constexpr std::string_view kFollowed[] = {"<functools>",
                                            "<itertools>",
                                            "<contextlib>",
                                            "<operator>",
                                            "<dataclasses>",
                                            "<collections>",
                                            "<collections._deque>",
                                            "<reprlib>",
                                            "<enum>",
                                            "<typing>",
                                            "<abc>",
                                            "<types>",
                                            "<string>",
                                            "<stdin>",
                                            "<torch.amp.autocast_mode>",
                                            "<torch.autograd.profiler>",
                                            "<torch.nn._more>",
                                            "<torch.nn._init_names>",
                                            "<torch.nn.modules.utils>",
                                            "<torch.utils._pytree>",
                                            "<torch.utils._pytree_nodes>",
                                            "<torch.fx._pytree>",
                                            "<torch._checks>",
                                            "<torch.nn.utils.convert_parameters>",
                                            "<torch.random>"};
  return !file.starts_with("<torch._dynamo._library") && !file.starts_with("<eval_with_key>") &&
         !file.starts_with("<torch.distributions") && !file.starts_with("<packaging") &&
         std::find(std::begin(kFollowed), std::end(kFollowed), file) == std::end(kFollowed);
}

bool Engine::is_named_tuple_maker(const Function& function) const {
  return function.qualified_name() == "namedtuple" && function.code().tree->source().name() == "<collections>";
}

bool Engine::is_random_function(const Value& method) const {
  if (method.as<object::BoundMethod>() == nullptr) return false;
  const Value* module = machine_.modules().find(std::string_view("random"));
  Dict* names = module == nullptr || !module->is_object() ? nullptr : module->object()->instance_dict(false);
  if (names == nullptr) return false;
  constexpr std::string_view kNames[] = {"random", "randint", "randrange", "uniform"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
    const Value* found = names->find(name);
    return found != nullptr && found->is(method);
  });
}

PyResult<Value> Engine::example_of(const RandomCall& call) {
  const Value generator = call.function.as<object::BoundMethod>()->self();
  NNS_TRY_ASSIGN(const Value state, in_.call_method(generator, in_.intern("getstate")));
  PyResult<Value> drawn = in_.call(call.function, call.positional, call.keywords);
  NNS_TRY(in_.call_method(generator, in_.intern("setstate"), {state}));
  return drawn;
}

Value Engine::wrapped_function(Function& function) const {
  Dict* own = function.instance_dict(false);
  const Value* inner = own == nullptr ? nullptr : own->find(in_.intern("_torchdynamo_orig_callable"));
  return inner == nullptr || disabled_reason(function).is_absent() == false ? Value::absent() : *inner;
}

Value Engine::cached_function(Function& function) const {
  if (function.code().tree->source().name() != "<functools>") return Value::absent();
  Dict* own = function.instance_dict(false);
  const Value* inner = own == nullptr ? nullptr : own->find(in_.intern("__wrapped__"));
  return inner == nullptr || !own->contains(in_.text("cache_info")) ? Value::absent() : *inner;
}

Value Engine::wrapped_object(const Value& object) const {
  Dict* own = object.is_object() ? object.object()->instance_dict(false) : nullptr;
  const Value* inner = own == nullptr ? nullptr : own->find(in_.intern("_torchdynamo_orig_callable"));
  return inner == nullptr ? Value::absent() : *inner;
}

bool Engine::makes_real_modules(const Class& cls) const {
  for (const Class* one : cls.mro()) {
    if (one->module().ends_with(".container")) return false;
  }
  return true;
}

bool Engine::is_graph_module(const Class& cls) const {
  return std::any_of(cls.mro().begin(), cls.mro().end(), [](const Class* one) {
    return one->name() == "GraphModule" && one->module() == "torch.fx.graph_module";
  });
}

bool Engine::is_opaque_module(const Class& cls) const { return cls.module().starts_with("torch.nn.modules."); }

std::string Engine::branch_origin(const Variable& condition) const {
  const Node& node = *condition.node;
  if (node.op == Node::Op::Placeholder || node.frame().empty()) return {};
  // Only what a comparison tells at once.
  std::string text = "\n\n  The branch condition involves a tensor computed as follows:";
  const auto line = [&](const Node& one) {
    std::string args;
    for (const Argument& argument : one.args) {
      if (!args.empty()) args += ", ";
      args += argument.node != nullptr ? argument.node->name : repr_of(in_, argument.constant);
    }
    return fmt::format("\n    # File \"{}\", line {}, in {}, code: {}\n    {} = {}({})", one.file(), one.line,
                       one.frame(), one.code(), one.name,
                       one.target.starts_with("operator.") ? one.target.substr(9) : one.target, args);
  };
  const bool is_compare = node.target.starts_with("operator.") && node.args.size() == 2;
  if (!is_compare) return {};
  for (const Argument& argument : node.args) {
    if (argument.node != nullptr && argument.node->op == Node::Op::Placeholder) {
      const Node& input = *argument.node;
      text += fmt::format("\n    # File \"{}\", line {}, in {}, code: {}\n    {}: graph input ({})\n", input.file(),
                          input.line, input.frame(), input.code(), input.name, input.target);
    }
  }
  return text + line(node);
}

std::uint64_t Engine::step_limit() const {
  const std::uint64_t used = machine_.steps();
  const std::uint64_t left = machine_.limits.steps > used ? machine_.limits.steps - used : 0;
  return std::min<std::uint64_t>(left, 50'000'000);
}

Value Engine::context_class(const Value& exit) const {
  const auto* method = exit.as<object::BoundMethod>();
  if (method == nullptr || !method->self().is_object()) return Value::absent();
  Class& cls = method->self().object()->type();
  return is_mode_context(cls) ? Value(static_cast<object::Object*>(&cls)) : Value::absent();
}

Value Engine::autocast_function(std::string_view name) { return library_value("torch.amp.autocast_mode", name); }

std::vector<Value> Engine::autocast_values(const Value& context) const {
  Dict& own = *context.object()->instance_dict(true);
  if (const Value* const given = own.find(in_.intern(kAutocastValues))) {
    const auto items = given->as<object::Tuple>()->items();
    return {items.begin(), items.end()};
  }
  std::vector<Value> values;
  for (const char* name : {"device", "fast_dtype", "_enabled", "_cache_enabled"}) {
    const Value* const found = own.find(in_.intern(name));
    values.push_back(found == nullptr ? Value() : *found);
  }
  return values;
}

std::string Engine::modes_of(std::span<const Value> stack) const {
  std::string text;
  for (const Value& exit : stack) {
    const Value cls = context_class(exit);
    if (cls.is_absent()) continue;
    if (!is_autocast(*cls.as<Class>())) {
      text += context_mode(exit) ? '1' : '0';
      continue;
    }
    for (const Value& one : autocast_values(exit.as<object::BoundMethod>()->self())) text += repr_of(in_, one) + ' ';
  }
  return text;
}

bool Engine::context_mode(const Value& exit) const {
  const Value held = context_class(exit);
  const Class& cls = *held.as<Class>();
  if (!has_mode_argument(cls)) return cls.name() == "enable_grad";
  const PyResult<Value> mode = object::getattr(in_, exit.as<object::BoundMethod>()->self(), in_.intern("mode"));
  return mode.ok() && mode.value().is_bool() && mode.value().as_bool();
}

}  // namespace nns::dynamo
