// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of Python that call `detach` where no call of the file names one. A
// view of what is detached, `y.detach()[:, 1:]`, is written like the view of a
// view, and only the text of the line tells.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_DETACHEDLINES_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_DETACHEDLINES_H

#include "frontends/onnx/Weights/LeftOutCalls.h"

namespace accel::onnx {

/// Whether the name of a call is that of `detach`.
bool isDetach(llvm::StringRef call);

/// Borrows: the calls.
class DetachedLines {
public:
  explicit DetachedLines(const LeftOutCalls &leftOut);

  /// Whether the node reads a value for which its call names one that is
  /// absent, and its line detaches more than is named.
  bool mayDetach(const pb::NodeProto &node,
                 llvm::function_ref<bool(llvm::StringRef)> isTrained) const;

private:
  const LeftOutCalls &leftOut;
  llvm::StringMap<llvm::StringSet<>> named; ///< detaches by line
};

} // namespace accel::onnx

#endif
