#include "native/cuda/cudnn.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "native/cuda/check.h"

namespace nns::cuda {
namespace cudnn {
namespace {

using ops::ConvolutionShape;
using ops::WindowDim;
using tensor::DType;
using Numbers = std::vector<std::int64_t>;

// A descriptor while it is described and afterwards. The first thing that the library refuses makes it useless.
class OwnedDescriptor {
 public:
  OwnedDescriptor(const Library& library, Kind kind)
      : library_(&library), is_fine_(library.BackendCreateDescriptor(kind, &raw_) == kSuccess) {}
  OwnedDescriptor(OwnedDescriptor&& other) noexcept
      : library_(other.library_), raw_(std::exchange(other.raw_, nullptr)), is_fine_(other.is_fine_) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(raw_, other.raw_);
    std::swap(is_fine_, other.is_fine_);
    return *this;
  }
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  ~OwnedDescriptor() {
    if (raw_ != nullptr) library_->BackendDestroyDescriptor(raw_);
  }

  template <class T>
  OwnedDescriptor& set_all(Attribute name, Type type, std::span<const T> items) {
    is_fine_ = is_fine_ && library_->BackendSetAttribute(raw_, name, type, static_cast<std::int64_t>(items.size()),
                                                         items.data()) == kSuccess;
    return *this;
  }
  template <class T>
  OwnedDescriptor& set(Attribute name, Type type, const T& item) {
    return set_all(name, type, std::span(&item, 1));
  }
  OwnedDescriptor& set(Attribute name, const OwnedDescriptor& other) {
    is_fine_ = is_fine_ && other.is_fine_;
    return set(name, Type::Descriptor, other.raw_);
  }
  OwnedDescriptor& set(Attribute name, const Numbers& numbers) {
    return set_all(name, Type::Int64, std::span<const std::int64_t>(numbers));
  }
  // What newer versions need no more, and may one day refuse.
  template <class T>
  OwnedDescriptor& offer(Attribute name, Type type, const T& item) {
    if (is_fine_) static_cast<void>(library_->BackendSetAttribute(raw_, name, type, 1, &item));
    return *this;
  }
  bool finish() {
    is_fine_ = is_fine_ && library_->BackendFinalize(raw_) == kSuccess;
    return is_fine_;
  }
  bool is_fine() const { return is_fine_; }
  RawDescriptor raw() const { return raw_; }

