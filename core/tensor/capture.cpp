#include "core/tensor/capture.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "core/object/dict.h"

namespace nns::tensor {

// The memory of what a capture computes. What is dropped while it is made is used again by what comes later: a replay
// goes through the same order. Lifetime: shared by the capture and the storages that lie in it.
class CaptureMemory : public std::enable_shared_from_this<CaptureMemory> {
 public:
  CaptureMemory() = default;
  CaptureMemory(const CaptureMemory&) = delete;
  CaptureMemory& operator=(const CaptureMemory&) = delete;
  ~CaptureMemory() {
    for (const auto& [data, block] : blocks_) give_bytes(data, block.bytes);
  }

  std::shared_ptr<std::byte> take(std::size_t bytes) {
    std::byte* found = nullptr;
    for (auto at = free_.lower_bound(bytes); at != free_.end() && at->first <= 2 * bytes; ++at) {
      found = at->second;
      free_.erase(at);
      break;
    }
    if (found == nullptr) {
      found = take_bytes(bytes);
      if (found == nullptr) return nullptr;
      blocks_[found].bytes = bytes;
      total_ += bytes;
    }
    blocks_[found].is_written = false;
    return {found, [memory = shared_from_this()](std::byte* data) { memory->give(data); }};
  }

  struct Block {
    std::size_t bytes = 0;
    // Whether an action gave it its values.
    bool is_written = false;
  };
  // The block with this address at its beginning, or null: not of this capture.
  Block* find(const std::byte* data) {
    const auto at = blocks_.find(const_cast<std::byte*>(data));
    return at == blocks_.end() ? nullptr : &at->second;
  }
  std::size_t total() const { return total_; }
  // From now on nothing is used again.
  void close() { is_open_ = false; }

 private:
  void give(std::byte* data) {
    if (is_open_) free_.emplace(blocks_[data].bytes, data);
  }

