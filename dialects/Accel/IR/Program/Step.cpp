// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a step does besides computing tensors: inputs, metrics, the update, and
// the buckets that parameters are gathered in.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/StepNames.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace accel;

LogicalResult InputOp::verify() {
  // input_c1
  Builder builder(getContext());
  StringRef name = getName();
  int64_t rank = name == "sample_indices" || name == "sample_weights" ? 1 : 0;
  Type element =
      llvm::StringSwitch<Type>(getName())
          .Cases({"sample_indices", "seed"}, builder.getI64Type())
          .Cases({"sample_weights", kMicrobatchesBehind, kIterationsBehind},
                 builder.getF32Type())
          .Case(kTraining, builder.getI1Type())
          .Default(Type());
  if (!element) {
    return success();
  }
  return success(
      succeeded(verifyRank(*this, "result", getResult(), rank)) &&
      succeeded(verifyElementType(*this, "result", getResult(), element)));
}

LogicalResult MetricOp::verify() {
  // metric_c1
  return verifyRank(*this, "value", getValue(), 0);
}

LogicalResult UpdateOp::verify() {
  // update_c1
  if (failed(verifyRank(*this, "scale", getScale(), 0))) {
    return failure();
  }
  if (!findOptimizer(getKind())) {
    return emitOpError() << "expected `kind` to be " << listOptimizers()
                         << ", got \"" << getKind() << "\"";
  }
  return success();
}

LogicalResult BucketOp::verify() {
  // bucket_c1
  llvm::SmallPtrSet<Attribute, 4> names;
  llvm::SmallPtrSet<Attribute, 16> parameters;
  for (auto segment : getSegments().getAsRange<SegmentAttr>()) {
    if (!names.insert(segment.getName()).second) {
      return emitOpError() << "expected segments with different names, got "
                           << segment.getName() << " twice";
    }
    for (FlatSymbolRefAttr parameter : segment.getParameters()) {
      if (!parameters.insert(parameter).second) {
        return emitOpError() << "expected each parameter in one segment, got "
                             << parameter << " in two";
      }
    }
  }
  return success();
}

SegmentRefAttr BucketOp::getReference(StringAttr name) {
  return SegmentRefAttr::get(getContext(),
                             FlatSymbolRefAttr::get(getSymNameAttr()), name);
}

LogicalResult SegmentAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringAttr name, OptimizerGroup,
                                  int64_t elements,
                                  ArrayRef<FlatSymbolRefAttr> parameters) {
  if (name.empty() || elements <= 0) {
    return emitError() << "expected a segment with a name and at least one "
                          "element, got "
                       << name << " and " << elements;
  }
  llvm::SmallPtrSet<Attribute, 16> seen;
  for (FlatSymbolRefAttr parameter : parameters) {
    if (!seen.insert(parameter).second) {
      return emitError() << "expected each parameter once, got " << parameter
                         << " twice";
    }
  }
  return success();
}

LogicalResult
SegmentRefAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       FlatSymbolRefAttr bucket, StringAttr name) {
  if (name.empty()) {
    return emitError() << "expected the name of a segment of " << bucket
                       << ", got an empty one";
  }
  return success();
}

std::string SegmentRefAttr::getSlotName(SlotAttr slot) const {
  return (getBucket().getValue() + "." + getName().getValue() + "." +
          slot.getName())
      .str();
}
