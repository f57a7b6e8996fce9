#pragma once

#include <functional>

#include "core/ops/op.h"

namespace nns::ops {

/// A call that a recorder may take as one step, whatever it is made of.
struct RecordedCall {
  /// "" for an op or a function of torch, "nn.functional" for one of that module.
  std::string_view place;
  std::string_view name;
  bool is_in_place = false;
  /// The arguments that are not the default of their parameter, with its name.
  std::vector<std::pair<std::string_view, Value>> arguments;

  /// Adds an argument, unless it is what stands there anyway. `default_value` may be absent.
  void add(std::string_view parameter, const Value& value, const Value& default_value = Value::absent());
};

/// An observer that is told of calls as a program makes them, before they are taken apart: functions of torch, methods,
/// functions of torch.nn.functional, and ops where nothing of these stands around them. What a call that it takes is
/// made of, is not told. Behaviour: torch/fx/experimental/proxy_tensor.py, tracing before dispatch.
class OpRecorder : public OpObserver {
 public:
  /// Whether a call is one step. If not, it is run, and what it calls is asked about.
  virtual bool takes(std::string_view place, std::string_view name) const = 0;
  virtual PyResult<void> record(const RecordedCall& call, const Value& result) = 0;

  /// Who records in this interpreter, or null.
  static OpRecorder* of(Interpreter& interpreter);
};

/// Runs `body`, and tells the recorder of it as one step.
PyResult<Value> record_call(Interpreter& interpreter, OpRecorder& recorder, const RecordedCall& call,
                            const std::function<PyResult<Value>()>& body);

/// Runs `body`; where a recorder takes torch.<name>, as one step with these arguments.
PyResult<Value> one_step(Interpreter& interpreter, std::string_view name,
                         std::initializer_list<std::pair<std::string_view, Value>> arguments,
                         const std::function<PyResult<Value>()>& body);

}  // namespace nns::ops
