// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk from the scalar up to what is summed.
#include "passes/Differentiate/GraphLoss.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Differentiate/CountDivisor.h"
#include "passes/Differentiate/SampleBlocks.h"
#include "passes/Import/ConstantValue.h"

using namespace mlir;

namespace accel {
namespace {

/// What lies between the loss and one of its sums.
struct Path {
  LossFactor factor;
  llvm::SmallVector<double> divisors; ///< the one nearest to the sum last
  SampleValues counts;                ///< of null: none divides
  bool isMeanOfCounts = false;        ///< what divides is their mean
  bool dropsBound = false;            ///< of the counts
  size_t outer = 0; ///< how many of `divisors` divide what the counts do not
};

class LossMatcher {
public:
  LossMatcher(func::FuncOp forward, int64_t batch, LossNumbers numbers,
              std::string &reason)
      : samples(forward.getBody().front(), batch), batch(batch),
        numbers(numbers), reason(reason) {}

  LogicalResult match(Value scalar) {
    if (failed(matchNumber(scalar, {}))) {
      return failure();
    }
    if (loss.terms.empty()) {
      return fail(kNoSum);
    }
    return isCompared() ? success() : checkDivisors(loss, reason);
  }

  GraphLoss loss;

private:
  static constexpr llvm::StringLiteral kNoSum =
      "it is neither a sum of losses nor their mean";

  LogicalResult fail(const Twine &text) {
    reason = text.str();
    return failure();
  }
  bool isCompared() const { return numbers == LossNumbers::Compared; }

  /// Adds the terms that `value` is made of. What one sample alone leaves is a
  /// loss of its own, whatever it is: other batches tell whether it is a mean.
  LogicalResult matchNumber(Value value, const Path &path) {
    size_t terms = loss.terms.size(), common = loss.common.size();
    if (succeeded(matchParts(value, path))) {
      return success();
    }
    if (batch > 1 || !isCompared()) {
      return failure();
    }
    loss.terms.truncate(terms);
    loss.common.truncate(common);
    return addTerm(value, path);
  }

  LogicalResult matchParts(Value value, Path path) {
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
    Operation *op = strip(summands).getDefiningOp();
    if (op && isNumberStack(op->getResult(0))) {
      return matchStack(cast<ConcatOp>(op), path);
    }
    if (samples.getBlockSize(summands)) {
      return addTerm(summands, path);
    }
    if (elementCount(summands) == 1) {
      return matchNumber(summands, path);
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

  /// Of the mean of a stack the length says nothing about samples.
  LogicalResult matchStack(ConcatOp stack, Path path) {
    auto length = static_cast<double>(stack.getNumOperands());
    if (path.divisors.size() > path.outer && path.divisors.back() == length) {
      path.divisors.pop_back();
      path.factor.number /= length;
    }
    return success(llvm::all_of(stack.getOperands(), [&](Value part) {
      return succeeded(matchNumber(part, path));
    }));
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
    } else if (samples.isCommon(quotient.getRhs())) {
      path.factor.divisors.push_back(quotient.getRhs());
    } else if (failed(matchCount(quotient.getRhs(), path))) {
      return failure();
    }
    return matchNumber(quotient.getLhs(), path);
  }

  /// A divisor that is the sum of what targets count, a multiple of it, or
  /// its mean.
  LogicalResult matchCount(Value divisor, Path &path) {
    if (path.counts.value) {
      return fail("two counts of targets divide it");
    }
    FailureOr<CountDivisor> count = matchCountDivisor(
        divisor, isCompared() ? std::nullopt : std::optional(batch), reason);
    if (failed(count)) {
      return failure();
    }
    path.factor.number /= count->number;
    path.isMeanOfCounts = count->isMean;
    path.dropsBound = count->dropsBound;
    path.outer = path.divisors.size();
    return setValues(count->summands, path.counts);
  }

  /// Whether the divisors of `path` within its counts make a mean of
  /// `summands`; takes them out of it.
  static bool takeMean(Value summands, Path &path) {
    double size = 1;
    for (double divisor : llvm::drop_begin(path.divisors, path.outer)) {
      size *= divisor;
    }
    if (size == 1 || size != static_cast<double>(elementCount(summands))) {
      return false;
    }
    path.divisors.resize(path.outer);
    return true;
  }

  LogicalResult addTerm(Value summands, Path path) {
    LossTerm term;
    if (path.counts.value && takeMean(summands, path) != path.isMeanOfCounts) {
      return fail(path.isMeanOfCounts
                      ? "its divisor is a mean, and what it divides is none"
                      : "it divides a mean by a count of targets");
    }
    if (path.isMeanOfCounts) {
      // Both sizes grow with the samples.
      path.factor.number *=
          static_cast<double>(elementCount(path.counts.value)) /
          static_cast<double>(elementCount(summands));
    }
    term.factor = path.factor;
    term.counts = path.counts;
    term.dropsBound = path.dropsBound;
    if (failed(isCompared() ? keepDivisors(path, summands, term)
                            : guessDivisor(path, term))) {
      return failure();
    }
    loss.terms.push_back(std::move(term));
    return setValues(summands, loss.terms.back().losses);
  }

  /// Of the numbers that divide a plain sum, one may count samples.
  LogicalResult guessDivisor(const Path &path, LossTerm &term) {
    bool hasDivisor = term.hasCounts();
    for (double divisor : llvm::reverse(path.divisors)) {
      if (!hasDivisor && isPerSample(divisor, batch)) {
        hasDivisor = true;
        term.perSample = static_cast<int64_t>(divisor) / batch;
      } else {
        term.factor.number /= divisor;
      }
    }
    term.isMereSum = !hasDivisor;
    return hasDivisor || path.divisors.empty()
               ? success()
               : fail("its divisor is no multiple of the " + Twine(batch) +
                      " samples");
  }

  /// If it turns out that the sum is a mean, a divisor of all elements makes a
  /// target of each.
  LogicalResult keepDivisors(const Path &path, Value summands, LossTerm &term) {
    term.isMereSum = !term.hasCounts();
    for (double divisor : path.divisors) {
      if (term.hasCounts()) {
        term.factor.number /= divisor;
        continue;
      }
      term.divisor *= divisor;
      if (divisor == static_cast<double>(elementCount(summands))) {
        term.perSample = elementCount(summands) / batch;
      }
    }
    return success();
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
  LossNumbers numbers;
  std::string &reason;
};

} // namespace

FailureOr<GraphLoss> matchGraphLoss(func::FuncOp forward, Value scalar,
                                    int64_t batch, LossNumbers numbers,
                                    std::string &reason) {
  LossMatcher matcher(forward, batch, numbers, reason);
  if (failed(matcher.match(scalar))) {
    return failure();
  }
  return std::move(matcher.loss);
}

LogicalResult checkDivisors(const GraphLoss &loss, std::string &reason) {
  bool isMereSum = loss.terms.front().isMereSum;
  for (const LossTerm &term : loss.terms) {
    if (term.isMereSum != isMereSum) {
      reason = "it adds means and mere sums, whose shares depend on how many "
               "samples there are";
      return failure();
    }
  }
  return success();
}

} // namespace accel
