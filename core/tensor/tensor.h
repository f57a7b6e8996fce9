#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/object/interpreter.h"
#include "core/tensor/cuda.h"
#include "core/tensor/dims.h"
#include "core/tensor/dtype.h"
#include "core/tensor/generator.h"
#include "core/tensor/storage.h"

namespace nns::tensor {

using object::Interpreter;
using object::PyResult;
using object::Ref;
using object::Value;

/// What a tensor looks at: which items of which storage, in which order, of which type.
struct TensorView {
  Ref<Storage> storage;
  Dims shape;
  /// Units: items.
  Dims strides;
  /// Of the first item. Units: items.
  std::int64_t offset = 0;
  DType dtype = DType::Float32;
};

class Tensor;

/// How a view came to be, which decides whether it may be written in place.
enum class ViewOrigin : std::uint8_t { Normal, NoGrad, Inference, SeveralOutputs, CustomFunction };

/// What few tensors need: for gradients of leaves, of views, and for hooks.
struct AutogradMeta {
  /// The AccumulateGrad node of a leaf, while it lives. Not counted.
  object::Object* accumulator = nullptr;
  /// Of a view that gradients flow through: what it looks at, and the count of writes when its node was made.
  Ref<Tensor> view_base;
  std::uint64_t view_version = 0;
  ViewOrigin view_origin = ViewOrigin::Normal;
  /// Of what `tensor.data` gives: a count of writes that is not that of the storage.
  std::shared_ptr<std::uint64_t> own_version;
  /// Hooks by id: on the gradient (the node of a tensor that is no leaf shares the table), and of a leaf those that run
  /// after its .grad was written.
  Ref<object::Dict> hooks, after_accumulation_hooks;
  bool retains_grad = false;
  /// Forward mode: the tangent of each level that has one (core/autograd/forward_mode.h).
  std::vector<std::pair<std::int64_t, Ref<Tensor>>> tangents;
};

/// torch.layout: how the items of a tensor lie. Tensors are of the first two; the others can be named.
enum class Layout : std::uint8_t { Strided, SparseCoo, SparseCsr, SparseCsc, SparseBsr, SparseBsc, Mkldnn, Jagged };
inline constexpr std::size_t kLayouts = 8;
/// "torch.strided".
std::string_view layout_text(Layout layout);

/// What a tensor of layout torch.sparse_coo holds instead of a storage with items.
struct SparseParts {
  /// int64, one column for each item that is there: its place along the leading dimensions.
  Ref<Tensor> indices;
  /// One for each column, of the dimensions behind those. Gradients flow through them.
  Ref<Tensor> values;
  /// Whether the columns are in order, and each is there once.
  bool is_coalesced = false;
};

/// torch.Tensor. Parameters are tensors of another class.
class Tensor final : public object::Container {
 public:
  static constexpr object::ObjectKind kKind = object::ObjectKind::Tensor;
  Tensor(object::Class& cls, TensorView view);

  const Dims& shape() const { return view_.shape; }
  const Dims& strides() const { return view_.strides; }
  std::size_t ndim() const { return view_.shape.size(); }
  std::int64_t offset() const { return view_.offset; }
  DType dtype() const { return view_.dtype; }
  Device device() const { return view_.storage->device(); }
  bool is_meta() const { return device() == Device::Meta; }
  bool is_cuda() const { return device() == Device::Cuda; }
  const Ref<Storage>& storage() const { return view_.storage; }
  const TensorView& view() const { return view_; }
  std::int64_t numel() const { return element_count(view_.shape); }
  std::uint64_t nbytes() const { return static_cast<std::uint64_t>(numel()) * item_bytes(view_.dtype); }
  bool is_contiguous() const;
  /// The first item. Must hold: not meta. On cuda only the device may read it.
  std::byte* data() const { return view_.storage->data() + view_.offset * item_bytes(view_.dtype); }

