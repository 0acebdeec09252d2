// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk from the scalar up to what is summed.
#include "passes/Differentiate/GraphLoss.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Differentiate/CountDivisor.h"
#include "passes/Differentiate/SampleBlocks.h"
#include "passes/Import/ConstantValue.h"

#include <cmath>

using namespace mlir;

namespace accel {
namespace {

/// What lies between the loss and one of its sums.
struct Path {
  LossFactor factor;
  llvm::SmallVector<double> divisors; ///< the one nearest to the sum last
  SampleValues counts;                ///< of null: none divides
  double countDivisor = 1; ///< of a mean of counts: how many they are
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
      return matchSummands(summands, path);
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

  /// Adds the terms of the sum of `summands`. If these do not belong to one
  /// sample each, they may be sums, or numbers beside each other: a mean of
  /// means, or of a stack of losses.
  LogicalResult matchSummands(Value summands, Path path) {
    if (samples.getBlockSize(summands)) {
      return addTerm(summands, path);
    }
    if (elementCount(summands) == 1) {
      return matchNumber(summands, path);
    }
    Operation *op = strip(summands).getDefiningOp();
    if (auto stack = dyn_cast_if_present<ConcatOp>(op)) {
      return success(llvm::all_of(stack.getOperands(), [&](Value part) {
        return succeeded(matchSummands(part, path));
      }));
    }
    if (auto sum = dyn_cast_if_present<ReduceSumOp>(op)) {
      return matchSummands(sum.getOperand(), path);
    }
    if (auto quotient = dyn_cast_if_present<DivOp>(op)) {
      if (std::optional<double> number = getSplat(quotient.getRhs())) {
        path.divisors.push_back(*number);
        return matchSummands(quotient.getLhs(), path);
      }
    }
    return addTerm(summands, path);
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
    } else if (failed(matchCount(quotient.getRhs(), path))) {
      return failure();
    }
    return matchNumber(quotient.getLhs(), path);
  }

  /// A divisor that is the sum of what targets count, a multiple of it, or
  /// its mean.
  LogicalResult matchCount(Value divisor, Path &path) {
    if (path.counts.value) {
      return fail(kNoCount);
    }
    FailureOr<CountDivisor> count = matchCountDivisor(divisor, reason);
    if (failed(count)) {
      return failure();
    }
    for (double number : count->divisors) {
      if (path.countDivisor == 1 && isPerSample(number)) {
        path.countDivisor = number;
      } else {
        path.factor.number *= number;
      }
    }
    path.factor.number /= count->factor;
    return setValues(count->summands, path.counts);
  }

  /// Whether `divisor` is a whole number for each sample of a microbatch.
  bool isPerSample(double divisor) const {
    double each = divisor / static_cast<double>(batch);
    return each >= 1 && std::floor(each) == each;
  }

  LogicalResult addTerm(Value summands, Path path) {
    LossTerm term;
    if (path.countDivisor != 1) {
      // Of a mean divided by a mean both sizes grow with the samples.
      double *size = llvm::find_if(
          path.divisors, [&](double number) { return isPerSample(number); });
      if (size == path.divisors.end()) {
        return fail("its divisor is a mean, and what it divides is none");
      }
      path.factor.number *= path.countDivisor / *size;
      path.divisors.erase(size);
    }
    term.factor = path.factor;
    term.counts = path.counts;
    term.isMereSum = path.divisors.empty() && !term.hasCounts();
    bool hasDivisor = term.hasCounts();
    for (double divisor : llvm::reverse(path.divisors)) {
      if (!hasDivisor && isPerSample(divisor)) {
        hasDivisor = true;
        term.perSample = static_cast<int64_t>(divisor) / batch;
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