  std::map<std::byte*, Block> blocks_;
  std::multimap<std::size_t, std::byte*> free_;
  std::size_t total_ = 0;
  bool is_open_ = true;
};

namespace {

constexpr std::size_t kRoom = 4096;

// Whether a tensor shows every byte of its storage.
bool fills_storage(const Tensor& tensor) {
  return tensor.is_contiguous() && tensor.nbytes() == tensor.storage()->bytes();
}

// Whether hooks wait for the gradient of a leaf.
bool has_hooks(const Tensor& tensor) {
  const AutogradMeta* const meta = tensor.autograd();
  if (meta == nullptr) return false;
  const auto is_filled = [](const Ref<object::Dict>& hooks) { return hooks && !hooks->empty(); };
  return is_filled(meta->hooks) || is_filled(meta->after_accumulation_hooks);
}

}  // namespace

Capture::Capture(Interpreter& interpreter) : interpreter_(interpreter), memory_(std::make_shared<CaptureMemory>()) {}

Capture::~Capture() { memory_->close(); }

Capture::Scope::Scope(Capture& capture) : capture_(capture) {
  current_ = &capture;
  capture.generator_ = TensorLibrary::of(capture.interpreter_).generator.state_bytes();
}

Capture::Scope::~Scope() {
  capture_.check_generator();
  if (!capture_.fits_tensors()) capture_.refuse("a tensor was given other data or a hook while the step ran");
  capture_.memory_->close();
  current_ = nullptr;
}

void Capture::refuse(std::string_view why) {
  if (refusal_.empty()) refusal_ = why;
}

PyResult<void> Capture::replay() {
  for (const Step& step : steps_) {
    if (step.run(step.payload, *this)) [[likely]]
      continue;
    object::PyError error = *std::move(error_);
    error_.reset();
    return error;
  }
  for (const Ref<Storage>& storage : counted_) storage->bump_version();
  return {};
}

bool Capture::fits_gradients() const {
  return std::all_of(first_grads_.begin(), first_grads_.end(),
                     [](const FirstGrad& one) { return !one.is_read || one.leaf->grad() == one.grad; });
}

bool Capture::fits_tensors() const {
  return std::all_of(outside_.begin(), outside_.end(), [](const Outside& one) {
    return one.tensor->data() == one.data && one.tensor->requires_grad() == one.requires_grad &&
           !has_hooks(*one.tensor);
  });
}

std::size_t Capture::memory_bytes() const { return memory_->total(); }

// ---------------------------------------------------------------- actions

void Capture::begin(std::span<const Tensor* const> outputs, std::span<const Tensor* const> inputs) {
  if (depth_++ > 0) return;
  check_generator();
  is_covered_ = has_gap_ = false;
  launches_.clear();
  written_.clear();
  for (const Tensor* const one : inputs) {
    touch(*one);
    restore_if_made_by_host(*one);
  }
  for (const Tensor* const one : outputs) {
    touch(*one);
    if (!fills_storage(*one)) restore_if_made_by_host(*one);
    written_.push_back(one->storage()->data());
  }
}

bool Capture::finish() {
  if (--depth_ > 0) return true;
  const auto before = std::exchange(generator_, TensorLibrary::of(interpreter_).generator.state_bytes());
  for (const std::byte* const data : written_) {
    if (CaptureMemory::Block* const block = memory_->find(data)) block->is_written = true;
  }
  // What drew random numbers draws them again.
  if (!is_covered_ || has_gap_ || before != generator_) return false;
  steps_.insert(steps_.end(), launches_.begin(), launches_.end());
  return true;
}

PyResult<void> Capture::act(Action action) {
  begin({}, {});
  PyResult<void> done = action();
  end([&] { return std::move(action); });
  return done;
}

void Capture::add(Action action) {
  actions_.push_back(std::move(action));
  steps_.push_back({[](void* payload, Capture& capture) {
                      const PyResult<void> done = (*static_cast<Action*>(payload))();
                      if (!done.ok()) capture.error_ = done.error();
                      return done.ok();
                    },
                    &actions_.back()});
}

void* Capture::room(std::size_t bytes, std::size_t alignment) {
  room_used_ = (room_used_ + alignment - 1) / alignment * alignment;
  if (rooms_.empty() || room_used_ + bytes > room_size_) {
    room_size_ = std::max(kRoom, bytes);
    rooms_.push_back(std::make_unique<std::byte[]>(room_size_));
    room_used_ = 0;
  }
  void* const taken = rooms_.back().get() + room_used_;
  room_used_ += bytes;
  return taken;
}

Ref<Tensor> Capture::alias(const Tensor& tensor) {
  TensorView view = tensor.view();
  if (memory_->find(view.storage->data()) != nullptr) {
    view.storage = Storage::wrap(interpreter_, view.storage->data(), view.storage->bytes(), nullptr);
  }
  return make_tensor(interpreter_, std::move(view));
}

// What lies on another device, or what the capture reads and did not make.
void Capture::touch(const Tensor& tensor) {
  if (tensor.device() != Device::Cpu) return refuse(fmt::format("a tensor is on {}", device_name(tensor.device())));
  if (tensor.storage()->bytes() == 0 || memory_->find(tensor.storage()->data()) != nullptr) return;
  const AutogradMeta* const meta = tensor.autograd();
  watch(meta != nullptr && meta->view_base ? *meta->view_base : const_cast<Tensor&>(tensor));
}

void Capture::watch(Tensor& tensor) {
  if (!known_outside_.insert(&tensor).second) return;
  outside_.push_back({Ref<Tensor>(&tensor), tensor.data(), tensor.requires_grad()});
}

// Memory that no action wrote has values that the program put there: each replay puts them there again.
void Capture::restore_if_made_by_host(const Tensor& tensor) {
  std::byte* const data = tensor.storage()->data();
  CaptureMemory::Block* const block = memory_->find(data);
  if (block == nullptr || block->is_written) return;
  block->is_written = true;
  std::vector<std::byte> values(data, data + tensor.storage()->bytes());
  add([data, values = std::move(values)]() -> PyResult<void> {
    std::memcpy(data, values.data(), values.size());
    return {};
  });
}

// Numbers that no action drew would be the same ones in each replay.
void Capture::check_generator() {
  if (generator_ != TensorLibrary::of(interpreter_).generator.state_bytes()) {
    refuse("random numbers were drawn by the program, outside of the ops that can draw again");
  }
}

// ---------------------------------------------------------------- leaves

void Capture::note_grad(Tensor& leaf) {
  if (known_leaves_.insert(&leaf).second) first_grads_.push_back({Ref<Tensor>(&leaf), leaf.grad()});
}

void Capture::set_grad(Tensor& leaf, Ref<Tensor> grad) {
  if (known_leaves_.insert(&leaf).second) first_grads_.push_back({Ref<Tensor>(&leaf), nullptr, false});
  leaf.set_grad(grad);
  if (depth_ > 0) return;
  add([kept = Ref<Tensor>(&leaf), grad = std::move(grad)]() -> PyResult<void> {
    if (!(kept->grad() == grad)) kept->set_grad(grad);
    return {};
  });
}

void Capture::note_write(Tensor& target) {
  if (depth_ == 0 && memory_->find(target.storage()->data()) == nullptr) counted_.push_back(target.storage());
}

std::shared_ptr<std::byte> Capture::take(std::size_t bytes) { return depth_ > 0 ? nullptr : memory_->take(bytes); }

}  // namespace nns::tensor
