// The batches of nnscope.data.ImageLoader. Tensors are made and dropped on the program's thread; workers fill them.
#include "core/train/image_batches.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/work_ahead.h"
#include "core/data/image_batch.h"
#include "core/object/operations.h"
#include "core/python/stdlib/stdlib.h"
#include "core/tensor/tensor.h"

namespace nns::train {

namespace {

using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;
using tensor::DType;
using tensor::Tensor;
using Args = std::span<const Value>;

// What is asked for of one epoch.
class ImageBatches final : public object::Object {
 public:
  ImageBatches(object::Class& cls, const std::array<Ref<Tensor>, 3>& from, const data::Augmentation& augmentation,
               int workers)
      : Object(cls), augmentation_(augmentation), work_(workers) {
    for (std::size_t i = 0; i < from.size(); ++i) held_[i] = from[i]->storage();
    const Tensor& images = *from[0];
    const auto bytes = [](const Tensor& tensor) {
      return std::span<const std::byte>(tensor.data(), static_cast<std::size_t>(tensor.nbytes()));
    };
    source_ = {.images = bytes(images),
               .labels = bytes(*from[1]),
               .channels = images.shape()[1],
               .height = images.shape()[2],
               .width = images.shape()[3],
               .levels = {reinterpret_cast<const float*>(from[2]->data()), static_cast<std::size_t>(from[2]->numel())}};
  }

  PyResult<void> add(Interpreter& in, const Tensor& indices, std::uint64_t place) {
    const std::int64_t count = indices.numel();
    Batch batch;
    NNS_TRY_ASSIGN(batch.images, tensor::try_empty(in, {count, source_.channels, source_.height, source_.width},
                                                   DType::Float32, tensor::Device::Cpu));
    NNS_TRY_ASSIGN(batch.labels, tensor::try_empty(in, {count}, DType::Int64, tensor::Device::Cpu));
    std::vector<std::int64_t> wanted(static_cast<std::size_t>(count));
    if (count > 0) std::memcpy(wanted.data(), indices.data(), wanted.size() * sizeof(std::int64_t));
    // Neither this object nor a tensor is counted by two threads: addresses are enough, for what they name stays.
    const std::span to(reinterpret_cast<float*>(batch.images->data()), static_cast<std::size_t>(batch.images->numel()));
    const std::span labels(reinterpret_cast<std::int64_t*>(batch.labels->data()), wanted.size());
    batches_.push_back(std::move(batch));
    work_.add([source = source_, augmentation = augmentation_, wanted = std::move(wanted), place, to, labels] {
      return data::fill_image_batch(source, augmentation, wanted, place, to, labels);
    });
    return {};
  }

  PyResult<Value> take(Interpreter& in) {
    if (batches_.empty()) return object::value_error(in, "no batch was asked for");
    const base::Result<void> done = work_.take();
    const Batch batch = std::move(batches_.front());
    batches_.pop_front();
    if (!done.ok()) return object::make_error(in, object::ErrorKind::IndexError, done.error().message());
    return Value(in.tuple({Value(batch.images), Value(batch.labels)}));
  }

  std::size_t waiting() const { return work_.waiting(); }
  std::size_t done() const { return work_.done(); }

 private:
  struct Batch {
    Ref<Tensor> images, labels;
  };
  std::array<Ref<tensor::Storage>, 3> held_;  // a program may give its tensors other ones meanwhile
  data::LabelledImages source_;
  data::Augmentation augmentation_;
  std::deque<Batch> batches_;
  base::WorkAhead work_;  // goes first: it writes to the batches
};

PyResult<Ref<Tensor>> tensor_argument(Interpreter& in, const Value& value, const char* what, DType dtype,
                                      std::size_t dimensions) {
  Tensor* const tensor = value.as<Tensor>();
  if (tensor == nullptr || tensor->dtype() != dtype || tensor->ndim() != dimensions || !tensor->is_contiguous() ||
      !tensor::is_cpu(tensor->device())) {
    return object::type_error(in, "{} are a tensor of {} with {} dimensions, in order, on the CPU", what,
                              tensor::info(dtype).torch_name, dimensions);
  }
  return Ref<Tensor>(tensor);
}

PyResult<std::int64_t> count_argument(Interpreter& in, const Value& value, const char* what) {
  NNS_TRY_ASSIGN(const std::int64_t count, object::index(in, value));
  if (count < 0) return object::value_error(in, "{}={}: it must not be negative", what, count);
  return count;
}

PyResult<Value> make_batches(Interpreter& in, object::Class& cls, Args a) {
  std::array<Ref<Tensor>, 3> from;
  NNS_TRY_ASSIGN(from[0], tensor_argument(in, a[0], "images", DType::UInt8, 4));
  NNS_TRY_ASSIGN(from[1], tensor_argument(in, a[1], "labels", DType::UInt8, 1));
  NNS_TRY_ASSIGN(from[2], tensor_argument(in, a[2], "levels", DType::Float32, 2));
  if (from[0]->shape()[0] != from[1]->shape()[0] || from[2]->shape()[0] != from[0]->shape()[1] ||
      from[2]->shape()[1] != 256)
    return object::value_error(in, "as many labels as images, and 256 levels for each channel, are wanted");
  data::Augmentation augmentation;
  NNS_TRY_ASSIGN(augmentation.flips, object::truth(in, a[3]));
  NNS_TRY_ASSIGN(augmentation.shift, count_argument(in, a[4], "shift"));
  // More than that is outside anyway, and numbers stay small.
  augmentation.shift = std::min(augmentation.shift, std::max(from[0]->shape()[2], from[0]->shape()[3]));
  NNS_TRY_ASSIGN(const std::int64_t seed, object::index(in, a[5]));
  augmentation.seed = static_cast<std::uint64_t>(seed);
  NNS_TRY_ASSIGN(const std::int64_t workers, count_argument(in, a[6], "workers"));
  return Value(object::make<ImageBatches>(cls, from, augmentation,
                                          static_cast<int>(std::min<std::int64_t>(workers, base::kMostThreads))));
}

}  // namespace

void add_image_batches(python::Machine& machine, object::Dict& names) {
  object::Class& cls = machine.interpreter().define_class({.name = "ImageBatches", .module = "_datasets"});
  const auto self_of = [](const Value& value) -> ImageBatches& { return static_cast<ImageBatches&>(*value.object()); };
  cls.def("add(self, indices, place)", [self_of](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(const Ref<Tensor> indices, tensor_argument(in, a[1], "indices", DType::Int64, 1));
    NNS_TRY_ASSIGN(const std::int64_t place, count_argument(in, a[2], "place"));
    NNS_TRY(self_of(a[0]).add(in, *indices, static_cast<std::uint64_t>(place)));
    return Value();
  });
  cls.def("take(self)", [self_of](Interpreter& in, Args a) -> PyResult<Value> { return self_of(a[0]).take(in); });
  cls.def("waiting(self)",
          [self_of](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a[0]).waiting()); });
  cls.def("done(self)", [self_of](Interpreter&, Args a) -> PyResult<Value> { return Value(self_of(a[0]).done()); });
  python::add_native(machine, names, "image_batches(images, labels, levels, flips, shift, seed, workers)",
                     [&cls](Interpreter& in, Args a) { return make_batches(in, cls, a); });
}

}  // namespace nns::train
