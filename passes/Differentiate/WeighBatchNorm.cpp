// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells batch norms which rows are samples of the batch and which are padding,
// which must not change the statistics of the others.
#include "passes/Differentiate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/StepNames.h"
#include "passes/Differentiate/SampleAxis.h"
#include "passes/Differentiate/SampleBlocks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_WEIGHBATCHNORMPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

/// Whether a sample has a single element of each channel.
bool hasOneElement(BatchNormOp norm, int64_t batch) {
  ArrayRef<int64_t> shape = shapeOf(norm.getOperand());
  return elementCount(norm.getOperand()) == shape[1] * batch;
}

Value readWeights(BatchNormOp norm, int64_t batch) {
  OpBuilder builder(norm);
  return InputOp::create(builder, norm.getLoc(),
                         RankedTensorType::get({batch}, builder.getF32Type()),
                         "sample_weights");
}

/// Gives `norm`, whose operand has samples along `axis`, their weights.
void weigh(BatchNormOp norm, SampleAxis axis, Value weights) {
  OpBuilder builder(norm);
  ArithmeticBuilder b(builder, norm.getLoc());
  Type element = elementTypeOf(norm.getOperand());
  int64_t size = shapeOf(norm.getOperand())[axis.dimension];
  int64_t batch = elementCount(weights);
  auto repeated = RankedTensorType::get(
      {size / (batch * axis.inner), batch, axis.inner}, builder.getF32Type());
  Value each = b.create<BroadcastOp>(repeated, weights, ArrayRef<int64_t>{1});
  norm.getWeightsMutable().assign(b.cast(b.reshape(each, {size}), element));
  norm.setAlong(axis.dimension);
}

class WeighBatchNormPass
    : public impl::WeighBatchNormPassBase<WeighBatchNormPass> {
public:
  using WeighBatchNormPassBase::WeighBatchNormPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>("microbatch");
    auto batch = module->getAttrOfType<IntegerAttr>("accel.batch");
    if (!function || !batch) {
      module.emitError(
          "expected a function @microbatch and attribute 'accel.batch', got ")
          << (function ? "no attribute" : "no function");
      return signalPassFailure();
    }
    Block &body = function.getBody().front();
    SampleBlocks samples(body, batch.getInt());
    Value weights; // read once: what is made of them is the same for all norms
    for (BatchNormOp norm : llvm::to_vector(body.getOps<BatchNormOp>())) {
      require(module, norm, batch.getInt());
      Value operand = norm.getOperand();
      std::optional<int64_t> size = samples.getBlockSize(operand);
      auto axis = size ? findSampleAxis(shapeOf(operand), *size, batch.getInt())
                       : std::nullopt;
      // Where samples are not separate, microbatches are whole: nothing is
      // padding.
      if (axis && axis->dimension != 1) {
        weights = weights ? weights : readWeights(norm, batch.getInt());
        weigh(norm, *axis, weights);
      }
    }
  }

private:
  /// Says on `module` whose statistics `norm` takes, and of how many samples.
  void require(ModuleOp module, BatchNormOp norm, int64_t batch) {
    Builder builder(module.getContext());
    if (synchronized) {
      norm.setSynchronized(true);
      module->setAttr(kSynchronizedStatisticsAttr, builder.getUnitAttr());
    }
    if (hasOneElement(norm, batch)) {
      module->setAttr(kLeastSamplesAttr, builder.getI64IntegerAttr(2));
    }
  }
};

} // namespace
} // namespace accel
