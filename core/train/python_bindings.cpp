// The module _training: what nnscope.train and the loaders tell, and what they ask.
#include <fmt/format.h>

#include <cstring>

#include "core/data/cifar.h"
#include "core/data/idx.h"
#include "core/object/operations.h"
#include "core/python/stdlib/files.h"
#include "core/python/stdlib/stdlib.h"
#include "core/train/image_batches.h"
#include "core/train/rank_bindings.h"
#include "core/train/training.h"

namespace nns::train {

namespace {

using object::Dict;
using python::add_native;
using Args = std::span<const Value>;

PyResult<std::string> text_argument(Interpreter& in, const Value& value) {
  if (const auto* text = value.as<object::Str>()) return std::string(text->view());
  return object::type_error(in, "a str is wanted, not {}", in.type_of(value).name());
}

PyResult<std::uint64_t> count_argument(Interpreter& in, const Value& value) {
  NNS_TRY_ASSIGN(const std::int64_t count, object::index(in, value));
  if (count < 0) return object::value_error(in, "a count must not be negative");
  return static_cast<std::uint64_t>(count);
}

// A number, also that of a tensor with one.
PyResult<double> number_argument(Interpreter& in, const Value& value) {
  if (ops::Number::is_real(value)) return ops::Number::of(value).as_double();
  const Tensor* const tensor = value.as<Tensor>();
  if (tensor != nullptr && tensor->numel() == 1 && !tensor->is_meta())
    return tensor::read_double(*tensor, tensor->offset());
  return object::type_error(in, "a metric must be a number or a tensor with one, not {}", in.type_of(value).name());
}

Ref<Tensor> bytes_tensor(Interpreter& in, const tensor::Dims& shape, const std::vector<std::byte>& bytes) {
  const Ref<Tensor> made = tensor::empty(in, shape, tensor::DType::UInt8);
  if (!bytes.empty()) std::memcpy(made->data(), bytes.data(), bytes.size());
  return made;
}

PyResult<base::ByteSource*> source_argument(Interpreter& in, const Value& value) {
  auto* const file = value.is_object() ? dynamic_cast<python::SourceObject*>(value.object()) : nullptr;
  if (file == nullptr) return object::type_error(in, "a file of _files.source() is wanted");
  return file->source.get();
}

void add_readers(python::Machine& machine, Dict& names) {
  add_native(machine, names, "read_idx(source)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(base::ByteSource* const source, source_argument(in, a[0]));
    const base::Result<data::Idx> idx = data::read_idx(*source);
    if (!idx.ok()) return object::value_error(in, "{}", idx.error().message());
    std::vector<std::int64_t> sizes;
    for (const std::uint64_t size : idx.value().shape) sizes.push_back(static_cast<std::int64_t>(size));
    return Value(bytes_tensor(in, tensor::Dims(std::span<const std::int64_t>(sizes)), idx.value().values));
  });
  add_native(machine, names, "read_cifar(source)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(base::ByteSource* const source, source_argument(in, a[0]));
    const base::Result<data::Cifar> cifar = data::read_cifar(*source);
    if (!cifar.ok()) return object::value_error(in, "{}", cifar.error().message());
    const auto count = static_cast<std::int64_t>(cifar.value().count);
    return Value(in.tuple({Value(bytes_tensor(in, {count, 3, 32, 32}, cifar.value().images)),
                           Value(bytes_tensor(in, {count}, cifar.value().labels))}));
  });
}

void add_facts(python::Machine& machine, Dict& names, Training& training) {
  add_native(machine, names, "settings()", [&training](Interpreter& in, Args) -> PyResult<Value> {
    const Ref<Dict> settings = in.dict();
    for (const auto& [key, value] : training.options().settings) settings->set(in.text(key), in.text(value));
    return Value(settings);
  });
  const auto add_text = [&](std::string_view signature, const std::string& text) {
    add_native(machine, names, signature,
               [text](Interpreter& in, Args) -> PyResult<Value> { return text.empty() ? Value() : in.text(text); });
  };
  add_text("data()", training.options().data);
  add_text("device()", training.options().device);
  add_text("resumed_file()", training.options().resume);
  add_text("run_folder()", training.files() == nullptr ? std::string() : training.files()->folder());
  add_native(machine, names, "steps()", [&training](Interpreter&, Args) -> PyResult<Value> {
    return Value(static_cast<std::int64_t>(training.watch().steps()));
  });
  add_native(machine, names, "set_position(steps, epochs)", [&training](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::uint64_t steps, count_argument(in, a[0]));
    NNS_TRY_ASSIGN(const std::uint64_t epochs, count_argument(in, a[1]));
    training.watch().set_steps(steps, epochs);
    return Value();
  });
  add_native(machine, names, "set_totals(steps, epochs)", [&training](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(training.total_steps, count_argument(in, a[0]));
    NNS_TRY_ASSIGN(training.total_epochs, count_argument(in, a[1]));
    return Value();
  });
}

