// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table itself.
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "frontends/onnx/Model/ModelFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace accel::onnx {
namespace {

constexpr int64_t first = convertedOpset, last = newestOpset;

constexpr OperatorInfo operators[] = {
    {"Abs", first, last, 1, 1, "", convertUnary},
    {"Acos", first, last, 1, 1, "", convertTrigonometric},
    {"Acosh", first, last, 1, 1, "", convertTrigonometric},
    {"Add", first, last, 2, 2, "", convertBinary},
    {"AffineGrid", 20, last, 2, 2, "align_corners:int", convertAffineGrid},
    {"And", first, last, 2, 2, "", convertBinary},
    {"ArgMax", first, last, 1, 1, "axis:int keepdims:int select_last_index:int",
     convertArgMax},
    {"ArgMin", first, last, 1, 1, "axis:int keepdims:int select_last_index:int",
     convertArgMax},
    {"Asin", first, last, 1, 1, "", convertTrigonometric},
    {"Asinh", first, last, 1, 1, "", convertTrigonometric},
    {"Atan", first, last, 1, 1, "", convertTrigonometric},
    {"Atanh", first, last, 1, 1, "", convertTrigonometric},
    {"Attention", 23, 23, 3, 6,
     "is_causal:int scale:float kv_num_heads:int q_num_heads:int "
     "qk_matmul_output_mode:int softcap:float softmax_precision:int",
     convertAttention, 4},
    {"Attention", 24, 24, 3, 7,
     "is_causal:int scale:float kv_num_heads:int q_num_heads:int "
     "qk_matmul_output_mode:int softcap:float softmax_precision:int",
     convertAttention, 4},
    {"Attention", 25, last, 3, 7,
     "is_causal:int scale:float kv_num_heads:int q_num_heads:int "
     "left_window_size:int qk_matmul_output_mode:int right_window_size:int "
     "softcap:float softmax_precision:int",
     convertAttention, 4},
    {"AveragePool", first, 18, 1, 1,
     "auto_pad:string ceil_mode:int count_include_pad:int "
     "kernel_shape:ints! pads:ints strides:ints",
     convertAveragePool},
    {"AveragePool", 19, last, 1, 1,
     "auto_pad:string ceil_mode:int count_include_pad:int dilations:ints "
     "kernel_shape:ints! pads:ints strides:ints",
     convertAveragePool},
    {"BatchNormalization", first, last, 5, 5,
     "epsilon:float momentum:float training_mode:int", convertBatchNorm, 5},
    {"Bernoulli", 15, last, 1, 1, "dtype:int seed:float", convertBernoulli},
    {"BitCast", 26, last, 1, 1, "to:int!", convertBitCast},
    {"BitShift", 28, last, 2, 2, "direction:string!", convertBitShift},
    {"BitwiseAnd", 18, last, 2, 2, "", convertBitwise},
    {"BitwiseNot", 18, last, 1, 1, "", convertBitwiseNot},
    {"BitwiseOr", 18, last, 2, 2, "", convertBitwise},
    {"BitwiseXor", 18, last, 2, 2, "", convertBitwise},
    {"BlackmanWindow", 17, last, 1, 1, "output_datatype:int periodic:int",
     convertWindow},
    {"Cast", first, 18, 1, 1, "to:int!", convertCast},
    {"Cast", 19, 23, 1, 1, "to:int! saturate:int", convertCast},
    {"Cast", 24, last, 1, 1, "to:int! saturate:int round_mode:string",
     convertCast},
    {"CastLike", 15, 18, 2, 2, "", convertCastLike},
    {"CastLike", 19, 23, 2, 2, "saturate:int", convertCastLike},
    {"CastLike", 24, last, 2, 2, "saturate:int round_mode:string",
     convertCastLike},
    {"CausalConvWithState", 27, last, 2, 4, "activation:string",
     convertCausalConvWithState, 2},
    {"Ceil", first, last, 1, 1, "", convertRounding},
    {"Celu", first, last, 1, 1, "alpha:float", convertActivation},
    {"CenterCropPad", 18, last, 2, 2, "axes:ints", convertCenterCropPad},
    {"Clip", first, last, 1, 3, "", convertClip},
    {"Col2Im", 18, last, 3, 3, "dilations:ints pads:ints strides:ints",
     convertCol2Im},
    {"Compress", first, last, 2, 2, "axis:int", convertCompress},
    {"Concat", first, last, 1, anyNumber, "axis:int!", convertConcat},
    {"ConcatFromSequence", first, last, 1, 1, "axis:int! new_axis:int",
     convertConcatFromSequence},
    {"Constant", first, last, 0, 0,
     "value:tensor value_float:float value_floats:floats "
     "value_int:int value_ints:ints",
     convertConstant},
    {"ConstantOfShape", first, last, 1, 1, "value:tensor",
     convertConstantOfShape},
    {"Conv", first, last, 2, 3,
     "auto_pad:string dilations:ints group:int kernel_shape:ints pads:ints "
     "strides:ints",
     convertConv},
    {"ConvTranspose", first, last, 2, 3,
     "auto_pad:string dilations:ints group:int kernel_shape:ints "
     "output_padding:ints output_shape:ints pads:ints strides:ints",
     convertConvTranspose},
    {"Cos", first, last, 1, 1, "", convertUnary},
    {"Cosh", first, last, 1, 1, "", convertTrigonometric},
    {"CumProd", 26, last, 2, 2, "exclusive:int reverse:int", convertCumProd},
    {"CumSum", first, last, 2, 2, "exclusive:int reverse:int", convertCumSum},
    {"DFT", 17, 19, 1, 2, "axis:int inverse:int onesided:int", convertDft},
    {"DFT", 20, last, 1, 3, "inverse:int onesided:int", convertDft},
    {"DepthToSpace", first, last, 1, 1, "blocksize:int! mode:string",
     convertDepthToSpace},
    {"Div", first, last, 2, 2, "", convertBinary},
    {"Dropout", first, last, 1, 3, "seed:int", convertDropout, 2},
    {"Einsum", first, last, 1, anyNumber, "equation:string!", convertEinsum},
    {"Elu", first, last, 1, 1, "alpha:float", convertActivation},
    {"Equal", first, last, 2, 2, "", convertCompare},
    {"Erf", first, last, 1, 1, "", convertUnary},
    {"Exp", first, last, 1, 1, "", convertUnary},
    {"Expand", first, last, 2, 2, "", convertExpand},
    {"EyeLike", first, last, 1, 1, "dtype:int k:int", convertEyeLike},
    {"Flatten", first, last, 1, 1, "axis:int", convertFlatten},
    {"FlexAttention", first, last, 3, 3,
     "prob_mod:graph scale:float score_mod:graph softmax_precision:int",
     convertFlexAttention, 1, "ai.onnx.preview"},
    {"Floor", first, last, 1, 1, "", convertRounding},
    {"GRU", first, 13, 3, 6,
     "activations:strings clip:float direction:string hidden_size:int "
     "linear_before_reset:int",
     convertGru, 2},
    {"GRU", 14, last, 3, 6,
     "activations:strings clip:float direction:string hidden_size:int "
     "layout:int linear_before_reset:int",
     convertGru, 2},
    {"Gather", first, last, 2, 2, "axis:int", convertGather},
    {"GatherElements", first, last, 2, 2, "axis:int", convertGatherElements},
    {"GatherND", first, last, 2, 2, "batch_dims:int", convertGatherNd},
    {"Gelu", 20, last, 1, 1, "approximate:string", convertGelu},
    {"Gemm", first, last, 2, 3, "alpha:float beta:float transA:int transB:int",
     convertGemm},
    {"GlobalAveragePool", first, last, 1, 1, "", convertGlobalAveragePool},
    {"GlobalLpPool", first, last, 1, 1, "p:int", convertGlobalLpPool},
    {"GlobalMaxPool", first, last, 1, 1, "", convertGlobalMaxPool},
    {"Greater", first, last, 2, 2, "", convertCompare},
    {"GreaterOrEqual", first, last, 2, 2, "", convertCompare},
    {"GridSample", 16, last, 2, 2,
     "align_corners:int mode:string padding_mode:string", convertGridSample},
    {"GroupNormalization", 18, 20, 3, 3, "epsilon:float num_groups:int!",
     convertGroupNorm},
    {"GroupNormalization", 21, last, 3, 3,
     "epsilon:float num_groups:int! stash_type:int=1", convertGroupNorm},
    {"HammingWindow", 17, last, 1, 1, "output_datatype:int periodic:int",
     convertWindow},
    {"HannWindow", 17, last, 1, 1, "output_datatype:int periodic:int",
     convertWindow},
    {"HardSigmoid", first, last, 1, 1, "alpha:float beta:float",
     convertActivation},
    {"HardSwish", 14, last, 1, 1, "", convertActivation},
    {"Hardmax", first, last, 1, 1, "axis:int", convertHardmax},
    {"Identity", first, last, 1, 1, "", convertIdentity},
    {"If", first, last, 1, 1, "then_branch:graph! else_branch:graph!",
     convertIf, anyNumber},
    {"InstanceNormalization", first, last, 3, 3, "epsilon:float",
     convertInstanceNorm},
    {"IsInf", first, last, 1, 1, "detect_negative:int detect_positive:int",
     convertIsInf},
    {"IsNaN", first, last, 1, 1, "", convertIsNan},
    {"LRN", first, last, 1, 1, "alpha:float beta:float bias:float size:int!",
     convertLrn},
    {"LSTM", first, 13, 3, 8,
     "activations:strings clip:float direction:string hidden_size:int "
     "input_forget:int",
     convertLstm, 3},
    {"LSTM", 14, last, 3, 8,
     "activations:strings clip:float direction:string hidden_size:int "
     "input_forget:int layout:int",
     convertLstm, 3},
    {"LayerNormalization", 17, last, 2, 3,
     "axis:int epsilon:float stash_type:int=1", convertLayerNorm, 3},
    {"LeakyRelu", first, last, 1, 1, "alpha:float", convertActivation},
    {"Less", first, last, 2, 2, "", convertCompare},
    {"LessOrEqual", first, last, 2, 2, "", convertCompare},
    {"LinearAttention", 27, last, 3, 6,
     "chunk_size:int kv_num_heads:int! q_num_heads:int! scale:float "
     "update_rule:string",
     convertLinearAttention, 2},
    {"Log", first, last, 1, 1, "", convertUnary},
    {"LogSoftmax", first, last, 1, 1, "axis:int", convertLogSoftmax},
    // Its first two inputs may be absent.
    {"Loop", first, last, 0, 1024, "body:graph!", convertLoop, anyNumber},
    {"LpNormalization", first, last, 1, 1, "axis:int p:int",
     convertLpNormalization},
    {"LpPool", first, 17, 1, 1,
     "auto_pad:string kernel_shape:ints! p:int pads:ints strides:ints",
     convertLpPool},
    {"LpPool", 18, last, 1, 1,
     "auto_pad:string ceil_mode:int dilations:ints kernel_shape:ints! p:int "
     "pads:ints strides:ints",
     convertLpPool},
    {"MatMul", first, last, 2, 2, "", convertMatMul},
    {"Max", first, last, 1, anyNumber, "", convertBinary},
    {"MaxPool", first, last, 1, 1,
     "auto_pad:string ceil_mode:int dilations:ints kernel_shape:ints! "
     "pads:ints storage_order:int strides:ints",
     convertMaxPool, 2},
    {"MaxUnpool", first, last, 2, 3,
     "kernel_shape:ints! pads:ints strides:ints", convertMaxUnpool},
    {"Mean", first, last, 1, anyNumber, "", convertSum},
    {"MeanVarianceNormalization", first, last, 1, 1, "axes:ints",
     convertMeanVarianceNormalization},
    {"MelWeightMatrix", 17, last, 5, 5, "output_datatype:int",
     convertMelWeightMatrix},
    {"Min", first, last, 1, anyNumber, "", convertBinary},
    {"Mish", 18, last, 1, 1, "", convertActivation},
    {"Mod", first, last, 2, 2, "fmod:int", convertMod},
    {"Mul", first, last, 2, 2, "", convertBinary},
    {"Neg", first, last, 1, 1, "", convertUnary},
    {"NegativeLogLikelihoodLoss", first, last, 2, 3,
     "ignore_index:int reduction:string", convertNegativeLogLikelihoodLoss},
    {"NonZero", first, last, 1, 1, "", convertNonZero},
    {"Not", first, last, 1, 1, "", convertNot},
    {"OneHot", first, last, 3, 3, "axis:int", convertOneHot},
    {"Or", first, last, 2, 2, "", convertBinary},
    {"PRelu", first, last, 2, 2, "", convertPRelu},
    {"Pad", first, 17, 2, 3, "mode:string", convertPad},
    {"Pad", 18, last, 2, 4, "mode:string", convertPad},
    {"Pow", first, last, 2, 2, "", convertPow},
    {"RMSNormalization", 23, last, 2, 2,
     "axis:int epsilon:float stash_type:int=1", convertRmsNorm},
    {"RNN", first, 13, 3, 6,
     "activations:strings clip:float direction:string hidden_size:int",
     convertRnn, 2},
    {"RNN", 14, last, 3, 6,
     "activations:strings clip:float direction:string hidden_size:int "
     "layout:int",
     convertRnn, 2},
    {"RandomNormal", first, last, 0, 0,
     "dtype:int mean:float scale:float seed:float shape:ints!", convertRandom},
    {"RandomNormalLike", first, last, 1, 1,
     "dtype:int mean:float scale:float seed:float", convertRandomLike},
    {"RandomUniform", first, last, 0, 0,
     "dtype:int high:float low:float seed:float shape:ints!", convertRandom},
    {"RandomUniformLike", first, last, 1, 1,
     "dtype:int high:float low:float seed:float", convertRandomLike},
    {"Range", first, 26, 3, 3, "", convertRange},
    {"Range", 27, last, 3, 3, "stash_type:int", convertRange},
    {"Reciprocal", first, last, 1, 1, "", convertReciprocal},
    {"ReduceL1", first, 17, 1, 1, "axes:ints keepdims:int", convertReduce},
    {"ReduceL1", 18, last, 1, 2, "keepdims:int noop_with_empty_axes:int",
     convertReduce},
    {"ReduceL2", first, 17, 1, 1, "axes:ints keepdims:int", convertReduce},
    {"ReduceL2", 18, last, 1, 2, "keepdims:int noop_with_empty_axes:int",
     convertReduce},
    {"ReduceLogSum", first, 17, 1, 1, "axes:ints keepdims:int", convertReduce},
    {"ReduceLogSum", 18, last, 1, 2, "keepdims:int noop_with_empty_axes:int",
     convertReduce},
    {"ReduceLogSumExp", first, 17, 1, 1, "axes:ints keepdims:int",
     convertReduce},
    {"ReduceLogSumExp", 18, last, 1, 2, "keepdims:int noop_with_empty_axes:int",
     convertReduce},
    {"ReduceMax", first, 17, 1, 1, "axes:ints keepdims:int", convertReduce},
    {"ReduceMax", 18, last, 1, 2, "keepdims:int noop_with_empty_axes:int",
     convertReduce},
    {"ReduceMean", first, 17, 1, 1, "axes:ints keepdims:int", convertReduce},
    {"ReduceMean", 18, last, 1, 2, "keepdims:int noop_with_empty_axes:int",
     convertReduce},
    {"ReduceMin", first, 17, 1, 1, "axes:ints keepdims:int", convertReduce},
    {"ReduceMin", 18, last, 1, 2, "keepdims:int noop_with_empty_axes:int",
     convertReduce},
    {"ReduceProd", first, 17, 1, 1, "axes:ints keepdims:int", convertReduce},
    {"ReduceProd", 18, last, 1, 2, "keepdims:int noop_with_empty_axes:int",
     convertReduce},
    {"ReduceSum", first, last, 1, 2, "keepdims:int noop_with_empty_axes:int",
     convertReduce},
    {"ReduceSumSquare", first, 17, 1, 1, "axes:ints keepdims:int",
     convertReduce},
    {"ReduceSumSquare", 18, last, 1, 2, "keepdims:int noop_with_empty_axes:int",
     convertReduce},
    {"Relu", first, last, 1, 1, "", convertUnary},
    {"Reshape", first, 13, 2, 2, "", convertReshape},
    {"Reshape", 14, last, 2, 2, "allowzero:int", convertReshape},
    {"Resize", first, 17, 1, 4,
     "coordinate_transformation_mode:string cubic_coeff_a:float "
     "exclude_outside:int extrapolation_value:float mode:string "
     "nearest_mode:string",
     convertResize},
    {"Resize", 18, last, 1, 4,
     "antialias:int axes:ints coordinate_transformation_mode:string "
     "cubic_coeff_a:float exclude_outside:int extrapolation_value:float "
     "keep_aspect_ratio_policy:string mode:string nearest_mode:string",
     convertResize},
    {"ReverseSequence", first, last, 2, 2, "batch_axis:int time_axis:int",
     convertReverseSequence},
    {"RoiAlign", first, 15, 3, 3,
     "mode:string output_height:int output_width:int sampling_ratio:int "
     "spatial_scale:float",
     convertRoiAlign},
    {"RoiAlign", 16, last, 3, 3,
     "coordinate_transformation_mode:string mode:string output_height:int "
     "output_width:int sampling_ratio:int spatial_scale:float",
     convertRoiAlign},
    {"RotaryEmbedding", 23, last, 3, 4,
     "interleaved:int num_heads:int rotary_embedding_dim:int",
     convertRotaryEmbedding},
    {"Round", first, last, 1, 1, "", convertRounding},
    {"STFT", 17, last, 2, 4, "onesided:int", convertStft},
    {"Scan", first, last, 1, anyNumber,
     "body:graph! num_scan_inputs:int! scan_input_axes:ints "
     "scan_input_directions:ints scan_output_axes:ints "
     "scan_output_directions:ints",
     convertScan, anyNumber},
    {"ScatterElements", first, 15, 3, 3, "axis:int", convertScatterElements},
    {"ScatterElements", 16, last, 3, 3, "axis:int reduction:string",
     convertScatterElements},
    {"ScatterND", first, 15, 3, 3, "", convertScatterNd},
    {"ScatterND", 16, last, 3, 3, "reduction:string", convertScatterNd},
    {"Selu", first, last, 1, 1, "alpha:float gamma:float", convertActivation},
    {"SequenceAt", first, last, 2, 2, "", convertSequenceAt},
    {"SequenceConstruct", first, last, 1, anyNumber, "",
     convertSequenceConstruct},
    {"SequenceEmpty", first, last, 0, 0, "dtype:int", convertSequenceConstruct},
    {"SequenceErase", first, last, 1, 2, "", convertSequenceErase},
    {"SequenceInsert", first, last, 2, 3, "", convertSequenceInsert},
    {"SequenceLength", first, last, 1, 1, "", convertSequenceLength},
    {"Shape", first, 14, 1, 1, "", convertShape},
    {"Shape", 15, last, 1, 1, "start:int end:int", convertShape},
    {"Shrink", first, last, 1, 1, "bias:float lambd:float", convertActivation},
    {"Sigmoid", first, last, 1, 1, "", convertUnary},
    {"Sign", first, last, 1, 1, "", convertRounding},
    {"Sin", first, last, 1, 1, "", convertUnary},
    {"Sinh", first, last, 1, 1, "", convertTrigonometric},
    {"Size", first, last, 1, 1, "", convertSize},
    {"Slice", first, last, 3, 5, "", convertSlice},
    {"Softmax", first, last, 1, 1, "axis:int", convertSoftmax},
    {"SoftmaxCrossEntropyLoss", first, last, 2, 3,
     "ignore_index:int reduction:string", convertSoftmaxCrossEntropyLoss, 2},
    {"Softplus", first, last, 1, 1, "", convertActivation},
    {"Softsign", first, last, 1, 1, "", convertActivation},
    {"SpaceToDepth", first, 27, 1, 1, "blocksize:int!", convertSpaceToDepth},
    {"SpaceToDepth", 28, last, 1, 1, "blocksize:int! mode:string",
     convertSpaceToDepth},
    {"Split", first, 17, 1, 2, "axis:int", convertSplit, anyNumber},
    {"Split", 18, last, 1, 2, "axis:int num_outputs:int", convertSplit,
     anyNumber},
    {"SplitToSequence", first, last, 1, 2, "axis:int keepdims:int",
     convertSplitToSequence},
    {"Sqrt", first, last, 1, 1, "", convertUnary},
    {"Squeeze", first, last, 1, 2, "", convertSqueeze},
    {"Sub", first, last, 2, 2, "", convertBinary},
    {"Sum", first, last, 1, anyNumber, "", convertSum},
    {"SwiGLU", 28, last, 2, 2, "alpha:float", convertSwiGlu},
    {"Swish", 24, last, 1, 1, "alpha:float", convertActivation},
    {"Tan", first, last, 1, 1, "", convertTrigonometric},
    {"Tanh", first, last, 1, 1, "", convertUnary},
    {"TensorScatter", 24, last, 2, 3, "axis:int mode:string",
     convertTensorScatter},
    {"ThresholdedRelu", first, last, 1, 1, "alpha:float", convertActivation},
    {"Tile", first, last, 2, 2, "", convertTile},
    {"TopK", first, last, 2, 2, "axis:int largest:int sorted:int", convertTopK,
     2},
    {"Transpose", first, last, 1, 1, "perm:ints", convertTranspose},
    {"Trilu", 14, last, 1, 2, "upper:int", convertTrilu},
    {"Unsqueeze", first, last, 2, 2, "", convertUnsqueeze},
    {"Where", first, last, 3, 3, "", convertWhere},
    {"Xor", first, last, 2, 2, "", convertXor},
};

} // namespace

