// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators that the importer knows: one row each, and one small function
// each in the file of its family.
#ifndef ACCEL_FRONTENDS_ONNX_CONVERSION_OPERATORTABLE_H
#define ACCEL_FRONTENDS_ONNX_CONVERSION_OPERATORTABLE_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// `maxInputs` of an operator that takes a list, `maxOutputs` of one that makes
/// one.
constexpr unsigned anyNumber = ~0u;

/// An operator, as some operator sets of the default domain define it.
struct OperatorInfo {
  llvm::StringLiteral name;
  int64_t firstOpset; ///< the oldest and newest operator set in which it means
                      ///< what the converter takes it for
  int64_t lastOpset;
  unsigned minInputs, maxInputs; ///< how many inputs a node may have
  /// Attributes that the converter honours, separated by spaces, with ONNX's
  /// type of each: `keepdims:int`. Any other is unsupported. `to:int!` has to
  /// be there; `stash_type:int=1` is accepted only with that value.
  llvm::StringLiteral attributes;
  Converter converter;
  unsigned maxOutputs = 1;
  llvm::StringLiteral domain = ""; ///< of the node; sets are the default one's
};

/// One entry of `OperatorInfo::attributes`.
struct AttributeInfo {
  llvm::StringRef name;
  llvm::StringRef type;  ///< ONNX's name of it, in small letters
  llvm::StringRef value; ///< the only one that is accepted; empty: any
  bool isRequired;
};

/// All of them, by name, then by operator set.
llvm::ArrayRef<OperatorInfo> getOperators();

/// The operator in that operator set, or null.
const OperatorInfo *findOperator(llvm::StringRef name, int64_t opset);

/// The domain of the operator; empty: the default one, or not known.
llvm::StringRef findDomain(llvm::StringRef name);

/// The oldest operator set in which the operator is known, or none.
std::optional<int64_t> findFirstOpset(llvm::StringRef name);

llvm::SmallVector<AttributeInfo> getAttributes(const OperatorInfo &info);