void add_telling(python::Machine& machine, Dict& names, Training& training) {
  add_native(machine, names, "data_began(loader, length)", [&training](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::uint64_t loader, count_argument(in, a[0]));
    NNS_TRY_ASSIGN(const std::uint64_t length, count_argument(in, a[1]));
    training.watch().batch_asked(loader, length);
    return Value();
  });
  add_native(machine, names, "data_ended(loader, batch, is_end)",
             [&training](Interpreter& in, Args a) -> PyResult<Value> {
               NNS_TRY_ASSIGN(const std::uint64_t loader, count_argument(in, a[0]));
               NNS_TRY_ASSIGN(const bool is_end, object::truth(in, a[2]));
               training.watch().batch_given(loader, is_end ? nullptr : &a[1]);
               return Value();
             });
  add_native(machine, names, "log(name, value, step, is_evaluation)",
             [&training](Interpreter& in, Args a) -> PyResult<Value> {
               NNS_TRY_ASSIGN(const std::string name, text_argument(in, a[0]));
               NNS_TRY_ASSIGN(const double value, number_argument(in, a[1]));
               std::optional<std::uint64_t> step;
               if (!a[2].is_none()) {
                 NNS_TRY_ASSIGN(step, count_argument(in, a[2]));
               }
               NNS_TRY_ASSIGN(const bool is_evaluation, object::truth(in, a[3]));
               training.log_scalar(name, is_evaluation, value, step);
               return Value();
             });
  add_native(machine, names, "say(text)", [&training](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string text, text_argument(in, a[0]));
    training.log_line(LogLevel::Info, text);
    return Value();
  });
  add_native(machine, names, "takes_checkpoints()", [&training](Interpreter&, Args) -> PyResult<Value> {
    training.takes_checkpoints();
    return Value();
  });
  add_native(machine, names, "wants_checkpoint()",
             [&training](Interpreter&, Args) -> PyResult<Value> { return Value(training.wants_checkpoint()); });
  add_native(machine, names, "checkpoint_written(from, to, seconds, keep)",
             [&training](Interpreter& in, Args a) -> PyResult<Value> {
               NNS_TRY_ASSIGN(const std::string from, text_argument(in, a[0]));
               NNS_TRY_ASSIGN(const std::string to, text_argument(in, a[1]));
               NNS_TRY_ASSIGN(const double seconds, number_argument(in, a[2]));
               NNS_TRY_ASSIGN(const std::uint64_t keep, count_argument(in, a[3]));
               return Value(training.save_checkpoint(from, to, seconds, keep));
             });
  add_native(machine, names, "checkpoint_failed(from, why)", [&training](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const std::string from, text_argument(in, a[0]));
    NNS_TRY_ASSIGN(const std::string why, text_argument(in, a[1]));
    training.checkpoint_failed(from, why);
    return Value();
  });
}

}  // namespace

void add_training(python::Machine& machine, Training* training) {
  machine.add_finder(python::Machine::FinderOrder::BuiltIn,
                     [&machine, training](std::string_view name) -> PyResult<Value> {
                       if (name == "_datasets") {
                         const Ref<python::ModuleObject> module = machine.new_module(name);
                         add_readers(machine, module->dict());
                         add_image_batches(machine, module->dict());
                         return Value(module);
                       }
                       if (name != "_training" || training == nullptr) return Value::absent();
                       const Ref<python::ModuleObject> module = machine.new_module(name);
                       add_facts(machine, module->dict(), *training);
                       add_telling(machine, module->dict(), *training);
                       add_rank_exchange(machine, module->dict(), *training);
                       return Value(module);
                     });
}

}  // namespace nns::train
