// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The codes of what the importer refuses and warns of. compiler/ErrorCatalogue
// explains them; a code that passes also have is the same there.
#ifndef ACCEL_FRONTENDS_ONNX_ERRORCODES_H
#define ACCEL_FRONTENDS_ONNX_ERRORCODES_H

#include "dialects/Diagnostics/ErrorCode.h"

namespace accel::onnx::codes {

inline constexpr ErrorCode ModelFile{"ACCEL-E0101",
                                     "the model file cannot be read"};
inline constexpr ErrorCode WeightFile{"ACCEL-E0102",
                                      "a file of weights cannot be read"};
inline constexpr ErrorCode UnknownOperator{"ACCEL-E0201",
                                           "an operator is not known"};
inline constexpr ErrorCode OperatorSet{
    "ACCEL-E0202", "an operator is not known at this operator set"};
inline constexpr ErrorCode UnknownAttribute{
    "ACCEL-E0203", "an attribute of an operator is not known"};
inline constexpr ErrorCode InputCount{
    "ACCEL-E0204", "an operator has too many or too few inputs"};
inline constexpr ErrorCode OtherDomain{"ACCEL-E0205",
                                       "an operator is of another domain"};
inline constexpr ErrorCode BatchNorm{"ACCEL-E0206",
                                     "a batch norm cannot train as it is"};
inline constexpr ErrorCode InvalidNode{"ACCEL-E0301",
                                       "a node cannot be converted"};
inline constexpr ErrorCode ComputedShape{
    "ACCEL-E0302", "a shape or an index depends on the data"};
inline constexpr ErrorCode GraphStructure{"ACCEL-E0303",
                                          "the graph is not a valid graph"};
inline constexpr ErrorCode DetachedValue{"ACCEL-E0304",
                                         "it is not clear what is detached"};
inline constexpr ErrorCode FoldedWeights{"ACCEL-E0401",
                                         "weights were folded into constants"};
inline constexpr ErrorCode AbsentWeights{"ACCEL-E0402",
                                         "the weights are not there"};
inline constexpr ErrorCode SavedParameters{
    "ACCEL-E0403", "the model does not follow from the file of --params"};
inline constexpr ErrorCode MergedCalls{"ACCEL-E0404",
                                       "parameters or calls that are equal "
                                       "became one"};
inline constexpr ErrorCode IdleParameters{
    "ACCEL-E0405", "parameters were left out of the graph"};
inline constexpr ErrorCode ChangedBuffer{
    "ACCEL-E0406", "a buffer changes while the model runs"};
inline constexpr ErrorCode Dimensions{
    "ACCEL-E0501", "a dimension has no size, or another one"};
inline constexpr ErrorCode TrainedParameters{
    "ACCEL-E0503", "it is not clear which parameters train"};
inline constexpr ErrorCode BoundInput{"ACCEL-E0508",
                                      "an input cannot be bound"};
inline constexpr ErrorCode IdleDropout{"ACCEL-W0301",
                                       "dropout that does nothing"};
inline constexpr ErrorCode DropoutWithoutEffect{
    "ACCEL-W0302", "--dropout has nothing to act on"};
inline constexpr ErrorCode IdleBatchNorm{
    "ACCEL-W0303", "batch norm that keeps its statistics"};
inline constexpr ErrorCode MergedParameters{
    "ACCEL-W0401", "parameters that are equal are trained as one"};
inline constexpr ErrorCode FoldedConstants{
    "ACCEL-W0402", "constants that were computed of parameters do not train"};

/// All of them.
inline constexpr ErrorCode all[] = {
    ModelFile,        WeightFile,     UnknownOperator,      OperatorSet,
    UnknownAttribute, InputCount,     OtherDomain,          BatchNorm,
    InvalidNode,      ComputedShape,  GraphStructure,       DetachedValue,
    FoldedWeights,    AbsentWeights,  SavedParameters,      MergedCalls,
    IdleParameters,   ChangedBuffer,  Dimensions,           TrainedParameters,
    BoundInput,       IdleDropout,    DropoutWithoutEffect, IdleBatchNorm,
    MergedParameters, FoldedConstants};

} // namespace accel::onnx::codes

#endif
