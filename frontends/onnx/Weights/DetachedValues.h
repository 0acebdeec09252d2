// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the program calls `detach`, behind which PyTorch gives no gradient.
// ONNX has no such operator: the exporter writes an Identity or nothing, and
// only the text of calls tells.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_DETACHEDVALUES_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_DETACHEDVALUES_H

#include "frontends/onnx/Weights/LeftOutCalls.h"

namespace accel::onnx {

struct DetachedValues {
  DetachedInputs inputs;
  /// Nodes that read what is detached, and the file does not tell as which
  /// input. Borrowed.
  std::vector<const pb::NodeProto *> unclear;
};

/// What the program detaches where it makes a difference: a parameter is in
/// front of the value, and behind it a result that has a gradient by it.
/// Borrows: the graph.
DetachedValues findDetached(const LeftOutCalls &leftOut,
                            FindParameter findParameter);

} // namespace accel::onnx

#endif
