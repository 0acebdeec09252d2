// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways in which tensors become floats of 8 bits, as a table.
#ifndef ACCEL_DIALECTS_ACCEL_IR_FP8RECIPE_H
#define ACCEL_DIALECTS_ACCEL_IR_FP8RECIPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace accel {

/// When the scale of what a microbatch computes is known.
enum class Fp8ScaleTime {
  InMicrobatch, ///< from its own largest magnitude there
  BeforeStep    ///< from its largest magnitudes in steps before
};

struct Fp8Recipe {
  llvm::StringLiteral name;
  Fp8ScaleTime known;
};

/// All of them, the default one first.
llvm::ArrayRef<Fp8Recipe> getFp8Recipes();

/// Null if there is none of that name.
const Fp8Recipe *findFp8Recipe(llvm::StringRef name);

/// Their names, as a complaint lists them: "current or delayed".
std::string listFp8Recipes();

/// How a recipe whose scales are known before the step finds the largest
/// magnitude that they are made for.
enum class Fp8Amax {
  Max,       ///< the largest of the steps of a history
  MostRecent ///< that of the step before
};

/// Its numbers, with the defaults of Transformer Engine's recipe.
struct Fp8History {
  Fp8Amax amax = Fp8Amax::Max;
  int64_t steps = 1024; ///< at least 1; of Max
  int64_t margin = 0;   ///< scales are smaller by two to the power of it

  /// The bounds of both: a history lies in memory, for each tensor, and what a
  /// margin divides has few numbers left.
  static constexpr int64_t kMostSteps = 65536;
  static constexpr int64_t kLargestMargin = 20;
  /// Whether the magnitudes of more than one step count.
  bool isKept() const { return amax == Fp8Amax::Max && steps > 1; }
};

} // namespace accel

#endif
