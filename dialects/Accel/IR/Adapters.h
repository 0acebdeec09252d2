// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a module says of the low-rank adapters that were added to it: an
// attribute, which every phase keeps for the plan.
#ifndef ACCEL_DIALECTS_ACCEL_IR_ADAPTERS_H
#define ACCEL_DIALECTS_ACCEL_IR_ADAPTERS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace accel {

/// The pair `A` [rank, in], `B` [out, rank] beside a weight W: products of W
/// are those of W + scale * B A.
struct Adapter {
  std::string weight; ///< the parameter W
  /// W is [in, out], as that of Conv1D; else [out, in], as that of Linear.
  bool fanInFanOut = false;

  /// The weight's name without `.weight`: PEFT's key of the pair.
  std::string getModule() const;
  std::string getA() const { return getModule() + ".lora_A.weight"; }
  std::string getB() const { return getModule() + ".lora_B.weight"; }
};

/// All of a module, which have one rank.
struct Adapters {
  int64_t rank = 0; ///< 0: there are none
  double alpha = 0.0;
  double dropout = 0.0;
  std::vector<Adapter> added;

  double getScale() const { return alpha / static_cast<double>(rank); }
};

/// The module's name of a weight: without `.weight`, if it ends so.
llvm::StringRef getModuleOfWeight(llvm::StringRef weight);

void setAdapters(mlir::ModuleOp module, const Adapters &adapters);
Adapters getAdapters(mlir::ModuleOp module);

} // namespace accel

#endif
