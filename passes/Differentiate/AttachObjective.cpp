// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the loss behind the model's outputs: one loss per target, their weighted
// sum, and the weighted count of targets.
#include "passes/Differentiate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Differentiate/LossBuilder.h"
#include "passes/Differentiate/Objective.h"
#include "passes/Differentiate/SampleBlocks.h"
#include "passes/ErrorCodes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_ATTACHOBJECTIVEPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

/// Labels of this value are not targets; any number outside the classes would
/// do, this one is PyTorch's.
constexpr int64_t kIgnoredLabel = -100;
constexpr llvm::StringLiteral kLabels = "labels";

/// Builds the objective at the end of @forward.
class ObjectiveBuilder {
public:
  ObjectiveBuilder(func::FuncOp function, const Objective &objective,
                   int64_t batch)
      : function(function), objective(objective), batch(batch),
        terminator(
            cast<func::ReturnOp>(function.getBody().front().getTerminator())),
        output(terminator.getOperand(objective.output)), builder(terminator),
        b(builder, getLocOf(function, output)) {
    // A loss of 16 bits would lose what it sums.
    if (typeOf(output).getElementTypeBitWidth() == 16) {
      output = b.cast(output, builder.getF32Type());
    }
  }

  /// Replaces what the function returns by (losses, their sum, count).
  void build() {
    auto type = RankedTensorType::get({batch}, builder.getF32Type());
    weights = b.create<InputOp>(type, "sample_weights");
    Losses made = buildLosses(LossBuilder(b, weights, batch));
    Value sum = sumUp(b, made.losses);
    Value count = sumUp(b, made.count);
    if (made.targetsPerCount != 1) {
      count = b.mul(count, static_cast<double>(made.targetsPerCount));
    }
    terminator->setOperands({made.losses, sum, count});
    function.setResAttrsAttr(ArrayAttr());
    function.setFunctionType(builder.getFunctionType(
        function.getArgumentTypes(), terminator.getOperandTypes()));
  }

private:
  /// The objective stands where the model's output does.
  static Location getLocOf(func::FuncOp function, Value output) {
    Operation *producer = output.getDefiningOp();
    return producer ? producer->getLoc() : function.getLoc();
  }

  Losses buildLosses(LossBuilder losses) {
    switch (objective.kind) {
    case ObjectiveKind::CausalLm:
    case ObjectiveKind::Classification:
      return buildCrossEntropy(losses);
    case ObjectiveKind::Mse:
      return buildSquaredError(losses);
    case ObjectiveKind::Output:
      return {losses.weigh(output), weights};
    case ObjectiveKind::Loss:
      return objective.loss ? buildGraphLoss(losses) : buildMean();
    }
    llvm_unreachable("unknown objective");
  }

  Losses buildGraphLoss(LossBuilder &losses) {
    StepCounts counts(b, function, weights);
    return losses.build(*objective.loss, counts);
  }

  /// The model's loss as it is, once for every sample of the microbatch.
  Losses buildMean() {
    Value each = b.mul(output, static_cast<double>(batch));
    return {b.reshape(each, {1}), weights};
  }

  Losses buildCrossEntropy(LossBuilder &weighing) {
    RankedTensorType type = typeOf(output);
    int64_t classes = type.getShape().back();
    int64_t rows = type.getNumElements() / classes;
    RankedTensorType labelsType = RankedTensorType::get(
        type.getShape().drop_back(), builder.getI64Type());
    Value labels =
        addLabels(labelsType,
                  {{"accel.range", builder.getI64ArrayAttr({0, classes - 1})},
                   {"accel.ignore", builder.getI64IntegerAttr(kIgnoredLabel)}});
    Value logits = b.reshape(output, {rows, classes});
    Value flat = b.reshape(labels, {rows});
    Value entropy = b.create<SoftmaxCrossEntropyOp>(logits, flat);
    Type element = type.getElementType();
    Value spread = weighing.spreadWeights(labelsType.getShape(), rows / batch);
    Value weight = b.cast(b.reshape(spread, {rows}), element);
    Value losses = b.mul(entropy, weight);
    Value count = b.mul(b.cast(b.isClass(flat, classes), element), weight);
    return {losses, count};
  }

  Losses buildSquaredError(LossBuilder &weighing) {
    RankedTensorType type = typeOf(output);
    Value target = addLabels(type, {});
    Value difference = b.sub(output, target);
    Value losses = weighing.weigh(b.mul(difference, difference));
    return {losses, weights, type.getNumElements() / batch};
  }

  Value addLabels(RankedTensorType type,
                  ArrayRef<std::pair<StringRef, Attribute>> attributes) {
    NamedAttrList attrs;
    attrs.set("accel.name", builder.getStringAttr(kLabels));
    attrs.set("accel.target", builder.getUnitAttr());
    for (auto [name, attribute] : attributes) {
      attrs.set(name, attribute);
    }
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(
        index, type, attrs.getDictionary(builder.getContext()), b.getLoc());
    return function.getArgument(index);
  }

  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

  func::FuncOp function;
  const Objective &objective;
  int64_t batch;
  func::ReturnOp terminator;
  Value output;
  OpBuilder builder;
  ArithmeticBuilder b;
  Value weights;
};

