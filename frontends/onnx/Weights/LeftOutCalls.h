// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the exported program that the graph does not compute: an exporter
// folds them into constants, merges them with equal ones, or leaves them out
// because they change nothing, as a product with a parameter that begins as 1.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_LEFTOUTCALLS_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_LEFTOUTCALLS_H

#include "frontends/onnx/Weights/InitializerRoles.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace accel::onnx {

/// The parameter that the initializer of a name is; empty if it is none.
using FindParameter =
    llvm::function_ref<llvm::StringRef(llvm::StringRef initializer)>;

/// "layer_norm" of "layer_norm_1": FX numbers the calls of an operator.
llvm::StringRef getCalledOperator(llvm::StringRef call);

/// Whether a call of such an operator has the numbers of its operand, or some
/// of them.
bool movesNumbers(llvm::StringRef call);

/// Whether the node reads a constant that is a parameter or was computed of it,
/// and its call names neither.
bool readsOtherConstant(const FxCall &call, llvm::StringRef constant,
                        llvm::StringRef parameter,
                        const GraphSignature &signature);

/// A node that reads a parameter where its call names what the program computes
/// of one, as `1 - w`, or has a number: both were equal, and became one
/// constant.
struct ReplacedConstant {
  const pb::NodeProto *node;
  std::string parameter;
  std::string call; ///< what is named; empty for a number
};

/// Borrows: the graph, which must not change, and the signature.
class LeftOutCalls {
public:
  using Names = llvm::SmallVector<llvm::StringRef, 2>;

  LeftOutCalls(const pb::GraphProto &graph, const GraphSignature &signature);

  const pb::GraphProto &getGraph() const { return graph; }
  const GraphSignature &getSignature() const { return signature; }

  /// What `call` names and neither a node nor an initializer is, nor a
  /// parameter or buffer.
  Names find(const FxCall &call) const;

  std::vector<ReplacedConstant>
  findReplacedConstants(FindParameter findParameter) const;

  /// Sums, products and bounds in whose place their readers have something that
  /// they do not name, an operand: the other one was 0 or 1, or became part of
  /// the next bound.
  std::vector<std::string> findIdleSteps() const;

  /// What the node reads of other calls, of inputs and of initializers, and
  /// `call`, its own, does not name.
  Names findUnnamed(const pb::NodeProto &node, const FxCall &call) const;

  bool isInitializer(llvm::StringRef value) const {
    return initializers.contains(value);
  }

  /// Whether the file says that a value is of integers or booleans.
  bool isDiscrete(llvm::StringRef value) const {
    return discrete.contains(value);
  }

private:
  const pb::GraphProto &graph;
  const GraphSignature &signature;
  llvm::StringSet<> present, initializers, inputs, discrete;
  llvm::StringMap<llvm::StringRef>
      callOf; ///< of each value that a node computes
};

} // namespace accel::onnx

#endif
