// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of what a compiled module consists of, for reports.
#ifndef ACCEL_COMPILER_MODELFACTS_H
#define ACCEL_COMPILER_MODELFACTS_H

#include "dialects/Accel/IR/Adapters.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace accel {

/// Tensors and their elements.
struct TensorCount {
  int64_t tensors = 0;
  int64_t elements = 0;
};

/// Parameters that are updated in the same way.
struct UpdateGroup {
  double factor = 1.0; ///< of the learning rate
  bool decays = false;
  std::optional<double> decay; ///< its own; none: that of the others
  TensorCount parameters;
};

struct ModelFacts {
  std::string name;
  std::string objective;  ///< `causal-lm of 'logits'`
  int64_t batch = 0;      ///< samples of a microbatch
  bool evaluates = false; ///< a function measures the loss
  /// Why the loss of other data cannot be measured; empty: it can.
  std::string noEvaluation;
  bool needsWholeMicrobatches = false; ///< samples influence each other
  /// Of a model that answers: `x [4, 21] of f32, mask [4] of i1`.
  std::string inputs, outputs;
  TensorCount parameters, decayed, undecayed, frozen;
  /// Of those that train, in the order of their first parameters; empty if
  /// all have the same rate and decay as by their rank.
  std::vector<UpdateGroup> groups;
  bool averages = false;  ///< of parameters are kept
  TensorCount statistics; ///< running ones, which are no parameters
  /// Statistics are those of all ranks' microbatches together.
  bool isSynchronized = false;
  Adapters adapters;
  int64_t adapterElements = 0;                              ///< of their pairs
  std::vector<std::pair<std::string, double>> dropoutSites; ///< name, p
  int64_t buckets = 0;
  int64_t kernels = 0; ///< distinct
  int64_t launches = 0;
  int64_t products = 0;      ///< of matrices, by kernels or the library
  int64_t convolutions = 0;  ///< of these, calls of a library that say so
  int64_t copiedWindows = 0; ///< operands that are windows, copied in front
  int64_t instructions = 0;
  int64_t arenaBytes = 0;
  /// What products and attention were asked to read, "bf16"; empty: f32.
  std::string precision;
  std::string otherwise;   ///< what the others read, if not f32: "bf16"
  bool isEmulated = false; ///< the target has no units for it
  /// Products and attention of a microbatch, and those that read it.
  int64_t sites = 0, lowSites = 0;
  int64_t siteFlops = 0, lowFlops = 0;
};

/// Reads a module after Memory.
ModelFacts readFacts(mlir::ModuleOp module);

} // namespace accel

#endif
