// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One time step of LSTM, GRU and RNN in operations of the dialect, so that
// gradients are those of the parts.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_RECURRENTCELL_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_RECURRENTCELL_H

#include "frontends/onnx/Builders/Formula.h"

#include <memory>

namespace accel::onnx {

/// What one direction of a recurrent operator computes with. `gates` is 4 for
/// LSTM, 3 for GRU, 1 for RNN; `hidden` H; gates lie in ONNX's order.
struct RecurrentWeights {
  int64_t gates = 1, hidden = 0;
  mlir::Value input;                    ///< (gates * H, I)
  mlir::Value recurrent;                ///< (gates * H, H)
  mlir::Value inputBias, recurrentBias; ///< (gates * H), or both null
  mlir::Value peepholes;                ///< of LSTM (3 * H), or null
};

/// What goes from step to step, (B, H); null stands for zeros.
struct RecurrentState {
  mlir::Value hidden, cell;
};

class RecurrentCell {
public:
  virtual ~RecurrentCell() = default;

  /// What of the biases does not depend on the state, (gates * H): it is added
  /// to the products of all steps at once. Null if there is none.
  virtual mlir::Value getOuterBias() const = 0;
  /// The state after a step; `products` (B, gates * H) are those of the step's
  /// input, with the outer bias.
  virtual RecurrentState step(mlir::Value products,
                              RecurrentState before) const = 0;
};

/// The cell of the node's operator, for direction number `direction` of its
/// activations. Emits an error if those are not known. Borrows: `c`.
mlir::FailureOr<std::unique_ptr<RecurrentCell>>
makeRecurrentCell(const NodeConversion &c, const RecurrentWeights &weights,
                  int64_t batch, int64_t direction);

/// lhs (m, k) by the transpose of rhs (n, k).
mlir::Value multiplyByTranspose(const NodeConversion &c, mlir::Value lhs,
                                mlir::Value rhs);

/// `value` cut along `axis` into `count` equal parts.
llvm::SmallVector<mlir::Value> splitEvenly(const NodeConversion &c,
                                           mlir::Value value, int64_t axis,
                                           int64_t count);

} // namespace accel::onnx

#endif
