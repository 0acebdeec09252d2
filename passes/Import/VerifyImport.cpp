// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold after Import: only operations that can be trained and compiled
// are left, on static shapes.
#include "passes/Import/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "dialects/Accel/IR/StepNames.h"
#include "passes/ErrorCodes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_VERIFYIMPORTPASS
#include "passes/Import/Passes.h.inc"

namespace {

LogicalResult verifyTypes(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape()) {
      return withCode(op->emitError(), codes::Dimensions)
             << "expected static shapes after Import, got " << type
             << "; bind the dimension with --dim NAME=SIZE";
    }
    // A program that only answers may have such results.
    bool isReturned = isa<ConstantOp>(op) &&
                      llvm::all_of(op->getUsers(), [](Operation *user) {
                        return isa<func::ReturnOp>(user);
                      });
    if (tensor.getNumElements() == 0 && !isReturned) {
      return withCode(op->emitError(), codes::EmptyTensor)
             << "expected tensors with at least one element after Import, got "
             << type;
    }
  }
  return success();
}

/// Operations that compute shapes or masks have no kernel: they must have been
/// folded.
LogicalResult verifyKernel(Operation *op) {
  auto fusion = dyn_cast<FusionOpInterface>(op);
  if (fusion && fusion.getFusionKind() == FusionKind::None) {
    return withCode(op->emitError("expected '"), codes::ComputedShape)
           << op->getName()
           << "' to depend on constants only, so that it can be evaluated, got "
              "operands that depend on inputs or "
           << "parameters; export the model with static shapes and without "
              "data-dependent indexing";
  }
  return success();
}

LogicalResult verifyOp(Operation *op) {
  if (isa<func::ReturnOp>(op)) {
    return success();
  }
  if (!isa<AccelDialect>(op->getDialect())) {
    return op->emitError(
               "expected an operation of dialect accel after Import, got '")
           << op->getName() << "'";
  }
  if (failed(verifyTypes(op))) {
    return failure();
  }
  return verifyKernel(op);
}

LogicalResult verifyNames(func::FuncOp forward) {
  bool hasFailed = false;
  for (unsigned i = 0; i < forward.getNumArguments(); ++i) {
    if (!forward.getArgAttrOfType<StringAttr>(i, "accel.name")) {
      hasFailed = true;
      forward.emitError("expected attribute 'accel.name' on argument ")
          << i << " of @forward, got none";
    }
  }
  for (unsigned i = 0; i < forward.getNumResults(); ++i) {
    if (!forward.getResultAttrOfType<StringAttr>(i, "accel.name")) {
      hasFailed = true;
      forward.emitError("expected attribute 'accel.name' on result ")
          << i << " of @forward, got none";
    }
  }
  return failure(hasFailed);
}

/// Functions and states of later phases share the module's names with its
/// parameters.
LogicalResult verifyParameterName(ParameterOp parameter) {
  static constexpr StringLiteral kReserved[] = {
      "init",         "step",
      "microbatch",   "loss_sum",
      "target_count", "lr",
      "min_lr",       "weight_decay",
      "clip_norm",    "warmup_steps",
      "decay_steps",  "schedule_steps",
      "step_count",   "gradient_square_sum",
      "accumulating", "schedule"};
  StringRef name = parameter.getSymName();
  bool isRead = llvm::any_of(getOptimizers(), [&](const Optimizer *optimizer) {
    return optimizer->findNumber(name) || optimizer->findPower(name);
  });
  bool isCount = name.starts_with(kCountedPrefix) ||
                 name.starts_with(kSamplesPerCountPrefix);
  if (!isRead && !isCount && !llvm::is_contained(kReserved, name)) {
    return success();
  }
  return parameter.emitError("expected a parameter name that the step does not "
                             "use itself, got '")
         << parameter.getSymName()
         << "'; rename it in the model and export again";
}

void reportAttention(SoftmaxOp softmax) {
  bool readsProduct = false;
  Value value = softmax.getOperand();
  while (Operation *op = value.getDefiningOp()) {
    readsProduct = isa<MatmulOp>(op);
    if (!isa<AddOp, SelectOp, MulOp, DivOp, ReshapeOp>(op)) {
      break;
    }
    value = op->getOperand(isa<SelectOp>(op) ? 1 : 0);
  }
  bool feedsProduct = llvm::any_of(
      softmax->getUsers(), [](Operation *user) { return isa<MatmulOp>(user); });
  if (readsProduct && feedsProduct) {
    remark::missed(
        softmax.getLoc(),
        remark::RemarkOpts::name("Attention").category("accel-verify-import"))
        << remark::reason(
               "softmax of a matrix product was not recognised as attention");
  }
}

class VerifyImportPass : public impl::VerifyImportPassBase<VerifyImportPass> {
public:
  using VerifyImportPassBase::VerifyImportPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    auto forward = module.lookupSymbol<func::FuncOp>("forward");
    if (!forward || !forward.getBody().hasOneBlock()) {
      module.emitError(
          "expected one function @forward of one block after Import, got ")
          << (forward ? "several blocks" : "none");
      return signalPassFailure();
    }
    bool hasFailed = failed(verifyNames(forward));
    for (ParameterOp parameter : module.getOps<ParameterOp>()) {
      hasFailed |= failed(verifyParameterName(parameter));
    }
    for (Operation &op : forward.getBody().front()) {
      hasFailed |= failed(verifyOp(&op));
      if (auto softmax = dyn_cast<SoftmaxOp>(op)) {
        reportAttention(softmax);
      }
    }
    if (hasFailed) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace accel
