#include "native/cuda/doctor.h"

#include <dlfcn.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <random>

#include "native/cuda/check.h"
#include "native/cuda/cudnn.h"
#include "native/cuda/device.h"
#include "native/cuda/gemm.h"

namespace nns::cuda {
namespace {

using Clock = std::chrono::steady_clock;

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

constexpr const char* kDriverRemedy = "an NVIDIA GPU of compute capability 8.0 or newer and its driver, 580 or newer";

// ---------------------------------------------------------------- libraries

// A library that is loaded when it is needed: its version, by a function that fills an int.
struct Library {
  const char* name;
  const char* file;
  const char* function;
  const char* needed_for;
};

std::string version_of_three(std::int64_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}
constexpr Library kLibraries[] = {
    {"NCCL", "libnccl.so.2", "ncclGetVersion", "torch.distributed on GPUs (backend nccl)"},
};

DiagnosisLine look_at(const Library& library) {
  void* const handle = dlopen(library.file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return {Finding::Missing, library.name, "not found", fmt::format("{}, for {}", library.file, library.needed_for)};
  }
  void* const function = dlsym(handle, library.function);
  if (function == nullptr) return {Finding::Broken, library.name, fmt::format("{} is missing in it", library.function)};
  int version = 0;
  reinterpret_cast<int (*)(int*)>(function)(&version);
  return {Finding::Fine, library.name, version_of_three(version)};
}

DiagnosisLine look_at_cudnn() {
  const auto version = Cudnn::library_version();
  if (version.ok()) return {Finding::Fine, "cuDNN", version_of_three(*version) + ", for convolutions"};
  return {Finding::Missing, "cuDNN", version.error().found, version.error().expected + ", for convolutions"};
}

DiagnosisLine look_at_cublas() {
  const auto version = Gemm::library_version();
  if (version.ok()) return {Finding::Fine, "cuBLASLt", version.value()};
  return {Finding::Missing, "cuBLASLt", version.error().found, version.error().expected};
}

// ---------------------------------------------------------------- the test of one GPU

struct Timed {
  double seconds = 0;
  std::uint64_t rounds = 0;
};
// Runs `body` for about `seconds` and waits.
template <class Body>
base::Result<Timed> timed(Device& device, double seconds, Body body) {
  NNS_TRY(body());
  NNS_TRY(device.synchronize());
  Timed made;
  const auto start = Clock::now();
  while (made.seconds < seconds) {
    for (int i = 0; i < 8; ++i) NNS_TRY(body());
    made.rounds += 8;
    NNS_TRY(device.synchronize());
    made.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return made;
}

std::vector<float> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> numbers(-1, 1);
  std::vector<float> made(count);
  for (float& one : made) one = numbers(generator);
  return made;
}

base::Result<std::string> test_memory(Device& device) {
  constexpr std::uint64_t kBytes = std::uint64_t{256} << 20U;
  NNS_TRY_ASSIGN(const auto first, device.allocate(kBytes));
  NNS_TRY_ASSIGN(const auto second, device.allocate(kBytes));
  const std::vector<float> numbers = random_numbers(kBytes / 64, 1);
  const std::uint64_t bytes = numbers.size() * sizeof(float);
  std::vector<float> back(numbers.size());
  NNS_TRY(device.upload(first.get(), reinterpret_cast<const std::byte*>(numbers.data()), bytes));
  const tensor::StridedItems from{first.get(), {1}, tensor::DType::Float32};
  const tensor::StridedItems to{second.get(), {1}, tensor::DType::Float32};
  NNS_TRY(device.copy_items(to, from, {static_cast<std::int64_t>(numbers.size())}));
  NNS_TRY(device.download(reinterpret_cast<std::byte*>(back.data()), second.get(), bytes));
  if (std::memcmp(back.data(), numbers.data(), bytes) != 0) {
    return failure("memory gives back other bytes than were written");
  }
  const auto items = static_cast<std::int64_t>(kBytes / sizeof(float));
  NNS_TRY_ASSIGN(const Timed copies, timed(device, 0.5, [&] { return device.copy_items(to, from, {items}); }));
  return fmt::format("memory {:.2f} TB/s", 2e-12 * static_cast<double>(kBytes * copies.rounds) / copies.seconds);
}

base::Result<std::string> test_products(const std::shared_ptr<Device>& device) {
  Gemm gemm(device);
  // Right: against plain loops in double.
  constexpr std::int64_t kSmall = 96;
  const std::vector<float> a = random_numbers(kSmall * kSmall, 2), b = random_numbers(kSmall * kSmall, 3);
  const std::uint64_t bytes = a.size() * sizeof(float);
  NNS_TRY_ASSIGN(const auto x, device->allocate(bytes));
  NNS_TRY_ASSIGN(const auto y, device->allocate(bytes));
  NNS_TRY_ASSIGN(const auto z, device->allocate(bytes));
  NNS_TRY(device->upload(x.get(), reinterpret_cast<const std::byte*>(a.data()), bytes));
  NNS_TRY(device->upload(y.get(), reinterpret_cast<const std::byte*>(b.data()), bytes));
  const auto matrix = [](std::byte* data, std::int64_t size) { return Matrices{data, size, size, size, 1, 0}; };
  NNS_TRY(gemm.multiply(tensor::DType::Float32, matrix(x.get(), kSmall), matrix(y.get(), kSmall),
                        matrix(z.get(), kSmall), 1, 1, 0));
  std::vector<float> found(a.size());
  NNS_TRY(device->download(reinterpret_cast<std::byte*>(found.data()), z.get(), bytes));
  double largest = 0;
  for (std::size_t row = 0; row < kSmall; ++row) {
    for (std::size_t column = 0; column < kSmall; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < kSmall; ++k) {
        sum += static_cast<double>(a[row * kSmall + k]) * static_cast<double>(b[k * kSmall + column]);
      }
      largest = std::max(largest, std::abs(sum - static_cast<double>(found[row * kSmall + column])));
    }
  }
  if (!(largest < 1e-4)) return failure(fmt::format("products are off by {:.3g}", largest));
  // Fast: bfloat16 on random bits of ordinary numbers.
  constexpr std::int64_t kLarge = 8192;
  constexpr std::uint64_t kBytes = kLarge * kLarge * 2;
  NNS_TRY_ASSIGN(const auto left, device->allocate(kBytes));
  NNS_TRY_ASSIGN(const auto right, device->allocate(kBytes));
  NNS_TRY_ASSIGN(const auto out, device->allocate(kBytes));
  const std::vector<float> numbers = random_numbers(kLarge * kLarge / 16, 4);
  NNS_TRY_ASSIGN(const auto wide, device->allocate(numbers.size() * sizeof(float)));
  NNS_TRY(
      device->upload(wide.get(), reinterpret_cast<const std::byte*>(numbers.data()), numbers.size() * sizeof(float)));
  for (std::byte* to : {left.get(), right.get()}) {
    NNS_TRY(device->copy_items({to, {kLarge * kLarge / 16, 1}, tensor::DType::BFloat16},
                               {wide.get(), {0, 1}, tensor::DType::Float32}, {16, kLarge * kLarge / 16}));
  }
  NNS_TRY_ASSIGN(const Timed products, timed(*device, 0.8, [&] {
                   return gemm.multiply(tensor::DType::BFloat16, matrix(left.get(), kLarge),
                                        matrix(right.get(), kLarge), matrix(out.get(), kLarge), 1, 1, 0);
                 }));
  const double operations = 2.0 * kLarge * kLarge * kLarge * static_cast<double>(products.rounds);
  return fmt::format("bfloat16 products {:.0f} TFLOP/s", 1e-12 * operations / products.seconds);
}

// A small convolution by cuDNN, in float32, against plain loops in double.
base::Result<void> test_convolution(const std::shared_ptr<Device>& device) {
  Cudnn cudnn(device);
  NNS_TRY(cudnn.start());
  constexpr std::int64_t kChannels = 8, kSize = 16, kWindow = 3, kPlaces = kSize - kWindow + 1;
  const std::vector<float> in = random_numbers(kChannels * kSize * kSize, 5);
  const std::vector<float> weight = random_numbers(kChannels * kChannels * kWindow * kWindow, 6);
  std::vector<float> out(kChannels * kPlaces * kPlaces);
  const auto bytes_of = [](const std::vector<float>& numbers) { return numbers.size() * sizeof(float); };
  NNS_TRY_ASSIGN(const auto x, device->allocate(bytes_of(in)));
  NNS_TRY_ASSIGN(const auto w, device->allocate(bytes_of(weight)));
  NNS_TRY_ASSIGN(const auto y, device->allocate(bytes_of(out)));
  NNS_TRY(device->upload(x.get(), reinterpret_cast<const std::byte*>(in.data()), bytes_of(in)));
  NNS_TRY(device->upload(w.get(), reinterpret_cast<const std::byte*>(weight.data()), bytes_of(weight)));
  const ops::WindowDim side{kSize, kPlaces, kWindow, 1, 0, 1};
  ops::CudnnSwitches switches;
  switches.allows_tf32 = false;
  if (!cudnn.compute({ConvolutionResult::Out,
                      tensor::DType::Float32,
                      {1, 1, kChannels, kChannels, {ops::WindowDim(), side, side}},
                      x.get(),
                      w.get(),
                      y.get()},
                     switches)) {
    return failure("a small convolution is refused", "a cuDNN for this GPU whose parts are found, too");
  }
  NNS_TRY(device->download(reinterpret_cast<std::byte*>(out.data()), y.get(), bytes_of(out)));
  double largest = 0;
  for (std::int64_t i = 0; i < std::ssize(out); ++i) {
    const std::int64_t made = i / (kPlaces * kPlaces), row = i / kPlaces % kPlaces, column = i % kPlaces;
    double sum = 0;
    for (std::int64_t k = 0; k < kChannels * kWindow * kWindow; ++k) {
      const std::int64_t channel = k / (kWindow * kWindow), down = k / kWindow % kWindow, right = k % kWindow;
      const std::int64_t place = (channel * kSize + row + down) * kSize + column + right;
      sum += static_cast<double>(in[static_cast<std::size_t>(place)]) *
             static_cast<double>(weight[static_cast<std::size_t>(made * kChannels * kWindow * kWindow + k)]);
    }
    largest = std::max(largest, std::abs(sum - static_cast<double>(out[static_cast<std::size_t>(i)])));
  }
  if (!(largest < 1e-3)) return failure(fmt::format("a convolution is off by {:.3g}", largest));
  return {};
}

void test_gpu(int number, Diagnosis& diagnosis) {
  const std::string what = fmt::format("GPU {}", number);
  const auto opened = Device::open(number);
  if (!opened.ok()) {
    diagnosis.lines.push_back(
        {Finding::Broken, what, opened.error().message(), "a GPU that nobody else has for itself"});
    return;
  }
  const std::shared_ptr<Device>& device = opened.value();
  const cudaDeviceProp& properties = device->properties();
  std::size_t free = 0, total = 0;
  static_cast<void>(cudaMemGetInfo(&free, &total));
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  const bool is_new_enough = properties.major >= 8;
  diagnosis.lines.push_back(
      {is_new_enough ? Finding::Fine : Finding::Missing, what,
       fmt::format("{}, compute capability {}.{}, {} multiprocessors, {:.1f} GiB of which {:.1f} free, {:.0f} MiB L2",
                   properties.name, properties.major, properties.minor, properties.multiProcessorCount,
                   static_cast<double>(total) / kGiB, static_cast<double>(free) / kGiB,
                   static_cast<double>(properties.l2CacheSize) / (1024 * 1024)),
       is_new_enough ? "" : "compute capability 8.0 or newer"});
  if (!is_new_enough) return;
  const std::string test = what + " test";
  std::string found;
  for (const auto& done : {test_memory(*device), test_products(device)}) {
    if (!done.ok()) {
      diagnosis.lines.push_back({Finding::Broken, test, done.error().message(), done.error().expected});
      return;
    }
    found += (found.empty() ? "" : ", ") + done.value();
  }
  diagnosis.lines.push_back({Finding::Fine, test, found + ", results right"});
  diagnosis.can_compute = true;
  if (!Cudnn::library_version().ok()) return;
  const auto done = test_convolution(device);
  diagnosis.lines.push_back(
      {done.ok() ? Finding::Fine : Finding::Broken, what + " cuDNN",
       done.ok() ? std::string("a convolution is right") : done.error().message(),
       done.ok() ? std::string() : std::string("another cuDNN 9, or NNSCOPE_CUDNN=0, which computes without it")});
}

}  // namespace

