// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffers of what a module names: states, parameters and inputs.
#ifndef ACCEL_PASSES_FUSE_BUFFERS_SYMBOLBUFFERS_H
#define ACCEL_PASSES_FUSE_BUFFERS_SYMBOLBUFFERS_H

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Fuse/Buffers/BufferDeclarations.h"

#include "llvm/ADT/MapVector.h"

namespace accel {

/// Declares, once per function, what a function uses of each state, parameter
/// and input.
/// Borrows: the symbols and the declarations.
class SymbolBuffers {
public:
  using Wholes = llvm::MapVector<mlir::Operation *, mlir::Value>;
  using Inputs = llvm::MapVector<mlir::StringAttr, mlir::Value>;

  /// `initializes`: the function gives states their first values, and nobody
  /// outside it reads what it has of whole slots.
  SymbolBuffers(const mlir::SymbolTable &symbols, bool initializes,
                BufferDeclarations &declarations)
      : symbols(symbols), initializes(initializes), declarations(declarations) {
  }

  /// The value of a parameter or state; of a slot that is cut, the rank's part.
  /// `role`: of a parameter, in which slot of its segment.
  mlir::Value getValue(llvm::StringRef symbol,
                       SlotRole role = SlotRole::Master) {
    return getSlot(symbol, role);
  }
  /// What `accel.accumulate` adds to for `symbol`: a parameter's gradient, or
  /// the state itself.
  mlir::Value getGradient(llvm::StringRef symbol) {
    return getSlot(symbol, SlotRole::Gradient);
  }
  /// The elements of `parameter` in `slot` of its segment.
  mlir::Value getParameter(ParameterOp parameter, SlotRole slot);

  /// All that a rank holds of `state`.
  mlir::Value getHeld(StateOp state);
  /// The rank's part of a slot that is cut.
  mlir::Value getPart(StateOp state);
  /// All of a slot: what the rank holds, or, where that is a part, transient
  /// memory.
  mlir::Value getWhole(StateOp state);
  /// That transient memory (gathered parameters, gradients of one microbatch,
  /// initial values), by state.
  const Wholes &getWholes() const { return wholes; }

  mlir::Value getInput(InputOp input);
  const Inputs &getInputs() const { return inputs; }

private:
  mlir::Value getSlot(llvm::StringRef symbol, SlotRole slot);

  const mlir::SymbolTable &symbols;
  bool initializes;
  BufferDeclarations &declarations;
  llvm::DenseMap<mlir::Operation *, mlir::Value> held;
  Wholes wholes;
  Inputs inputs;
};

} // namespace accel

#endif
