// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts the nodes of a graph, one after the other, into the body of
// `@forward`.
#ifndef ACCEL_FRONTENDS_ONNX_CONVERSION_GRAPHCONVERSION_H
#define ACCEL_FRONTENDS_ONNX_CONVERSION_GRAPHCONVERSION_H

#include "frontends/onnx/Conversion/Dimensions.h"
#include "frontends/onnx/Conversion/NodeConversion.h"
#include "frontends/onnx/Weights/ModelWeights.h"

#include "llvm/ADT/StringMap.h"

namespace accel::onnx {

/// The inputs of a graph that are not initializers.
llvm::SmallVector<const pb::ValueInfoProto *>
getDataInputs(const pb::GraphProto &graph);

/// What conversion reads. Borrows: all of it.
struct GraphSource {
  const pb::GraphProto &graph;
  const Recovery &recovery;
  const ModelWeights &weights;
  llvm::StringRef path;
};

/// Adds `@forward` to `module`, whose parameters are declared. Emits an error
/// for each node that cannot be converted and for none that only suffers from
/// another's.
mlir::LogicalResult convertGraph(const GraphSource &source,
                                 const BoundInputs &inputs,
                                 ConversionState &state, mlir::ModuleOp module);

} // namespace accel::onnx

#endif
