// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets accel.attention read each key head once where exporters repeat it for
// the query heads that share it.
//
//   (b, k, t, d) -> broadcast (b, k, group, t, d) -> reshape (b, k group, t, d)
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/DeadCode.h"
#include "passes/Import/ConstantValue.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_GROUPKEYHEADSPASS
#include "passes/Import/Passes.h.inc"

namespace {

/// Heads of which each stands `group` times in a row in another value.
struct RepeatedHeads {
  Value heads;           ///< in any shape of as many elements as `type`
  RankedTensorType type; ///< (b, k, t, d)
  int64_t group = 1;
};

std::optional<RepeatedHeads> matchRepeatedHeads(Value value) {
  auto merged = value.getDefiningOp<ReshapeOp>();
  auto repeated =
      merged ? merged.getOperand().getDefiningOp<BroadcastOp>() : BroadcastOp();
  RankedTensorType type = typeOf(value);
  if (!repeated || repeated.getType().getRank() != 5 || type.getRank() != 4) {
    return std::nullopt;
  }
  ArrayRef<int64_t> from = repeated.getType().getShape(), to = type.getShape();
  bool mergesGroup = from[0] == to[0] && from[1] * from[2] == to[1] &&
                     from[3] == to[2] && from[4] == to[3];
  if (!mergesGroup) {
    return std::nullopt;
  }
  RankedTensorType own = typeOf(repeated.getOperand());
  for (auto [i, dim] : llvm::enumerate(repeated.getDimensions())) {
    if (own.getDimSize(i) != (dim == 2 ? 1 : from[dim])) {
      return std::nullopt;
    }
  }
  RepeatedHeads result;
  result.heads = repeated.getOperand();
  result.type = type.clone({from[0], from[1], from[3], from[4]});
  result.group = from[2];
  // A dimension other than the group's may be missing in what is repeated.
  return own.getNumElements() == result.type.getNumElements()
             ? std::optional(result)
             : std::nullopt;
}

/// The heads in their four dimensions.
Value makeHeads(OpBuilder &builder, const RepeatedHeads &repeated) {
  Value heads = repeated.heads;
  while (auto reshape = heads.getDefiningOp<ReshapeOp>()) {
    heads = reshape.getOperand();
  }
  if (heads.getType() == repeated.type) {
    return heads;
  }
  return ReshapeOp::create(builder, heads.getLoc(), repeated.type, heads);
}

class GroupKeyHeadsPass
    : public impl::GroupKeyHeadsPassBase<GroupKeyHeadsPass> {
public:
  using GroupKeyHeadsPassBase::GroupKeyHeadsPassBase;

  void runOnOperation() override {
    getOperation().walk([&](AttentionOp attention) { group(attention); });
    eraseDeadCode(getOperation());
  }

private:
  static void group(AttentionOp attention) {
    std::optional<RepeatedHeads> key = matchRepeatedHeads(attention.getKey()),
                                 value =
                                     matchRepeatedHeads(attention.getValue());
    // The operation knows one number of groups for both.
    if (!key || !value || key->group != value->group) {
      return;
    }
    OpBuilder builder(attention);
    attention.getKeyMutable().assign(makeHeads(builder, *key));
    attention.getValueMutable().assign(makeHeads(builder, *value));
  }
};

} // namespace
} // namespace accel
