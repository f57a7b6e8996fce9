// The numbers of native/cuda/cudnn_library.h against cuDNN's own header, where that is found.
#include <cudnn_graph.h>
#include <gtest/gtest.h>

#include "native/cuda/cudnn_library.h"

namespace nns::cuda::cudnn {
namespace {

struct Pair {
  int ours, theirs;
};
#define NNS_SAME(ours, theirs) \
  { static_cast<int>(ours), static_cast<int>(theirs) }
constexpr Pair kPairs[] = {
    NNS_SAME(kSuccess, CUDNN_STATUS_SUCCESS),
    NNS_SAME(kNotes, CUDNN_NUMERICAL_NOTE_TYPE_COUNT),
    NNS_SAME(DataType::Float, CUDNN_DATA_FLOAT),
    NNS_SAME(DataType::Double, CUDNN_DATA_DOUBLE),
    NNS_SAME(DataType::Half, CUDNN_DATA_HALF),
    NNS_SAME(DataType::BFloat16, CUDNN_DATA_BFLOAT16),
    NNS_SAME(ConvolutionMode::CrossCorrelation, CUDNN_CROSS_CORRELATION),
    NNS_SAME(Heuristics::Fallback, CUDNN_HEUR_MODE_FALLBACK),
    NNS_SAME(Heuristics::A, CUDNN_HEUR_MODE_A),
    NNS_SAME(Note::TensorCore, CUDNN_NUMERICAL_NOTE_TENSOR_CORE),
    NNS_SAME(Note::DownConvertInputs, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS),
    NNS_SAME(Note::NonDeterministic, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC),
    NNS_SAME(Kind::Convolution, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR),
    NNS_SAME(Kind::Engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR),
    NNS_SAME(Kind::EngineConfiguration, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR),
    NNS_SAME(Kind::EngineHeuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR),
    NNS_SAME(Kind::ExecutionPlan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR),
    NNS_SAME(Kind::ConvolutionForward, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR),
    NNS_SAME(Kind::ConvolutionBackwardFilter, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR),
    NNS_SAME(Kind::ConvolutionBackwardData, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR),
    NNS_SAME(Kind::OperationGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR),
    NNS_SAME(Kind::VariantPack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR),
    NNS_SAME(Kind::Tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR),
    NNS_SAME(Type::Handle, CUDNN_TYPE_HANDLE),
    NNS_SAME(Type::DataType, CUDNN_TYPE_DATA_TYPE),
    NNS_SAME(Type::Int64, CUDNN_TYPE_INT64),
    NNS_SAME(Type::Float, CUDNN_TYPE_FLOAT),
    NNS_SAME(Type::Double, CUDNN_TYPE_DOUBLE),
    NNS_SAME(Type::Pointer, CUDNN_TYPE_VOID_PTR),
    NNS_SAME(Type::ConvolutionMode, CUDNN_TYPE_CONVOLUTION_MODE),
    NNS_SAME(Type::HeuristicsMode, CUDNN_TYPE_HEUR_MODE),
    NNS_SAME(Type::NumericalNote, CUDNN_TYPE_NUMERICAL_NOTE),
    NNS_SAME(Type::Descriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR),
    NNS_SAME(Attribute::ConvolutionComputeType, CUDNN_ATTR_CONVOLUTION_COMP_TYPE),
    NNS_SAME(Attribute::ConvolutionConvolutionMode, CUDNN_ATTR_CONVOLUTION_CONV_MODE),
    NNS_SAME(Attribute::ConvolutionDilations, CUDNN_ATTR_CONVOLUTION_DILATIONS),
    NNS_SAME(Attribute::ConvolutionStrides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES),
    NNS_SAME(Attribute::ConvolutionPostPaddings, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS),
    NNS_SAME(Attribute::ConvolutionPrePaddings, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
    NNS_SAME(Attribute::ConvolutionSpatialDims, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS),
    NNS_SAME(Attribute::HeuristicsMode, CUDNN_ATTR_ENGINEHEUR_MODE),
    NNS_SAME(Attribute::HeuristicsOperationGraph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH),
    NNS_SAME(Attribute::HeuristicsResults, CUDNN_ATTR_ENGINEHEUR_RESULTS),
    NNS_SAME(Attribute::ConfigurationEngine, CUDNN_ATTR_ENGINECFG_ENGINE),
    NNS_SAME(Attribute::PlanHandle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE),
    NNS_SAME(Attribute::PlanConfiguration, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG),
    NNS_SAME(Attribute::PlanWorkspaceSize, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE),
    NNS_SAME(Attribute::ForwardAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA),
    NNS_SAME(Attribute::ForwardBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA),
    NNS_SAME(Attribute::ForwardConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC),
    NNS_SAME(Attribute::ForwardW, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W),
    NNS_SAME(Attribute::ForwardX, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X),
    NNS_SAME(Attribute::ForwardY, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y),
    NNS_SAME(Attribute::BackwardDataAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA),
    NNS_SAME(Attribute::BackwardDataBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA),
    NNS_SAME(Attribute::BackwardDataConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC),
    NNS_SAME(Attribute::BackwardDataW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W),
    NNS_SAME(Attribute::BackwardDataX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX),
    NNS_SAME(Attribute::BackwardDataY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY),
    NNS_SAME(Attribute::BackwardFilterAlpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA),
    NNS_SAME(Attribute::BackwardFilterBeta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA),
    NNS_SAME(Attribute::BackwardFilterConvolution, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC),
    NNS_SAME(Attribute::BackwardFilterW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW),
    NNS_SAME(Attribute::BackwardFilterX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X),
    NNS_SAME(Attribute::BackwardFilterY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY),
    NNS_SAME(Attribute::GraphHandle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE),
    NNS_SAME(Attribute::GraphOperations, CUDNN_ATTR_OPERATIONGRAPH_OPS),
    NNS_SAME(Attribute::TensorByteAlignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT),
    NNS_SAME(Attribute::TensorDataType, CUDNN_ATTR_TENSOR_DATA_TYPE),
    NNS_SAME(Attribute::TensorDimensions, CUDNN_ATTR_TENSOR_DIMENSIONS),
    NNS_SAME(Attribute::TensorStrides, CUDNN_ATTR_TENSOR_STRIDES),
    NNS_SAME(Attribute::TensorUniqueId, CUDNN_ATTR_TENSOR_UNIQUE_ID),
    NNS_SAME(Attribute::PackUniqueIds, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS),
    NNS_SAME(Attribute::PackDataPointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS),
    NNS_SAME(Attribute::PackWorkspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE),
    NNS_SAME(Attribute::EngineNumericalNote, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE),
};
#undef NNS_SAME

TEST(CudnnValues, AreThoseOfTheHeader) {
  for (const Pair& pair : kPairs) EXPECT_EQ(pair.ours, pair.theirs);
  EXPECT_EQ(sizeof(DataType), sizeof(cudnnDataType_t));
  EXPECT_EQ(sizeof(Note), sizeof(cudnnBackendNumericalNote_t));
  EXPECT_EQ(sizeof(Heuristics), sizeof(cudnnBackendHeurMode_t));
  EXPECT_EQ(sizeof(ConvolutionMode), sizeof(cudnnConvolutionMode_t));
}

}  // namespace
}  // namespace nns::cuda::cudnn
