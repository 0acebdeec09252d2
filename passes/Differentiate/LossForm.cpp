// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison of a loss at two numbers of samples.
#include "passes/Differentiate/LossForm.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Import/ConstantValue.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace accel {
namespace {

constexpr llvm::StringLiteral kBatch = "batch", kReason = "reason",
                              kSums = "sums", kCounted = "counted",
                              kCommon = "common", kWithin = "within";

/// Numbers that exporters and folding rounded to f32, a few times; infinities,
/// too.
bool isSame(double left, double right) {
  constexpr double kTolerance = 1e-5;
  return left == right ||
         std::abs(left - right) <=
             kTolerance * std::max(std::abs(left), std::abs(right));
}

/// What the sum of `term` is multiplied by, its divisors included.
double getNumber(const LossTerm &term, int64_t batch) {
  double divisor =
      term.isMereSum ? 1 : static_cast<double>(term.perSample * batch);
  return term.factor.number / divisor;
}

/// The values that the terms of `loss` are made of.
SetVector<Value> collectValues(const GraphLoss &loss) {
  SetVector<Value> values;
  for (const LossTerm &term : loss.terms) {
    values.insert(term.losses.value);
    if (term.hasCounts()) {
      values.insert(term.counts.value);
    }
    values.insert_range(term.factor.values);
  }
  for (const CommonTerm &term : loss.common) {
    values.insert(term.value);
    values.insert_range(term.factor.values);
  }
  return values;
}

/// The floats that tensors behind `values` are filled with.
llvm::SmallVector<double> collectNumbers(SetVector<Value> values) {
  llvm::SmallVector<double> numbers;
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op) {
      continue;
    }
    auto constant = dyn_cast<ConstantOp>(op);
    std::optional<double> number = getSplat(values[i]);
    if (constant && number && !std::isnan(*number) &&
        isa<FloatType>(typeOf(values[i]).getElementType())) {
      numbers.push_back(*number);
    }
    values.insert_range(op->getOperands());
  }
  llvm::sort(numbers);
  numbers.erase(llvm::unique(numbers), numbers.end());
  return numbers;
}

class Reconciliation {
public:
  Reconciliation(GraphLoss &loss, int64_t batch, const OtherBatch &other,
                 std::string &reason)
      : loss(loss), here(getForm(loss, batch)), batch(batch), other(other),
        reason(reason) {}

  LogicalResult run() {
    if (!other.reason.empty()) {
      return fail(other.reason + ", as " + describeOther() + " shows");
    }
    const LossForm &there = other.form;
    if (here.sums.size() != there.sums.size() ||
        here.counted.size() != there.counted.size() ||
        here.common.size() != there.common.size()) {
      return fail("it has other terms in " + describeOther());
    }
    // One sample may have fewer: there is no mean over it.
    bool haveSameNumbers = llvm::all_of(there.within, [&](double number) {
      return llvm::any_of(here.within,
                          [&](double each) { return isSame(each, number); });
    });
    if (!haveSameNumbers || !llvm::equal(here.counted, there.counted, isSame) ||
        !llvm::equal(here.common, there.common, isSame)) {
      return failByNumber();
    }
    const double *sums = there.sums.begin();
    for (LossTerm &term : loss.terms) {
      if (!term.hasCounts() && failed(decide(term, *sums++))) {
        return failure();
      }
    }
    return success();
  }

private:
  LogicalResult fail(const Twine &text) {
    reason = text.str();
    return failure();
  }
  LogicalResult failByNumber() {
    return fail("a number in it depends on how many samples a microbatch has, "
                "and not as the divisor of a mean does (" +
                describeOther() +
                " shows it); let x.shape[0] divide a sum, once, and nothing "
                "else");
  }
  std::string describeOther() const {
    return "a microbatch of " + std::to_string(other.batch) + " samples";
  }

  LogicalResult decide(LossTerm &term, double there) {
    double number = getNumber(term, batch);
    if (isSame(number, there)) {
      term.isMereSum = true;
      term.factor.number = number;
      return success();
    }
    double perSample = number * static_cast<double>(batch);
    if (!isSame(perSample, there * static_cast<double>(other.batch))) {
      return failByNumber();
    }
    if (term.isMereSum) {
      term.isMereSum = false;
      term.factor.number = perSample;
    }
    return success();
  }

  GraphLoss &loss;
  LossForm here;
  int64_t batch;
  const OtherBatch &other;
  std::string &reason;
};

} // namespace

LossForm getForm(const GraphLoss &loss, int64_t batch) {
  LossForm form;
  for (const LossTerm &term : loss.terms) {
    if (term.hasCounts()) {
      form.counted.push_back(term.factor.number);
    } else {
      form.sums.push_back(getNumber(term, batch));
    }
  }
  for (const CommonTerm &term : loss.common) {
    form.common.push_back(term.factor.number);
  }
  form.within = collectNumbers(collectValues(loss));
  return form;
}

DictionaryAttr toAttribute(const OtherBatch &other, MLIRContext *context) {
  Builder builder(context);
  NamedAttrList attrs;
  attrs.set(kBatch, builder.getI64IntegerAttr(other.batch));
  if (!other.reason.empty()) {
    attrs.set(kReason, builder.getStringAttr(other.reason));
    return attrs.getDictionary(context);
  }
  attrs.set(kSums, builder.getDenseF64ArrayAttr(other.form.sums));
  attrs.set(kCounted, builder.getDenseF64ArrayAttr(other.form.counted));
  attrs.set(kCommon, builder.getDenseF64ArrayAttr(other.form.common));
  attrs.set(kWithin, builder.getDenseF64ArrayAttr(other.form.within));
  return attrs.getDictionary(context);
}

std::optional<OtherBatch> readOtherBatch(DictionaryAttr attribute) {
  if (!attribute) {
    return std::nullopt;
  }
  OtherBatch other;
  if (auto batch = attribute.getAs<IntegerAttr>(kBatch)) {
    other.batch = batch.getInt();
  }
  if (auto reason = attribute.getAs<StringAttr>(kReason)) {
    other.reason = reason.str();
  }
  auto read = [&](StringRef name, llvm::SmallVector<double> &numbers) {
    if (auto array = attribute.getAs<DenseF64ArrayAttr>(name)) {
      llvm::append_range(numbers, array.asArrayRef());
    }
  };
  read(kSums, other.form.sums);
  read(kCounted, other.form.counted);
  read(kCommon, other.form.common);
  read(kWithin, other.form.within);
  return other;
}

LogicalResult reconcile(GraphLoss &loss, int64_t batch, const OtherBatch &other,
                        std::string &reason) {
  return Reconciliation(loss, batch, other, reason).run();
}

} // namespace accel
