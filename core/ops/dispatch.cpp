#include "core/ops/dispatch.h"

#include <algorithm>
#include <array>

#include "core/object/copy.h"
#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/ops/history.h"
#include "core/ops/op_recorder.h"
#include "core/ops/overrides.h"
#include "core/ops/python_function.h"

namespace nns::ops {
namespace {

using object::Class;
using Args = std::span<const Value>;

// Who carries ops out, in one interpreter.
class DispatchState final : public object::Object {
 public:
  explicit DispatchState(Class& cls) : Object(cls) {}
  // torch._dispatch, once there is a class or a mode.
  Value half = Value::absent();
  // How many modes are entered, but for those that are asked now.
  std::int64_t modes = 0;
  // How often _DisableTorchDispatch was entered.
  int disabled = 0;
};

// Nobody carries an op out while it lives.
class Disabled {
 public:
  explicit Disabled(DispatchState& state) : state_(state) { ++state_.disabled; }
  ~Disabled() { --state_.disabled; }
  Disabled(const Disabled&) = delete;
  Disabled& operator=(const Disabled&) = delete;

 private:
  DispatchState& state_;
};

constexpr std::string_view kState = "_dispatch_state", kDisabled = "_disabled_torch_dispatch_impl";

// Null: an interpreter without torch.
DispatchState* find_state(Interpreter& in) {
  const Value* const found = python_module(in, "torch._C").find(in.intern(kState));
  return found == nullptr ? nullptr : static_cast<DispatchState*>(found->object());
}
DispatchState& state_of(Interpreter& in) { return *find_state(in); }
// Null: nobody carries anything out.
DispatchState* active_state(Interpreter& in) {
  DispatchState* const state = find_state(in);
  return state == nullptr || state->half.is_absent() || state->disabled > 0 ? nullptr : state;
}

// Functions that make a tensor like their first argument, and are no ops.
constexpr std::string_view kMakers[] = {"zeros_like", "ones_like",  "empty_like",   "full_like",
                                        "rand_like",  "randn_like", "randint_like", "new_zeros",
                                        "new_ones",   "new_empty",  "new_full"};
// Functions that make a tensor of nothing: modes only have a say.
constexpr std::string_view kFactories[] = {
    "empty",           "zeros",          "ones",          "full",          "rand",        "randn",
    "randint",         "randperm",       "eye",           "arange",        "linspace",    "logspace",
    "tril_indices",    "triu_indices",   "scalar_tensor", "empty_strided", "hann_window", "hamming_window",
    "blackman_window", "bartlett_window"};
// Those that draw numbers into it.
constexpr std::string_view kDrawers[] = {"normal_", "uniform_", "random_", "exponential_", "bernoulli_"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool has_dispatch(Interpreter& in, const Class& cls) {
  const Value* const found = cls.lookup(in.intern("__torch_dispatch__"));
  return found != nullptr && !found->is_none() && !found->is(*python_module(in, "torch._C").find(in.intern(kDisabled)));
}

namespace {

// Adds the class of a tensor that has it, derived ones in front of their bases.
void add_class(Interpreter& in, const Value& value, std::vector<Class*>& classes) {
  const Tensor* const tensor = value.as<Tensor>();
  if (tensor == nullptr || &tensor->type() == tensor::TensorLibrary::of(in).tensor) return;
  Class& cls = tensor->type();
  if (!has_dispatch(in, cls) || std::find(classes.begin(), classes.end(), &cls) != classes.end()) return;
  const auto base =
      std::find_if(classes.begin(), classes.end(), [&](Class* other) { return cls.is_subclass_of(*other); });
  classes.insert(base, &cls);
}

void add_classes(Interpreter& in, Args values, std::vector<Class*>& classes) {
  for (const Value& value : values) {
    add_class(in, value, classes);
    Args items;
    if (const auto* list = value.as<object::List>()) items = list->items();
    if (const auto* tuple = value.as<object::Tuple>()) items = tuple->items();
    for (const Value& item : items) add_class(in, item, classes);
  }
}

PyResult<Value> ask(Interpreter& in, const RecordedCall& call, const std::vector<Class*>& classes) {
  std::vector<Value> names, values, types;
  for (const auto& [name, value] : call.arguments) {
    names.push_back(in.text(name));
    values.push_back(value);
  }
  for (Class* const cls : classes) types.emplace_back(cls);
  // Autograd stands above: what they call is recorded by nobody.
  const GradModeGuard no_grad(in, false);
  return in.call_method(
      state_of(in).half, in.intern("carry_out"),
      std::array{in.text(call.place), in.text(call.name), Value(call.is_in_place), Value(in.tuple(std::move(names))),
                 Value(in.tuple(std::move(values))), Value(in.tuple(std::move(types)))});
}

// A method that asks where the tensor's class has a say, as op `name`, and else is what it was.
void ask_in(Class& cls, std::string_view method, std::string_view name) {
  Interpreter& in = cls.interpreter();
  const Value original = *cls.lookup(in.intern(method));
  cls.def(std::string(method) + "(self)", [original, name](Interpreter& i, Args a) -> PyResult<Value> {
    if (is_dispatched(*a[0].as<Tensor>())) return dispatch(i, name, {{"self", a[0]}});
    return i.call(original, a);
  });
}

}  // namespace

bool is_dispatched(const Tensor& tensor) {
  Interpreter& in = tensor.interpreter();
  if (!tensor::TensorLibrary::of(in).any_sparse) [[likely]]
    return false;
  const DispatchState* const state = active_state(in);
  if (state == nullptr) return false;
  return state->modes > 0 ||
         (&tensor.type() != tensor::TensorLibrary::of(in).tensor && has_dispatch(in, tensor.type()));
}

bool is_dispatched(const OpCall& call) {
  const DispatchState* const state = active_state(call.interpreter);
  if (state == nullptr) return false;
  if (state->modes > 0) return true;
  std::vector<Class*> classes;
  add_classes(call.interpreter, call.args, classes);
  return !classes.empty();
}

PyResult<void> dispatch(OpCall& call) {
  Interpreter& in = call.interpreter;
  RecordedCall told{.place = "", .name = call.op.name, .is_in_place = call.target != nullptr, .arguments = {}};
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    told.add(call.op.parameters[i].name, call.args[i], call.op.parameters[i].default_value);
  }
  std::vector<Class*> classes;
  add_classes(in, call.args, classes);
  NNS_TRY_ASSIGN(const Value result, ask(in, told, classes));
  call.outputs.clear();
  if (call.target) {
    call.outputs.push_back(call.target);
    return {};
  }
  Args items(&result, 1);
  if (const auto* list = result.as<object::List>()) items = list->items();
  if (const auto* tuple = result.as<object::Tuple>()) items = tuple->items();
  for (const Value& item : items) {
    auto* const tensor = item.as<Tensor>();
    if (tensor == nullptr) {
      return object::runtime_error(in, "Unable to cast {} to Tensor", object::type_name_of(in, item));
    }
    call.outputs.emplace_back(tensor);
  }
  return {};
}

PyResult<Value> dispatch(Interpreter& interpreter, std::string_view name,
                         std::span<const std::pair<std::string_view, Value>> arguments, std::string_view place) {
  RecordedCall told{.place = place, .name = name, .is_in_place = false, .arguments = {}};
  std::vector<Class*> classes;
  for (const auto& [parameter, value] : arguments) {
    told.arguments.emplace_back(parameter, value);
    add_class(interpreter, value, classes);
  }
  return ask(interpreter, told, classes);
}

PyResult<Value> dispatch_maker(Interpreter& interpreter, std::string_view name,
                               std::span<const object::Name> parameters, Args arguments) {
  const bool draws = is_one_of(name, kDrawers), makes = is_one_of(name, kFactories);
  if (arguments.empty() || (!draws && !makes && !is_one_of(name, kMakers))) return Value::absent();
  if (makes) {
    const DispatchState* const state = active_state(interpreter);
    if (state == nullptr || state->modes == 0) return Value::absent();
  } else {
    const Tensor* const like = arguments[0].as<Tensor>();
    if (like == nullptr || !is_dispatched(*like)) return Value::absent();
  }
  std::vector<std::pair<std::string_view, Value>> told;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_none()) told.emplace_back(parameters[i].view(), arguments[i]);
  }
  NNS_TRY_ASSIGN(Value made, dispatch(interpreter, name, told, "torch"));
  return draws ? arguments[0] : made;
}