 private:
  const Library* library_;
  RawDescriptor raw_ = nullptr;
  bool is_fine_;
};

// What the tensors are called in graphs and packs.
constexpr std::int64_t kIn = 'x', kWeight = 'w', kOut = 'y';

// The largest power of two, up to 32, that divides the address.
std::int64_t alignment_of(const std::byte* at) {
  std::int64_t alignment = 32;
  while (reinterpret_cast<std::uintptr_t>(at) % static_cast<std::uintptr_t>(alignment) != 0) alignment /= 2;
  return alignment;
}

DataType data_type(DType dtype) {
  switch (dtype) {
    case DType::Float64:
      return DataType::Double;
    case DType::Float16:
      return DataType::Half;
    case DType::BFloat16:
      return DataType::BFloat16;
    default:
      return DataType::Float;
  }
}

// The dimensions along which windows move: two where the first of three is of no account.
std::span<const WindowDim> moving(const ConvolutionShape& shape) {
  const WindowDim& depth = shape.dims[0];
  const bool is_flat = depth.in == 1 && depth.out == 1 && depth.kernel == 1 && depth.padding == 0;
  return std::span(shape.dims).subspan(is_flat ? 1 : 0);
}

OwnedDescriptor describe_tensor(const Library& library, const CudnnConvolution& c, const std::byte* at, std::int64_t id,
                                std::int64_t first, std::int64_t second, std::int64_t WindowDim::*size) {
  Numbers sizes = {first, second};
  for (const WindowDim& dim : moving(c.shape)) sizes.push_back(dim.*size);
  Numbers strides(sizes.size(), 1);
  for (std::size_t i = sizes.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * sizes[i + 1];
  OwnedDescriptor made(library, Kind::Tensor);
  made.set(Attribute::TensorDataType, Type::DataType, data_type(c.dtype))
      .set(Attribute::TensorDimensions, sizes)
      .set(Attribute::TensorStrides, strides)
      .set(Attribute::TensorUniqueId, Type::Int64, id)
      .set(Attribute::TensorByteAlignment, Type::Int64, alignment_of(at));
  made.finish();
  return made;
}

// The names of what an operation consists of; each of the three has its own.
struct OperationNames {
  Kind kind;
  Attribute in, weight, out, convolution, alpha, beta;
};
OperationNames names_of(ConvolutionResult result) {
  switch (result) {
    case ConvolutionResult::In:
      return {Kind::ConvolutionBackwardData, Attribute::BackwardDataX,           Attribute::BackwardDataW,
              Attribute::BackwardDataY,      Attribute::BackwardDataConvolution, Attribute::BackwardDataAlpha,
              Attribute::BackwardDataBeta};
    case ConvolutionResult::Weight:
      return {Kind::ConvolutionBackwardFilter, Attribute::BackwardFilterX,           Attribute::BackwardFilterW,
              Attribute::BackwardFilterY,      Attribute::BackwardFilterConvolution, Attribute::BackwardFilterAlpha,
              Attribute::BackwardFilterBeta};
    default:
      return {Kind::ConvolutionForward,      Attribute::ForwardX,     Attribute::ForwardW,   Attribute::ForwardY,
              Attribute::ForwardConvolution, Attribute::ForwardAlpha, Attribute::ForwardBeta};
  }
}

// The convolution as a graph of one operation.
struct Graph {
  Graph(const Library& library, RawHandle handle, const CudnnConvolution& c)
      : in(describe_tensor(library, c, c.in, kIn, c.shape.batch, c.shape.groups * c.shape.in_channels, &WindowDim::in)),
        // How many groups there are, cuDNN sees by the channels.
        weight(describe_tensor(library, c, c.weight, kWeight, c.shape.groups * c.shape.out_channels,
                               c.shape.in_channels, &WindowDim::kernel)),
        out(describe_tensor(library, c, c.out, kOut, c.shape.batch, c.shape.groups * c.shape.out_channels,
                            &WindowDim::out)),
        convolution(library, Kind::Convolution),
        operation(library, names_of(c.result).kind),
        graph(library, Kind::OperationGraph) {
    const bool in_double = c.dtype == DType::Float64;
    Numbers strides, paddings, dilations;
    for (const WindowDim& dim : moving(c.shape)) {
      strides.push_back(dim.stride);
      paddings.push_back(dim.padding);
      dilations.push_back(dim.dilation);
    }
    convolution.set(Attribute::ConvolutionComputeType, Type::DataType, in_double ? DataType::Double : DataType::Float)
        .set(Attribute::ConvolutionConvolutionMode, Type::ConvolutionMode, ConvolutionMode::CrossCorrelation)
        .set(Attribute::ConvolutionSpatialDims, Type::Int64, static_cast<std::int64_t>(strides.size()))
        .set(Attribute::ConvolutionPrePaddings, paddings)
        .set(Attribute::ConvolutionPostPaddings, paddings)
        .set(Attribute::ConvolutionStrides, strides)
        .set(Attribute::ConvolutionDilations, dilations);
    if (!convolution.finish()) return;
    const OperationNames names = names_of(c.result);
    operation.set(names.in, in).set(names.weight, weight).set(names.out, out).set(names.convolution, convolution);
    if (in_double) {
      operation.set(names.alpha, Type::Double, 1.0).set(names.beta, Type::Double, 0.0);
    } else {
      operation.set(names.alpha, Type::Float, 1.0F).set(names.beta, Type::Float, 0.0F);
    }
    if (!operation.finish()) return;
    graph.set(Attribute::GraphHandle, Type::Handle, handle).set(Attribute::GraphOperations, operation);
    is_fine = graph.finish();
  }

  OwnedDescriptor in, weight, out, convolution, operation, graph;
  bool is_fine = false;
};

// Engines and their settings, those that should be fastest first.
std::vector<OwnedDescriptor> configurations(const Library& library, const Graph& graph, Heuristics mode) {
  OwnedDescriptor heuristics(library, Kind::EngineHeuristics);
  heuristics.set(Attribute::HeuristicsOperationGraph, graph.graph)
      .set(Attribute::HeuristicsMode, Type::HeuristicsMode, mode);
  std::int64_t count = 0;
  if (!heuristics.finish() || library.BackendGetAttribute(heuristics.raw(), Attribute::HeuristicsResults,
                                                          Type::Descriptor, 0, &count, nullptr) != kSuccess) {
    return {};
  }
  std::vector<OwnedDescriptor> made;
  std::vector<RawDescriptor> raw;
  for (std::int64_t i = 0; i < count; ++i) {
    made.emplace_back(library, Kind::EngineConfiguration);
    if (!made.back().is_fine()) return {};
    raw.push_back(made.back().raw());
  }
  const bool is_told = library.BackendGetAttribute(heuristics.raw(), Attribute::HeuristicsResults, Type::Descriptor,
                                                   count, &count, raw.data()) == kSuccess;
  made.erase(made.begin() + (is_told ? std::min<std::ptrdiff_t>(count, std::ssize(made)) : 0), made.end());
  return made;
}

// Behaviour: Conv_v8.cpp, filterEngineConfigs.
bool is_allowed(const Library& library, const OwnedDescriptor& configuration, DType dtype,
                const ops::CudnnSwitches& switches) {
  const OwnedDescriptor engine(library, Kind::Engine);
  RawDescriptor raw = engine.raw();
  std::int64_t count = 0;
  if (!engine.is_fine() || library.BackendGetAttribute(configuration.raw(), Attribute::ConfigurationEngine,
                                                       Type::Descriptor, 1, &count, &raw) != kSuccess) {
    return false;
  }
  std::array<Note, kNotes> notes{};
  count = 0;
  if (library.BackendGetAttribute(raw, Attribute::EngineNumericalNote, Type::NumericalNote, kNotes, &count,
                                  notes.data()) != kSuccess) {
    return false;
  }
  const auto told = std::span(notes).first(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, kNotes)));
  const auto has = [&](Note note) { return std::find(told.begin(), told.end(), note) != told.end(); };
  // Tensor cores multiply float32 as tf32.
  return !has(Note::DownConvertInputs) && !(switches.wants_same_bits() && has(Note::NonDeterministic)) &&
         !(dtype == DType::Float32 && !switches.allows_tf32 && has(Note::TensorCore));
}

bool is_empty(const CudnnConvolution& c) {
  const ConvolutionShape& s = c.shape;
  return s.batch * s.groups * s.in_channels * s.out_channels * s.taps() * s.in_plane() * s.out_plane() == 0;
}

}  // namespace
}  // namespace cudnn

