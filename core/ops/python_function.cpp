#include "core/ops/python_function.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/object/operations.h"
#include "core/ops/dispatch.h"
#include "core/ops/op_recorder.h"
#include "core/ops/python_modules.h"
#include "core/tensor/uninitialized.h"

namespace nns::ops {
namespace {

struct SplitSignature {
  std::string_view name;
  std::string_view parameters;
};
SplitSignature split(std::string_view signature) {
  const std::size_t open = signature.find('(');
  return {signature.substr(0, open), signature.substr(open + 1, signature.rfind(')') - open - 1)};
}

}  // namespace

PythonFunction::PythonFunction(Interpreter& interpreter, std::string_view name, Form form)
    : Container(*interpreter.builtins().builtin_function), name_(name), form_(form) {}

void PythonFunction::add(std::string_view parameters, OverloadBody body, bool is_hidden) {
  Interpreter& in = interpreter();
  std::vector<PythonParameter> read = python_parameters(in, read_parameters(in, parameters));
  add({PythonSignature(in, name_, std::move(read), is_method(), is_hidden), std::move(body)});
}

PyResult<Value> PythonFunction::call(const object::Arguments& arguments) {
  Interpreter& in = interpreter();
  if (is_method() && (arguments.positional.empty() || arguments.positional[0].as<Tensor>() == nullptr)) {
    if (arguments.positional.empty()) {
      return object::type_error(in, "unbound method TensorBase.{}() needs an argument", name_);
    }
    return object::type_error(in, "descriptor '{}' for 'torch._C.TensorBase' objects doesn't apply to a '{}' object",
                              name_, python_type_name(in, arguments.positional[0]));
  }
  if (is_overriding(in)) [[unlikely]] {
    NNS_TRY_ASSIGN(Value answer, overridden(in, Value(this), shown_name(), arguments));
    if (!answer.is_absent()) return answer;
  }
  NNS_TRY_ASSIGN(Value of_sparse, tensor::sparse_answer(in, name_, arguments));
  if (!of_sparse.is_absent()) [[unlikely]]
    return of_sparse;
  BoundArguments bound;
  for (const Overload& overload : overloads_) {
    const PyResult<bool> fits = overload.signature.match(in, arguments, bound);
    if (!fits.ok()) {
      NNS_TRY_ASSIGN(Value answer, overridden(in, Value(this), shown_name(), arguments));
      if (!answer.is_absent()) return answer;
      return fits.error();
    }
    if (!fits.value()) continue;
    for (const Value& argument : bound) {
      const Tensor* const tensor = argument.as<Tensor>();
      if (tensor == nullptr || !tensor->is_uninitialized()) continue;
      // The methods of such a tensor that may be called are its own; of others these take one.
      if (is_method() && (&argument == bound.data() || name_ == "copy_" || name_ == "to")) continue;
      return tensor::no_values_yet(
          *tensor, is_method() ? fmt::format("<method '{}' of 'torch._C.TensorBase' objects>", name_)
                               : fmt::format("<built-in method {} of type object at {}>", name_, fmt::ptr(this)));
    }
    OpLibrary& library = OpLibrary::of(in);
    if (library.observer != nullptr) [[unlikely]] {
      if (OpRecorder* const recorder = OpRecorder::of(in); recorder != nullptr && recorder->takes(place_, name_)) {
        RecordedCall step{.place = place_, .name = name_, .is_in_place = false, .arguments = {}};
        const auto parameters = overload.signature.parameters();
        for (std::size_t i = 0; i < bound.size(); ++i) {
          step.add(parameters[i].name.view(), bound[i],
                   parameters[i].is_optional ? parameters[i].default_value : Value::absent());
        }
        return record_call(in, *recorder, step, [&] { return overload.body(in, bound); });
      }
    }
    if (tensor::TensorLibrary::of(in).any_sparse) [[unlikely]] {
      std::vector<object::Name> names;
      for (const PythonParameter& one : overload.signature.parameters()) names.push_back(one.name);
      NNS_TRY_ASSIGN(Value made, dispatch_maker(in, name_, names, bound));
      if (!made.is_absent()) return made;
    }
    Autocast& autocast = library.autocast;
    if (autocast.is_active()) [[unlikely]] {
      if (const Autocast::Casting casting = autocast.casting_of(name_, bound)) {
        NNS_TRY_ASSIGN(const std::vector<Value> cast, autocast.cast(in, casting, nullptr, bound));
        const Autocast::Suspended suspended(autocast);
        return overload.body(in, cast);
      }
    }
    return overload.body(in, bound);
  }
  NNS_TRY_ASSIGN(Value answer, overridden(in, Value(this), shown_name(), arguments));
  if (!answer.is_absent()) return answer;
  return no_overload(arguments);
}

std::string PythonFunction::shown_name() const { return is_method() ? "Tensor." + name_ : name_; }

object::PyError PythonFunction::no_overload(const object::Arguments& arguments) const {
  Interpreter& in = interpreter();
  if (overloads_.size() == 1) return overloads_[0].signature.mismatch(in, arguments);
  object::Arguments given = arguments;
  if (is_method()) given.positional = given.positional.subspan(1);
  const std::size_t count = given.positional.size() + given.keywords.size();
  std::vector<const Overload*> plausible;
  std::vector<std::string> options;
  for (const Overload& overload : overloads_) {
    if (overload.signature.is_hidden()) continue;
    if (overload.signature.takes_count(count)) plausible.push_back(&overload);
    options.push_back(overload.signature.text());
  }
  if (plausible.size() == 1) return plausible[0]->signature.mismatch(in, arguments);
  return invalid_combination(in, name_, given, options);
}

PyResult<Value> PythonFunction::bind(const Value& self, object::Class&) {
  if (self.is_absent()) return Value(this);
  return Value(object::make<object::BoundMethod>(interpreter(), self, Value(this)));
}

void PythonFunction::traverse(object::Visitor& visitor) const {
  for (const Overload& overload : overloads_) {
    for (const PythonParameter& parameter : overload.signature.parameters()) visitor.visit(parameter.default_value);
  }
}

void PythonFunction::clear_references() { overloads_.clear(); }

object::Dict& python_module(Interpreter& interpreter, std::string_view name) {
  PythonModules& known = PythonModules::of(interpreter);
  for (const auto& [text, attributes] : known.modules) {
    if (text == name) return *attributes;
  }
  known.modules.emplace_back(name, interpreter.dict());
  return *known.modules.back().second;
}

std::vector<std::string> python_module_names(Interpreter& interpreter) {
  std::vector<std::string> names;
  for (const auto& [name, attributes] : PythonModules::of(interpreter).modules) names.push_back(name);
  return names;
}

void add_function(Interpreter& interpreter, std::string_view module, std::string_view signature, OverloadBody body) {
  const auto [name, parameters] = split(signature);
  object::Dict& attributes = python_module(interpreter, module);
  const object::Name key = interpreter.intern(name);
  const Value* found = attributes.find(key);
  auto* function = found == nullptr ? nullptr : found->as<PythonFunction>();
  if (function == nullptr) {
    auto made = object::make<PythonFunction>(interpreter, name, PythonFunction::Form::Function);
    made->set_place(module);
    function = made.get();
    attributes.set(key, Value(std::move(made)));
  }
  function->add(parameters, std::move(body));
}

void add_method(Interpreter& interpreter, std::string_view signature, OverloadBody body) {
  const auto [name, parameters] = split(signature);
  object::Class& cls = *tensor::TensorLibrary::of(interpreter).tensor;
  const object::Name key = interpreter.intern(name);
  const Value* found = cls.attributes_for_reading().find(key);
  auto* function = found == nullptr ? nullptr : found->as<PythonFunction>();
  if (function == nullptr) {
    auto made = object::make<PythonFunction>(interpreter, name, PythonFunction::Form::Method);
    function = made.get();
    cls.set_attribute(key, Value(std::move(made)));
  }
  function->add(parameters, std::move(body));
}

void add_python_bindings(Interpreter& interpreter) {
  if (std::exchange(PythonModules::of(interpreter).is_filled, true)) return;
  add_all_bindings(interpreter);
}

}  // namespace nns::ops
