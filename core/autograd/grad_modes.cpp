#include <fmt/format.h>

#include "core/autograd/python_api.h"
#include "core/object/operations.h"

// torch.no_grad and its siblings: contexts that also decorate functions.
// Behaviour: torch/autograd/grad_mode.py, torch/autograd/anomaly_mode.py, torch/utils/_contextlib.py.
namespace nns::autograd {
namespace {

using Args = std::span<const Value>;
using object::Class;
using object::Instance;
using ops::GradMode;

GradMode& mode_of(Interpreter& in) { return ops::OpLibrary::of(in).grad_mode; }

// A context: what the mode was before it was entered, once for each time, and what it sets.
class ModeContext final : public Instance {
 public:
  explicit ModeContext(Class& cls) : Instance(cls) {}
  std::vector<GradMode> before;
  bool flag = true;
  bool checks_nan = true;
};

ModeContext& self_of(Args a) { return static_cast<ModeContext&>(*a[0].object()); }

enum class Kind : std::uint8_t { NoGrad, EnableGrad, SetGradEnabled, Inference, Anomaly };

void set_mode(GradMode& mode, Kind kind, const ModeContext& context) {
  switch (kind) {
    case Kind::NoGrad:
      mode.is_enabled = false;
      break;
    case Kind::EnableGrad:
      mode.is_enabled = true;
      break;
    case Kind::SetGradEnabled:
      mode.is_enabled = context.flag;
      break;
    case Kind::Inference:
      mode.is_inference = context.flag;
      if (context.flag) mode.is_enabled = false;
      break;
    case Kind::Anomaly:
      mode.detects_anomalies = context.flag;
      mode.checks_nan = context.checks_nan;
      break;
  }
}

PyResult<Value> leave(Interpreter& in, Args a) {
  ModeContext& self = self_of(a);
  if (!self.before.empty()) {
    mode_of(in) = self.before.back();
    self.before.pop_back();
  }
  return Value();
}

// What `action` gives in a mode, which ends with it.
template <class Action>
PyResult<Value> in_mode(Interpreter& in, Class& cls, Kind kind, bool flag, const Action& action) {
  const GradMode outside = mode_of(in);
  const auto context = object::make<ModeContext>(cls);
  context->flag = flag;
  set_mode(mode_of(in), kind, *context);
  PyResult<Value> made = action();
  mode_of(in) = outside;
  return made;
}

// What a decorated generator function gives: each step runs in the mode, what lies between does not.
// Behaviour: torch/utils/_contextlib.py, _wrap_generator.
class DecoratedGenerator final : public Instance {
 public:
  DecoratedGenerator(Class& cls, Value generator, Kind mode, bool on)
      : Instance(cls), generator_(std::move(generator)), kind_(mode), flag_(on) {}
  PyResult<Value> step(std::string_view method, Args arguments) {
    Interpreter& in = interpreter();
    const Ref<DecoratedGenerator> alive(this);
    return in_mode(in, type(), kind_, flag_, [&]() -> PyResult<Value> {
      NNS_TRY_ASSIGN(const Value bound, object::getattr(in, generator_, in.intern(method)));
      return in.call(bound, arguments, {});
    });
  }
  void traverse(object::Visitor& visitor) const override {
    Instance::traverse(visitor);
    visitor.visit(generator_);
  }
  void clear_references() override {
    Instance::clear_references();
    generator_ = Value();
  }