  bool requires_grad() const { return requires_grad_ || grad_fn_; }
  /// Errors: RuntimeError  true, and the dtype is neither floating nor complex.
  PyResult<void> set_requires_grad(bool value);
  const Ref<Tensor>& grad() const { return grad_; }
  void set_grad(Ref<Tensor> grad) { grad_ = std::move(grad); }
  /// The node that made this tensor (ops::Node), and which of its outputs it is; none for a leaf. Of a view whose base
  /// was written it may be out of date: ask ops::grad_node.
  const Ref<Object>& grad_fn() const { return grad_fn_; }
  std::uint32_t output_number() const { return output_number_; }
  void set_grad_fn(Ref<Object> node, std::uint32_t number = 0) {
    grad_fn_ = std::move(node);
    output_number_ = number;
  }
  const AutogradMeta* autograd() const { return autograd_.get(); }
  AutogradMeta& autograd_meta() {
    if (!autograd_) autograd_ = std::make_unique<AutogradMeta>();
    return *autograd_;
  }
  /// How often the items were written in place: torch's tensor._version.
  std::uint64_t version() const {
    return autograd_ && autograd_->own_version ? *autograd_->own_version : view_.storage->version();
  }
  void bump_version() {
    if (autograd_ && autograd_->own_version) {
      ++*autograd_->own_version;
    } else {
      view_.storage->bump_version();
    }
  }
  void set_version(std::uint64_t version) {
    if (autograd_ && autograd_->own_version) {
      *autograd_->own_version = version;
    } else {
      view_.storage->set_version(version);
    }
  }
  bool is_leaf() const { return !grad_fn_; }
  /// Whether it was made in inference mode: then nothing of it is recorded, nor may it be written outside of that mode.
  bool is_inference() const { return is_inference_; }
  void mark_inference() { is_inference_ = true; }

  /// Of a tensor of layout torch.sparse_coo; null for others. Its own view has the shape and no bytes: device() is
  /// Meta, so that nobody reads items who does not ask for these parts.
  const SparseParts* sparse() const { return sparse_.get(); }
  /// Must hold: the view lies on meta.
  void set_sparse(SparseParts parts) { sparse_ = std::make_unique<SparseParts>(std::move(parts)); }

  /// isinstance(self, torch.nn.Parameter).
  bool is_parameter() const;
  /// isinstance(self, torch.nn.Buffer): a tensor that nn.Buffer() made.
  bool is_buffer() const { return is_buffer_; }
  bool is_persistent_buffer() const { return is_persistent_; }
  void mark_buffer(bool persistent) {
    is_buffer_ = true;
    is_persistent_ = persistent;
  }

  /// Whether its shape is still unknown: a parameter or buffer of a lazy module (uninitialized.h).
  bool is_uninitialized() const { return is_uninitialized_; }
  void set_uninitialized(bool value) { is_uninitialized_ = value; }

  /// self.data = other: looks at what `other` looks at from now on, and stays the same object.
  void set_data(const Tensor& other) {
    view_ = other.view_;
    sparse_ = other.sparse_ ? std::make_unique<SparseParts>(*other.sparse_) : nullptr;
  }
  /// Exchanges everything that the two are, except their identity: torch.utils.swap_tensors.
  void swap(Tensor& other);

  /// "torch.FloatTensor", "torch.cuda.FloatTensor".
  std::string type_string() const;

  object::Dict* instance_dict(bool create) override;
  void traverse(object::Visitor& visitor) const override;
  void clear_references() override;

 private:
  TensorView view_;
  Ref<Tensor> grad_;
  Ref<Object> grad_fn_;
  Ref<object::Dict> attributes_;
  std::unique_ptr<AutogradMeta> autograd_;
  std::unique_ptr<SparseParts> sparse_;
  std::uint32_t output_number_ = 0;
  bool requires_grad_ = false;
  bool is_inference_ = false;
  bool is_buffer_ = false;
  bool is_persistent_ = true;
  bool is_uninitialized_ = false;
};

/// What tensors need of an interpreter: their classes, the default dtype, the default generator.
class TensorLibrary final : public Interpreter::Extension {
 public:
  static constexpr Interpreter::ExtensionSlot kSlot = Interpreter::ExtensionSlot::Tensor;

  /// The library of `interpreter`, made at the first question.
  static TensorLibrary& of(Interpreter& interpreter);

  object::Class *tensor, *parameter, *buffer, *storage, *dtype, *device, *size, *layout;
  DType default_dtype = DType::Float32;
  /// Where new tensors lie if nobody says it: torch.set_default_device, `with torch.device(...)`.
  Device default_device = Device::Cpu;
  /// What it was around each `with` that was entered.
  std::vector<Device> outer_devices;
  Generator generator;
  /// What runs functions that are given tensors of layout torch.sparse_coo; Absent: it goes on as with any tensor.
  std::function<PyResult<Value>(std::string_view function, const object::Arguments& arguments)> sparse_call;
  /// Whether there ever was one, or there may be distributed tensors (core/tensor/distributed.h).
  bool any_sparse = false;
  /// Whether a program may have so many bytes more; none: it may.
  std::function<bool(std::uint64_t bytes)> has_room;
  /// How many devices cpu:0, cpu:1, ... there are, as if they were GPUs; 0: "cpu:1" is another name of "cpu", as in
  /// PyTorch.
  int virtual_devices = 0;
  /// The device "cuda:0"; none: it is as with a PyTorch that was not compiled with CUDA.
  std::shared_ptr<CudaDevice> cuda;

