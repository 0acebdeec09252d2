// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as exporters write it: what lies between two matrix products.
#ifndef ACCEL_PASSES_IMPORT_ATTENTIONMATCH_H
#define ACCEL_PASSES_IMPORT_ATTENTIONMATCH_H

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Import/AttentionMask.h"

namespace accel {

/// Put on a softmax by a frontend whose file names the probability but has no
/// operation for it.
inline constexpr llvm::StringLiteral kDropoutAttribute =
    "accel.attention_dropout";

struct AttentionMatch {
  MatmulOp root;          ///< probabilities times values
  SoftmaxOp softmax;      ///< null if there is none above the root
  MatmulOp scores;        ///< queries times keys
  double scale = 1;       ///< of the scores, without what scales the operands
  double softcap = 0;     ///< the bound of the scores; 0: there is none
  double probability = 0; ///< of dropout
  llvm::SmallVector<MaskUse> masks;
};

/// Walks from `match.root` up to the product of queries and keys; false if
/// there is something else on the way.
bool matchAttention(AttentionMatch &match);

} // namespace accel

#endif