 private:
  Value generator_;
  Kind kind_;
  bool flag_;
};

Class& decorated_generator_class(Interpreter& in) {
  object::Dict& module = ops::python_module(in, "torch.utils._contextlib");
  const object::Name name = in.intern("generator");
  if (const Value* found = module.find(name)) return *found->as<Class>();
  Class& cls = add_python_class(in, "torch.utils._contextlib", "generator");
  const auto step = [&cls](std::string_view signature, std::string_view method) {
    cls.def(signature, [method](Interpreter&, Args a) {
      std::vector<Value> rest(a.begin() + 1, a.end());
      while (!rest.empty() && rest.back().is_absent()) rest.pop_back();
      return static_cast<DecoratedGenerator&>(*a[0].object()).step(method, rest);
    });
  };
  cls.def("__iter__(self)", [](Interpreter&, Args a) -> PyResult<Value> { return a[0]; });
  step("__next__(self)", "__next__");
  step("send(self, value)", "send");
  step("close(self)", "close");
  cls.def("throw(self, *args)", [](Interpreter&, Args a) {
    return static_cast<DecoratedGenerator&>(*a[0].object()).step("throw", a[1].as<object::Tuple>()->items());
  });
  return cls;
}

bool is_generator_function(Interpreter& in, const Value& function) {
  constexpr std::int64_t kIsGenerator = 0x20;  // inspect.CO_GENERATOR
  const PyResult<Value> code = object::getattr_or_absent(in, function, in.intern("__code__"));
  if (!code.ok() || code.value().is_absent()) return false;
  const PyResult<Value> flags = object::getattr_or_absent(in, code.value(), in.intern("co_flags"));
  return flags.ok() && flags.value().is_int() && (flags.value().as_int() & kIsGenerator) != 0;
}

// The decorated function: each call runs in a context of its own.
class Decorated final : public Instance {
 public:
  Decorated(Class& cls, Value function, Kind mode, bool on)
      : Instance(cls), callee(std::move(function)), kind(mode), flag(on) {}
  PyResult<Value> call(const object::Arguments& arguments) override {
    Interpreter& in = interpreter();
    const Ref<Decorated> alive(this);
    PyResult<Value> made =
        in_mode(in, type(), kind, flag, [&] { return in.call(callee, arguments.positional, arguments.keywords); });
    if (made.ok() && is_generator) {
      return Value(object::make<DecoratedGenerator>(decorated_generator_class(in), *made, kind, flag));
    }
    return made;
  }
  object::DescriptorKind descriptor_kind() const override { return object::DescriptorKind::Method; }
  PyResult<Value> bind(const Value& self, Class&) override {
    if (self.is_absent()) return Value(this);
    return Value(object::make<object::BoundMethod>(interpreter(), self, Value(this)));
  }
  void traverse(object::Visitor& visitor) const override {
    Instance::traverse(visitor);
    visitor.visit(callee);
  }
  void clear_references() override {
    Instance::clear_references();
    callee = Value();
  }
  Value callee;
  Kind kind;
  bool flag;
  bool is_generator = is_generator_function(interpreter(), callee);
};

constexpr std::string_view kWrappedNames[] = {"__name__",        "__qualname__", "__doc__",        "__module__",
                                              "__annotations__", "__defaults__", "__kwdefaults__", "__code__",
                                              "__globals__",     "__closure__",  "__type_params__"};

// What is set on the decorated function hides what the function in it says.
template <std::size_t i>
PyResult<Value> wrapped_name(Interpreter& in, const Value& self) {
  auto& made = static_cast<Decorated&>(*self.object());
  if (const Value* own = made.dict().find(kWrappedNames[i])) return *own;
  return object::getattr(in, made.callee, in.intern(kWrappedNames[i]));
}
template <std::size_t i>
PyResult<void> set_wrapped_name(Interpreter& in, const Value& self, const Value& value) {
  static_cast<Decorated&>(*self.object()).dict().set(in.intern(kWrappedNames[i]), value);
  return {};
}
template <std::size_t... i>
void add_wrapped_names(Class& cls, std::index_sequence<i...>) {
  (cls.property(kWrappedNames[i], wrapped_name<i>, set_wrapped_name<i>), ...);
}

// functools.wraps: what is asked of it, the function answers.
Class& decorated_class(Interpreter& in) {
  object::Dict& module = ops::python_module(in, "torch.utils._contextlib");
  const object::Name name = in.intern("function");
  if (const Value* found = module.find(name)) return *found->as<Class>();
  Class& cls = add_python_class(in, "torch.utils._contextlib", "function");
  cls.property("__wrapped__", [](Interpreter&, const Value& self) -> PyResult<Value> {
    return static_cast<Decorated&>(*self.object()).callee;
  });
  // The class whose instance it runs in, and its mode.
  cls.property("_context", [](Interpreter& interpreter, const Value& self) -> PyResult<Value> {
    constexpr const char* kNames[] = {"no_grad", "enable_grad", "set_grad_enabled", "inference_mode",
                                      "set_detect_anomaly"};
    const auto& made = static_cast<Decorated&>(*self.object());
    return interpreter.tuple({interpreter.text(kNames[static_cast<std::size_t>(made.kind)]), Value(made.flag)});
  });
  add_wrapped_names(cls, std::make_index_sequence<std::size(kWrappedNames)>());
  // isinstance(decorated, types.FunctionType), as of the function that torch puts around.
  cls.property("__class__", [](Interpreter& interpreter, const Value&) -> PyResult<Value> {
    return Value(static_cast<object::Object*>(interpreter.builtins().function));
  });
  cls.def("__repr__(self)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Value qualified, object::getattr(interpreter, a[0], interpreter.names().dunder_qualname));
    NNS_TRY_ASSIGN(const std::string shown, object::str(interpreter, qualified));
    return interpreter.text(fmt::format("<function {} at {:#x}>", shown, interpreter.id_of(*a[0].object())));
  });
  cls.def("__getattr__(self, name)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    const auto* const wanted = a[1].as<object::Str>();
    object::Dict* const own = static_cast<Decorated&>(*a[0].object()).callee.object()->instance_dict(false);
    if (const Value* found = own == nullptr || wanted == nullptr ? nullptr : own->find(wanted->view())) return *found;
    return object::attribute_error(interpreter, "'function' object has no attribute '{}'",
                                   wanted == nullptr ? std::string_view() : wanted->view());
  });
  cls.def("__call__(self, *args, **kwargs)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    const std::vector<object::Keyword> keywords = object::keywords_of(interpreter, *a[2].as<object::Dict>());
    return a[0].object()->call({a[1].as<object::Tuple>()->items(), keywords});
  });
  return cls;
}

