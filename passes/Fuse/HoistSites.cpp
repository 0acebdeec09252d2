// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the site of a random operation an operand, so that layers share
// kernels.
#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Fuse/Passes.h"

#include "llvm/ADT/DenseMap.h"

namespace accel {
#define GEN_PASS_DEF_HOISTSITESPASS
#include "passes/Fuse/Passes.h.inc"
} // namespace accel

using namespace mlir;
using namespace accel;

namespace {

/// The sites of one function, each a constant at its start.
class SiteConstants {
public:
  explicit SiteConstants(func::FuncOp function)
      : builder(OpBuilder::atBlockBegin(&function.getBody().front())),
        loc(function.getLoc()) {}

  template <typename OpTy> void hoist(OpTy op) {
    if (op.getSiteOffset() || !op.getSeed()) {
      return;
    }
    op.getSiteOffsetMutable().assign(get(op.getSite()));
    op.setSite(0);
  }

private:
  Value get(int64_t site) {
    Value &constant = constants[site];
    if (!constant) {
      auto type = RankedTensorType::get({}, builder.getI64Type());
      constant =
          ConstantOp::create(builder, loc, DenseElementsAttr::get(type, site));
    }
    return constant;
  }

  OpBuilder builder;
  Location loc;
  llvm::DenseMap<int64_t, Value> constants;
};

class HoistSitesPass : public accel::impl::HoistSitesPassBase<HoistSitesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal()) {
        continue;
      }
      SiteConstants sites(function);
      function.walk([&](Operation *op) {
        llvm::TypeSwitch<Operation *>(op)
            .Case<DropoutOp, RandomNormalOp, AttentionOp, AttentionGradOp>(
                [&](auto random) { sites.hoist(random); });
      });
    }
  }
};

} // namespace
