// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk from the scalar up to what is summed.
#include "passes/Differentiate/GraphLoss.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Differentiate/SampleBlocks.h"
#include "passes/Import/ConstantValue.h"

#include <cmath>

using namespace mlir;

namespace accel {
namespace {

/// Whether `op` changes the type of floats.
bool isFloatCast(Operation *op) {
  return isa<CastOp>(op) &&
         isa<FloatType>(typeOf(op->getOperand(0)).getElementType());
}

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

/// `value` without reshapes, those of one number to more dimensions among them,
/// and the casts that `isCast` accepts.
Value strip(Value value,
            llvm::function_ref<bool(Operation *)> isCast = isFloatCast) {
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

/// What `value`, stripped, is the sum of; null if it is none.
Value getSummands(Value value) {
  auto sum = value.getDefiningOp<ReduceSumOp>();
  return sum ? sum.getOperand() : Value();
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

/// What lies between the loss and one of its sums.
struct Path {
  LossFactor factor;
  llvm::SmallVector<double> divisors; ///< the one nearest to the sum last
  SampleValues counts;                ///< of null: none divides
};

class LossMatcher {
public:
  LossMatcher(func::FuncOp forward, int64_t batch, std::string &reason)
      : samples(forward.getBody().front(), batch), batch(batch),
        reason(reason) {}

  LogicalResult match(Value scalar) {
    if (failed(matchNumber(scalar, {}))) {
      return failure();
    }
    if (loss.terms.empty()) {
      return fail(kNoSum);
    }
    const LossTerm &first = loss.terms.front();
    for (const LossTerm &term : loss.terms) {
      if (term.isMereSum != first.isMereSum) {
        return fail("it adds means and mere sums, whose shares depend on how "
                    "many samples there are");
      }
    }
    return success();
  }

  GraphLoss loss;

private:
  static constexpr llvm::StringLiteral kNoSum =
      "it is neither a sum of losses nor their mean";

  LogicalResult fail(const Twine &text) {
    reason = text.str();
    return failure();
  }

  /// Adds the terms that `value` is made of.
  LogicalResult matchNumber(Value value, Path path) {
    value = strip(value);
    Operation *op = value.getDefiningOp();
    if (Value summands = getSummands(value);
        summands && !samples.isCommon(value)) {
      // A sum of one number that is no sample's is that number.
      return elementCount(summands) == 1 && !samples.getBlockSize(summands)
                 ? matchNumber(summands, path)
                 : addTerm(summands, path);
    }
    if (!op || typeOf(value).getNumElements() != 1) {
      return fail(kNoSum);
    }
    if (samples.isCommon(value)) {
      return addCommon(value, path);
    }
    if (isa<AddOp, SubOp>(op)) {
      Path second = path;
      second.factor.number *= isa<SubOp>(op) ? -1 : 1;
      return success(succeeded(matchNumber(op->getOperand(0), path)) &&
                     succeeded(matchNumber(op->getOperand(1), second)));
    }
    if (isa<NegOp>(op)) {
      path.factor.number *= -1;
      return matchNumber(op->getOperand(0), path);
    }
    if (auto product = dyn_cast<MulOp>(op)) {
      return matchProduct(product, path);
    }
    if (auto quotient = dyn_cast<DivOp>(op)) {
      return matchQuotient(quotient, path);
    }
    return fail(kNoSum);
  }

  /// One of both is a factor that is the same for all samples.
  LogicalResult matchProduct(MulOp product, Path path) {
    for (unsigned i : {0u, 1u}) {
      Value common = product->getOperand(1 - i);
      if (!samples.isCommon(common)) {
        continue;
      }
      if (std::optional<double> number = getSplat(common)) {
        path.factor.number *= *number;
      } else {
        path.factor.values.push_back(common);
      }
      return matchNumber(product->getOperand(i), path);
    }
    return fail("it multiplies two numbers that both depend on samples");
  }

  LogicalResult matchQuotient(DivOp quotient, Path path) {
    if (std::optional<double> number = getSplat(quotient.getRhs())) {
      path.divisors.push_back(*number);
    } else if (failed(matchCount(quotient.getRhs(), path.counts))) {
      return failure();
    }
    return matchNumber(quotient.getLhs(), path);
  }

  /// A divisor that is the sum of what targets count.
  LogicalResult matchCount(Value divisor, SampleValues &counts) {
    Value count = strip(divisor, isCountCast);
    if (Guard guard = matchGuard(count)) {
      if (!(guard.number <= guard.largest)) {
        return fail("its divisor is a count with a lower bound of more than 1, "
                    "or with a number added, which whole steps reach more "
                    "often than microbatches");
      }
      count = strip(guard.value, isCountCast);
    }
    Value summands = getSummands(count);
    if (!summands || counts.value) {
      return fail("its divisor is neither a number nor a count of targets");
    }
    if (dependsOnParameters(summands)) {
      return fail("its divisor depends on parameters");
    }
    return setValues(summands, counts);
  }

  LogicalResult addTerm(Value summands, const Path &path) {
    LossTerm term;
    term.factor = path.factor;
    term.counts = path.counts;
    term.isMereSum = path.divisors.empty() && !term.hasCounts();
    bool hasDivisor = term.hasCounts();
    for (double divisor : llvm::reverse(path.divisors)) {
      double each = divisor / static_cast<double>(batch);
      if (!hasDivisor && each >= 1 && std::floor(each) == each) {
        hasDivisor = true;
        term.perSample = static_cast<int64_t>(each);
      } else {
        term.factor.number /= divisor;
      }
    }
    if (!hasDivisor && !term.isMereSum) {
      return fail("its divisor is no multiple of the " + Twine(batch) +
                  " samples");
    }
    loss.terms.push_back(std::move(term));
    return setValues(summands, loss.terms.back().losses);
  }

  /// What no sample influences, and no count of them divides.
  LogicalResult addCommon(Value value, const Path &path) {
    if (path.counts.value) {
      return fail("it divides what depends on no sample by a count of targets");
    }
    CommonTerm term{path.factor, value};
    for (double divisor : path.divisors) {
      term.factor.number /= divisor;
    }
    loss.common.push_back(std::move(term));
    return success();
  }

  LogicalResult setValues(Value values, SampleValues &place) {
    std::optional<int64_t> blockSize = samples.getBlockSize(values);
    if (!blockSize) {
      return fail("what it sums is not known to belong to one sample each");
    }
    place = {values, *blockSize};
    return success();
  }

  SampleBlocks samples;
  int64_t batch;
  std::string &reason;
};

} // namespace

FailureOr<GraphLoss> matchGraphLoss(func::FuncOp forward, Value scalar,
                                    int64_t batch, std::string &reason) {
  LossMatcher matcher(forward, batch, reason);
  if (failed(matcher.match(scalar))) {
    return failure();
  }
  return std::move(matcher.loss);
}

} // namespace accel