class AttachObjectivePass
    : public impl::AttachObjectivePassBase<AttachObjectivePass> {
public:
  using AttachObjectivePassBase::AttachObjectivePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto forward = module.lookupSymbol<func::FuncOp>("forward");
    auto batch = module->getAttrOfType<IntegerAttr>("accel.batch");
    if (!forward || !batch) {
      module.emitError(
          "expected a function @forward and attribute 'accel.batch', got ")
          << (forward ? "no attribute" : "no function");
      return signalPassFailure();
    }
    if (lossWeight != "targets" && lossWeight != "samples") {
      forward.emitError("--loss-weight: expected targets or samples, got '")
          << lossWeight << "'";
      return signalPassFailure();
    }
    ObjectiveRequest request{objective, lossWeight == "samples",
                             takeOtherBatches(module)};
    FailureOr<Objective> chosen =
        chooseObjective(forward, request, batch.getInt());
    if (failed(chosen) || failed(verifyInputs(forward, *chosen))) {
      return signalPassFailure();
    }
    SampleBlocks samples(forward.getBody().front(), batch.getInt());
    if (failed(verifyPlace(forward, *chosen, samples))) {
      return signalPassFailure();
    }
    describe(module, forward, *chosen,
             explainWholeMicrobatches(forward, *chosen, samples));
    ObjectiveBuilder(forward, *chosen, batch.getInt()).build();
    forward.setName("microbatch");
  }

private:
  /// What differs from the model's text.
  static void tellAboutDivisors(func::FuncOp forward, StringRef output,
                                const GraphLoss &loss) {
    if (loss.terms.front().isMereSum) {
      emitRemark(forward.getLoc(), "output '")
          << output
          << "' is a sum without a divisor that grows with the samples; a "
             "step trains its mean over the samples of the global batch, so "
             "that gradients are the sum's divided by --global-batch";
    }
    if (llvm::any_of(loss.terms,
                     [](const LossTerm &term) { return term.dropsBound; })) {
      emitRemark(forward.getLoc(), "output '")
          << output
          << "' divides by a sum of weights, which a lower bound keeps from "
             "zero; a step divides by what its weights add up to, also if "
             "that is less than the bound";
    }
  }

  /// The labels that the objective adds have a name of their own.
  static LogicalResult verifyInputs(func::FuncOp forward,
                                    const Objective &chosen) {
    if (chosen.kind == ObjectiveKind::Output ||
        chosen.kind == ObjectiveKind::Loss) {
      return success();
    }
    for (unsigned i = 0; i < forward.getNumArguments(); ++i) {
      if (getInputName(forward, i) == kLabels) {
        return withCode(forward.emitError(), codes::NoObjective)
               << "expected a model without its loss, got an input named "
                  "'labels'; "
                  "export the model without labels, or train the loss that it "
                  "computes of them: --objective=output:NAME";
      }
    }
    return success();
  }

  static Value getOutput(func::FuncOp forward, const Objective &chosen) {
    return forward.getBody().front().getTerminator()->getOperand(chosen.output);
  }

  /// Labels and weights are those of the samples in front. What is known to
  /// have them elsewhere has the batch in front by chance.
  static LogicalResult verifyPlace(func::FuncOp forward,
                                   const Objective &chosen,
                                   const SampleBlocks &samples) {
    Value output = getOutput(forward, chosen);
    if (chosen.kind == ObjectiveKind::Loss || !samples.getBlockSize(output) ||
        samples.areInFront(output)) {
      return success();
    }
    return withCode(forward.emitError("output '"), codes::NoObjective)
           << getOutputName(forward, chosen.output)
           << "': expected the samples along its first dimension, got them "
              "elsewhere; transpose it in the model";
  }

  /// Why every microbatch has to consist of samples of the batch alone: copies
  /// that fill a short one would change the others' losses. Empty: they would
  /// not.
  static StringRef explainWholeMicrobatches(func::FuncOp forward,
                                            const Objective &chosen,
                                            const SampleBlocks &samples) {
    if (chosen.kind == ObjectiveKind::Loss) {
      return chosen.loss ? ""
                         : "the loss is a mean over samples "
                           "(--loss-weight=samples)";
    }
    Value output = getOutput(forward, chosen);
    if (samples.areInFront(output)) {
      return "";
    }
    Operation *mixing = samples.findMixing(output);
    emitRemark(mixing ? mixing->getLoc() : forward.getLoc())
        << "the samples of a microbatch influence each other from here on, or "
           "are not known not to; a step takes whole microbatches only";
    return "the model mixes the samples of a microbatch";
  }

  /// Records what was chosen, for the plan's signature and for people.
  static void describe(ModuleOp module, func::FuncOp forward,
                       const Objective &chosen, StringRef wholeMicrobatches) {
    Builder builder(module.getContext());
    StringRef output = getOutputName(forward, chosen.output);
    NamedAttrList attrs;
    attrs.set("kind", builder.getStringAttr(stringifyObjective(chosen.kind)));
    attrs.set("output", builder.getStringAttr(output));
    if (chosen.tokens) {
      attrs.set("tokens",
                builder.getStringAttr(getInputName(forward, *chosen.tokens)));
    }
    if (chosen.loss && !chosen.loss->haveOneDivisor()) {
      attrs.set("no_evaluation",
                builder.getStringAttr(
                    "the loss adds means over different counts of targets"));
    }
    if (chosen.loss) {
      tellAboutDivisors(forward, output, *chosen.loss);
    }
    if (!wholeMicrobatches.empty()) {
      attrs.set("whole_microbatches", builder.getStringAttr(wholeMicrobatches));
    }
    module->setAttr("accel.objective",
                    attrs.getDictionary(module.getContext()));
    remark::analysis(forward.getLoc(), remark::RemarkOpts::name("Objective")
                                           .category("accel-attach-objective"))
        << remark::add("objective {0} of output '{1}'",
                       stringifyObjective(chosen.kind).str(), output.str());
  }
};

} // namespace
} // namespace accel
