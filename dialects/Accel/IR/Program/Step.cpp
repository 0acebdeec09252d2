// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a step does besides computing tensors: inputs, metrics, the update, and
// the buckets that parameters are gathered in.
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "dialects/Accel/IR/ShapeChecks.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace accel;

LogicalResult InputOp::verify() {
  // input_c1
  Builder builder(getContext());
  int64_t rank = getName() == "seed" ? 0 : 1;
  Type element = llvm::StringSwitch<Type>(getName())
                     .Cases({"sample_indices", "seed"}, builder.getI64Type())
                     .Case("sample_weights", builder.getF32Type())
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

/// Verifies one entry of a bucket's `segments`.
static LogicalResult verifySegment(Operation *op, int64_t index,
                                   Attribute attribute) {
  auto segment = dyn_cast<DictionaryAttr>(attribute);
  if (!segment) {
    return op->emitOpError() << "expected segment " << index
                             << " to be a dictionary, got " << attribute;
  }
  auto complain = [&](StringRef key, StringRef what) -> LogicalResult {
    return op->emitOpError() << "expected segment " << index << " to have `"
                             << key << "`, " << what << ", got " << attribute;
  };
  for (StringRef key : {"name", "group"}) {
    if (!segment.getAs<StringAttr>(key)) {
      return complain(key, "a string");
    }
  }
  if (!segment.getAs<IntegerAttr>("elements")) {
    return complain("elements", "an integer");
  }
  auto parameters = segment.getAs<ArrayAttr>("parameters");
  if (!parameters ||
      !llvm::all_of(parameters, llvm::IsaPred<FlatSymbolRefAttr>)) {
    return complain("parameters", "a list of symbols");
  }
  return success();
}

LogicalResult BucketOp::verify() {
  // bucket_c1
  for (auto [index, segment] : llvm::enumerate(getSegments())) {
    if (failed(verifySegment(*this, index, segment))) {
      return failure();
    }
  }
  return success();
}
