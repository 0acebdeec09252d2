// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizers: what each keeps, which numbers it reads, and what a step of
// it does, as arithmetic of the dialect and as the oracle computes it. Each is
// one file of this folder; nobody else knows their names. Includes nothing of
// MLIR, so that a command line can list them.
#ifndef ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_OPTIMIZER_H
#define ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_OPTIMIZER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <string>

namespace accel {

class SegmentOptimizer;
struct OracleSegment;

/// The optimizer of a step where nothing names one.
inline constexpr llvm::StringLiteral kDefaultOptimizer = "adamw";

/// What an optimizer keeps of every trainable segment besides its parameters
/// and gradient: one flat array, zeros in front of the first step.
struct OptimizerSlot {
  enum class Element { Float, Code };

  llvm::StringLiteral name;
  Element element = Element::Float; ///< f32, or ui8
  /// Elements of the segment for each element of the slot: blocks that no rank
  /// has a part of.
  int64_t block = 1;
};

/// A number that a run may set, a state of kind `hyperparameter`.
struct OptimizerNumber {
  enum class Range { NotNegative, BelowOne };

  llvm::StringLiteral name; ///< of the state; on a command line --NAME
  double value;             ///< unless something else is asked for
  Range range;
  llvm::StringLiteral meaning;
  llvm::StringLiteral example; ///< a value that an error may propose

  bool contains(double number) const;
};

/// A state of kind `counter`: a power of a hyperparameter, 1 at first, whose
/// exponent is the number of steps.
struct OptimizerPower {
  llvm::StringLiteral name;
  llvm::StringLiteral base;
};

struct Optimizer {
  llvm::StringLiteral name;
  llvm::StringLiteral summary; ///< in brackets behind its name
  llvm::ArrayRef<OptimizerSlot> slots;
  llvm::ArrayRef<OptimizerNumber> numbers;
  llvm::ArrayRef<OptimizerPower> powers;

  /// Its arithmetic, for the segments of one step.
  std::unique_ptr<SegmentOptimizer> (*createArithmetic)();

  /// One step in double on a whole segment, or on a parameter where there are
  /// no segments, from the published formulas.
  void (*runOracle)(OracleSegment &segment);

  /// The largest block of its slots.
  int64_t getBlock() const;

  /// Null if it has none of that name.
  const OptimizerSlot *findSlot(llvm::StringRef name) const;
  const OptimizerNumber *findNumber(llvm::StringRef name) const;
  const OptimizerPower *findPower(llvm::StringRef name) const;
};

/// All optimizers, in the order in which they are listed for people.
llvm::ArrayRef<const Optimizer *> getOptimizers();

/// Null if there is none of that name.
const Optimizer *findOptimizer(llvm::StringRef name);

/// `adamw, sgd or lion`
std::string listOptimizers();

// One per file.
extern const Optimizer kAdamW;
extern const Optimizer kAdamW8;
extern const Optimizer kLion;
extern const Optimizer kSgd;

} // namespace accel

#endif
