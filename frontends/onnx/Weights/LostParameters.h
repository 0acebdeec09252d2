// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which parameter a node reads where the exporter merged what it had folded.
// A new model has many equal tensors: the norms of a Gemma are all 1 + 0.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_LOSTPARAMETERS_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_LOSTPARAMETERS_H

#include "frontends/onnx/Weights/InitializerRoles.h"

namespace accel::onnx {

/// Whether `parameter` is one of the module `scope` itself, not of one inside
/// it.
bool isParameterOf(llvm::StringRef parameter, llvm::StringRef scope);

/// The parameters of the exported program that are lost: no initializer is one
/// or was folded from it, and no call names it. Borrows: the signature.
class LostParameters {
public:
  LostParameters(const pb::GraphProto &graph, const GraphIndex &index,
                 const GraphSignature &signature);

  /// The parameter that `node` reads through `holder`, whose initializer has
  /// the name of the FX node that was folded. A call that names that node reads
  /// the holder's own; of another one the module tells: it reads the only lost
  /// parameter of its module or, if none is lost there, the holder's own
  /// parameter where that is of this module. Empty if the file does not tell.
  std::string findRead(const pb::NodeProto &node,
                       const RecoveredParameter &holder) const;

  llvm::ArrayRef<llvm::StringRef> list() const { return lost; }
  /// Those of the module `scope` itself.
  llvm::SmallVector<llvm::StringRef> list(llvm::StringRef scope) const;

private:
  llvm::SmallVector<llvm::StringRef> lost;
};

} // namespace accel::onnx

#endif
