// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collection of numbers, and their attributes.
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

} // namespace

LossForm getForm(const GraphLoss &loss) {
  LossForm form;
  for (const LossTerm &term : loss.terms) {
    if (term.hasCounts()) {
      form.counted.push_back(term.factor.number);
    } else {
      form.sums.push_back(term.getNumber());
    }
  }
  for (const CommonTerm &term : loss.common) {
    form.common.push_back(term.factor.number);
  }
  return form;
}

llvm::SmallVector<double> collectNumbers(const GraphLoss &loss) {
  return NumberCollector().collect(collectValues(loss));
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
  attrs.set(kWithin, builder.getDenseF64ArrayAttr(other.within));
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
  read(kWithin, other.within);
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

} // namespace accel
