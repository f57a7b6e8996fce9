#include "core/ops/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/object/instance.h"
#include "core/object/operations.h"
#include "core/ops/dispatch.h"
#include "core/ops/op.h"
#include "core/ops/python_function.h"
#include "core/ops/python_modules.h"

namespace nns::ops {
namespace {

using object::Class;
using object::NativeFunction;
using Args = std::span<const Value>;

// Operators that are other names of methods: those are what overrides see.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"__add__", "add"},       {"__radd__", "add"},        {"__iadd__", "add_"},     {"__sub__", "sub"},
    {"__isub__", "sub_"},     {"__mul__", "mul"},         {"__rmul__", "mul"},      {"__imul__", "mul_"},
    {"__truediv__", "div"},   {"__div__", "div"},         {"__itruediv__", "div_"}, {"__idiv__", "div_"},
    {"__mod__", "remainder"}, {"__imod__", "remainder_"}, {"__pow__", "pow"},       {"__ipow__", "pow_"},
    {"__matmul__", "matmul"}, {"__eq__", "eq"},           {"__ne__", "ne"},         {"__lt__", "lt"},
    {"__le__", "le"},         {"__gt__", "gt"},           {"__ge__", "ge"},         {"__neg__", "neg"},
    {"__abs__", "abs"},       {"__pos__", "positive"},
};

// Methods of two operands with such names that are no operators.
constexpr std::string_view kNoOperators[] = {"__getitem__",  "__contains__", "__deepcopy__",
                                             "__setstate__", "__format__",   "__array__"};

// Methods that never ask. Behaviour: torch/overrides.py, get_ignored_functions.
constexpr std::string_view kNeverAsk[] = {"__new__",
                                          "__init__",
                                          "__torch_function__",
                                          "__torch_dispatch__",
                                          "__dir__",
                                          "__getattribute__",
                                          "__setattr__",
                                          "__delattr__",
                                          "__class__",
                                          "__hash__",
                                          "__iter__",
                                          "as_subclass",
                                          "_make_subclass",
                                          "_make_wrapper_subclass",
                                          "__subclasshook__",
                                          "__init_subclass__",
                                          "__dict__",
                                          "__weakref__",
                                          "__reduce_ex__",
                                          "_call_distributed",
                                          "_norm_distributed"};

bool never_asks(std::string_view name) {
  return std::find(std::begin(kNeverAsk), std::end(kNeverAsk), name) != std::end(kNeverAsk);
}

// While it lives nobody is asked of what `place` counts.
class Disabled {
 public:
  explicit Disabled(int& place) : place_(place) { ++place_; }
  ~Disabled() { --place_; }
  Disabled(const Disabled&) = delete;
  Disabled& operator=(const Disabled&) = delete;

