// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table itself.
#include "frontends/onnx/OperatorTable.h"

#include "frontends/onnx/ModelFile.h"

#include "llvm/ADT/STLExtras.h"

namespace accel::onnx {
namespace {

constexpr int64_t first = oldestOpset, last = newestOpset;

constexpr OperatorInfo operators[] = {
    {"Abs", first, last, 1, 1, "", convertUnary},
    {"Add", first, last, 2, 2, "", convertBinary},
    {"And", first, last, 2, 2, "", convertBinary},
    {"Attention", 23, last, 3, 6,
     "is_causal scale kv_num_heads q_num_heads qk_matmul_output_mode softcap=0 "
     "softmax_precision=1",
     convertAttention},
    {"Cast", first, last, 1, 1, "to saturate round_mode", convertCast},
    {"CastLike", 15, last, 2, 2, "saturate round_mode", convertCastLike},
    {"Clip", first, last, 1, 3, "", convertClip},
    {"Concat", first, last, 1, anyNumber, "axis", convertConcat},
    {"Constant", first, last, 0, 0,
     "value value_float value_floats value_int value_ints", convertConstant},
    {"ConstantOfShape", first, last, 1, 1, "value", convertConstantOfShape},
    {"Cos", first, last, 1, 1, "", convertUnary},
    {"CumSum", first, last, 2, 2, "exclusive reverse", convertCumSum},
    {"Div", first, last, 2, 2, "", convertBinary},
    {"Dropout", first, last, 1, 3, "seed", convertDropout},
    {"Equal", first, last, 2, 2, "", convertCompare},
    {"Erf", first, last, 1, 1, "", convertUnary},
    {"Exp", first, last, 1, 1, "", convertUnary},
    {"Expand", first, last, 2, 2, "", convertExpand},
    {"Flatten", first, last, 1, 1, "axis", convertFlatten},
    {"Gather", first, last, 2, 2, "axis", convertGather},
    {"GatherND", first, last, 2, 2, "batch_dims", convertGatherNd},
    {"Gelu", 20, last, 1, 1, "approximate", convertGelu},
    {"Gemm", first, last, 2, 3, "alpha beta transA transB", convertGemm},
    {"Greater", first, last, 2, 2, "", convertCompare},
    {"GreaterOrEqual", first, last, 2, 2, "", convertCompare},
    {"Identity", first, last, 1, 1, "", convertIdentity},
    {"IsNaN", first, last, 1, 1, "", convertIsNan},
    {"LayerNormalization", 17, last, 2, 3, "axis epsilon stash_type=1",
     convertLayerNorm},
    {"Less", first, last, 2, 2, "", convertCompare},
    {"LessOrEqual", first, last, 2, 2, "", convertCompare},
    {"Log", first, last, 1, 1, "", convertUnary},
    {"LogSoftmax", first, last, 1, 1, "axis", convertLogSoftmax},
    {"MatMul", first, last, 2, 2, "", convertMatMul},
    {"Max", first, last, 1, anyNumber, "", convertBinary},
    {"Min", first, last, 1, anyNumber, "", convertBinary},
    {"Mul", first, last, 2, 2, "", convertBinary},
    {"Neg", first, last, 1, 1, "", convertUnary},
    {"NegativeLogLikelihoodLoss", first, last, 2, 3, "ignore_index reduction",
     convertNegativeLogLikelihoodLoss},
    {"Not", first, last, 1, 1, "", convertNot},
    {"Or", first, last, 2, 2, "", convertBinary},
    {"Pad", first, last, 2, 4, "mode", convertPad},
    {"Pow", first, last, 2, 2, "", convertPow},
    {"RMSNormalization", 23, last, 2, 2, "axis epsilon stash_type=1",
     convertRmsNorm},
    {"Range", first, last, 3, 3, "", convertRange},
    {"Reciprocal", first, last, 1, 1, "", convertReciprocal},
    {"ReduceMax", first, last, 1, 2, "axes keepdims noop_with_empty_axes",
     convertReduce},
    {"ReduceMean", first, last, 1, 2, "axes keepdims noop_with_empty_axes",
     convertReduce},
    {"ReduceSum", first, last, 1, 2, "axes keepdims noop_with_empty_axes",
     convertReduce},
    {"Relu", first, last, 1, 1, "", convertUnary},
    {"Reshape", first, last, 2, 2, "allowzero", convertReshape},
    {"RotaryEmbedding", 23, last, 3, 4,
     "interleaved num_heads rotary_embedding_dim", convertRotaryEmbedding},
    {"Shape", first, last, 1, 1, "start end", convertShape},
    {"Sigmoid", first, last, 1, 1, "", convertUnary},
    {"Sin", first, last, 1, 1, "", convertUnary},
    {"Size", first, last, 1, 1, "", convertSize},
    {"Slice", first, last, 3, 5, "", convertSlice},
    {"Softmax", first, last, 1, 1, "axis", convertSoftmax},
    {"SoftmaxCrossEntropyLoss", first, last, 2, 3, "ignore_index reduction",
     convertSoftmaxCrossEntropyLoss},
    {"Split", first, last, 1, 2, "axis num_outputs", convertSplit},
    {"Sqrt", first, last, 1, 1, "", convertUnary},
    {"Squeeze", first, last, 1, 2, "", convertSqueeze},
    {"Sub", first, last, 2, 2, "", convertBinary},
    {"Tanh", first, last, 1, 1, "", convertUnary},
    {"Transpose", first, last, 1, 1, "perm", convertTranspose},
    {"Trilu", 14, last, 1, 2, "upper", convertTrilu},
    {"Unsqueeze", first, last, 2, 2, "", convertUnsqueeze},
    {"Where", first, last, 3, 3, "", convertWhere},
};

} // namespace

llvm::ArrayRef<OperatorInfo> getOperators() { return operators; }

const OperatorInfo *findOperator(llvm::StringRef name) {
  const auto *found = llvm::lower_bound(
      operators, name, [](const OperatorInfo &info, llvm::StringRef key) {
        return info.name < key;
      });
  return found != std::end(operators) && found->name == name ? found : nullptr;
}

} // namespace accel::onnx
