#include "native/cuda/gemm.h"

#include <cublasLt.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <map>
#include <tuple>

#include "native/cuda/check.h"

namespace nns::cuda {
namespace {

using tensor::DType;

constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{32} << 20U;

cudaDataType_t data_type(DType dtype) {
  switch (dtype) {
    case DType::Float64:
      return CUDA_R_64F;
    case DType::Float16:
      return CUDA_R_16F;
    case DType::BFloat16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

bool lies_in_rows(const Matrices& m) {
  return (m.column_stride == 1 || m.columns == 1) && (m.row_stride >= m.columns || m.rows == 1);
}
bool lies_in_columns(const Matrices& m) {
  return (m.row_stride == 1 || m.rows == 1) && (m.column_stride >= m.rows || m.columns == 1);
}

// One operand as cuBLAS sees it: columns first.
struct Operand {
  bool is_turned = false;
  std::int64_t rows = 0, columns = 0, step = 0, batch_stride = 0;
  std::uint32_t alignment = 256;
  auto key() const { return std::tuple(is_turned, rows, columns, step, batch_stride, alignment); }
};

// The largest power of two, up to 256, that divides the address.
std::uint32_t alignment_of(const std::byte* at) {
  std::uint32_t alignment = 256;
  while (reinterpret_cast<std::uintptr_t>(at) % alignment != 0) alignment /= 2;
  return alignment;
}

}  // namespace

bool Matrices::is_plain() const { return lies_in_rows(*this) || lies_in_columns(*this); }

// The functions that are used, found in the library by name.
struct Gemm::Library {
#define NNS_CUBLASLT(name) decltype(&cublasLt##name) name = nullptr;
#define NNS_CUBLASLT_ALL                 \
  NNS_CUBLASLT(Create)                   \
  NNS_CUBLASLT(Destroy)                  \
  NNS_CUBLASLT(GetVersion)               \
  NNS_CUBLASLT(Matmul)                   \
  NNS_CUBLASLT(MatmulAlgoGetHeuristic)   \
  NNS_CUBLASLT(MatmulDescCreate)         \
  NNS_CUBLASLT(MatmulDescDestroy)        \
  NNS_CUBLASLT(MatmulDescSetAttribute)   \
  NNS_CUBLASLT(MatrixLayoutCreate)       \
  NNS_CUBLASLT(MatrixLayoutDestroy)      \
  NNS_CUBLASLT(MatrixLayoutSetAttribute) \
  NNS_CUBLASLT(MatmulPreferenceCreate)   \
  NNS_CUBLASLT(MatmulPreferenceDestroy)  \
  NNS_CUBLASLT(MatmulPreferenceSetAttribute)
  NNS_CUBLASLT_ALL
#undef NNS_CUBLASLT

  static base::Result<const Library*> open() {
    static const base::Result<Library> opened = load();
    if (!opened.ok()) return opened.error();
    return &opened.value();
  }

 private:
  static base::Result<Library> load() {
    constexpr const char* kName = "libcublasLt.so.13";
    void* const handle = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      return failure(fmt::format("{} cannot be loaded ({})", kName, dlerror()),
                     "cuBLAS of CUDA 13 where the loader finds it (LD_LIBRARY_PATH, ldconfig)");
    }
    Library made;
    const char* missing = nullptr;
#define NNS_CUBLASLT(name)                                                            \
  made.name = reinterpret_cast<decltype(made.name)>(dlsym(handle, "cublasLt" #name)); \
  if (made.name == nullptr) missing = "cublasLt" #name;
    NNS_CUBLASLT_ALL
#undef NNS_CUBLASLT
    if (missing != nullptr) return failure(fmt::format("{} has no {}", kName, missing));
    return made;
  }
};

// What was made ready for products of one kind: descriptors, and the algorithm that the library chose.
class Gemm::Plans {
 public:
  explicit Plans(const Library& library) : lt(library) {}
  ~Plans() {
    for (auto& [key, plan] : plans) destroy(plan);
    if (handle != nullptr) lt.Destroy(handle);
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;

  struct Plan {
    cublasLtMatmulDesc_t product = nullptr;
    cublasLtMatrixLayout_t a = nullptr, b = nullptr, out = nullptr;
    cublasLtMatmulAlgo_t algorithm{};
  };
  using OperandKey = decltype(Operand().key());
  using Key = std::tuple<DType, OperandKey, OperandKey, OperandKey, std::int64_t, bool, bool>;

  void destroy(Plan& plan) const {
    if (plan.product != nullptr) lt.MatmulDescDestroy(plan.product);
    for (cublasLtMatrixLayout_t layout : {plan.a, plan.b, plan.out}) {
      if (layout != nullptr) lt.MatrixLayoutDestroy(layout);
    }
  }

  const Library& lt;
  cublasLtHandle_t handle = nullptr;
  std::map<Key, Plan> plans;
};

namespace {

base::Result<void> checked_lt(cublasStatus_t status, const char* operation) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  return failure(fmt::format("CUDA error: cuBLASLt gave status {} (in {})", static_cast<int>(status), operation));
}

}  // namespace

Gemm::Gemm(std::shared_ptr<Device> device) : device_(std::move(device)) {}
Gemm::~Gemm() = default;

base::Result<std::string> Gemm::library_version() {
  NNS_TRY_ASSIGN(const Library* const library, Library::open());
  const std::size_t version = library->GetVersion();
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

base::Result<void> Gemm::start() {
  if (plans_) return {};
  NNS_TRY_ASSIGN(const Library* const library, Library::open());
  auto made = std::make_unique<Plans>(*library);
  NNS_TRY(checked_lt(library->Create(&made->handle), "cublasLtCreate"));
  NNS_TRY_ASSIGN(workspace_, device_->allocate(kWorkspaceBytes));
  plans_ = std::move(made);
  return {};
}

base::Result<void> Gemm::multiply(DType dtype, const Matrices& a, const Matrices& b, const Matrices& out,
                                  std::int64_t batches, double alpha, double beta, const std::byte* bias) {
  NNS_TRY(start());
  const Library& lt = plans_->lt;
  const char* const operation = device_->operation();
  // cuBLAS counts columns first, for which rows without gaps are columns of the turned matrix: it gives
  // out^T = b^T a^T.
  const auto operand_of = [](const Matrices& m) {
    Operand made;
    made.is_turned = !lies_in_rows(m);
    made.rows = made.is_turned ? m.rows : m.columns;
    made.columns = made.is_turned ? m.columns : m.rows;
    const std::int64_t stride = made.is_turned ? m.column_stride : m.row_stride;
    made.step = made.columns == 1 ? made.rows : stride;
    made.batch_stride = m.batch_stride;
    made.alignment = alignment_of(m.data);
    return made;
  };
  const Operand first = operand_of(b), second = operand_of(a), target = operand_of(out);
  const Plans::Key key(dtype, first.key(), second.key(), target.key(), batches, bias != nullptr,
                       allow_tf32_ && dtype == DType::Float32);
  auto found = plans_->plans.find(key);
  if (found == plans_->plans.end()) {
    Plans::Plan plan;
    const cudaDataType_t type = data_type(dtype);
    const cublasComputeType_t compute = dtype == DType::Float64 ? CUBLAS_COMPUTE_64F
                                        : std::get<6>(key)      ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                : CUBLAS_COMPUTE_32F;
    const auto make = [&]() -> base::Result<void> {
      NNS_TRY(checked_lt(lt.MatmulDescCreate(&plan.product, compute, dtype == DType::Float64 ? CUDA_R_64F : CUDA_R_32F),
                         operation));
      const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
        return checked_lt(lt.MatmulDescSetAttribute(plan.product, attribute, &value, sizeof value), operation);
      };
      const cublasOperation_t of_first = first.is_turned ? CUBLAS_OP_T : CUBLAS_OP_N;
      const cublasOperation_t of_second = second.is_turned ? CUBLAS_OP_T : CUBLAS_OP_N;
      NNS_TRY(set(CUBLASLT_MATMUL_DESC_TRANSA, of_first));
      NNS_TRY(set(CUBLASLT_MATMUL_DESC_TRANSB, of_second));
      if (bias != nullptr) {
        const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
        NNS_TRY(set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue));
      }
      const auto layout = [&](cublasLtMatrixLayout_t& of, const Operand& operand) -> base::Result<void> {
        NNS_TRY(checked_lt(lt.MatrixLayoutCreate(&of, type, static_cast<std::uint64_t>(operand.rows),
                                                 static_cast<std::uint64_t>(operand.columns), operand.step),
                           operation));
        if (batches == 1) return {};
        const auto count = static_cast<std::int32_t>(batches);
        NNS_TRY(checked_lt(lt.MatrixLayoutSetAttribute(of, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
                           operation));
        return checked_lt(lt.MatrixLayoutSetAttribute(of, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                      &operand.batch_stride, sizeof operand.batch_stride),
                          operation);
      };
      NNS_TRY(layout(plan.a, first));
      NNS_TRY(layout(plan.b, second));
      NNS_TRY(layout(plan.out, target));
      cublasLtMatmulPreference_t preference = nullptr;
      NNS_TRY(checked_lt(lt.MatmulPreferenceCreate(&preference), operation));
      const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
        lt.MatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value);
      };
      prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
      prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, first.alignment);
      prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, second.alignment);
      prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, target.alignment);
      prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, target.alignment);
      cublasLtMatmulHeuristicResult_t chosen{};
      int count = 0;
      const cublasStatus_t status = lt.MatmulAlgoGetHeuristic(plans_->handle, plan.product, plan.a, plan.b, plan.out,
                                                              plan.out, preference, 1, &chosen, &count);
      lt.MatmulPreferenceDestroy(preference);
      NNS_TRY(
          checked_lt(count == 0 && status == CUBLAS_STATUS_SUCCESS ? CUBLAS_STATUS_NOT_SUPPORTED : status, operation));
      plan.algorithm = chosen.algo;
      return {};
    };
    if (const auto done = make(); !done.ok()) {
      plans_->destroy(plan);
      return done.error();
    }
    found = plans_->plans.emplace(key, plan).first;
  }
  const Plans::Plan& plan = found->second;
  if (bias != nullptr) {
    NNS_TRY(checked_lt(
        lt.MatmulDescSetAttribute(plan.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(const std::byte*)),
        operation));
  }
  const auto alpha_float = static_cast<float>(alpha), beta_float = static_cast<float>(beta);
  const bool is_double = dtype == DType::Float64;
  const void* const scale = is_double ? static_cast<const void*>(&alpha) : &alpha_float;
  const void* const keep = is_double ? static_cast<const void*>(&beta) : &beta_float;
  return checked_lt(
      lt.Matmul(plans_->handle, plan.product, scale, b.data, plan.a, a.data, plan.b, keep, out.data, plan.out, out.data,
                plan.out, &plan.algorithm, workspace_.get(), kWorkspaceBytes, device_->stream()),
      operation);
}

}  // namespace nns::cuda
