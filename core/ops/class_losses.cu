#include "core/ops/complaints.cuh"
#include "core/ops/cuda_kernels.h"
#include "core/ops/launch.cuh"
#include "core/ops/line_pieces.cuh"

// nll_loss and cross_entropy, a block a sample. The formulas are those of class_losses.cpp. Kernels with `Items` are
// for samples whose classes lie side by side; `void`: for any.
namespace nns::ops {
namespace {

__device__ __forceinline__ std::int64_t target_of(const ClassLossWork& work, std::int64_t sample) {
  if (work.target_dtype == DType::Int64) return item_at<long long>(work.targets + sample * 8);
  return item_at<unsigned char>(work.targets + sample);
}
template <class T>
__device__ __forceinline__ T weight_of(const ClassLossWork& work, std::int64_t c) {
  if (work.weight.data == nullptr) return T(1);
  return load_float<T>(work.weight.dtype, work.weight.data + c * work.weight.item_bytes);
}

// The items of one sample's classes.
struct SampleLine {
  std::int64_t first, stride;
  __device__ SampleLine(const ClassLossWork& work, std::int64_t sample, std::int64_t bytes)
      : first(((sample / work.inner) * work.classes * work.inner + sample % work.inner) * bytes),
        stride(work.inner * bytes) {}
};

// The largest of a sample's classes, and the logarithm of the sum of exp(class - largest).
template <class T, class Items>
__device__ __forceinline__ void sums_of_sample(const ClassLossWork& work, const std::byte* in, std::int64_t stride,
                                               T* largest_room, double* room, T& largest, T& log_sum) {
  if constexpr (!std::is_void_v<Items>) {
    const LineSums sums = line_sums<Items, kLineThreads>(in, work.classes, largest_room, room);
    largest = sums.largest;
    log_sum = static_cast<T>(log(sums.sum));
  } else {
    largest = -INFINITY;
    for (std::int64_t c = threadIdx.x; c < work.classes; c += kLineThreads) {
      largest = Larger()(largest, load_item<T>(work.in.dtype, in + c * stride));
    }
    largest = across_block(largest, largest_room, Larger());
    double sum = 0;
    for (std::int64_t c = threadIdx.x; c < work.classes; c += kLineThreads) {
      sum += static_cast<double>(exp(load_item<T>(work.in.dtype, in + c * stride) - largest));
    }
    log_sum = static_cast<T>(log(across_block(sum, room, Plus())));
  }
}

template <class T, class Items>
__global__ void __launch_bounds__(kLineThreads) loss_kernel(const __grid_constant__ ClassLossWork work) {
  __shared__ T largest_room[kLineThreads / 32];
  __shared__ double room[kLineThreads / 32];
  const auto bytes = work.in.item_bytes;
  for (std::int64_t sample = blockIdx.x; sample < work.samples(); sample += gridDim.x) {
    const SampleLine line(work, sample, bytes);
    const std::byte* const in = work.in.data + line.first;
    const std::int64_t own = target_of(work, sample);
    const bool is_ignored = own == work.ignored;
    const bool is_wrong = !is_ignored && (own < 0 || own >= work.classes);
    T largest = 0, log_sum = 0;
    if (work.has_softmax && !is_ignored) {
      sums_of_sample<T, Items>(work, in, line.stride, largest_room, room, largest, log_sum);
    }
    double smooth = 0;
    if (work.smoothing > 0 && !is_ignored) {
      const T shared = static_cast<T>(work.smoothing / static_cast<double>(work.classes));
      for (std::int64_t c = threadIdx.x; c < work.classes; c += kLineThreads) {
        const T x = load_item<T>(work.in.dtype, in + c * line.stride) - largest - log_sum;
        smooth += static_cast<double>(shared * weight_of<T>(work, c) * x);
      }
      smooth = across_block(smooth, room, Plus());
    }
    if (threadIdx.x != 0) continue;
    double loss = 0, weight = 0;
    if (is_wrong) {
      complain(work.complaint, DeviceComplaint::LossTarget);
      loss = nan("");
    } else if (!is_ignored) {
      const T share = static_cast<T>(1 - work.smoothing) * weight_of<T>(work, own);
      loss = static_cast<double>(-share * (load_item<T>(work.in.dtype, in + own * line.stride) - largest - log_sum)) -
             smooth;
      weight = static_cast<double>(weight_of<T>(work, own));
    }
    if (work.log_sums.data != nullptr) {
      const auto kept = work.log_sums.item_bytes;
      store_item(work.log_sums.dtype, work.log_sums.data + 2 * sample * kept, largest);
      store_item(work.log_sums.dtype, work.log_sums.data + (2 * sample + 1) * kept, log_sum);
    }
    work.each[2 * sample] = loss;
    work.each[2 * sample + 1] = weight;
    if (work.reduction == 0)
      store_item(work.loss.dtype, work.loss.data + sample * work.loss.item_bytes, static_cast<T>(loss));
  }
}

// One block: the sums over all samples.
template <class T>
__global__ void __launch_bounds__(kLineThreads) total_kernel(const __grid_constant__ ClassLossWork work) {
  __shared__ double room[kLineThreads / 32];
  double loss = 0, weight = 0;
  for (std::int64_t sample = threadIdx.x; sample < work.samples(); sample += kLineThreads) {
    loss += work.each[2 * sample];
    weight += work.each[2 * sample + 1];
  }
  loss = across_block(loss, room, Plus());
  weight = across_block(weight, room, Plus());
  if (threadIdx.x != 0) return;
  const T total = static_cast<T>(weight);
  store_item(work.total.dtype, work.total.data, total);
  if (work.reduction == 2) store_item(work.loss.dtype, work.loss.data, static_cast<T>(loss));
  if (work.reduction == 1)
    store_item(work.loss.dtype, work.loss.data, static_cast<T>(loss / static_cast<double>(total)));
}

// The sums that the gradient needs, into each[0] and each[1]: the targets' weights, and those of all classes.
template <class T>
__global__ void __launch_bounds__(kLineThreads) weights_kernel(const __grid_constant__ ClassLossWork work) {
  __shared__ double room[kLineThreads / 32];
  double total = 0, all = 0;
  for (std::int64_t sample = threadIdx.x; sample < work.samples(); sample += kLineThreads) {
    const std::int64_t own = target_of(work, sample);
    if (own != work.ignored && own >= 0 && own < work.classes) total += static_cast<double>(weight_of<T>(work, own));
  }
  for (std::int64_t c = threadIdx.x; c < work.classes; c += kLineThreads) {
    all += static_cast<double>(weight_of<T>(work, c));
  }
  total = across_block(total, room, Plus());
  all = across_block(all, room, Plus());
  if (threadIdx.x != 0) return;
  work.each[0] = total;
  work.each[1] = all;
}

template <class T, class Items>
__global__ void __launch_bounds__(kLineThreads) backward_kernel(const __grid_constant__ ClassLossBackwardWork job) {
  const ClassLossWork& work = job.of;
  const auto bytes = job.out.item_bytes;
  const T shared = static_cast<T>(work.smoothing / static_cast<double>(work.classes));
  const T all = static_cast<T>(work.each[1]);
  const T scale = work.reduction == 1 ? T(1) / static_cast<T>(work.each[0]) : T(1);
  for (std::int64_t sample = blockIdx.x; sample < work.samples(); sample += gridDim.x) {
    const SampleLine line(work, sample, bytes);
    const std::int64_t own = target_of(work, sample);
    const bool is_ignored = own == work.ignored || own < 0 || own >= work.classes;
    const T own_share = is_ignored ? T(0) : static_cast<T>(1 - work.smoothing) * weight_of<T>(work, own);
    T factor = scale, whole = 0, largest = 0, log_sum = 0;
    if (work.has_softmax) {
      const auto kept = work.log_sums.item_bytes;
      largest = load_item<T>(work.log_sums.dtype, work.log_sums.data + 2 * sample * kept);
      log_sum = load_item<T>(work.log_sums.dtype, work.log_sums.data + (2 * sample + 1) * kept);
      const auto grad_bytes = job.grad.item_bytes;
      factor *= load_item<T>(job.grad.dtype, job.grad.data + (work.reduction == 0 ? sample : 0) * grad_bytes);
      whole = factor * (own_share + shared * all);
    }
    const T of_own = factor * own_share, of_each = factor * shared;
    const auto gradient = [&](T x, std::int64_t c) {
      if (is_ignored) return T(0);
      T made = !std::is_void_v<Items> || work.has_softmax ? whole * exp(x - largest - log_sum) : T(0);
      made -= of_each * weight_of<T>(work, c);
      return c == own ? made - of_own : made;
    };
    const std::byte* const in = work.in.data + line.first;
    std::byte* const out = job.out.data + line.first;
    if constexpr (!std::is_void_v<Items>) {
      change_line<Items, kLineThreads>(in, out, work.classes, gradient);
    } else {
      for (std::int64_t c = threadIdx.x; c < work.classes; c += kLineThreads) {
        const T x = work.has_softmax && !is_ignored ? load_item<T>(work.in.dtype, in + c * line.stride) : T(0);
        store_item(job.out.dtype, out + c * line.stride, gradient(x, c));
      }
    }
  }
}

// Calls use(T(), Items*) for what the kernels of a loss are compiled for.
template <class Use>
void with_samples(const ClassLossWork& work, Use use) {
  if (work.in_double) return use(double(), static_cast<void*>(nullptr));
  const bool is_side_by_side = work.has_softmax && work.inner == 1 &&
                               with_items(work.in.dtype, [&]<class Items>(Items items) { use(float(), &items); });
  if (!is_side_by_side) use(float(), static_cast<void*>(nullptr));
}

}  // namespace

void launch_class_loss(const ClassLossWork& work, StreamHandle stream) {
  with_samples(work, [&]<class T, class Items>(T, Items*) {
    if (work.samples() > 0) {
      launch_kernel(loss_kernel<T, Items>, blocks_for(work.samples(), 1), kLineThreads, stream, work);
    }
    launch_kernel(total_kernel<T>, 1, kLineThreads, stream, work);
  });
}
void launch_class_loss_backward(const ClassLossBackwardWork& job, StreamHandle stream) {
  if (job.of.samples() == 0) return;
  with_samples(job.of, [&]<class T, class Items>(T, Items*) {
    launch_kernel(weights_kernel<T>, 1, kLineThreads, stream, job.of);
    launch_kernel(backward_kernel<T, Items>, blocks_for(job.of.samples(), 1), kLineThreads, stream, job);
  });
}

}  // namespace nns::ops