// The function around `wanted`; a class gets one around its __init__.
// Behaviour: torch/utils/_contextlib.py, context_decorator.
PyResult<Value> decorate(Interpreter& in, const Value& wanted, Kind kind, bool flag) {
  if (wanted.as<Class>() == nullptr) return Value(object::make<Decorated>(decorated_class(in), wanted, kind, flag));
  in.warn(
      object::ErrorKind::FutureWarning,
      "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions "
      "or methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` "
      "method and nothing else.");
  const object::Name init = in.intern("__init__");
  NNS_TRY_ASSIGN(const Value body, object::getattr(in, wanted, init));
  NNS_TRY(object::setattr(in, wanted, init, Value(object::make<Decorated>(decorated_class(in), body, kind, flag))));
  return wanted;
}

template <Kind kind>
Class& add_context(Interpreter& in, std::string_view module, std::string_view name) {
  const object::Name key = in.intern(name);
  Class& cls =
      in.define_class({.name = key.view(), .module = module, .make_instance = [](Class& made) -> Ref<object::Object> {
                         return object::make<ModeContext>(made);
                       }});
  ops::python_module(in, module).set(key, Value(static_cast<object::Object*>(&cls)));
  cls.def("__enter__(self)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    ModeContext& self = self_of(a);
    self.before.push_back(mode_of(interpreter));
    set_mode(mode_of(interpreter), kind, self);
    return Value();
  });
  cls.def("__exit__(self, exc_type, exc_value, traceback)", leave);
  cls.def("__call__(self, orig_func)", [](Interpreter& interpreter, Args a) -> PyResult<Value> {
    return decorate(interpreter, a[1], kind, self_of(a).flag);
  });
  return cls;
}

PyResult<Value> no_arguments(Interpreter&, Args) { return Value(); }

// torch.no_grad without parentheses decorates, too.
template <Kind kind>
void decorate_without_parentheses(Class& cls) {
  cls.def_static("__new__(cls, orig_func=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (a[1].is_none()) return Value(object::make<ModeContext>(*a[0].as<Class>()));
    return decorate(in, a[1], kind, true);
  });
  cls.def("__init__(self, orig_func=None)", no_arguments);
}

}  // namespace

