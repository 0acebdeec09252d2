// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention whose scores are tensors: where they are capped, or are a result.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_SCOREDATTENTION_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_SCOREDATTENTION_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// Which scores are a result; numbers are those of `qk_matmul_output_mode`.
enum class ScoreOutput {
  Product = 0, ///< capped, if they are
  Capped = 1,
  Masked = 2,
  Probabilities = 3
};

struct ScoredAttention {
  mlir::Value result, scores;
};

/// Query (b, h, t, d), key (b, g, s, d) and value (b, g, s, e) with h a
/// multiple of g; `mask` null, boolean or added, of four dimensions. Scores are
/// query x key * `scale`, then `cap` * tanh(scores / `cap`) unless that is 0.
/// Their softmax is computed in `softmax`. A row that the mask leaves nothing
/// of gives zeros.
ScoredAttention buildScoredAttention(const NodeConversion &conversion,
                                     mlir::Value query, mlir::Value key,
                                     mlir::Value value, mlir::Value mask,
                                     double scale, double cap,
                                     mlir::Type softmax, ScoreOutput output);

} // namespace accel::onnx

#endif
