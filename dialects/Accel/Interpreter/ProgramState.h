// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What outlives a step of an interpreted program: the values of parameters and
// states, gradients, optimizer moments.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_PROGRAMSTATE_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_PROGRAMSTATE_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace accel {

/// The symbols of one module by name.
///
/// A parameter with a `segment` has no value of its own: it is the part at
/// `offset` of the state named there, and its gradient the same part of the
/// state with slot `gradient` of the same bucket and segment.
class ProgramState {
public:
  /// States get their `initial` value, parameters that of kind `constant` or
  /// `normal` (with `seed`); others are unset.
  ProgramState(mlir::ModuleOp module, int64_t seed);

  /// Parameters and states in the order of the module.
  llvm::ArrayRef<mlir::Operation *> getDeclarations() const {
    return declarations;
  }
  /// The declaration of `name`; null if there is none.
  mlir::Operation *lookup(llvm::StringRef name) const {
    return byName.lookup(name);
  }
  static mlir::RankedTensorType getDeclaredType(mlir::Operation *declaration);

  /// Null if unset or unknown.
  HostTensor read(llvm::StringRef name) const;
  /// The same of a parameter in `type`, its own or that of `compute`.
  HostTensor readAs(llvm::StringRef name, mlir::RankedTensorType type) const;
  /// Fails without a diagnostic if `name` is unknown or its type is not that of
  /// `value`.
  mlir::LogicalResult write(llvm::StringRef name, const HostTensor &value);

  /// Zeros if nothing was accumulated; null if there is no such trainable
  /// parameter.
  HostTensor getGradient(llvm::StringRef parameter) const;
  /// Adds to the gradient of a parameter or to a state. Requires: the declared
  /// type is that of `value`.
  void accumulate(mlir::Operation *declaration, const HostTensor &value);
  void clearGradients();

  /// What `accel.update` keeps for a parameter where Shard has not made slots
  /// for it; null at first.
  HostTensor getMoment(llvm::StringRef slot, ParameterOp parameter) const;
  void setMoment(llvm::StringRef slot, ParameterOp parameter,
                 const HostTensor &value);

  /// Whether the value of `name`, or its gradient, changed since the last
  /// `clearChanges`.
  bool isWritten(llvm::StringRef name) const { return written.contains(name); }
  bool isAccumulated(llvm::StringRef parameter) const {
    return accumulated.contains(parameter);
  }
  void clearChanges();

private:
  /// Part of a state in which a parameter or its gradient lies; no state if it
  /// lies nowhere.
  struct Part {
    std::string state;
    int64_t offset = 0;
  };

  HostTensor makeInitial(ParameterOp parameter, int64_t seed) const;
  Part getPart(ParameterOp parameter, SlotRole role) const;
  HostTensor readPart(const Part &part, mlir::RankedTensorType type) const;
  void writePart(const Part &part, const HostTensor &value);

  llvm::SmallVector<mlir::Operation *> declarations;
  llvm::StringMap<mlir::Operation *> byName;
  llvm::StringMap<HostTensor> values;
  llvm::StringMap<HostTensor> gradients; ///< of parameters outside segments
  llvm::StringMap<HostTensor> moments;   ///< by slot and parameter
  llvm::StringSet<> written;
  llvm::StringSet<> accumulated;
};

} // namespace accel

#endif
