// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that the exporter merged because what they read was equal: of a new
// model two parameters may have the same numbers, and then norms of the same
// tensor, or parts of two biases, become one node.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_MERGEDCALLS_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_MERGEDCALLS_H

#include "frontends/onnx/Weights/LeftOutCalls.h"

namespace accel::onnx {

/// Whether the graph shows that parameters or calls that read them were merged.
/// Either a value computed of one goes where the program names another call of
/// the same operator, whose result no node computes any more; or a node that
/// stands for no call, as the parts of a bias, reads one that a call names.
/// This means something only where some parameter is not found otherwise.
bool mergesCallsOfParameters(const LeftOutCalls &leftOut,
                             FindParameter findParameter);

} // namespace accel::onnx

#endif