struct Cudnn::Plan {
  cudnn::OwnedDescriptor configuration, plan;
  std::uint64_t workspace_bytes = 0;
};

struct Cudnn::Choice {
  /// Null: cuDNN knows no way.
  std::unique_ptr<Plan> plan;
  std::uint64_t last_use = 0;
};

Cudnn::Cudnn(std::shared_ptr<Device> device) : device_(std::move(device)) {}

Cudnn::~Cudnn() {
  if (handle_ == nullptr) return;
  // Plans own kernels that may be under way. Nothing can be done about what goes wrong here.
  static_cast<void>(cudaStreamSynchronize(device_->stream()));
  choices_.clear();
  library_->Destroy(handle_);
}

base::Result<std::int64_t> Cudnn::library_version() {
  NNS_TRY_ASSIGN(const cudnn::Library* const library, cudnn::Library::open());
  return static_cast<std::int64_t>(library->GetVersion());
}

std::int64_t Cudnn::version_or_none() {
  const auto version = library_version();
  return version.ok() ? *version : 0;
}

base::Result<void> Cudnn::start() {
  if (handle_ != nullptr) return {};
  if (refusal_) return *refusal_;
  const auto begin = [&]() -> base::Result<void> {
    NNS_TRY_ASSIGN(library_, cudnn::Library::open());
    NNS_TRY(checked(cudaSetDevice(device_->number()), "cudaSetDevice"));
    cudnn::RawHandle made = nullptr;
    if (const cudnn::Status status = library_->Create(&made); status != cudnn::kSuccess) {
      return failure(fmt::format("cudnnCreate gave status {}", status), "a cuDNN for this GPU and its driver");
    }
    if (const cudnn::Status status = library_->SetStream(made, device_->stream()); status != cudnn::kSuccess) {
      library_->Destroy(made);
      return failure(fmt::format("cudnnSetStream gave status {}", status));
    }
    handle_ = made;
    return {};
  };
  const base::Result<void> begun = begin();
  if (!begun.ok()) refusal_ = begun.error();
  return begun;
}

Cudnn::Outcome Cudnn::run(const Plan& plan, const CudnnConvolution& c) {
  std::shared_ptr<std::byte> room;
  if (plan.workspace_bytes > 0) {
    auto taken = device_->allocate(plan.workspace_bytes);
    if (!taken.ok()) return Outcome::NoRoom;
    room = std::move(taken).value();
  }
  void* const pointers[] = {c.in, c.weight, c.out};
  constexpr std::int64_t kIds[] = {cudnn::kIn, cudnn::kWeight, cudnn::kOut};
  void* const workspace = room.get();
  cudnn::OwnedDescriptor pack(*library_, cudnn::Kind::VariantPack);
  pack.set_all(cudnn::Attribute::PackDataPointers, cudnn::Type::Pointer, std::span<void* const>(pointers))
      .set_all(cudnn::Attribute::PackUniqueIds, cudnn::Type::Int64, std::span<const std::int64_t>(kIds))
      .set(cudnn::Attribute::PackWorkspace, cudnn::Type::Pointer, workspace);
  if (!pack.finish() || library_->BackendExecute(handle_, plan.plan.raw(), pack.raw()) != cudnn::kSuccess) {
    return Outcome::Failed;
  }
  return Outcome::Queued;
}

