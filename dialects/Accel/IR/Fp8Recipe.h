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
  /// Neighbours of a product's summed index that share a scale, a power of two;
  /// parameters are cut into squares of them. 0: a tensor has one scale.
  int64_t block;
  llvm::StringLiteral format; ///< what it uses if nobody asks for another one
};

/// All of them, the default one first.
llvm::ArrayRef<Fp8Recipe> getFp8Recipes();

/// Null if there is none of that name.
const Fp8Recipe *findFp8Recipe(llvm::StringRef name);

/// Their names, as a complaint lists them: "current or delayed".
std::string listFp8Recipes();

/// What can be asked of floats of 8 bits.
struct Fp8Options {
  std::string recipe; ///< a name of the table; empty: there are none
  /// hybrid: gradients have f8E5M2; e4m3: they do not; empty: as the recipe is.
  std::string format;
  /// Of a recipe whose scales are known before the step: they are made for the
  /// largest magnitude in the history (max) or in the last step (most_recent).
  std::string amax = "max";
  int64_t history = 1024; ///< steps, of max
  int64_t margin = 0;     ///< scales are smaller by two to the power of it

  /// Bounds: a history lies in memory, for each tensor, and what a margin
  /// divides has few numbers left.
  static constexpr int64_t kMostSteps = 65536;
  static constexpr int64_t kLargestMargin = 20;
};

} // namespace accel

#endif