 private:
  int& place_;
};

const Value& disabled_implementation(Interpreter& in) {
  return *python_module(in, "torch._C").find(in.intern("_disabled_torch_function_impl"));
}

// Whether objects of the class answer for functions.
bool answers(Interpreter& in, const Class& cls) {
  if (&cls == tensor::TensorLibrary::of(in).tensor) return false;
  const Value* const found = cls.lookup(in.names().dunder_torch_function);
  if (found == nullptr || found->is(disabled_implementation(in))) return false;
  // Who carries out ops answers for no functions, unless it says so.
  // Behaviour: torch/csrc/autograd/python_variable.cpp, THPVariableMetaType_init.
  const Value* const plain = tensor::TensorLibrary::of(in).tensor->lookup(in.names().dunder_torch_function);
  return plain == nullptr || !found->is(*plain) || !has_dispatch(in, cls);
}

// Adds the class of a value that answers, derived classes in front of their bases.
void add_class(Interpreter& in, const Value& value, std::vector<Class*>& classes) {
  if (!value.is_object() || value.as<Class>() != nullptr) return;
  Class& cls = value.object()->type();
  if (const Tensor* const tensor = value.as<Tensor>(); tensor != nullptr && tensor->is_uninitialized()) return;
  if (!answers(in, cls) || std::find(classes.begin(), classes.end(), &cls) != classes.end()) return;
  const auto base =
      std::find_if(classes.begin(), classes.end(), [&](Class* other) { return cls.is_subclass_of(*other); });
  classes.insert(base, &cls);
}

std::vector<Class*> classes_of(Interpreter& in, const object::Arguments& arguments) {
  std::vector<Class*> classes;
  const auto look_at = [&](const Value& value) {
    add_class(in, value, classes);
    Args items;
    if (const auto* list = value.as<object::List>()) items = list->items();
    if (const auto* tuple = value.as<object::Tuple>()) items = tuple->items();
    for (const Value& item : items) add_class(in, item, classes);
  };
  for (const Value& value : arguments.positional) look_at(value);
  for (const object::Keyword& keyword : arguments.keywords) look_at(keyword.value);
  return classes;
}

// A method of Tensor, with what its class shows of it, that asks before it does what `original` does.
Value asking_method(Interpreter& in, const NativeFunction& original, const Value& function, std::string_view shown) {
  const std::string owner(original.qualified_name().substr(0, original.qualified_name().rfind('.')));
  // What is called is told as it stands in the class: the function that is made here, which lives as long as its body.
  const auto self = std::make_shared<object::Object*>(nullptr);
  const bool is_operator =
      original.name().starts_with("__") && original.signature().parameters().size() == 2 &&
      std::find(std::begin(kNoOperators), std::end(kNoOperators), original.name()) == std::end(kNoOperators);
  const auto body = [self, function, is_operator, name = std::string(original.qualified_name()),
                     other = std::string(shown)](Interpreter& i, Args a) -> PyResult<Value> {
    std::vector<Value> positional{a[0]};
    const auto rest = a[1].as<object::Tuple>()->items();
    positional.insert(positional.end(), rest.begin(), rest.end());
    const std::vector<object::Keyword> keywords = keywords_of(i, a[2]);
    if (is_overriding(i)) {
      Value called(*self);
      if (!other.empty()) {
        const Value* const method = tensor::TensorLibrary::of(i).tensor->lookup(i.intern(other));
        if (method != nullptr) called = *method;
      }
      PyResult<Value> answered = overridden(i, called, name, {positional, keywords});
      // Behaviour: TypeError_to_NotImplemented_: the other operand is asked then.
      if (!answered.ok() && is_operator && answered.error().is(object::ErrorKind::TypeError))
        return i.not_implemented();
      NNS_TRY_ASSIGN(Value answer, std::move(answered));
      if (!answer.is_absent()) return answer;
    }
    return i.call(function, positional, keywords);
  };
  const Ref<NativeFunction> made =
      NativeFunction::make(in, fmt::format("{}(self, /, *args, **kwargs)", original.name()), body, owner);
  *self = made.get();
  return Value(made);
}

// x.shape and its like: what a property's __get__ or __set__ gives, as a function that overrides see.
PyResult<Value> ask_for_property(Interpreter& in, const Value& property, std::string_view action, Args arguments) {
  NNS_TRY_ASSIGN(const Value function, object::getattr(in, property, in.intern(action)));
  return overridden(in, function, fmt::format("Tensor.{}", action), {arguments, {}});
}

Value asking_property(Interpreter& in, const Value& original) {
  const auto property = std::make_shared<object::Object*>(nullptr);
  const auto& descriptor = static_cast<const object::GetSet&>(*original.object());
  const auto get = [original, property](Interpreter& i, Args a) -> PyResult<Value> {
    if (is_overriding(i)) {
      NNS_TRY_ASSIGN(Value answer, ask_for_property(i, Value(*property), "__get__", a));
      if (!answer.is_absent()) return answer;
    }
    return static_cast<const object::GetSet&>(*original.object()).getter()(i, a[0]);
  };
  const auto set = [original, property](Interpreter& i, Args a) -> PyResult<Value> {
    if (is_overriding(i)) {
      NNS_TRY_ASSIGN(const Value answer, ask_for_property(i, Value(*property), "__set__", a));
      if (!answer.is_absent()) return Value();
    }
    NNS_TRY(static_cast<const object::GetSet&>(*original.object()).setter()(i, a[0], a[1]));
    return Value();
  };
  const auto erase = [original](Interpreter& i, Args a) -> PyResult<Value> {
    NNS_TRY(static_cast<const object::GetSet&>(*original.object()).setter()(i, a[0], Value::absent()));
    return Value();
  };
  const bool is_written = descriptor.setter() != nullptr;
  const std::string name(descriptor.name());
  const Ref<object::Property> made =
      object::make<object::Property>(in, Value(in.function(name + "(self)", get)),
                                     is_written ? Value(in.function(name + "(self, value)", set)) : Value(),
                                     is_written ? Value(in.function(name + "(self)", erase)) : Value());
  *property = made.get();
  return Value(made);
}

// torch.Tensor's functions whose results keep their class. Behaviour: torch/overrides.py, get_default_nowrap_functions.
bool keeps_result(Interpreter& in, const Value& function) {
  const auto* const method = function.as<object::BoundMethod>();
  if (method == nullptr) return false;
  const Class& cls = *tensor::TensorLibrary::of(in).tensor;
  constexpr std::string_view kKeeping[] = {"grad", "_base", "_grad"};
  return std::any_of(std::begin(kKeeping), std::end(kKeeping), [&](std::string_view name) {
    const Value* const property = cls.lookup(in.intern(name));
    return property != nullptr && method->self().is(*property);
  });
}

// Behaviour: torch/_tensor.py, _convert.
PyResult<Value> as_class(Interpreter& in, const Value& result, Class& cls) {
  if (Tensor* const tensor = result.as<Tensor>()) {
    if (tensor->type().is_subclass_of(cls)) return result;
    // One that nobody else has needs no view of it, unless a node of autograd tells of that.
    if (tensor->reference_count() == 1 && !tensor->requires_grad() && tensor->is_leaf() &&
        &tensor->type() == tensor::TensorLibrary::of(in).tensor) {
      become(*tensor, cls);
      return result;
    }
    NNS_TRY_ASSIGN(const Value view, call_op(in, OpId::alias, {result}));
    become(*view.as<Tensor>(), cls);
    return view;
  }
  Args items;
  if (const auto* list = result.as<object::List>()) items = list->items();
  if (const auto* tuple = result.as<object::Tuple>()) items = tuple->items();
  std::vector<Value> made;
  bool is_changed = false;
  for (const Value& item : items) {
    NNS_TRY_ASSIGN(Value one, as_class(in, item, cls));
    is_changed = is_changed || !one.is(item) || item.as<Tensor>() != nullptr;
    made.push_back(std::move(one));
  }
  if (!is_changed) return result;
  Class& kind = in.type_of(result);
  return result.as<object::List>() != nullptr ? Value(object::make_list(kind, std::move(made)))
                                              : Value(object::make_tuple(kind, std::move(made)));
}

PyResult<Value> call_disabled(Interpreter& in, const Value& function, const Value& args, const Value& kwargs) {
  const Disabled disabled(overrides_of(in).classes_disabled);
  NNS_TRY_ASSIGN(const std::vector<Value> positional, object::to_vector(in, args));
  return in.call(function, positional, keywords_of(in, kwargs));
}

// Behaviour: torch/_tensor.py, Tensor.__torch_function__.
PyResult<Value> of_tensor(Interpreter& in, Args a) {
  Class& cls = *a[0].as<Class>();
  NNS_TRY_ASSIGN(const std::vector<Value> types, object::to_vector(in, a[2]));
  for (const Value& one : types) {
    const auto* const type = one.as<Class>();
    if (type == nullptr || !cls.is_subclass_of(*type)) return in.not_implemented();
  }
  NNS_TRY_ASSIGN(const Value result, call_disabled(in, a[1], a[3], a[4]));
  if (keeps_result(in, a[1]) || &cls == tensor::TensorLibrary::of(in).tensor) return result;
  return as_class(in, result, cls);
}

// The class that is to be a tensor's. Errors: TypeError, RuntimeError.
PyResult<Class*> tensor_class(Interpreter& in, const Value& value) {
  auto* const cls = value.as<Class>();
  if (cls == nullptr) return object::type_error(in, "cls must be a type (got {})", in.type_of(value).name());
  if (!cls->is_subclass_of(*tensor::TensorLibrary::of(in).tensor)) {
    return object::runtime_error(in,
                                 "Creating a Tensor subclass from a class that does not inherit from Tensor is not "
                                 "possible. Make sure your class inherits from Tensor.");
  }
  return cls;
}

// A context manager in which no class is asked; with `both` no mode either.
void add_switch(Interpreter& in, std::string_view name, bool both) {
  Class& cls =
      in.define_class({.name = name, .module = "torch._C", .make_instance = [](Class& made) -> Ref<object::Object> {
                         return object::make<object::Instance>(made);
                       }});
  const auto count = [both](Interpreter& i, int by) {
    overrides_of(i).classes_disabled += by;
    if (both) overrides_of(i).modes_disabled += by;
  };
  cls.def("__enter__(self)", [count](Interpreter& i, Args) -> PyResult<Value> {
    count(i, 1);
    return Value();
  });
  cls.def("__exit__(self, *args)", [count](Interpreter& i, Args) -> PyResult<Value> {
    count(i, -1);
    return Value();
  });
  python_module(in, "torch._C").set(in.intern(name), Value(static_cast<object::Object*>(&cls)));
}

}  // namespace