// The shortest of three rounds; what goes wrong takes forever.
double Cudnn::seconds_of(const Plan& plan, const CudnnConvolution& c) {
  using Clock = std::chrono::steady_clock;
  constexpr double kForever = 1e30;
  double shortest = kForever;
  for (int round = 0; round < 4; ++round) {
    const auto start = Clock::now();
    if (run(plan, c) != Outcome::Queued || cudaStreamSynchronize(device_->stream()) != cudaSuccess) return kForever;
    // The first round may load the kernel.
    if (round > 0) shortest = std::min(shortest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return shortest;
}

// Tries the ways that cuDNN proposes: the first that can be queued is chosen, or of several the fastest.
Cudnn::Outcome Cudnn::choose(const CudnnConvolution& c, const ops::CudnnSwitches& switches,
                             std::unique_ptr<Plan>& chosen) {
  const cudnn::Graph graph(*library_, handle_, c);
  if (!graph.is_fine) return Outcome::Failed;
  bool lacked_room = false;
  double shortest = 0;
  std::int64_t timed = 0;
  for (const cudnn::Heuristics mode : {cudnn::Heuristics::A, cudnn::Heuristics::Fallback}) {
    for (cudnn::OwnedDescriptor& configuration : cudnn::configurations(*library_, graph, mode)) {
      if (!cudnn::is_allowed(*library_, configuration, c.dtype, switches)) continue;
      cudnn::OwnedDescriptor described(*library_, cudnn::Kind::ExecutionPlan);
      described.offer(cudnn::Attribute::PlanHandle, cudnn::Type::Handle, handle_)
          .set(cudnn::Attribute::PlanConfiguration, configuration);
      std::int64_t bytes = 0, count = 0;
      if (!described.finish() ||
          library_->BackendGetAttribute(described.raw(), cudnn::Attribute::PlanWorkspaceSize, cudnn::Type::Int64, 1,
                                        &count, &bytes) != cudnn::kSuccess) {
        continue;
      }
      auto plan = std::make_unique<Plan>(Plan{std::move(configuration), std::move(described),
                                              static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0))});
      const Outcome outcome = run(*plan, c);
      lacked_room = lacked_room || outcome == Outcome::NoRoom;
      if (outcome != Outcome::Queued) continue;
      if (!switches.benchmarks) {
        chosen = std::move(plan);
        return Outcome::Queued;
      }
      const double seconds = seconds_of(*plan, c);
      if (chosen == nullptr || seconds < shortest) {
        shortest = seconds;
        chosen = std::move(plan);
      }
      if (++timed == switches.benchmark_limit) return run(*chosen, c);
    }
  }
  if (chosen != nullptr) return run(*chosen, c);
  return lacked_room ? Outcome::NoRoom : Outcome::Failed;
}

void Cudnn::keep(const Key& key, std::unique_ptr<Plan> plan) {
  if (choices_.size() >= kMostChoices) {
    const auto oldest = std::min_element(choices_.begin(), choices_.end(), [](const auto& a, const auto& b) {
      return a.second.last_use < b.second.last_use;
    });
    // Its kernels may be under way.
    static_cast<void>(cudaStreamSynchronize(device_->stream()));
    choices_.erase(oldest);
  }
  choices_.emplace(key, Choice{std::move(plan), ++uses_});
}

bool Cudnn::compute(const CudnnConvolution& c, const ops::CudnnSwitches& switches) {
  if (!switches.is_enabled || cudnn::is_empty(c) || !start().ok()) return false;
  Key key{};
  std::size_t length = 0;
  const auto add = [&](std::int64_t number) { key[length++] = number; };
  const ops::ConvolutionShape& shape = c.shape;
  add(static_cast<std::int64_t>(c.result));
  add(static_cast<std::int64_t>(c.dtype));
  for (const std::int64_t size : {shape.batch, shape.groups, shape.in_channels, shape.out_channels}) add(size);
  for (const ops::WindowDim& dim : shape.dims) {
    for (const std::int64_t one : {dim.in, dim.out, dim.kernel, dim.stride, dim.padding, dim.dilation}) add(one);
  }
  add(cudnn::alignment_of(c.in) * 10000 + cudnn::alignment_of(c.weight) * 100 + cudnn::alignment_of(c.out));
  add((switches.wants_same_bits() ? 1 : 0) + (switches.allows_tf32 ? 2 : 0) + (switches.benchmarks ? 4 : 0));

  if (const auto found = choices_.find(key); found != choices_.end()) {
    found->second.last_use = ++uses_;
    return found->second.plan != nullptr && run(*found->second.plan, c) == Outcome::Queued;
  }
  std::unique_ptr<Plan> chosen;
  const Outcome outcome = choose(c, switches, chosen);
  // With more room there may be a way later.
  if (outcome != Outcome::NoRoom) keep(key, std::move(chosen));
  return outcome == Outcome::Queued;
}

}  // namespace nns::cuda
