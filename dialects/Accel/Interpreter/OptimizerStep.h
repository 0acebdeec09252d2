// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizer as the oracle runs it: `accel.update` in double, from the
// published formulas, so that its expansion over flat segments can be compared
// with it. Included by the files of this folder only.
#ifndef ACCEL_DIALECTS_ACCEL_INTERPRETER_OPTIMIZERSTEP_H
#define ACCEL_DIALECTS_ACCEL_INTERPRETER_OPTIMIZERSTEP_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/Interpreter/Interpreter.h"

namespace accel {

/// Updates every trainable parameter with its accumulated gradient times
/// `scale`.
///
/// With s the value of @step_count before the update, W warmup_steps, H
/// schedule_steps and D decay_steps:
///
///   rate    lr (s + 1) / W                              if s < W, else by
///           @schedule; the module need not declare it:
///   constant  lr
///   linear    min_lr + (lr - min_lr) (1 - t)
///   cosine    min_lr + (lr - min_lr) (1 + cos(pi t)) / 2
///             both with t = clamp((s - W) / max(1, H - W), 0, 1)
///   wsd       lr + (min_lr - lr) t
///             with t = clamp((s - (H - D)) / max(1, D), 0, 1)
///   clip    g *= min(1, clip_norm / (norm + 1e-6)), norm over all parameters,
///           where clip_norm is declared and above 0
///   update  what the optimizer's own oracle says (IR/Optimizers), with the
///   rate
///           times the parameter's `lr_factor` and its own `weight_decay`
///   average e = ema e + (1 - ema) p, where ema is declared; before the first
///           step it is the parameter
///
/// Where Shard has made segments, segments of the decayed group decay; before
/// that, what the parameters say, or those of rank 2 and more. @step_count
/// grows by 1, the optimizer's powers, where declared, by a factor of their
/// base; metrics `grad_norm` (before clipping) and `lr` are reported. Fails
/// after an error that names all states that are missing.
mlir::LogicalResult runOptimizerStep(UpdateOp op, double scale,
                                     ProgramState &state,
                                     llvm::SmallVectorImpl<Metric> &metrics);

} // namespace accel

#endif
