// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulates the gradient of the loss for every trainable parameter, each
// contribution where it is complete.
#include "passes/Differentiate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "dialects/Accel/IR/LossScale.h"
#include "dialects/Accel/IR/StepNames.h"
#include "passes/Differentiate/ReverseMode.h"
#include "passes/ErrorCodes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_DIFFERENTIATEMODULEPASS
#include "passes/Differentiate/Passes.h.inc"

namespace {

/// Differentiates one @microbatch.
class ModuleDifferentiator {
public:
  /// Without a `lossScale` the gradient is not scaled.
  ModuleDifferentiator(ModuleOp module, func::FuncOp function,
                       std::optional<LossScalePolicy> lossScale)
      : module(module), function(function), lossScale(lossScale),
        symbols(module), terminator(cast<func::ReturnOp>(
                             function.getBody().front().getTerminator())),
        builder(terminator) {}

  LogicalResult run() {
    if (failed(collectReads())) {
      return failure();
    }
    int64_t exponent = getExponent();
    module->setAttr("accel.gradient_exponent",
                    builder.getI64IntegerAttr(exponent));
    auto contributions = differentiateLosses(exponent);
    if (failed(contributions)) {
      return failure();
    }
    accumulateGradients(*contributions);
    accumulateTotals();
    freezeUnused();
    if (used.empty()) {
      return withCode(function.emitError(), codes::NotTrainable)
             << "expected a trainable parameter that influences the loss, got "
                "none; nothing would be trained";
    }
    removeStops();
    return success();
  }

private:
  /// They have told where gradients end.
  void removeStops() {
    for (auto stop : llvm::make_early_inc_range(
             function.getBody().front().getOps<StopGradientOp>())) {
      stop.getResult().replaceAllUsesWith(stop.getOperand());
      stop.erase();
    }
  }

  /// Finds the values whose gradients are wanted: every read of a trainable
  /// parameter.
  LogicalResult collectReads() {
    for (ReadOp read : function.getBody().front().getOps<ReadOp>()) {
      auto parameter = symbols.lookup<ParameterOp>(read.getSymbol());
      if (parameter && parameter.getTrainable()) {
        reads.push_back(read);
      }
    }
    if (reads.empty()) {
      return withCode(function.emitError(), codes::NotTrainable)
             << "expected at least one trainable parameter that the model "
                "reads, got none";
    }
    return success();
  }

  /// The smallest k with 2^k at least the number of targets of a microbatch:
  /// the accumulated gradient is of the magnitude of a mean, and the factor is
  /// exact.
  int64_t getExponent() {
    int64_t targets = cast<RankedTensorType>(terminator.getOperand(0).getType())
                          .getNumElements();
    return llvm::Log2_64_Ceil(targets);
  }

  FailureOr<SmallVector<SmallVector<Value>>>
  differentiateLosses(int64_t exponent) {
    Value losses = terminator.getOperand(0);
    Value gradient = buildSeed(losses, std::ldexp(1.0, -int(exponent)));
    auto wrt = llvm::map_to_vector(
        reads, [](ReadOp read) -> Value { return read.getResult(); });
    return differentiateContributions(builder, function.getBody().front(),
                                      {losses}, {gradient}, wrt);
  }

  /// The gradient with respect to `losses`: `factor`, times the loss scale of
  /// the step if there is one.
  Value buildSeed(Value losses, double factor) {
    auto type = cast<RankedTensorType>(losses.getType());
    ArithmeticBuilder seed(builder, losses.getLoc());
    if (!lossScale) {
      return seed.constant(type, factor);
    }
    OpBuilder states(module.getContext());
    states.setInsertionPoint(function);
    auto scalar = RankedTensorType::get({}, builder.getF64Type());
    StateOp::create(states, function.getLoc(), kLossScaleState, scalar,
                    lossScale->changes() ? StateKind::Counter
                                         : StateKind::Hyperparameter,
                    builder.getF64FloatAttr(lossScale->initial));
    Value scale = seed.create<ReadOp>(scalar, kLossScaleState);
    Value number = seed.cast(seed.mul(scale, seed.constant(scalar, factor)),
                             type.getElementType());
    return seed.repeat(number, type);
  }

