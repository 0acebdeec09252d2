// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loss that the model computes itself, taken apart into sums over targets and
// what each of them is divided by.
#ifndef ACCEL_PASSES_DIFFERENTIATE_GRAPHLOSS_H
#define ACCEL_PASSES_DIFFERENTIATE_GRAPHLOSS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

#include <string>

namespace accel {

/// What a term is multiplied by: `number`, and numbers that depend on no
/// sample; others of these divide it.
struct LossFactor {
  double number = 1;
  llvm::SmallVector<mlir::Value> values, divisors;
};

/// Elements whose samples are separate (SampleBlocks).
struct SampleValues {
  mlir::Value value;
  int64_t blockSize = 0;
};

/// `factor` times the sum of `losses`, divided by the sum of `counts`, or by
/// `perSample` times the samples of the microbatch. Numbers that are still to
/// be compared are in `divisor`, and it is a mere sum until they are.
struct LossTerm {
  LossFactor factor;
  SampleValues losses;
  SampleValues counts; ///< of null: `perSample`
  int64_t perSample = 1;
  double divisor = 1;
  bool isMereSum = false;  ///< what is trained is its mean over the samples
  bool dropsBound = false; ///< of its counts (CountDivisor)

  bool hasCounts() const { return bool(counts.value); }
  /// What a sum whose numbers are to be compared is multiplied by.
  double getNumber() const { return factor.number / divisor; }
};

/// A number that depends on no sample, as what keeps weights small.
struct CommonTerm {
  LossFactor factor;
  mlir::Value value;
};

/// The loss is the sum of all terms, of which there is one at least, and all
/// of `common`.
struct GraphLoss {
  llvm::SmallVector<LossTerm> terms;
  llvm::SmallVector<CommonTerm> common;

  /// Whether all terms divide by the same count, or all by numbers.
  bool haveOneDivisor() const {
    return llvm::all_of(terms, [&](const LossTerm &term) {
      return term.counts.value == terms.front().counts.value;
    });
  }
  /// Whether it is one sum divided by one count, as it lies in the model.
  bool isSingle() const { return terms.size() == 1 && common.empty(); }
};

/// What is known of numbers in a loss.
enum class LossNumbers {
  Guessed, ///< those that may count the samples do
  Compared ///< with those of another batch, later (reconcile)
};

/// Takes the number `scalar`, computed in `forward` from `batch` samples,
/// apart. If it is no such sum, or mixes samples, the reason goes to `reason`.
mlir::FailureOr<GraphLoss> matchGraphLoss(mlir::func::FuncOp forward,
                                          mlir::Value scalar, int64_t batch,
                                          LossNumbers numbers,
                                          std::string &reason);

/// Whether all terms are means, or all mere sums; if not, the reason goes to
/// `reason`.
mlir::LogicalResult checkDivisors(const GraphLoss &loss, std::string &reason);

} // namespace accel

#endif
