// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison of a loss at several numbers of samples.
#include "passes/Differentiate/LossForm.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Import/ConstantValue.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace accel {
namespace {

constexpr llvm::StringLiteral kBatch = "batch", kReason = "reason",
                              kSums = "sums", kCounted = "counted",
                              kCommon = "common", kWithin = "within",
                              kOtherBatches = "accel.other_batches";

bool isSame(double left, double right) {
  constexpr double kTolerance = 1e-5;
  return isClose(left, right, kTolerance);
}

/// What the plain sum of `term` is multiplied by, its divisors included.
double getNumber(const LossTerm &term) {
  return term.factor.number / term.divisor;
}

/// The values that `loss` is made of.
SetVector<Value> collectValues(const GraphLoss &loss) {
  SetVector<Value> values;
  auto add = [&](const LossFactor &factor) {
    values.insert_range(factor.values);
    values.insert_range(factor.divisors);
  };
  for (const LossTerm &term : loss.terms) {
    values.insert(term.losses.value);
    if (term.hasCounts()) {
      values.insert(term.counts.value);
    }
    add(term.factor);
  }
  for (const CommonTerm &term : loss.common) {
    values.insert(term.value);
    add(term.factor);
  }
  return values;
}

/// Collects the numbers that values are computed with, each once.
class NumberCollector {
public:
  llvm::SmallVector<double> collect(SetVector<Value> found) {
    values = std::move(found);
    for (size_t i = 0; i < values.size(); ++i) {
      if (Operation *op = values[i].getDefiningOp()) {
        visit(op);
      }
    }
    llvm::sort(numbers);
    numbers.erase(llvm::unique(numbers), numbers.end());
    return std::move(numbers);
  }

private:
  /// A mean has the same number of any elements, as that of what is common to
  /// the samples and repeated for each.
  void visit(Operation *op) {
    auto quotient = dyn_cast<DivOp>(op);
    auto divided =
        quotient ? skipViews(quotient.getLhs()).getDefiningOp<ReduceSumOp>()
                 : ReduceSumOp();
    std::optional<double> divisor =
        divided ? getSplat(quotient.getRhs()) : std::nullopt;
    if (divisor) {
      add(*divisor / countSummands(divided));
      values.insert(divided.getOperand());
      return;
    }
    if (auto sum = dyn_cast<ReduceSumOp>(op)) {
      add(countSummands(sum));
    } else if (auto constant = dyn_cast<ConstantOp>(op)) {
      addElements(constant);
    }
    values.insert_range(op->getOperands());
  }

  static double countSummands(ReduceSumOp sum) {
    return static_cast<double>(elementCount(sum.getOperand())) /
           static_cast<double>(elementCount(sum));
  }

  /// The numbers of a constant; tables with more of them are data.
  void addElements(ConstantOp constant) {
    constexpr size_t kMost = 64;
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (std::optional<double> number = getSplat(constant)) {
      return add(*number);
    }
    std::set<double> distinct;
    auto insert = [&](double number) {
      if (!std::isnan(number)) {
        distinct.insert(number);
      }
      return distinct.size() <= kMost;
    };
    if (elements && isa<FloatType>(elements.getElementType())) {
      (void)llvm::all_of(elements.getValues<APFloat>(), [&](APFloat number) {
        return insert(number.convertToDouble());
      });
    } else if (elements) {
      (void)llvm::all_of(elements.getValues<APInt>(), [&](APInt number) {
        return insert(number.signedRoundToDouble());
      });
    }
    if (distinct.size() <= kMost) {
      llvm::for_each(distinct, [&](double number) { add(number); });
    }
  }

  /// 0 and 1 come and go where there is nothing to do.
  void add(double number) {
    if (number != 0 && number != 1 && !std::isnan(number)) {
      numbers.push_back(number);
    }
  }

  SetVector<Value> values;
  llvm::SmallVector<double> numbers;
};

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
      : loss(loss), batch(batch), others(others), reason(reason) {}

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
    LossForm here = getForm(loss);
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
    return areAmong(left.form.within, right.form.within)
               ? success()
               : failByNumber(left.batch, right.batch);
  }

  /// Of plain sum `index`.
  LogicalResult decide(LossTerm &term, size_t index) {
    double number = getNumber(term);
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
  int64_t batch;
  ArrayRef<OtherBatch> others;
  std::string &reason;
};

} // namespace

LossForm getForm(const GraphLoss &loss) {
  LossForm form;
  for (const LossTerm &term : loss.terms) {
    if (term.hasCounts()) {
      form.counted.push_back(term.factor.number);
    } else {
      form.sums.push_back(getNumber(term));
    }
  }
  for (const CommonTerm &term : loss.common) {
    form.common.push_back(term.factor.number);
  }
  form.within = NumberCollector().collect(collectValues(loss));
  return form;
}

static DictionaryAttr toAttribute(const OtherBatch &other,
                                  MLIRContext *context) {
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

static OtherBatch fromAttribute(DictionaryAttr attribute) {
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

void writeOtherBatches(ModuleOp module, ArrayRef<OtherBatch> others) {
  Builder builder(module.getContext());
  SmallVector<Attribute> attributes;
  for (const OtherBatch &other : others) {
    attributes.push_back(toAttribute(other, module.getContext()));
  }
  module->setAttr(kOtherBatches, builder.getArrayAttr(attributes));
}

std::vector<OtherBatch> takeOtherBatches(ModuleOp module) {
  std::vector<OtherBatch> others;
  if (auto attributes =
          dyn_cast_if_present<ArrayAttr>(module->removeAttr(kOtherBatches))) {
    for (auto attribute : attributes.getAsRange<DictionaryAttr>()) {
      others.push_back(fromAttribute(attribute));
    }
  }
  return others;
}

LogicalResult reconcile(GraphLoss &loss, int64_t batch,
                        ArrayRef<OtherBatch> others, std::string &reason) {
  return Reconciliation(loss, batch, others, reason).run();
}

} // namespace accel
