// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison of a loss at several numbers of samples.
#include "passes/Differentiate/LossComparison.h"

#include "passes/Import/ConstantValue.h"

using namespace mlir;

namespace accel {
namespace {

bool isSame(double left, double right) {
  constexpr double kTolerance = 1e-5;
  return isClose(left, right, kTolerance);
}

/// Whether each of `numbers` is one of `others`.
bool areAmong(ArrayRef<double> numbers, ArrayRef<double> others) {
  return llvm::all_of(numbers, [&](double number) {
    return llvm::any_of(others,
                        [&](double other) { return isSame(number, other); });
  });
}

class Reconciliation {
public:
  Reconciliation(GraphLoss &loss, int64_t batch, ArrayRef<OtherBatch> others,
                 std::string &reason)
      : loss(loss), here(getForm(loss)), batch(batch), others(others),
        reason(reason) {}

  LogicalResult run() {
    for (const OtherBatch &other : others) {
      if (failed(compare(other)) ||
          failed(compareWithin(others.front(), other)) ||
          failed(compareWithin(other, others.front()))) {
        return failure();
      }
    }
    size_t next = 0;
    for (LossTerm &term : loss.terms) {
      if (!term.hasCounts() && failed(decide(term, next++))) {
        return failure();
      }
    }
    adoptZeros();
    return success();
  }

private:
  LogicalResult fail(const Twine &text) {
    reason = text.str();
    return failure();
  }
  /// Microbatches of two sizes show it.
  LogicalResult failByNumber(int64_t left, int64_t right) {
    return fail("a number in it depends on how many samples a microbatch has, "
                "and not as the divisor of a mean does (those of " +
                Twine(left) + " and " + Twine(right) +
                " samples show it); let x.shape[0] divide a sum, once, and "
                "nothing else");
  }
  static std::string describe(const OtherBatch &other) {
    return "a microbatch of " + std::to_string(other.batch) + " samples";
  }

  LogicalResult compare(const OtherBatch &other) {
    if (!other.reason.empty()) {
      return fail(other.reason + ", as " + describe(other) + " shows");
    }
    const LossForm &there = other.form;
    if (here.sums.size() != there.sums.size() ||
        here.counted.size() != there.counted.size() ||
        here.common.size() != there.common.size()) {
      return fail("it has other terms in " + describe(other));
    }
    if (!llvm::equal(here.counted, there.counted, isSame) ||
        !llvm::equal(here.common, there.common, isSame)) {
      return failByNumber(batch, other.batch);
    }
    return success();
  }

  LogicalResult compareWithin(const OtherBatch &left, const OtherBatch &right) {
    return areAmong(left.within, right.within)
               ? success()
               : failByNumber(left.batch, right.batch);
  }

  /// Of plain sum `index`.
  LogicalResult decide(LossTerm &term, size_t index) {
    double number = term.getNumber();
    auto size = static_cast<double>(batch);
    term.isMereSum = isSame(number, others.front().form.sums[index]);
    for (const OtherBatch &other : others) {
      double there = other.form.sums[index];
      bool isAsExpected =
          term.isMereSum
              ? isSame(number, there)
              : isSame(number * size, there * static_cast<double>(other.batch));
      if (!isAsExpected) {
        return failByNumber(batch, other.batch);
      }
    }
    if (term.isMereSum) {
      term.perSample = 1;
      term.factor.number = number;
    } else {
      term.factor.number *=
          size * static_cast<double>(term.perSample) / term.divisor;
    }
    term.divisor = 1;
    return success();
  }

  /// A term that is switched off by a factor of zero is what the others are.
  void adoptZeros() {
    auto isZero = [](const LossTerm &term) { return term.factor.number == 0; };
    LossTerm *other = llvm::find_if_not(loss.terms, isZero);
    bool isMereSum = other != loss.terms.end() && other->isMereSum;
    for (LossTerm &term : llvm::make_filter_range(loss.terms, isZero)) {
      term.isMereSum = isMereSum && !term.hasCounts();
    }
  }

  GraphLoss &loss;
  LossForm here;
  int64_t batch;
  ArrayRef<OtherBatch> others;
  std::string &reason;
};

} // namespace

LogicalResult reconcile(GraphLoss &loss, int64_t batch,
                        ArrayRef<OtherBatch> others, std::string &reason) {
  return Reconciliation(loss, batch, others, reason).run();
}

} // namespace accel
