// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that became one node with an equal call though they differ in training:
// two passes with dropout, two branches whose parameters begin equal, or two
// losses of which the text of one has the label smoothing.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_MERGEDTWINS_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_MERGEDTWINS_H

#include "frontends/onnx/Weights/LeftOutCalls.h"

namespace accel::onnx {

/// What a value is computed with that another call of the same operators need
/// not have.
struct TwinOrigins {
  bool random = false;     ///< dropout, or other random numbers
  bool loss = false;       ///< a cross entropy, whose smoothing is text
  bool parameters = false; ///< of which another one may have been equal
};

/// A value that a node reads where its call names another one.
struct MergedTwin {
  const pb::NodeProto *reader; ///< borrowed
  std::string value;           ///< what it reads
  std::string call;            ///< what its call names, and no node computes
  TwinOrigins origins;         ///< where both calls were computed with others
};

/// All values that stand for a call of the same operator, too. What both calls
/// have in common is no origin: the program computes the same from it twice.
/// Borrows: the graph.
std::vector<MergedTwin> findMergedTwins(const LeftOutCalls &leftOut,
                                        FindParameter findParameter);

} // namespace accel::onnx

#endif