void add_grad_modes(Interpreter& interpreter) {
  decorate_without_parentheses<Kind::NoGrad>(add_context<Kind::NoGrad>(interpreter, "torch", "no_grad"));
  decorate_without_parentheses<Kind::EnableGrad>(add_context<Kind::EnableGrad>(interpreter, "torch", "enable_grad"));
  Class& inference = add_context<Kind::Inference>(interpreter, "torch", "inference_mode");
  inference.def_static("__new__(cls, mode=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    // Without parentheses it decorates.
    if (!a[1].is_bool() && !a[1].is_int()) return decorate(in, a[1], Kind::Inference, true);
    return Value(object::make<ModeContext>(*a[0].as<Class>()));
  });
  inference.def("__init__(self, mode=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(self_of(a).flag, object::truth(in, a[1]));
    return Value();
  });
  // It acts when it is made; entering it does so again, leaving it undoes what making it did.
  Class& set_enabled = add_context<Kind::SetGradEnabled>(interpreter, "torch", "set_grad_enabled");
  set_enabled.def("__init__(self, mode)", [](Interpreter& in, Args a) -> PyResult<Value> {
    ModeContext& self = self_of(a);
    NNS_TRY_ASSIGN(self.flag, object::truth(in, a[1]));
    self.before.push_back(mode_of(in));
    mode_of(in).is_enabled = self.flag;
    return Value();
  });
  set_enabled.def("__enter__(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    mode_of(in).is_enabled = self_of(a).flag;
    return Value();
  });
  // What was before it was made is known for as long as it lives.
  set_enabled.def("__exit__(self, exc_type, exc_value, traceback)", [](Interpreter& in, Args a) -> PyResult<Value> {
    if (const ModeContext& self = self_of(a); !self.before.empty()) mode_of(in) = self.before.back();
    return Value();
  });
  for (Class* cls : {&inference, &set_enabled}) {
    cls->property("mode", [](Interpreter&, const Value& self) -> PyResult<Value> {
      return Value(static_cast<ModeContext&>(*self.object()).flag);
    });
  }
  // A decorator undoes what making it did.
  set_enabled.def("__call__(self, orig_func)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY(leave(in, a));
    return Value(object::make<Decorated>(decorated_class(in), a[1], Kind::SetGradEnabled, self_of(a).flag));
  });
  Class& anomaly = add_context<Kind::Anomaly>(interpreter, "torch.autograd", "set_detect_anomaly");
  anomaly.def("__init__(self, mode, check_nan=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    ModeContext& self = self_of(a);
    NNS_TRY_ASSIGN(self.flag, object::truth(in, a[1]));
    NNS_TRY_ASSIGN(self.checks_nan, object::truth(in, a[2]));
    self.before.push_back(mode_of(in));
    set_mode(mode_of(in), Kind::Anomaly, self);
    return Value();
  });
  anomaly.def("__enter__(self)", no_arguments);
  Class& detect = add_context<Kind::Anomaly>(interpreter, "torch.autograd", "detect_anomaly");
  detect.def("__init__(self, check_nan=True)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(self_of(a).checks_nan, object::truth(in, a[1]));
    in.warn(object::ErrorKind::UserWarning,
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.");
    return Value();
  });
  object::Dict& torch = ops::python_module(interpreter, "torch");
  object::Dict& autograd = ops::python_module(interpreter, "torch.autograd");
  for (const char* name : {"no_grad", "enable_grad", "inference_mode", "set_grad_enabled"}) {
    const object::Name key = interpreter.intern(name);
    autograd.set(key, Value(*torch.find(key)));
  }
  add_python_function(interpreter, "torch", "is_grad_enabled()",
                      [](Interpreter& in, Args) -> PyResult<Value> { return Value(mode_of(in).is_enabled); });
  add_python_function(interpreter, "torch", "is_inference_mode_enabled()",
                      [](Interpreter& in, Args) -> PyResult<Value> { return Value(mode_of(in).is_inference); });
  add_python_function(interpreter, "torch", "is_anomaly_enabled()",
                      [](Interpreter& in, Args) -> PyResult<Value> { return Value(mode_of(in).detects_anomalies); });
}

}  // namespace nns::autograd
