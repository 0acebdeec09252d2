// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts, and views of what they made.
#include "passes/Precision/LowValues.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Precision/PrecisionSites.h"

using namespace mlir;
using namespace accel;

void LowValues::round(Value value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Value narrow = concatenate(value.getDefiningOp<ConcatOp>(), builder);
  if (!narrow) {
    narrow = CastOp::create(builder, value.getLoc(), value, low);
  }
  auto wide =
      CastOp::create(builder, value.getLoc(), narrow, builder.getF32Type());
  value.replaceAllUsesExcept(wide, narrow.getDefiningOp());
  known[wide] = narrow;
}

/// `wide` of its operands as they are before they are widened; null if they are
/// not.
Value LowValues::concatenate(ConcatOp wide, OpBuilder &builder) {
  SmallVector<Value> parts;
  for (Value operand : wide ? wide.getOperands() : ValueRange()) {
    if (!known.contains(getStoredValue(operand))) {
      return {};
    }
    parts.push_back(get(operand));
  }
  if (parts.empty()) {
    return {};
  }
  return ConcatOp::create(builder, wide.getLoc(), parts,
                          static_cast<int64_t>(wide.getAxis()));
}

Value LowValues::get(Value value) {
  auto [found, isNew] = known.try_emplace(value);
  if (isNew) {
    Value made = make(value);
    known[value] = made; // `found` may have moved
    return made;
  }
  return found->second;
}

void LowValues::replace(Value old, Value lowered) {
  for (auto &entry : known) {
    if (entry.second == old) {
      entry.second = lowered;
    }
  }
}

Value LowValues::make(Value value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Operation *op = value.getDefiningOp();
  bool isView = isStoredView(op);
  if (!isView || !known.contains(getStoredValue(value))) {
    return CastOp::create(builder, value.getLoc(), value, low);
  }
  Operation *view = cloneView(op, get(op->getOperand(0)));
  for (auto [wide, narrow] :
       llvm::zip_equal(op->getResults(), view->getResults())) {
    known[wide] = narrow;
  }
  return view->getResult(cast<OpResult>(value).getResultNumber());
}
