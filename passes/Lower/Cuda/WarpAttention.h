// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as warps compute it: a row of queries, or of keys, at a time.
#ifndef ACCEL_PASSES_LOWER_CUDA_WARPATTENTION_H
#define ACCEL_PASSES_LOWER_CUDA_WARPATTENTION_H

#include "passes/Lower/Cuda/WarpRows.h"
#include "passes/Lower/IndexArithmetic.h"
#include "passes/Target/Cuda/WarpAttentionTiles.h"

#include <optional>

namespace accel {

/// What the kernels of attention and of its gradient have in common.
class WarpAttention {
public:
  using Value = mlir::Value;

protected:
  /// A query and a key of a head.
  struct Place {
    Value batch, head, query = {}, key = {};
  };

  WarpAttention(KernelEmitter &emitter, mlir::Operation *op);

  /// The head of a tile of queries and the first of these; the key head of a
  /// tile of keys and the first of these.
  Place placeOfQueries(Value tile) const;
  Place placeOfKeys(Value tile) const;

  /// One more than the last key that a query sees, and the first query that
  /// sees a key.
  Value endOfKeys(Value query) const;
  Value firstQuery(Value key) const;

  /// The score of a place, whose rows have the product `product`: scaled,
  /// bounded and masked.
  Value score(Value product, const Place &place);
  /// tanh(scale * product / softcap). Requires: a softcap.
  Value getBounded(Value product) const {
    return m.tanh(m.mul(product, m.number(scale / softcap)));
  }
  /// exp(score - shift); 0 where nothing is seen.
  Value probability(Value score, Value shift);
  /// What dropout multiplies a probability by; null without dropout.
  Value keptFactor(const Place &place);
  Value times(Value value, Value factor) const {
    return factor ? m.mul(value, factor) : value;
  }
  /// The number of a row of all heads' queries.
  mlir::AffineExpr rowOf(const Place &place);

  HeadTensor getOperand(Value operand) {
    return HeadTensor::getOperand(emitter, op, operand);
  }
  HeadTensor getResult(unsigned number) {
    return HeadTensor::getResult(emitter, op, number);
  }

  /// Where `result` goes as it is; null: nobody wants it.
  Value getBuffer(Value result);

  KernelEmitter &emitter;
  mlir::Operation *op;
  WarpRows rows;
  IndexArithmetic indices;
  Arithmetic m; ///< of f32
  WarpAttentionTiles sizes;
  HeadTensor query, key, value;
  Value mask, bias;                  ///< null: there is none
  double scale = 1.0, softcap = 0.0; ///< softcap 0: scores have no bound
  Value minusInfinity;

private:
  /// What the operation says about its dropout.
  struct Dropout {
    double probability;
    Value samples;
    Value seed, site; ///< i64
  };
  template <typename OpTy> void readOperands(OpTy op);
  Value masked(Value score, Value mask, const Place &place);

  std::optional<Dropout> dropout;
};

/// Writes the kernel of an attention: a tile is a query of a head.
void emitWarpAttention(KernelEmitter &emitter, AttentionOp op);

/// Writes the kernel of an attention's gradient: a tile is a query of a head
/// or, behind all of these, a key of a key head; behind those, where the bias
/// has a gradient, a query of a head of all samples.
void emitWarpAttentionGrad(KernelEmitter &emitter, AttentionGradOp op);

} // namespace accel

#endif
