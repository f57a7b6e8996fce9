#include "core/ops/op_recorder.h"

#include <utility>

namespace nns::ops {
namespace {

bool is_same_plain(const Value& a, const Value& b) {
  if (a.is_none() || b.is_none()) return a.is_none() && b.is_none();
  if (a.is_bool() || b.is_bool()) return a.is_bool() && b.is_bool() && a.as_bool() == b.as_bool();
  if (Number::is_number(a) && Number::is_number(b) && Number::is_real(a) && Number::is_real(b)) {
    return a.is_int() == b.is_int() && Number::of(a).as_double() == Number::of(b).as_double();
  }
  const auto* left = a.as<object::Str>();
  const auto* right = b.as<object::Str>();
  return left != nullptr && right != nullptr && left->view() == right->view();
}

}  // namespace

void RecordedCall::add(std::string_view parameter, const Value& value, const Value& default_value) {
  if (value.is_absent()) return;
  if (!default_value.is_absent() && is_same_plain(value, default_value)) return;
  arguments.emplace_back(parameter, value);
}

OpRecorder* OpRecorder::of(Interpreter& interpreter) {
  OpObserver* const observer = OpLibrary::of(interpreter).observer;
  return observer == nullptr ? nullptr : dynamic_cast<OpRecorder*>(observer);
}

PyResult<Value> record_call(Interpreter& interpreter, OpRecorder& recorder, const RecordedCall& call,
                            const std::function<PyResult<Value>()>& body) {
  // Neither what the call is made of nor what the recorder itself computes is a step.
  OpObserver*& observer = OpLibrary::of(interpreter).observer;
  OpObserver* const watching = std::exchange(observer, nullptr);
  PyResult<Value> made = body();
  PyResult<void> told;
  if (made.ok()) told = recorder.record(call, *made);
  observer = watching;
  if (!told.ok()) return told.error();
  return made;
}

PyResult<Value> one_step(Interpreter& interpreter, std::string_view name,
                         std::initializer_list<std::pair<std::string_view, Value>> arguments,
                         const std::function<PyResult<Value>()>& body) {
  OpRecorder* const recorder = OpRecorder::of(interpreter);
  if (recorder == nullptr || !recorder->takes("torch", name)) return body();
  const RecordedCall call{.place = "torch", .name = name, .is_in_place = false, .arguments = arguments};
  return record_call(interpreter, *recorder, call, body);
}

}  // namespace nns::ops