Overrides& overrides_of(Interpreter& interpreter) { return PythonModules::of(interpreter).overrides; }

bool is_overriding(Interpreter& interpreter) { return overrides_of(interpreter).is_active(); }

// Behaviour: handle_torch_function_no_python_arg_parser.
PyResult<Value> overridden(Interpreter& in, const Value& function, std::string_view name,
                           const object::Arguments& arguments) {
  Overrides& state = overrides_of(in);
  std::vector<Class*> classes;
  // torch.tensor copies what it is given, whatever that is.
  if (state.classes_disabled == 0 && name != "tensor") classes = classes_of(in, arguments);
  const bool has_mode = !state.modes.empty() && state.modes_disabled == 0;
  if (classes.empty() && !has_mode) return Value::absent();
  std::vector<Value> types;
  for (Class* cls : classes) types.emplace_back(cls);
  std::vector<Value> told{function, Value(in.tuple(std::move(types))),
                          Value(in.tuple({arguments.positional.begin(), arguments.positional.end()}))};
  if (!arguments.keywords.empty()) {
    const Ref<object::Dict> keywords = in.dict();
    for (const object::Keyword& one : arguments.keywords) keywords->set(one.name, one.value);
    told.emplace_back(keywords);
  }
  std::string shown;
  if (has_mode) {
    // A mode is not asked about what it does itself.
    const Value mode = state.modes.back();
    state.modes.pop_back();
    PyResult<Value> answer = in.call_method(mode, in.names().dunder_torch_function, told);
    state.modes.push_back(mode);
    if (!answer.ok() || !answer->is(in.not_implemented())) return answer;
    shown = fmt::format("<class '{}'>", in.type_of(mode).full_name());
  }
  for (Class* cls : classes) {
    NNS_TRY_ASSIGN(Value answer, in.call_method(Value(cls), in.names().dunder_torch_function, told));
    if (!answer.is(in.not_implemented())) return answer;
    shown += fmt::format("{}<class '{}'>", shown.empty() ? "" : ", ", cls->full_name());
  }
  return object::type_error(
      in, "no implementation found for 'torch.{}' on types that implement __torch_function__: [{}]", name, shown);
}