// One function per operator or group of operators that differ in one word.
mlir::LogicalResult convertActivation(NodeConversion &conversion);
mlir::LogicalResult convertAffineGrid(NodeConversion &conversion);
mlir::LogicalResult convertArgMax(NodeConversion &conversion);
mlir::LogicalResult convertAttention(NodeConversion &conversion);
mlir::LogicalResult convertAveragePool(NodeConversion &conversion);
mlir::LogicalResult convertBatchNorm(NodeConversion &conversion);
mlir::LogicalResult convertBernoulli(NodeConversion &conversion);
mlir::LogicalResult convertBinary(NodeConversion &conversion);
mlir::LogicalResult convertBitCast(NodeConversion &conversion);
mlir::LogicalResult convertBitShift(NodeConversion &conversion);
mlir::LogicalResult convertBitwise(NodeConversion &conversion);
mlir::LogicalResult convertBitwiseNot(NodeConversion &conversion);
mlir::LogicalResult convertCast(NodeConversion &conversion);
mlir::LogicalResult convertCastLike(NodeConversion &conversion);
mlir::LogicalResult convertCausalConvWithState(NodeConversion &conversion);
mlir::LogicalResult convertClip(NodeConversion &conversion);
mlir::LogicalResult convertCol2Im(NodeConversion &conversion);
mlir::LogicalResult convertCompare(NodeConversion &conversion);
mlir::LogicalResult convertCenterCropPad(NodeConversion &conversion);
mlir::LogicalResult convertCompress(NodeConversion &conversion);
mlir::LogicalResult convertConcat(NodeConversion &conversion);
mlir::LogicalResult convertConcatFromSequence(NodeConversion &conversion);
mlir::LogicalResult convertConstant(NodeConversion &conversion);
mlir::LogicalResult convertConstantOfShape(NodeConversion &conversion);
mlir::LogicalResult convertConv(NodeConversion &conversion);
mlir::LogicalResult convertConvTranspose(NodeConversion &conversion);
mlir::LogicalResult convertCumProd(NodeConversion &conversion);
mlir::LogicalResult convertCumSum(NodeConversion &conversion);
mlir::LogicalResult convertDepthToSpace(NodeConversion &conversion);
mlir::LogicalResult convertDft(NodeConversion &conversion);
mlir::LogicalResult convertDropout(NodeConversion &conversion);
mlir::LogicalResult convertEinsum(NodeConversion &conversion);
mlir::LogicalResult convertExpand(NodeConversion &conversion);
mlir::LogicalResult convertEyeLike(NodeConversion &conversion);
mlir::LogicalResult convertFlatten(NodeConversion &conversion);
mlir::LogicalResult convertFlexAttention(NodeConversion &conversion);
mlir::LogicalResult convertGather(NodeConversion &conversion);
mlir::LogicalResult convertGatherElements(NodeConversion &conversion);
mlir::LogicalResult convertGatherNd(NodeConversion &conversion);
mlir::LogicalResult convertGelu(NodeConversion &conversion);
mlir::LogicalResult convertGemm(NodeConversion &conversion);
mlir::LogicalResult convertGlobalAveragePool(NodeConversion &conversion);
mlir::LogicalResult convertGlobalLpPool(NodeConversion &conversion);
mlir::LogicalResult convertGlobalMaxPool(NodeConversion &conversion);
mlir::LogicalResult convertGridSample(NodeConversion &conversion);
mlir::LogicalResult convertGroupNorm(NodeConversion &conversion);
mlir::LogicalResult convertGru(NodeConversion &conversion);
mlir::LogicalResult convertHardmax(NodeConversion &conversion);
mlir::LogicalResult convertIdentity(NodeConversion &conversion);
mlir::LogicalResult convertIf(NodeConversion &conversion);
mlir::LogicalResult convertInstanceNorm(NodeConversion &conversion);
mlir::LogicalResult convertIsInf(NodeConversion &conversion);
mlir::LogicalResult convertIsNan(NodeConversion &conversion);
mlir::LogicalResult convertLayerNorm(NodeConversion &conversion);
mlir::LogicalResult convertLinearAttention(NodeConversion &conversion);
mlir::LogicalResult convertLogSoftmax(NodeConversion &conversion);
mlir::LogicalResult convertLoop(NodeConversion &conversion);
mlir::LogicalResult convertLstm(NodeConversion &conversion);
mlir::LogicalResult convertLpNormalization(NodeConversion &conversion);
mlir::LogicalResult convertLpPool(NodeConversion &conversion);
mlir::LogicalResult convertLrn(NodeConversion &conversion);
mlir::LogicalResult convertMatMul(NodeConversion &conversion);
mlir::LogicalResult convertMaxPool(NodeConversion &conversion);
mlir::LogicalResult
convertMeanVarianceNormalization(NodeConversion &conversion);
mlir::LogicalResult convertMaxUnpool(NodeConversion &conversion);
mlir::LogicalResult convertMelWeightMatrix(NodeConversion &conversion);
mlir::LogicalResult convertMod(NodeConversion &conversion);
mlir::LogicalResult
convertNegativeLogLikelihoodLoss(NodeConversion &conversion);
mlir::LogicalResult convertNonZero(NodeConversion &conversion);
mlir::LogicalResult convertNot(NodeConversion &conversion);
mlir::LogicalResult convertOneHot(NodeConversion &conversion);
mlir::LogicalResult convertPRelu(NodeConversion &conversion);
mlir::LogicalResult convertPad(NodeConversion &conversion);
mlir::LogicalResult convertPow(NodeConversion &conversion);
mlir::LogicalResult convertRandom(NodeConversion &conversion);
mlir::LogicalResult convertRandomLike(NodeConversion &conversion);
mlir::LogicalResult convertRange(NodeConversion &conversion);
mlir::LogicalResult convertReciprocal(NodeConversion &conversion);
mlir::LogicalResult convertReduce(NodeConversion &conversion);
mlir::LogicalResult convertReshape(NodeConversion &conversion);
mlir::LogicalResult convertResize(NodeConversion &conversion);
mlir::LogicalResult convertReverseSequence(NodeConversion &conversion);
mlir::LogicalResult convertRmsNorm(NodeConversion &conversion);
mlir::LogicalResult convertRnn(NodeConversion &conversion);
mlir::LogicalResult convertRoiAlign(NodeConversion &conversion);
mlir::LogicalResult convertRotaryEmbedding(NodeConversion &conversion);
mlir::LogicalResult convertRounding(NodeConversion &conversion);
mlir::LogicalResult convertScan(NodeConversion &conversion);
mlir::LogicalResult convertScatterElements(NodeConversion &conversion);
mlir::LogicalResult convertScatterNd(NodeConversion &conversion);
mlir::LogicalResult convertSequenceAt(NodeConversion &conversion);
mlir::LogicalResult convertSequenceConstruct(NodeConversion &conversion);
mlir::LogicalResult convertSequenceErase(NodeConversion &conversion);
mlir::LogicalResult convertSequenceInsert(NodeConversion &conversion);
mlir::LogicalResult convertSequenceLength(NodeConversion &conversion);
mlir::LogicalResult convertShape(NodeConversion &conversion);
mlir::LogicalResult convertSize(NodeConversion &conversion);
mlir::LogicalResult convertSlice(NodeConversion &conversion);
mlir::LogicalResult convertSoftmax(NodeConversion &conversion);
mlir::LogicalResult convertSoftmaxCrossEntropyLoss(NodeConversion &conversion);
mlir::LogicalResult convertSpaceToDepth(NodeConversion &conversion);
mlir::LogicalResult convertSplit(NodeConversion &conversion);
mlir::LogicalResult convertSplitToSequence(NodeConversion &conversion);
mlir::LogicalResult convertSqueeze(NodeConversion &conversion);
mlir::LogicalResult convertStft(NodeConversion &conversion);
mlir::LogicalResult convertSum(NodeConversion &conversion);
mlir::LogicalResult convertSwiGlu(NodeConversion &conversion);
mlir::LogicalResult convertTensorScatter(NodeConversion &conversion);
mlir::LogicalResult convertTile(NodeConversion &conversion);
mlir::LogicalResult convertTopK(NodeConversion &conversion);
mlir::LogicalResult convertTranspose(NodeConversion &conversion);
mlir::LogicalResult convertTrigonometric(NodeConversion &conversion);
mlir::LogicalResult convertTrilu(NodeConversion &conversion);
mlir::LogicalResult convertUnary(NodeConversion &conversion);
mlir::LogicalResult convertUnsqueeze(NodeConversion &conversion);
mlir::LogicalResult convertWhere(NodeConversion &conversion);
mlir::LogicalResult convertWindow(NodeConversion &conversion);
mlir::LogicalResult convertXor(NodeConversion &conversion);

} // namespace accel::onnx

#endif