Ref<Tensor> same_items(const Tensor& tensor) {
  Ref<Tensor> made = tensor::detach(tensor);
  if (!is_dispatched(tensor)) return made;
  made->set_type(tensor.type());
  object::Dict* const attributes = const_cast<Tensor&>(tensor).instance_dict(false);
  if (attributes != nullptr) made->instance_dict(true)->copy_from(*attributes);
  return made;
}

PyResult<void> begin_dispatching(Interpreter& interpreter, const Class& cls) {
  const DispatchState* const state = find_state(interpreter);
  if (state == nullptr || !has_dispatch(interpreter, cls) || !state->half.is_absent()) return {};
  // Where there is no Python half nobody asks.
  const Value* const load = python_module(interpreter, "torch._C").find(interpreter.intern("_load_dispatch"));
  if (load != nullptr) NNS_TRY(interpreter.call(*load, Args()));
  return {};
}

void add_dispatch(Interpreter& interpreter) {
  object::Dict& core = python_module(interpreter, "torch._C");
  Class& cls = interpreter.define_class({.name = "_DispatchState", .module = "torch._C"});
  core.set(interpreter.intern(kState), Value(object::make<DispatchState>(cls)));
  const auto add = [&](std::string_view signature, object::NativeBody body) {
    const auto function = interpreter.function(signature, std::move(body));
    core.set(interpreter.intern(function->name()), Value(function));
  };
  add("_disabled_torch_dispatch_impl(func, types, args=(), kwargs=None)",
      [](Interpreter& in, Args) -> PyResult<Value> { return in.not_implemented(); });
  // From now on ops ask: half.carry_out(place, name, is_in_place, names, values, types).
  add("_begin_dispatch(half)", [](Interpreter& in, Args a) -> PyResult<Value> {
    state_of(in).half = a[0];
    tensor::TensorLibrary::of(in).any_sparse = true;
    return Value();
  });
  add("_count_dispatch_modes(by)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::int64_t by, object::index(in, a[0]));
    state_of(in).modes += by;
    return Value(state_of(in).modes);
  });
  // A context manager in which only bodies of ours run.
  Class& disable = interpreter.define_class(
      {.name = "_DisableTorchDispatch", .module = "torch._C", .make_instance = [](Class& made) -> Ref<object::Object> {
         return object::make<object::Instance>(made);
       }});
  disable.def("__enter__(self)", [](Interpreter& in, Args) -> PyResult<Value> {
    ++state_of(in).disabled;
    return Value();
  });
  disable.def("__exit__(self, *args)", [](Interpreter& in, Args) -> PyResult<Value> {
    --state_of(in).disabled;
    return Value();
  });
  core.set(interpreter.intern(disable.name()), Value(&disable));
  Class& tensor_class = *tensor::TensorLibrary::of(interpreter).tensor;
  tensor_class.attribute("__torch_dispatch__", *core.find(interpreter.intern(kDisabled)));
  ask_in(tensor_class, "item", "_local_scalar_dense");
  for (const std::string_view method : {"__bool__", "__int__", "__float__"}) {
    const Value* const plain = tensor_class.lookup(interpreter.intern(method));
    if (plain == nullptr) continue;
    tensor_class.def(std::string(method) + "(self)",
                     [plain = *plain, method](Interpreter& in, Args a) -> PyResult<Value> {
                       if (!is_dispatched(*a[0].as<Tensor>())) return in.call(plain, a);
                       NNS_TRY_ASSIGN(const Value number, in.call_method(a[0], in.intern("item"), {}));
                       return in.call_method(number, in.intern(method), {});
                     });
  }
  const Value deepcopy = *tensor_class.lookup(interpreter.intern("__deepcopy__"));
  tensor_class.def("__deepcopy__(self, memo)", [deepcopy](Interpreter& in, Args a) -> PyResult<Value> {
    if (!is_dispatched(*a[0].as<Tensor>())) return in.call(deepcopy, a);
    const object::CopyMemo memo(in, a[1]);
    return in.call_method(state_of(in).half, in.intern("deepcopy"), {a[0], Value(Ref<object::Dict>(&memo.dict()))});
  });
  const Value repr = *tensor_class.lookup(interpreter.intern("__repr__"));
  tensor_class.def("__repr__(self, *, tensor_contents=None)", [repr](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].is_none() && !has_dispatch(in, a[0].object()->type())) {
      // Modes have no say in how a tensor looks.
      const Disabled disabled(state_of(in));
      return in.call(repr, a.first(1));
    }
    const Value* const load = python_module(in, "torch._C").find(in.intern("_load_dispatch"));
    if (load == nullptr) return in.call(repr, a.first(1));
    NNS_TRY_ASSIGN(const Value half, in.call(*load, Args()));
    return in.call_method(half, in.intern("text"), a);
  });
}

}  // namespace nns::ops
