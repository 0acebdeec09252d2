// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows labels back to the input they come from, and knows two inputs by
// name.
#include "frontends/onnx/Annotation/InputRoles.h"

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// PyTorch's label for targets that take no part; the runtime knows no other.
constexpr int64_t kIgnoredLabel = -100;

/// Where labels come from.
struct LabelSource {
  BlockArgument argument; ///< null: they are computed
  bool isShifted = false;
};

LabelSource findSource(Value labels) {
  LabelSource source;
  while (Operation *op = labels.getDefiningOp()) {
    Value next;
    if (isa<ReshapeOp, CastOp>(op)) {
      next = op->getOperand(0);
    } else if (auto slice = dyn_cast<SliceOp>(op)) {
      next = slice.getOperand();
      source.isShifted |= slice.getOffsets().back() == 1;
    } else if (auto concat = dyn_cast<ConcatOp>(op)) {
      // A padded tensor is the first part.
      next = concat.getOperands().front();
    } else {
      return {};
    }
    labels = next;
  }
  source.argument = cast<BlockArgument>(labels);
  return source;
}

} // namespace

void markLabels(Value labels, int64_t classes, std::optional<int64_t> ignored) {
  LabelSource source = findSource(labels);
  if (!source.argument) {
    return;
  }
  auto forward = cast<func::FuncOp>(source.argument.getOwner()->getParentOp());
  Builder builder(forward.getContext());
  auto set = [&](StringRef name, Attribute value) {
    forward.setArgAttr(source.argument.getArgNumber(), name, value);
  };
  set("accel.target", builder.getUnitAttr());
  // Another ignored label widens the range.
  int64_t first = 0, last = classes - 1;
  if (ignored && *ignored != kIgnoredLabel) {
    first = std::min(first, *ignored);
    last = std::max(last, *ignored);
  }
  set("accel.range", builder.getI64ArrayAttr({first, last}));
  if (ignored == kIgnoredLabel) {
    set("accel.ignore", builder.getI64IntegerAttr(kIgnoredLabel));
  }
  if (source.isShifted) {
    set("accel.fill", builder.getStringAttr("tokens"));
  }
}

void markFilledInputs(func::FuncOp forward) {
  Builder builder(forward.getContext());
  for (BlockArgument argument : forward.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto name = forward.getArgAttrOfType<StringAttr>(number, "accel.name");
    auto type = cast<RankedTensorType>(argument.getType());
    if (!name || type.getRank() != 2 ||
        !isa<IntegerType>(type.getElementType())) {
      continue;
    }
    if (name == "attention_mask") {
      forward.setArgAttr(number, "accel.fill", builder.getStringAttr("ones"));
    } else if (name == "position_ids") {
      forward.setArgAttr(number, "accel.fill",
                         builder.getStringAttr("positions"));
    }
  }
}

} // namespace accel::onnx
