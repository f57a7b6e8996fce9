#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/live/message.h"
#include "core/python/eval/run.h"
#include "core/session/running_program.h"
#include "core/summary/call_text.h"
#include "core/summary/summary.h"

namespace nns::session {

/// One call of a module of a program, of which is told what went through it: the expressions of module and inputs are
/// evaluated in the program's names, in slices, then a copy of the module is called. On meta tensors, and once more
/// with values where shapes alone do not do. The program's module and its random numbers stay as they were.
class CallInspection {
 public:
  CallInspection(python::Machine& machine, object::Ref<object::Dict> names, CallQuestion question);
  ~CallInspection();
  CallInspection(const CallInspection&) = delete;
  CallInspection& operator=(const CallInspection&) = delete;

  /// Goes on for a slice; true: it is over, and there is a result.
  bool step(const std::function<bool()>& is_slice_over);
  struct Found {
    summary::Summary summary;
    bool with_values = false;
    std::string why;  ///< why it was computed with values although shapes were asked for; empty: it was not
  };
  object::PyResult<Found> take_result() { return *std::exchange(result_, std::nullopt); }
  const CallQuestion& question() const { return question_; }

 private:
  using Value = object::Value;
  object::PyResult<void> begin_part();
  object::PyResult<void> take_part(Value value);
  object::PyResult<summary::Summary> call();
  void fail(object::PyError error);
  void start(bool with_values);

  python::Machine& machine_;
  object::Ref<object::Dict> names_;
  object::Ref<object::Dict> own_names_;
  CallQuestion question_;
  std::vector<summary::CallInput> inputs_;
  tensor::Generator generator_before_;
  tensor::Device device_before_;
  bool with_values_ = false;
  bool has_begun_ = false;  ///< a part runs in the machine
  std::size_t part_ = 0;    ///< 0: the module, then the inputs
  std::string why_;
  object::Ref<nn::Module> model_;
  std::vector<Value> positional_;
  std::vector<object::Keyword> keywords_;
  std::optional<object::PyResult<Found>> result_;
};

/// What the viewer is told of it.
live::Bytes call_summary(std::uint64_t request, std::uint32_t document, const CallQuestion& question,
                         const CallInspection::Found& found);

}  // namespace nns::session