  /// torch.float32 and its like: one object each.
  Value dtype_value(DType which) const { return dtypes_[static_cast<std::size_t>(which)]; }
  Value device_value(Device which) const;
  /// torch.strided, torch.sparse_coo.
  Value layout_value(Layout which) const { return layouts_[static_cast<std::size_t>(which)]; }

 private:
  friend void add_tensor_classes(Interpreter& interpreter, TensorLibrary& library);
  std::array<Value, kDTypes.size()> dtypes_;
  /// Made when they are asked for.
  mutable std::array<Value, kDevices> devices_;
  std::array<Value, kLayouts> layouts_;
};

/// The dtype or device that a value names ("cpu", torch.device, torch.float32).
/// Errors: TypeError, RuntimeError in PyTorch's words; AssertionError  "cuda", and there is none; RuntimeError "cpu:2",
///         and there are virtual devices, but fewer.
PyResult<DType> dtype_of(Interpreter& interpreter, const Value& value);
PyResult<Device> device_of(Interpreter& interpreter, const Value& value);
/// The device that torch.device(value) is, whether tensors may lie there or not.
PyResult<Device> named_device(Interpreter& interpreter, const Value& value);
/// torch.Size.
Value size_value(Interpreter& interpreter, const Dims& dims);
/// "torch.Size([2, 3])".
std::string size_text(const Dims& dims);

/// Errors: RuntimeError  a size is below 0.
PyResult<void> check_not_negative(Interpreter& interpreter, const Dims& shape);
/// Whether tensors may have these sizes, none of which is negative. Behaviour: c10/core/TensorImpl.h,
/// safe_compute_numel. Errors: RuntimeError  the number of items, or a stride of theirs, does not fit into 64 bits.
PyResult<void> check_sizes(Interpreter& interpreter, const Dims& shape);
/// Whether the view lies in its storage. Behaviour: aten/src/ATen/native/Resize.h, checkInBoundsForStorage.
/// Errors: RuntimeError  it does not, or it is none; those of check_sizes().
PyResult<void> check_in_bounds(Interpreter& interpreter, const TensorView& view);
/// What a tensor of this shape takes that lies in order without gaps.
/// Behaviour: ATen/EmptyTensor.cpp, computeStorageNbytesContiguous. Errors: RuntimeError  it does not fit into 64 bits.
PyResult<std::uint64_t> storage_bytes(Interpreter& interpreter, const Dims& shape, DType dtype);

// Making tensors.
Ref<Tensor> make_tensor(Interpreter& interpreter, TensorView view);
/// Not initialised.
Ref<Tensor> empty(Interpreter& interpreter, const Dims& shape, DType dtype, Device device = Device::Cpu);
/// The same for sizes that a program gave. Errors: those of storage_bytes(); RuntimeError  there is not so much memory.
PyResult<Ref<Tensor>> try_empty(Interpreter& interpreter, const Dims& shape, DType dtype, Device device);
/// Whether there is memory for so many numbers of 8 bytes. Errors: those of try_empty().
PyResult<void> check_room(Interpreter& interpreter, std::int64_t numbers);
/// With all items `value`. Errors: those of try_empty().
PyResult<Ref<Tensor>> try_full(Interpreter& interpreter, const Dims& shape, double value, DType dtype, Device device);
Ref<Tensor> zeros(Interpreter& interpreter, const Dims& shape, DType dtype = DType::Float32,
                  Device device = Device::Cpu);
Ref<Tensor> ones(Interpreter& interpreter, const Dims& shape, DType dtype = DType::Float32,
                 Device device = Device::Cpu);
Ref<Tensor> full(Interpreter& interpreter, const Dims& shape, double value, DType dtype = DType::Float32,
                 Device device = Device::Cpu);
Ref<Tensor> from_values(Interpreter& interpreter, const Dims& shape, std::span<const double> values,
                        DType dtype = DType::Float32);
/// torch.tensor(data): nested lists and numbers.
PyResult<Ref<Tensor>> from_nested(Interpreter& interpreter, const Value& data, std::optional<DType> dtype);
/// nn.Parameter(data, requires_grad). Errors: RuntimeError  a dtype that has no gradients.
PyResult<Ref<Tensor>> make_parameter(Interpreter& interpreter, const Tensor& data, bool requires_grad = true);

/// torch.sparse_coo_tensor without its checks. Must hold: both on one device, indices int64, (sparse dimensions,
/// count).
Ref<Tensor> make_sparse(Interpreter& interpreter, const Dims& shape, SparseParts parts);
/// What a function gives that is called with tensors of layout torch.sparse_coo or distributed ones, also in a list;
/// Absent: there is none among them, or it goes on as with any tensor.
PyResult<Value> sparse_answer(Interpreter& interpreter, std::string_view function, const object::Arguments& arguments);
/// What PyTorch says of an op that tensors of layout torch.sparse_coo do not have: NotImplementedError.
object::PyError no_sparse_kernel(Interpreter& interpreter, std::string_view op);
/// The layout that a value names. Errors: TypeError.
PyResult<Layout> layout_of(Interpreter& interpreter, const Value& value);

// Views: same storage, new object, no gradient history.
Ref<Tensor> detach(const Tensor& self);
Ref<Tensor> as_strided(const Tensor& self, const Dims& shape, const Dims& strides, std::int64_t offset);
/// self[index] along dimension `dim`. Must hold: both in range.
Ref<Tensor> select(const Tensor& self, std::size_t dim, std::int64_t index);
Ref<Tensor> transpose(const Tensor& self, std::size_t a, std::size_t b);
/// The same items in another shape. Must hold: self is contiguous and the counts are equal.
Ref<Tensor> view_as_shape(const Tensor& self, const Dims& shape);

// Contents.
/// Copies `source` into `self`, converting the dtype and broadcasting, also from one device to another; a no-op where
/// either is on meta.
/// Errors: RuntimeError  the shapes do not fit; AcceleratorError  the device failed.
PyResult<void> copy_(Tensor& self, const Tensor& source);
void fill_(Tensor& self, double value);
/// The same without counting as a write: for tensors that are being made.
PyResult<void> copy_items(const Tensor& self, const Tensor& source);
void fill_items(const Tensor& self, double value);
Ref<Tensor> clone(const Tensor& self);
/// What a CudaDevice could not do: OutOfMemoryError or AcceleratorError.
object::PyError cuda_error(Interpreter& interpreter, const base::Error& error);
/// self on the CPU: self itself where it is there. Must hold: not meta.
/// Errors: AcceleratorError  the device failed.
PyResult<Ref<Tensor>> on_host(const Tensor& self);
/// self.to(dtype, device): self itself where nothing changes.
/// Errors: NotImplementedError  meta to cpu: there is no data.
PyResult<Ref<Tensor>> to(Tensor& self, DType dtype, Device device);
/// Same shape, dtype and values.
bool equal(const Tensor& a, const Tensor& b);
/// Fills with PyTorch's random numbers, on cuda with those of its kernels there (generator.philox); a no-op on meta.
void uniform_(Tensor& self, Generator& generator, double from, double to);
void normal_(Tensor& self, Generator& generator, double mean, double deviation);
/// 1 with probability p, else 0. Behaviour: torch's kernel without MKL: a double is drawn for each item.
void bernoulli_(Tensor& self, Generator& generator, double p);
void exponential_(Tensor& self, Generator& generator, double rate);

/// The item at `place` (in items from the start of the storage), read as a number of that kind. Of a cuda tensor each
/// call waits for the device and copies one item: who reads many takes on_host() first.
double read_double(const Tensor& self, std::int64_t place);
std::int64_t read_int64(const Tensor& self, std::int64_t place);
std::complex<double> read_complex(const Tensor& self, std::int64_t place);
/// self[place] += other[other_place], for places as for_each_place gives them. Must hold: the dtypes are equal.
void add_at(const Tensor& self, std::int64_t place, const Tensor& other, std::int64_t other_place);
/// self += other, item after item: an item that several places of `self` show gets all that is added to it.
/// Must hold: shapes and dtypes are equal; both on the CPU.
void add_items(const Tensor& self, const Tensor& other);
/// As a Python number: float, int or bool.
Value read_value(const Tensor& self, std::int64_t place);
/// The places of all items, in order.
void for_each_place(const Tensor& self, const std::function<void(std::int64_t)>& use);

/// repr(self): "tensor([1., 2.])". Behaviour: torch/_tensor_str.py with its default options.
std::string tensor_text(const Tensor& self);

/// Called by TensorLibrary::of.
void add_tensor_classes(Interpreter& interpreter, TensorLibrary& library);
/// torch.<name>(...) for the functions that make or inspect tensors, or None.
Value torch_function(Interpreter& interpreter, std::string_view name);

}  // namespace nns::tensor
