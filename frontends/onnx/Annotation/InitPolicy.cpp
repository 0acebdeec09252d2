// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classifies parameters by walking forward from their reads.
#include "frontends/onnx/Annotation/InitPolicy.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/InitialSite.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>

using namespace mlir;

namespace accel::onnx {
namespace {

enum class Purpose { Vector, Scale, Matrix, ResidualProjection };

/// Skips what does not change values: forward while there is one user of such a
/// kind.
bool isView(Operation *op) {
  return isa<ReshapeOp, TransposeOp, BroadcastOp>(op);
}

/// Whether `value` is a parameter, seen through views.
bool isParameter(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isView(op)) {
    op = op->getOperand(0).getDefiningOp();
  }
  return isa_and_nonnull<ReadOp>(op);
}

/// Whether a product reaches an addition to the stream through bias, dropout
/// and views only.
bool reachesResidual(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (auto add = dyn_cast<AddOp>(user)) {
      Value other = add.getLhs() == value ? add.getRhs() : add.getLhs();
      if (!isParameter(other)) {
        // A mask or a constant added to scores is no stream.
        Operation *source = other.getDefiningOp();
        return !isa_and_nonnull<ConstantOp, BroadcastOp>(source);
      }
    } else if (!isView(user) && !isa<DropoutOp>(user)) {
      return false;
    }
    value = user->getResult(0);
  }
  return false;
}

Purpose classifyUse(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto norm = dyn_cast<LayerNormOp>(user)) {
    return use.get() == norm.getScale() ? Purpose::Scale : Purpose::Vector;
  }
  if (auto norm = dyn_cast<BatchNormOp>(user)) {
    return use.get() == norm.getScale() ||
                   use.get() == norm.getRunningVariance()
               ? Purpose::Scale
               : Purpose::Vector;
  }
  if (auto product = dyn_cast<MatmulOp>(user)) {
    return use.get() == product.getRhs() && reachesResidual(product.getResult())
               ? Purpose::ResidualProjection
               : Purpose::Matrix;
  }
  if (isa<MulOp, DivOp>(user)) {
    return Purpose::Scale;
  }
  return isa<GatherOp>(user) ? Purpose::Matrix : Purpose::Vector;
}

/// The purpose of the first use that tells one, seen through views.
Purpose classify(Value value) {
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    for (OpOperand &use : pending.pop_back_val().getUses()) {
      if (isView(use.getOwner())) {
        pending.push_back(use.getOwner()->getResult(0));
      } else if (Purpose purpose = classifyUse(use);
                 purpose != Purpose::Vector) {
        return purpose;
      }
    }
  }
  return Purpose::Vector;
}

} // namespace

void applyInitPolicy(ModuleOp module, func::FuncOp forward,
                     const InitPolicy &policy,
                     const llvm::StringSet<> &keptStatistics) {
  llvm::StringMap<Purpose> purposes;
  forward.walk([&](ReadOp read) {
    Purpose purpose = classify(read.getResult());
    auto [entry, inserted] = purposes.try_emplace(read.getSymbol(), purpose);
    if (!inserted && entry->second == Purpose::Vector) {
      entry->second = purpose;
    }
  });
  double projections = 0;
  for (const auto &entry : purposes) {
    projections += entry.second == Purpose::ResidualProjection;
  }
  Builder builder(module.getContext());
  for (auto parameter : module.getOps<ParameterOp>()) {
    if (keptStatistics.contains(parameter.getSymName())) {
      continue;
    }
    Purpose purpose = purposes.lookup(parameter.getSymName());
    NamedAttrList initial;
    if (cast<RankedTensorType>(parameter.getType()).getRank() < 2) {
      initial.set("kind", builder.getStringAttr("constant"));
      initial.set("value", builder.getF64FloatAttr(
                               purpose == Purpose::Scale ? 1.0 : 0.0));
    } else {
      bool scaled = purpose == Purpose::ResidualProjection &&
                    policy.kind == InitPolicy::Kind::Gpt2;
      initial.set("kind", builder.getStringAttr("normal"));
      initial.set("mean", builder.getF64FloatAttr(0.0));
      initial.set("deviation",
                  builder.getF64FloatAttr(scaled ? policy.deviation /
                                                       std::sqrt(projections)
                                                 : policy.deviation));
      initial.set("site", builder.getI64IntegerAttr(
                              getInitialSite(parameter.getSymName())));
    }
    parameter.setInitialAttr(initial.getDictionary(module.getContext()));
  }
}

} // namespace accel::onnx
