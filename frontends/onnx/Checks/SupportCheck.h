// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds everything in a graph that the importer cannot convert, before it
// converts anything.
#ifndef ACCEL_FRONTENDS_ONNX_CHECKS_SUPPORTCHECK_H
#define ACCEL_FRONTENDS_ONNX_CHECKS_SUPPORTCHECK_H

#include "dialects/Diagnostics/ErrorCode.h"
#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/Model/Schema.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace accel::onnx {

/// A node and one thing about it that is not supported.
struct UnsupportedNode {
  const pb::NodeProto *node;
  ErrorCode code;
  std::string text; ///< "Gelu of operator set 17 (known from 20)"
};

using UnsupportedNodes = std::vector<UnsupportedNode>;

/// Compares every node of the graph with the operator table. The result borrows
/// the nodes. What only training needs is asked of models that are to train.
UnsupportedNodes findUnsupported(const pb::ModelProto &model,
                                 const ImportOptions &options);

/// One error that lists them: how many nodes, the first ones by name, their
/// lines of Python. With `oneByOne`, an error for each at its place.
void reportUnsupported(const UnsupportedNodes &nodes, llvm::StringRef path,
                       bool oneByOne, mlir::MLIRContext &context);

} // namespace accel::onnx

#endif
