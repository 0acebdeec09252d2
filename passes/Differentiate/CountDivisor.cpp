// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk from a divisor up to what is counted.
#include "passes/Differentiate/CountDivisor.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Import/ConstantValue.h"

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
  explicit CountMatcher(std::string &reason) : reason(reason) {}

  LogicalResult match(Value divisor) {
    Value value = strip(divisor, isCountCast);
    if (Guard guard = matchGuard(value)) {
      double behind = getMultiple();
      return success(succeeded(match(guard.value)) &&
                     succeeded(checkGuard(guard, getMultiple() / behind)));
    }
    if (takeNumber(value)) {
      return match(value);
    }
    count.summands = getSummands(value);
    if (!count.summands) {
      return fail(kNoCount);
    }
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

  /// What one target adds to the divisor, by the numbers met so far.
  double getMultiple() const {
    double multiple = count.factor;
    for (double divisor : count.divisors) {
      multiple /= divisor;
    }
    return multiple;
  }

  /// `one`: what one target adds to the guarded value.
  LogicalResult checkGuard(const Guard &guard, double one) {
    return guard.number <= guard.largest * one
               ? success()
               : fail("its divisor is a count with a lower bound of more than "
                      "1, or with a number added, which whole steps reach "
                      "more often than microbatches");
  }

  /// Leaves of `value` what a positive number multiplies or divides.
  bool takeNumber(Value &value) {
    Operation *op = value.getDefiningOp();
    if (!isa_and_present<MulOp, DivOp>(op)) {
      return false;
    }
    bool isNumberFirst = isa<MulOp>(op) && getSplat(op->getOperand(0));
    std::optional<double> number = getSplat(op->getOperand(!isNumberFirst));
    if (!number || !(*number > 0)) {
      return false;
    }
    if (isa<MulOp>(op)) {
      count.factor *= *number;
    } else {
      count.divisors.push_back(*number);
    }
    value = op->getOperand(isNumberFirst);
    return true;
  }

  std::string &reason;
};

} // namespace

FailureOr<CountDivisor> matchCountDivisor(Value divisor, std::string &reason) {
  CountMatcher matcher(reason);
  if (failed(matcher.match(divisor))) {
    return failure();
  }
  return std::move(matcher.count);
}

} // namespace accel
