// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The nodes that compute a folded constant of its parameters.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_RECIPENODES_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_RECIPENODES_H

#include "frontends/onnx/Model/GraphAdditions.h"
#include "frontends/onnx/Weights/FoldedRecipe.h"

namespace accel::onnx {

/// Adds nodes that do what `recipe` says and make `result`. `rank`: of its
/// parameter.
void addRecipe(GraphAdditions &additions, const Recipe &recipe, size_t rank,
               const std::string &result);

} // namespace accel::onnx

#endif
