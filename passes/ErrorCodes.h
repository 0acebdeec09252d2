// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The codes of what passes refuse and warn of. compiler/ErrorCatalogue explains
// them; a code that the importer also has is the same there.
#ifndef ACCEL_PASSES_ERRORCODES_H
#define ACCEL_PASSES_ERRORCODES_H

#include "dialects/Diagnostics/ErrorCode.h"

namespace accel::codes {

inline constexpr ErrorCode ComputedShape{
    "ACCEL-E0302", "a shape or an index depends on the data"};
inline constexpr ErrorCode Dimensions{
    "ACCEL-E0501", "a dimension has no size, or another one"};
inline constexpr ErrorCode ElementType{
    "ACCEL-E0502", "parameters of a type that is not trained"};
inline constexpr ErrorCode TrainedParameters{
    "ACCEL-E0503", "it is not clear which parameters train"};
inline constexpr ErrorCode Precision{
    "ACCEL-E0505", "a precision that cannot be had as it was asked for"};
inline constexpr ErrorCode ParameterGroups{
    "ACCEL-E0506", "parameters that cannot be grouped as it was asked for"};
inline constexpr ErrorCode Adapters{"ACCEL-E0507",
                                    "adapters that the model cannot have"};
inline constexpr ErrorCode EmptyTensor{"ACCEL-E0504",
                                       "a tensor has no elements"};
inline constexpr ErrorCode NoObjective{"ACCEL-E0601",
                                       "there is nothing to minimise"};
inline constexpr ErrorCode LossForm{
    "ACCEL-E0602", "the model's own loss cannot be split into samples"};
inline constexpr ErrorCode SparsePrediction{
    "ACCEL-E0604", "rows without a label cannot be left out"};
inline constexpr ErrorCode NotTrainable{"ACCEL-E0701",
                                        "a gradient does not exist"};
inline constexpr ErrorCode AssemblerTimeout{"ACCEL-E0802",
                                            "ptxas has not ended in time"};
inline constexpr ErrorCode ParameterWithoutInfluence{
    "ACCEL-W0701", "a parameter does not influence the loss"};

/// All of them.
inline constexpr ErrorCode all[] = {
    ComputedShape,    Dimensions,
    ElementType,      TrainedParameters,
    EmptyTensor,      Precision,
    ParameterGroups,  Adapters,
    NoObjective,      LossForm,
    SparsePrediction, NotTrainable,
    AssemblerTimeout, ParameterWithoutInfluence};

} // namespace accel::codes

#endif