  /// The values, each with how many are computed alike: the gradient of w * w
  /// is one value for either w. Both would be one operation later, and a kernel
  /// that adds one value to a gradient twice would wait for itself.
  static SmallVector<std::pair<Value, int64_t>>
  countEqual(ArrayRef<Value> values) {
    SmallVector<std::pair<Value, int64_t>> counted;
    for (Value value : values) {
      auto *found = llvm::find_if(counted, [&](const auto &other) {
        return areComputedAlike(value, other.first);
      });
      if (found == counted.end()) {
        counted.emplace_back(value, 1);
      } else {
        ++found->second;
      }
    }
    return counted;
  }

  static bool areComputedAlike(Value a, Value b) {
    auto one = dyn_cast<OpResult>(a), other = dyn_cast<OpResult>(b);
    return a == b ||
           (one && other && one.getResultNumber() == other.getResultNumber() &&
            OperationEquivalence::isEquivalentTo(
                one.getOwner(), other.getOwner(),
                OperationEquivalence::IgnoreLocations));
  }

  void accumulateGradients(ArrayRef<SmallVector<Value>> contributions) {
    for (auto [read, values] : llvm::zip_equal(reads, contributions)) {
      for (auto [value, count] : countEqual(values)) {
        // Right behind its producer: a gradient of the size of a parameter
        // should not stay alive.
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointAfterValue(value);
        if (count > 1) {
          ArithmeticBuilder b(builder, value.getLoc());
          value =
              b.mul(value, b.constant(cast<RankedTensorType>(value.getType()),
                                      static_cast<double>(count)));
        }
        AccumulateOp::create(builder, read.getLoc(), read.getSymbol(), value);
        used.insert(read.getSymbol());
      }
    }
  }

  void accumulateTotals() {
    const std::pair<StringRef, unsigned> totals[] = {{kLossSumState, 1},
                                                     {kTargetCountState, 2}};
    for (auto [name, operand] : totals) {
      Value total = terminator.getOperand(operand);
      OpBuilder states(module.getContext());
      states.setInsertionPoint(function);
      StateOp::create(states, function.getLoc(), name, total.getType(),
                      StateKind::Accumulator);
      AccumulateOp::create(builder, total.getLoc(), name, total);
    }
    terminator->setOperands({});
    function.setFunctionType(
        builder.getFunctionType(function.getArgumentTypes(), {}));
  }

  /// What has no gradient must not decay either: as in PyTorch it keeps its
  /// value.
  void freezeUnused() {
    for (ParameterOp parameter : module.getOps<ParameterOp>()) {
      if (parameter.getTrainable() && !used.contains(parameter.getSymName())) {
        withCode(parameter.emitWarning("parameter '"),
                 codes::ParameterWithoutInfluence)
            << parameter.getSymName()
            << "' does not influence the loss; it keeps its value";
        parameter.setTrainable(false);
      }
    }
  }

  ModuleOp module;
  func::FuncOp function;
  std::optional<LossScalePolicy> lossScale;
  SymbolTable symbols;
  func::ReturnOp terminator;
  OpBuilder builder;
  SmallVector<ReadOp> reads;
  llvm::StringSet<> used;
};

class DifferentiateModulePass
    : public impl::DifferentiateModulePassBase<DifferentiateModulePass> {
public:
  using DifferentiateModulePassBase::DifferentiateModulePassBase;

  void runOnOperation() override {
    auto function = getOperation().lookupSymbol<func::FuncOp>("microbatch");
    if (!function || function.getNumResults() != 3) {
      getOperation().emitError("expected a function @microbatch that returns "
                               "losses, their sum and their count, got ")
          << (function ? "other results" : "none");
      return signalPassFailure();
    }
    std::optional<LossScalePolicy> policy = parseLossScale(lossScale);
    if (!lossScale.empty() && !policy) {
      getOperation().emitError("--loss-scale: expected torch, megatron or a "
                               "number from 2^-126 to 2^127, got '")
          << lossScale << "'";
      return signalPassFailure();
    }
    if (policy) {
      getOperation()->setAttr(kLossScaleAttr,
                              StringAttr::get(&getContext(), lossScale));
    }
    if (failed(ModuleDifferentiator(getOperation(), function, policy).run())) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace accel
