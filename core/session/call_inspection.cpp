#include "core/session/call_inspection.h"

#include <fmt/format.h>

#include <utility>

#include "core/object/operations.h"
#include "core/ops/op.h"
#include "core/summary/isolated_copy.h"

namespace nns::session {

using object::PyResult;
using object::Ref;
using object::Value;
using summary::ModuleRow;
using summary::TensorSpec;

CallInspection::CallInspection(python::Machine& machine, Ref<object::Dict> names, CallQuestion question)
    : machine_(machine), names_(std::move(names)), question_(std::move(question)) {
  for (const std::string& line : question_.inputs) {
    for (const std::string& one : summary::split_inputs(line)) inputs_.push_back(summary::read_input(one));
  }
  const auto& library = tensor::TensorLibrary::of(machine_.interpreter());
  generator_before_ = library.generator;
  device_before_ = library.default_device;
  start(question_.with_values);
}

CallInspection::~CallInspection() {
  auto& library = tensor::TensorLibrary::of(machine_.interpreter());
  library.generator = generator_before_;
  library.default_device = device_before_;
}

void CallInspection::start(bool with_values) {
  object::Interpreter& in = machine_.interpreter();
  auto& library = tensor::TensorLibrary::of(in);
  library.generator = generator_before_;
  library.default_device = with_values ? device_before_ : tensor::Device::Meta;
  with_values_ = with_values;
  own_names_ = in.dict();
  part_ = 0;
  model_ = nullptr;
  positional_.clear();
  keywords_.clear();
}

PyResult<void> CallInspection::begin_part() {
  object::Interpreter& in = machine_.interpreter();
  if (part_ == 0 && names_->find("torch") == nullptr) {
    NNS_TRY_ASSIGN(const Value torch, machine_.import_module("torch", 0, nullptr));
    own_names_->set(in.intern("torch"), torch);
  }
  const bool is_model = part_ == 0;
  const std::string name = is_model ? std::string("<module>") : fmt::format("<input {}>", part_);
  std::string text = is_model ? question_.model : inputs_[part_ - 1].expression;
  NNS_TRY_ASSIGN(const Ref<python::Code> code,
                 python::compile_text(machine_, name, std::move(text), python::CompileMode::Expression));
  machine_.sources[name] = code->tree;
  machine_.begin_module(code, names_, own_names_);
  has_begun_ = true;
  return {};
}

PyResult<void> CallInspection::take_part(Value value) {
  object::Interpreter& in = machine_.interpreter();
  if (part_ == 0) {
    auto* const model = value.as<nn::Module>();
    if (model == nullptr) {
      return object::type_error(in, "what is called must be a torch.nn.Module, not {}", in.type_of(value).name());
    }
    NNS_TRY_ASSIGN(model_, summary::isolated_copy(in, *model, !with_values_));
  } else if (const summary::CallInput& input = inputs_[part_ - 1]; input.keyword.empty()) {
    positional_.push_back(std::move(value));
  } else {
    keywords_.push_back({in.intern(input.keyword), std::move(value)});
  }
  ++part_;
  return {};
}

PyResult<summary::Summary> CallInspection::call() {
  object::Interpreter& in = machine_.interpreter();
  // A tensor that the program made before is an input of that shape.
  if (!with_values_) {
    const auto as_meta = [](Value& value) -> PyResult<void> {
      auto* const one = value.as<tensor::Tensor>();
      if (one == nullptr) return {};
      NNS_TRY_ASSIGN(Ref<tensor::Tensor> made, tensor::to(*one, one->dtype(), tensor::Device::Meta));
      value = Value(made);
      return {};
    };
    for (Value& value : positional_) NNS_TRY(as_meta(value));
    for (object::Keyword& keyword : keywords_) NNS_TRY(as_meta(keyword.value));
  }
  NNS_TRY(in.call_method(Value(model_), in.intern("eval"), {}));
  const ops::GradModeGuard no_grad(in, false);
  return summary::summarize(in, *model_, {positional_, keywords_});
}

void CallInspection::fail(object::PyError error) {
  if (with_values_ || error.is(object::ErrorKind::SyntaxError)) {
    result_.emplace(std::move(error));
    return;
  }
  why_ = fmt::format("{}: {}", error.type(), error.message());
  start(true);
}

bool CallInspection::step(const std::function<bool()>& is_slice_over) {
  while (!result_) {
    if (has_begun_) {
      std::optional<PyResult<Value>> value = machine_.go_on(is_slice_over);
      if (!value) return false;
      has_begun_ = false;
      PyResult<void> taken = value->ok() ? take_part(std::move(*value).value()) : PyResult<void>(value->error());
      if (!taken.ok()) fail(taken.error());
    } else if (part_ <= inputs_.size()) {
      if (PyResult<void> begun = begin_part(); !begun.ok()) fail(begun.error());
    } else if (auto called = call(); called.ok()) {
      result_.emplace(Found{std::move(called).value(), with_values_, why_});
    } else {
      fail(called.error());
    }
  }
  return true;
}

namespace {

namespace wire = live::wire;
using Builder = flatbuffers::FlatBufferBuilder;

auto specs(Builder& builder, const std::vector<TensorSpec>& tensors) {
  std::vector<flatbuffers::Offset<wire::CallTensor>> made;
  for (const TensorSpec& one : tensors) {
    const auto shape = builder.CreateVector(one.shape);
    const auto dtype = builder.CreateSharedString(std::string(tensor::info(one.dtype).torch_name));
    made.push_back(wire::CreateCallTensor(builder, shape, dtype));
  }
  return builder.CreateVector(made);
}

}  // namespace

live::Bytes call_summary(std::uint64_t request, std::uint32_t document, const CallQuestion& question,
                         const CallInspection::Found& found) {
  Builder builder(found.summary.rows.size() * 128 + 256);
  std::vector<flatbuffers::Offset<wire::CallRow>> rows;
  rows.reserve(found.summary.rows.size());
  for (const ModuleRow& row : found.summary.rows) {
    const auto name = builder.CreateSharedString(row.name);
    const auto class_name = builder.CreateSharedString(row.class_name);
    const auto inputs = specs(builder, row.inputs);
    const auto outputs = specs(builder, row.outputs);
    wire::CallRowBuilder made(builder);
    made.add_parent(row.parent);
    made.add_name(name);
    made.add_class_name(class_name);
    made.add_same_as(row.same_as);
    made.add_calls(row.calls);
    made.add_inputs(inputs);
    made.add_outputs(outputs);
    made.add_own_parameters(row.own_parameters);
    made.add_parameters(row.parameters);
    made.add_trainable(row.trainable);
    made.add_buffers(row.buffers);
    made.add_bytes(row.parameter_bytes + row.buffer_bytes);
    made.add_output_bytes(row.output_bytes);
    made.add_flops(row.flops);
    if (found.with_values) made.add_nanoseconds(row.nanoseconds);
    rows.push_back(made.Finish());
  }
  std::uint64_t input_bytes = 0;
  for (const TensorSpec& one : found.summary.inputs) input_bytes += one.bytes();
  const auto model = builder.CreateString(question.model);
  const auto why = builder.CreateString(found.why);
  const auto inputs = specs(builder, found.summary.inputs);
  const auto told = builder.CreateVector(rows);
  return live::finish_message(
      builder, wire::CreateCallSummary(builder, request, document, model, found.with_values, why, inputs, input_bytes,
                                       found.summary.leaf_output_bytes, told));
}

}  // namespace nns::session