void ask_before_methods(Class& cls, std::string_view name) {
  Interpreter& in = cls.interpreter();
  std::vector<std::pair<object::Name, Value>> replaced;
  object::Dict& attributes = cls.attributes_for_reading();
  for (std::size_t at = 0; object::Dict::Entry* entry = attributes.next(at);) {
    auto* const key = entry->key.as<object::Str>();
    if (key == nullptr || !entry->value.is_object() || never_asks(key->view())) continue;
    if (!name.empty() && key->view() != name) continue;
    if (const auto* const function = entry->value.as<NativeFunction>()) {
      const auto* const other = std::find_if(std::begin(kOtherNames), std::end(kOtherNames),
                                             [&](const auto& pair) { return pair.first == key->view(); });
      replaced.emplace_back(in.intern(*key),
                            asking_method(in, *function, entry->value,
                                          other == std::end(kOtherNames) ? std::string_view() : other->second));
    } else if (&entry->value.object()->type() == in.builtins().getset) {
      replaced.emplace_back(in.intern(*key), asking_property(in, entry->value));
    }
  }
  for (const auto& [key, value] : replaced) cls.set_attribute(key, value);
}

void begin_overriding(Interpreter& interpreter) {
  Overrides& state = overrides_of(interpreter);
  if (std::exchange(state.has_begun, true)) return;
  ask_before_methods(*tensor::TensorLibrary::of(interpreter).tensor, {});
  for (const auto& begin : state.when_begun) begin(interpreter);
}

