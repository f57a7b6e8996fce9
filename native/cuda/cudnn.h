#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>

#include "core/base/result.h"
#include "core/ops/convolution_kernels.h"
#include "core/ops/cudnn_switches.h"
#include "core/tensor/dtype.h"
#include "native/cuda/cudnn_library.h"
#include "native/cuda/device.h"

namespace nns::cuda {

/// Which of the three tensors of a convolution is computed from the other two.
enum class ConvolutionResult : std::uint8_t { Out, In, Weight };

/// A convolution without bias. The tensors lie in order without gaps, as ConvolutionShape has them.
struct CudnnConvolution {
  ConvolutionResult result = ConvolutionResult::Out;
  tensor::DType dtype = tensor::DType::Float32;
  ops::ConvolutionShape shape;
  std::byte* in = nullptr;
  std::byte* weight = nullptr;
  std::byte* out = nullptr;
};

/// Convolutions by cuDNN, which is loaded when the first is asked for. What it has chosen for a kind and shape is kept,
/// also that there is nothing to choose.
/// Behaviour: aten/src/ATen/native/cudnn/Conv_v8.cpp. Sums of float16, bfloat16 and float32 are float32.
/// Threads: one, the device's.
class Cudnn {
 public:
  explicit Cudnn(std::shared_ptr<Device> device);
  ~Cudnn();
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;

  /// Queues it. False: the result is to be computed in another way, because cuDNN is not there, has no way that
  /// `switches` allow, or memory has no room for one. Errors of the device are left for whoever launches next.
  /// Must hold: float16, bfloat16, float32 or float64; less than 2^31 items in each tensor.
  /// Cost: milliseconds at the first call of a kind and shape; with `benchmarks` it waits for the device meanwhile.
  bool compute(const CudnnConvolution& convolution, const ops::CudnnSwitches& switches);

  /// Makes cuDNN ready for the device, once. Errors: the library is not there or is left out; it refuses the device.
  base::Result<void> start();
  /// 91900 for 9.19.0. Errors: the library is not there or is left out.
  static base::Result<std::int64_t> library_version();
  /// The same, or 0.
  static std::int64_t version_or_none();

  /// How many choices are kept; the one that was not used for longest is given up for a new one.
  static constexpr std::size_t kMostChoices = 1024;

 private:
  struct Plan;
  struct Choice;
  enum class Outcome : std::uint8_t { Queued, NoRoom, Failed };
  // Kind, dtype, sizes, alignments, switches.
  using Key = std::array<std::int64_t, 26>;

  Outcome run(const Plan& plan, const CudnnConvolution& convolution);
  Outcome choose(const CudnnConvolution& convolution, const ops::CudnnSwitches& switches,
                 std::unique_ptr<Plan>& chosen);
  double seconds_of(const Plan& plan, const CudnnConvolution& convolution);
  void keep(const Key& key, std::unique_ptr<Plan> plan);

  std::shared_ptr<Device> device_;
  const cudnn::Library* library_ = nullptr;
  cudnn::RawHandle handle_ = nullptr;
  std::optional<base::Error> refusal_;
  std::map<Key, Choice> choices_;
  std::uint64_t uses_ = 0;
};

}  // namespace nns::cuda
