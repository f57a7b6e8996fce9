#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "core/base/result.h"

// The part of cuDNN's graph API that is used, declared here: who builds this program needs no cuDNN, and who runs it
// may have one.
// Source: NVIDIA, cuDNN 9, cudnn_graph.h and "Backend API"; cudnn_values_test.cpp holds the numbers against the header.
namespace nns::cuda::cudnn {

/// cudnnStatus_t; anything but 0 is an error.
using Status = int;
inline constexpr Status kSuccess = 0;
using RawHandle = struct Context*;
using RawDescriptor = void*;

/// cudnnDataType_t
enum class DataType : int { Float = 0, Double = 1, Half = 2, BFloat16 = 9 };
/// cudnnConvolutionMode_t
enum class ConvolutionMode : int { CrossCorrelation = 1 };
/// cudnnBackendHeurMode_t
enum class Heuristics : int { Fallback = 2, A = 3 };
/// cudnnBackendNumericalNote_t
enum class Note : int { TensorCore = 0, DownConvertInputs = 1, NonDeterministic = 4 };
inline constexpr std::int64_t kNotes = 10;

/// cudnnBackendDescriptorType_t
enum class Kind : int {
  Convolution = 1,
  Engine = 2,
  EngineConfiguration = 3,
  EngineHeuristics = 4,
  ExecutionPlan = 5,
  ConvolutionForward = 10,
  ConvolutionBackwardFilter = 11,
  ConvolutionBackwardData = 12,
  OperationGraph = 15,
  VariantPack = 16,
  Tensor = 17
};

/// cudnnBackendAttributeType_t
enum class Type : int {
  Handle = 0,
  DataType = 1,
  Int64 = 3,
  Float = 4,
  Double = 5,
  Pointer = 6,
  ConvolutionMode = 7,
  HeuristicsMode = 8,
  NumericalNote = 11,
  Descriptor = 15
};

/// cudnnBackendAttributeName_t
enum class Attribute : int {
  ConvolutionComputeType = 100,
  ConvolutionConvolutionMode = 101,
  ConvolutionDilations = 102,
  ConvolutionStrides = 103,
  ConvolutionPostPaddings = 104,
  ConvolutionPrePaddings = 105,
  ConvolutionSpatialDims = 106,
  HeuristicsMode = 200,
  HeuristicsOperationGraph = 201,
  HeuristicsResults = 202,
  ConfigurationEngine = 300,
  PlanHandle = 400,
  PlanConfiguration = 401,
  PlanWorkspaceSize = 402,
  ForwardAlpha = 700,
  ForwardBeta = 701,
  ForwardConvolution = 702,
  ForwardW = 703,
  ForwardX = 704,
  ForwardY = 705,
  BackwardDataAlpha = 706,
  BackwardDataBeta = 707,
  BackwardDataConvolution = 708,
  BackwardDataW = 709,
  BackwardDataX = 710,
  BackwardDataY = 711,
  BackwardFilterAlpha = 712,
  BackwardFilterBeta = 713,
  BackwardFilterConvolution = 714,
  BackwardFilterW = 715,
  BackwardFilterX = 716,
  BackwardFilterY = 717,
  GraphHandle = 800,
  GraphOperations = 801,
  TensorByteAlignment = 900,
  TensorDataType = 901,
  TensorDimensions = 902,
  TensorStrides = 903,
  TensorUniqueId = 906,
  PackUniqueIds = 1000,
  PackDataPointers = 1001,
  PackWorkspace = 1003,
  EngineNumericalNote = 1303
};

/// The functions that are used.
struct Library {
  std::size_t (*GetVersion)() = nullptr;
  Status (*Create)(RawHandle* handle) = nullptr;
  Status (*Destroy)(RawHandle handle) = nullptr;
  Status (*SetStream)(RawHandle handle, cudaStream_t stream) = nullptr;
  Status (*BackendCreateDescriptor)(Kind kind, RawDescriptor* descriptor) = nullptr;
  Status (*BackendDestroyDescriptor)(RawDescriptor descriptor) = nullptr;
  Status (*BackendFinalize)(RawDescriptor descriptor) = nullptr;
  Status (*BackendSetAttribute)(RawDescriptor descriptor, Attribute name, Type type, std::int64_t count,
                                const void* items) = nullptr;
  Status (*BackendGetAttribute)(RawDescriptor descriptor, Attribute name, Type type, std::int64_t most,
                                std::int64_t* count, void* items) = nullptr;
  Status (*BackendExecute)(RawHandle handle, RawDescriptor plan, RawDescriptor pack) = nullptr;

  /// Loads it, once. Errors: it is not found, or lacks a function; NNSCOPE_CUDNN=0 is in the environment.
  static base::Result<const Library*> open();
};

}  // namespace nns::cuda::cudnn