void become(Tensor& tensor, Class& cls) {
  Interpreter& in = cls.interpreter();
  if (answers(in, cls)) begin_overriding(in);
  tensor.set_type(cls);
}

void add_overrides(Interpreter& interpreter) {
  object::Dict& core = python_module(interpreter, "torch._C");
  const auto add = [&](std::string_view signature, object::NativeBody body) {
    const auto function = interpreter.function(signature, std::move(body));
    core.set(interpreter.intern(function->name()), Value(function));
  };
  add("_disabled_torch_function_impl(func, types, args=(), kwargs=None)",
      [](Interpreter& in, Args a) { return call_disabled(in, a[0], a[2], a[3]); });
  add("_push_on_torch_function_stack(mode)", [](Interpreter& in, Args a) -> PyResult<Value> {
    begin_overriding(in);
    overrides_of(in).modes.push_back(a[0]);
    return Value();
  });
  add("_pop_torch_function_stack()", [](Interpreter& in, Args) -> PyResult<Value> {
    std::vector<Value>& modes = overrides_of(in).modes;
    if (modes.empty()) return object::runtime_error(in, "Trying to pop from empty mode stack");
    Value mode = std::move(modes.back());
    modes.pop_back();
    return mode;
  });
  add("_len_torch_function_stack()", [](Interpreter& in, Args) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(overrides_of(in).modes.size()));
  });
  add("_get_function_stack_at(level)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const std::vector<Value>& modes = overrides_of(in).modes;
    NNS_TRY_ASSIGN(const std::int64_t level, object::index(in, a[0]));
    if (level < 0 || level >= static_cast<std::int64_t>(modes.size())) {
      return object::error<object::ErrorKind::IndexError>(in, "there is no mode at level {}", level);
    }
    return modes[static_cast<std::size_t>(level)];
  });
  add("_is_torch_function_enabled()",
      [](Interpreter& in, Args) -> PyResult<Value> { return Value(overrides_of(in).classes_disabled == 0); });
  add_switch(interpreter, "DisableTorchFunctionSubclass", false);
  add_switch(interpreter, "DisableTorchFunction", true);

  const tensor::TensorLibrary& library = tensor::TensorLibrary::of(interpreter);
  Class& cls = *library.tensor;
  cls.def_class("__torch_function__(cls, func, types, args=(), kwargs=None)", of_tensor);
  const Value& disabled = disabled_implementation(interpreter);
  for (Class* own : {library.parameter, library.buffer}) own->attribute("__torch_function__", disabled);
  cls.def("as_subclass(self, cls)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(Class* const wanted, tensor_class(in, a[1]));
    NNS_TRY(begin_dispatching(in, *wanted));
    NNS_TRY_ASSIGN(Value view, call_op(in, OpId::alias, {a[0]}));
    become(*view.as<Tensor>(), *wanted);
    return view;
  });
  cls.def_static(
      "_make_subclass(cls, data, require_grad=False, **kwargs)", [](Interpreter& in, Args a) -> PyResult<Value> {
        NNS_TRY_ASSIGN(Class* const wanted, tensor_class(in, a[0]));
        const auto* const data = a[1].as<Tensor>();
        if (data == nullptr) {
          return object::type_error(in, "_make_subclass(): argument 'data' (position 2) must be Tensor, not {}",
                                    in.type_of(a[1]).name());
        }
        NNS_TRY_ASSIGN(const bool requires_grad, object::truth(in, a[2]));
        NNS_TRY(begin_dispatching(in, *wanted));
        const Ref<Tensor> made = tensor::detach(*data);
        NNS_TRY(made->set_requires_grad(requires_grad));
        become(*made, *wanted);
        return Value(made);
      });
}

}  // namespace nns::ops
