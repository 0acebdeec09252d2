// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows inputs forward to the tables that they index.
#include "frontends/onnx/Annotation/IndexRanges.h"

#include "dialects/Accel/IR/AccelOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// The size of the smallest table that `ids` index, 0 if they index none.
int64_t findTableSize(Value ids) {
  int64_t size = 0;
  SmallVector<Value> pending{ids};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      auto gather = dyn_cast<GatherOp>(user);
      if (gather && gather.getIndices() == value) {
        int64_t found =
            cast<RankedTensorType>(gather.getTable().getType()).getDimSize(0);
        size = size == 0 ? found : std::min(size, found);
      } else if (isa<ReshapeOp, SliceOp, CastOp>(user)) {
        pending.push_back(user->getResult(0));
      }
    }
  }
  return size;
}

} // namespace

void annotateIndexRanges(func::FuncOp forward) {
  Builder builder(forward.getContext());
  for (BlockArgument argument : forward.getArguments()) {
    int64_t size =
        isa<IntegerType>(
            cast<RankedTensorType>(argument.getType()).getElementType())
            ? findTableSize(argument)
            : 0;
    if (size > 0) {
      forward.setArgAttr(argument.getArgNumber(), "accel.range",
                         builder.getI64ArrayAttr({0, size - 1}));
    }
  }
}

} // namespace accel::onnx
