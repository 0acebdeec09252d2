// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts back what the exporter computed: the parameter becomes an initializer of
// its own name and shape, and a node makes of it what stood in the file.
//
//   before:  initializer add_114 [32]
//   after:   initializer norm.weight [32];  Add(norm.weight, 1) -> add_114
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_UNFOLDING_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_UNFOLDING_H

#include "frontends/onnx/Weights/ParameterRecovery.h"

namespace accel::onnx {

/// Does so for every holder with a `folding`. Afterwards its initializer is
/// that of the parameter, without data, or, if the file has that as well, no
/// initializer any more; the sources have moved to `recovery.folded`. New nodes
/// stand in front of all others. `recovery.byInitializer` is not kept.
void unfoldParameters(pb::GraphProto &graph, Recovery &recovery);

} // namespace accel::onnx

#endif
