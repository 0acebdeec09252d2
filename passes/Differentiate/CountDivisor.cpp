// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk from a divisor up to what is counted.
#include "passes/Differentiate/CountDivisor.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Import/ConstantValue.h"

#include <cmath>

using namespace mlir;

namespace accel {

bool isFloatCast(Operation *op) {
  return isa<CastOp>(op) &&
         isa<FloatType>(typeOf(op->getOperand(0)).getElementType());
}

Value strip(Value value, llvm::function_ref<bool(Operation *)> isCast) {
  while (Operation *op = value.getDefiningOp()) {
    bool isReshape = isa<ReshapeOp>(op) ||
                     (isa<BroadcastOp>(op) && elementCount(value) == 1);
    if (!isCast(op) && !isReshape) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

Value getSummands(Value value) {
  auto sum = value.getDefiningOp<ReduceSumOp>();
  return sum ? sum.getOperand() : Value();
}

namespace {

/// Whether `op` changes the type of a count and keeps its number: counts may
/// be integers, as the sum of a mask of bools is, until something divides by
/// them. Floats that become integers are rounded, and integers that become
/// bools lose their number.
bool isCountCast(Operation *op) {
  return isFloatCast(op)
             ? isa<FloatType>(typeOf(op->getResult(0)).getElementType())
             : isa<CastOp>(op) &&
                   !typeOf(op->getResult(0)).getElementType().isInteger(1);
}

/// A number that keeps `value` from dividing as zero: the least that there is,
/// or what is added.
struct Guard {
  Value value;
  double number = 0;
  double largest = 0; ///< number that changes no divisor that counts something

  explicit operator bool() const { return static_cast<bool>(value); }
};

/// Counts are whole numbers, and sums with less are the same in f32.
constexpr double kLeastCount = 1, kNothing = 1e-5;

/// Whether `value` is known to have whole numbers: it is computed of integers
/// and bools by casts, views, and products.
bool isWhole(Value value) {
  value = skipViews(value);
  Operation *op = value.getDefiningOp();
  if (!isa<FloatType>(typeOf(value).getElementType())) {
    return true;
  }
  if (std::optional<double> number = getSplat(value)) {
    return std::floor(*number) == *number;
  }
  return isa_and_present<CastOp, MulOp, TransposeOp, SliceOp, ReduceSumOp>(
             op) &&
         llvm::all_of(op->getOperands(), isWhole);
}

/// `value` of max(value, number), of the choice that a bound is, or of their
/// sum.
Guard matchGuard(Value count) {
  auto take = [](Value first, Value second, double largest) -> Guard {
    if (std::optional<double> number = getSplat(second)) {
      return {first, *number, largest};
    }
    std::optional<double> number = getSplat(first);
    return number ? Guard{second, *number, largest} : Guard();
  };
  if (auto bound = count.getDefiningOp<MaxOp>()) {
    return take(bound.getLhs(), bound.getRhs(), kLeastCount);
  }
  if (auto sum = count.getDefiningOp<AddOp>()) {
    Guard guard = take(sum.getLhs(), sum.getRhs(), kNothing);
    return guard.number >= 0 ? guard : Guard();
  }
  auto choice = count.getDefiningOp<SelectOp>();
  auto below =
      choice ? choice.getCondition().getDefiningOp<CompareOp>() : CompareOp();
  bool isBound = below &&
                 (below.getPredicate() == ComparePredicate::LT ||
                  below.getPredicate() == ComparePredicate::LE) &&
                 below.getLhs() == choice.getOnFalse() &&
                 below.getRhs() == choice.getOnTrue();
  return isBound ? take(choice.getOnFalse(), choice.getOnTrue(), kLeastCount)
                 : Guard();
}

class CountMatcher {
public:
  CountMatcher(std::optional<int64_t> batch, std::string &reason)
      : batch(batch), reason(reason) {}

  LogicalResult match(Value divisor) {
    Value value = strip(divisor, isCountCast);
    if (Guard guard = matchGuard(value)) {
      count.dropsBound |= guard.number > kNothing;
      return success(succeeded(match(guard.value)) &&
                     succeeded(checkGuard(guard)));
    }
    Operation *op = value.getDefiningOp();
    for (unsigned i : {1u, 0u}) {
      std::optional<double> number;
      if (isa_and_present<MulOp>(op) ||
          (i == 1 && isa_and_present<DivOp>(op))) {
        number = getSplat(op->getOperand(i));
      }
      if (number && *number > 0) {
        return success(succeeded(match(op->getOperand(1 - i))) &&
                       succeeded(apply(*number, isa<DivOp>(op))));
      }
    }
    count.summands = getSummands(value);
    if (!count.summands) {
      return fail("its divisor is neither a number nor a count of targets");
    }
    count.dropsBound = count.dropsBound && !isWhole(count.summands);
    return dependsOnParameters(count.summands)
               ? fail("its divisor depends on parameters")
               : success();
  }

  CountDivisor count;

private:
  LogicalResult fail(llvm::StringRef text) {
    reason = text.str();
    return failure();
  }

  /// Multiplies or divides the count by `number`.
  LogicalResult apply(double number, bool divides) {
    if (divides && !count.isMean && count.number == 1 &&
        number == static_cast<double>(elementCount(count.summands))) {
      count.isMean = true;
      return success();
    }
    if (batch && isPerSample(number, *batch)) {
      return fail("its divisor has a count and a number that may be one for "
                  "each sample of the microbatch");
    }
    count.number *= divides ? 1 / number : number;
    return success();
  }

  /// How many elements a step has, of which one may count, is not known here.
  LogicalResult checkGuard(const Guard &guard) {
    constexpr double kNothingOfMean = 1e-8;
    double largest =
        count.isMean ? kNothingOfMean : guard.largest * count.number;
    return guard.number <= largest
               ? success()
               : fail("its divisor is a count with a lower bound of more than "
                      "1, or with a number added, which whole steps reach "
                      "more often than microbatches");
  }

  std::optional<int64_t> batch;
  std::string &reason;
};

} // namespace

bool isPerSample(double number, int64_t batch) {
  double each = number / static_cast<double>(batch);
  return each >= 1 && std::floor(each) == each;
}

FailureOr<CountDivisor> matchCountDivisor(Value divisor,
                                          std::optional<int64_t> batch,
                                          std::string &reason) {
  CountMatcher matcher(batch, reason);
  if (failed(matcher.match(divisor))) {
    return failure();
  }
  return std::move(matcher.count);
}

} // namespace accel
