// torch._C._record_ops: the ops of a program as it calls them, for torch.export.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/object/operations.h"
#include "core/ops/op_recorder.h"
#include "core/ops/python_function.h"
#include "core/python/torch/parts.h"

namespace nns::python {
namespace {

using ops::OpLibrary;
using Args = std::span<const Value>;

/// Tells a function of Python of each step, while it lives.
class StepRecorder final : public ops::OpRecorder {
 public:
  StepRecorder(Interpreter& in, Value callback, std::set<std::string, std::less<>> taken)
      : in_(in),
        callback_(std::move(callback)),
        taken_(std::move(taken)),
        library_(OpLibrary::of(in)),
        device_before_(library_.autocast.meta_device_type) {
    before_ = std::exchange(library_.observer, this);
    // Tensors without items stand for those of the program.
    if (library_.autocast.meta_device_type.empty()) library_.autocast.meta_device_type = "cpu";
  }
  ~StepRecorder() override {
    library_.observer = before_;
    library_.autocast.meta_device_type = device_before_;
  }
  StepRecorder(const StepRecorder&) = delete;
  StepRecorder& operator=(const StepRecorder&) = delete;

  // Ops are written without the module: "add"; functions with it: "torch.linalg.inv".
  bool takes(std::string_view place, std::string_view name) const override {
    if (place.empty() || place == "torch") return taken_.contains(name);
    return taken_.contains(std::string(place) + "." + std::string(name));
  }

  PyResult<void> record(const ops::RecordedCall& call, const Value& result) override {
    std::vector<Value> names, values;
    for (const auto& [name, value] : call.arguments) {
      names.push_back(in_.text(name));
      values.push_back(value);
    }
    const std::array given{in_.text(call.place),
                           in_.text(call.name),
                           Value(call.is_in_place),
                           Value(in_.tuple(std::move(names))),
                           Value(in_.tuple(std::move(values))),
                           result};
    NNS_TRY_ASSIGN([[maybe_unused]] const Value nothing, in_.call(callback_, given));
    return {};
  }
  // Every op that runs is part of a call that record() was told of.
  void ran(const ops::OpCall&) override {}

 private:
  Interpreter& in_;
  Value callback_;
  std::set<std::string, std::less<>> taken_;
  OpLibrary& library_;
  std::string_view device_before_;
  ops::OpObserver* before_ = nullptr;
};

// (name, overload, parameters, whether others make it up) of each row of ops.def.
Value op_rows(Interpreter& in) {
  std::vector<Value> rows;
  for (const ops::OpInfo& info : OpLibrary::of(in).all()) {
    std::vector<Value> parameters;
    for (const ops::OpParameter& one : info.parameters) parameters.push_back(in.text(one.name));
    rows.emplace_back(in.tuple({in.text(info.name), in.text(info.overload), Value(in.tuple(std::move(parameters))),
                                Value(info.bodies.composite != nullptr)}));
  }
  return Value(in.list(std::move(rows)));
}

// The rows of ops.def of one name as a function, those too that no module shows. None: there are none.
Value op_function(Interpreter& in, std::string_view name) {
  auto made = object::make<ops::PythonFunction>(in, name, ops::PythonFunction::Form::Function);
  for (const ops::OpInfo& info : OpLibrary::of(in).all()) {
    if (info.name != name) continue;
    made->add({ops::PythonSignature(in, name, ops::python_parameters(in, info.parameters), false),
               [id = info.id](Interpreter& inner, Args a) { return ops::call_op(inner, id, a); }});
  }
  return made->overloads().empty() ? Value() : Value(std::move(made));
}

}  // namespace

void fill_op_recording(Interpreter& interpreter) {
  const auto recorders = std::make_shared<std::vector<std::unique_ptr<StepRecorder>>>();
  constexpr std::string_view kPlace = "torch._C";
  // callback(place, name, is_in_place, names, values, result) is called behind each step; `taken` names what is one. Of
  // several the innermost is called.
  add_module_function(interpreter, kPlace, "_record_ops(callback, taken)",
                      [recorders](Interpreter& in, Args a) -> PyResult<Value> {
                        NNS_TRY_ASSIGN(const std::vector<Value> names, object::to_vector(in, a[1]));
                        std::set<std::string, std::less<>> taken;
                        for (const Value& name : names) {
                          NNS_TRY_ASSIGN(std::string text, object::str(in, name));
                          taken.insert(std::move(text));
                        }
                        recorders->push_back(std::make_unique<StepRecorder>(in, a[0], std::move(taken)));
                        return Value();
                      });
  add_module_function(interpreter, kPlace, "_record_ops_end()", [recorders](Interpreter& in, Args) -> PyResult<Value> {
    if (recorders->empty()) return object::runtime_error(in, "no ops are recorded");
    recorders->pop_back();
    return Value();
  });
  add_module_function(interpreter, kPlace, "_op_function(name)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string name, object::str(in, a[0]));
    return op_function(in, name);
  });
  // (name, is_keyword_only, is_optional) of each parameter of the first overload; None: it is no function of torch._C.
  add_module_function(interpreter, kPlace, "_parameters_of(function)", [](Interpreter& in, Args a) -> PyResult<Value> {
    const auto* const function = a[0].is_object() ? dynamic_cast<ops::PythonFunction*>(a[0].object()) : nullptr;
    if (function == nullptr || function->overloads().empty()) return Value();
    std::vector<Value> rows;
    for (const ops::PythonParameter& one : function->overloads()[0].signature.parameters()) {
      rows.emplace_back(in.tuple({one.name.value(), Value(one.is_keyword_only), Value(one.is_optional)}));
    }
    return Value(in.list(std::move(rows)));
  });
  add_module_function(interpreter, kPlace, "_op_rows()",
                      [](Interpreter& in, Args) -> PyResult<Value> { return op_rows(in); });
}

}  // namespace nns::python