Diagnosis examine() {
  Diagnosis made;
  int driver = 0, runtime = 0, count = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  static_cast<void>(cudaRuntimeGetVersion(&runtime));
  if (driver == 0) {
    made.lines.push_back({Finding::Missing, "driver", "none", kDriverRemedy});
  } else {
    const bool is_new_enough = driver / 1000 >= runtime / 1000;
    made.lines.push_back({is_new_enough ? Finding::Fine : Finding::Broken, "driver",
                          fmt::format("for CUDA {}", version_text(driver)),
                          is_new_enough ? std::string() : fmt::format("one for CUDA {}", version_text(runtime))});
  }
  made.lines.push_back({Finding::Fine, "CUDA runtime", version_text(runtime)});
  made.lines.push_back(look_at_cublas());
  made.lines.push_back(look_at_cudnn());
  for (const Library& library : kLibraries) made.lines.push_back(look_at(library));
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    made.lines.push_back({Finding::Missing, "GPU", status == cudaSuccess ? "none" : cudaGetErrorString(status),
                          driver == 0 ? kDriverRemedy : "an NVIDIA GPU that this machine may use"});
    return made;
  }
  for (int i = 0; i < count; ++i) test_gpu(i, made);
  for (int i = 0; i < count; ++i) {
    for (int k = i + 1; k < count; ++k) {
      int reaches = 0;
      static_cast<void>(cudaDeviceCanAccessPeer(&reaches, i, k));
      made.lines.push_back({Finding::Fine, fmt::format("GPU {} and {}", i, k),
                            reaches != 0 ? "read each other's memory" : "exchange bytes through the host"});
    }
  }
  return made;
}

}  // namespace nns::cuda