llvm::ArrayRef<OperatorInfo> getOperators() { return operators; }

/// The rows of an operator.
static llvm::ArrayRef<OperatorInfo> findRows(llvm::StringRef name) {
  const auto *begin = llvm::lower_bound(
      operators, name, [](const OperatorInfo &info, llvm::StringRef key) {
        return info.name < key;
      });
  const auto *end =
      std::find_if(begin, std::end(operators),
                   [&](const OperatorInfo &info) { return info.name != name; });
  return llvm::ArrayRef(begin, end);
}

const OperatorInfo *findOperator(llvm::StringRef name, int64_t opset) {
  llvm::ArrayRef<OperatorInfo> rows = findRows(name);
  const auto *found = llvm::find_if(rows, [&](const OperatorInfo &info) {
    return opset >= info.firstOpset && opset <= info.lastOpset;
  });
  return found == rows.end() ? nullptr : found;
}

llvm::StringRef findDomain(llvm::StringRef name) {
  llvm::ArrayRef<OperatorInfo> rows = findRows(name);
  return rows.empty() ? "" : rows.front().domain;
}

std::optional<int64_t> findFirstOpset(llvm::StringRef name) {
  llvm::ArrayRef<OperatorInfo> rows = findRows(name);
  return rows.empty() ? std::nullopt : std::optional(rows.front().firstOpset);
}

llvm::SmallVector<AttributeInfo> getAttributes(const OperatorInfo &info) {
  llvm::SmallVector<llvm::StringRef> entries;
  llvm::StringRef(info.attributes).split(entries, ' ', -1, /*KeepEmpty=*/false);
  return llvm::map_to_vector(entries, [](llvm::StringRef entry) {
    auto [declared, value] = entry.split('=');
    auto [name, type] = declared.split(':');
    bool isRequired = type.consume_back("!");
    return AttributeInfo{name, type, value, isRequired};
  });
}

} // namespace accel::onnx
