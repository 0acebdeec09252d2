// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the optimizer in operations on flat segments.
#include "passes/Shard/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/LossScale.h"
#include "dialects/Accel/IR/Optimizers/Optimizer.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Shard/AverageUpdate.h"
#include "passes/Shard/BucketLayout.h"
#include "passes/Shard/DelayedScaleUpdate.h"
#include "passes/Shard/Fp8Weights.h"
#include "passes/Shard/LearningRate.h"
#include "passes/Shard/LossScaleUpdate.h"
#include "passes/Shard/SquareSum.h"
#include "passes/Shard/StatisticsUpdate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_EXPANDUPDATEPASS
#include "passes/Shard/Passes.h.inc"

namespace {

/// Added to the norm before it divides, as torch.nn.utils.clip_grad_norm_ does.
constexpr double kClipEpsilon = 1e-6;

/// The sum of the squares of all gradients, where a rank has its parts only.
constexpr llvm::StringLiteral kSquareSum = "gradient_square_sum";

/// The trainable segments of a module, and the rates that they have.
struct TrainedSegments {
  SmallVector<TrainedSegment> segments; ///< in the order of their declarations
  SmallVector<UpdateRates> rates;       ///< each once

  unsigned findRates(const UpdateRates &wanted) {
    auto found = llvm::find(rates, wanted);
    if (found == rates.end()) {
      rates.push_back(wanted);
      return rates.size() - 1;
    }
    return found - rates.begin();
  }
};

TrainedSegments collectSegments(ModuleOp module) {
  TrainedSegments trained;
  SymbolTable symbols(module);
  // All parameters of a segment have the same.
  llvm::StringMap<UpdateRates> rates;
  for (auto parameter : module.getOps<ParameterOp>()) {
    if (parameter.getSegment()) {
      rates[*parameter.getSegment()] = UpdateRates::get(parameter);
    }
  }
  auto role = SlotAttr::get(module.getContext(), SlotRole::Compute);
  for (StateOp state : module.getOps<StateOp>()) {
    if (state.isGradient() && state.getGroup() != OptimizerGroup::Statistic) {
      int64_t elements =
          cast<RankedTensorType>(state.getType()).getNumElements();
      auto compute = symbols.lookup<StateOp>(state.getSibling(role));
      trained.segments.push_back(
          {state.getSegmentAttr(), elements, *state.getGroup(),
           compute ? getElementTypeOrSelf(compute.getType()) : Type(),
           trained.findRates(rates.lookup(state.getMasterName()))});
    }
  }
  return trained;
}

class ExpandUpdatePass : public impl::ExpandUpdatePassBase<ExpandUpdatePass> {
public:
  using ExpandUpdatePassBase::ExpandUpdatePassBase;

  void runOnOperation() override {
    SmallVector<UpdateOp> updates;
    getOperation().walk([&](UpdateOp update) { updates.push_back(update); });
    TrainedSegments trained = collectSegments(getOperation());
    for (UpdateOp update : updates) {
      if (trained.segments.empty()) {
        update.emitError("expected segments with a gradient slot, got none; "
                         "run accel-assign-buckets first");
        return signalPassFailure();
      }
      if (failed(verifyStates(update))) {
        return signalPassFailure();
      }
      expand(update, trained);
    }
  }

private:
  /// Names every hyperparameter and counter that the update reads and the
  /// module lacks.
  LogicalResult verifyStates(UpdateOp update) {
    SmallVector<StringRef> names{"lr",         "weight_decay",  "warmup_steps",
                                 "step_count", "skipped_steps", "loss_sum"};
    const Optimizer &optimizer = *findOptimizer(update.getKind());
    for (const OptimizerNumber &number : optimizer.numbers) {
      names.push_back(number.name);
    }
    for (const OptimizerPower &power : optimizer.powers) {
      names.push_back(power.name);
    }
    SymbolTable symbols(getOperation());
    if (symbols.lookup(kLossScaleWindow)) {
      names.append({kLossScaleState, kLossScaleHysteresis, kLossScaleSteps,
                    kLossScaleOverflows});
    }
    if (symbols.lookup("schedule")) {
      names.append({"schedule", "min_lr", "schedule_steps", "decay_steps"});
    }
    bool hasFailed = false;
    for (StringRef name : names) {
      if (!symbols.lookup<StateOp>(name)) {
        hasFailed = true;
        update.emitError("expected state '")
            << name << "', which optimizer " << update.getKind()
            << (symbols.lookup("schedule") ? " with a schedule" : "")
            << " reads, got none";
      }
    }
    return failure(hasFailed);
  }

  /// The rates of the step's segments, where `rate` is that of the others.
  static SmallVector<SegmentRates>
  buildRates(ScalarBuilder &scalars, Value rate, ArrayRef<UpdateRates> rates) {
    return llvm::map_to_vector(rates, [&](const UpdateRates &each) {
      SegmentRates built{rate};
      if (each.factor != 1.0) {
        built.rate = scalars.mul(rate, scalars.number(each.factor));
      }
      if (each.decay) {
        built.decay = scalars.number(*each.decay);
      }
      return built;
    });
  }

  static void expand(UpdateOp update, const TrainedSegments &trained) {
    ArrayRef<TrainedSegment> segments = trained.segments;
    OpBuilder builder(update);
    ScalarBuilder scalars(builder, update.getLoc());
    Value step = scalars.read("step_count");
    auto module = update->getParentOfType<ModuleOp>();
    Value rate = buildLearningRate(
        scalars, SymbolTable::lookupSymbolIn(module, "schedule"), step);
    Value squares = buildSquareSum(scalars, update, segments);
    Value factor = buildGradientFactor(scalars, update, squares);
    Value isFinite =
        buildIsFinite(scalars, {scalars.read("loss_sum"), squares});
    scalars.report("lr", rate);
    scalars.write("step_count", scalars.add(step, scalars.number(1)));
    countSkipped(scalars, isFinite);
    if (SymbolTable::lookupSymbolIn(module, kLossScaleWindow)) {
      buildLossScaleUpdate(scalars, isFinite);
    }

    UpdateBuilder updates(builder, update.getLoc(), isFinite);
    std::unique_ptr<SegmentOptimizer> optimizer =
        findOptimizer(update.getKind())->createArithmetic();
    optimizer->buildScalars(updates, buildRates(updates, rate, trained.rates),
                            factor);
    for (const TrainedSegment &segment : segments) {
      optimizer->buildUpdate(updates, segment);
    }
    buildAverageUpdate(updates, module, segments);
    buildFp8Weights(updates, module, [&](StateOp master) {
      return findWritten(update->getBlock(), master);
    });
    buildDelayedScaleUpdate(updates, module);
    buildStatisticsUpdate(updates, module);
    update.erase();
  }

  /// What `block` writes to `state`; null if it does not.
  static Value findWritten(Block *block, StateOp state) {
    for (WriteOp write : block->getOps<WriteOp>()) {
      if (write.getSymbol() == state.getSymName()) {
        return write.getValue();
      }
    }
    return {};
  }

  /// Tells the run whether the update takes effect, and counts where it does
  /// not.
  static void countSkipped(ScalarBuilder &scalars, Value isFinite) {
    Value one = scalars.number(1);
    Value zero = scalars.number(0);
    scalars.report("finite", scalars.select(isFinite, one, zero));
    Value skipped = scalars.select(isFinite, zero, one);
    scalars.write("skipped_steps",
                  scalars.add(scalars.read("skipped_steps"), skipped));
  }

  /// `sum` itself, or, where gradients are cut over ranks, what Partition makes
  /// of it.
  static Value sumOverRanks(ScalarBuilder &scalars, UpdateOp update,
                            Value sum) {
    auto module = update->getParentOfType<ModuleOp>();
    bool isCut = llvm::any_of(module.getOps<StateOp>(), [](StateOp state) {
      return state.isGradient() &&
             dist::getHolding(state) != dist::Holding::All;
    });
    if (!isCut) {
      return sum;
    }
    OpBuilder builder(update->getParentOfType<func::FuncOp>());
    StateOp::create(builder, update.getLoc(), kSquareSum, sum.getType(),
                    StateKind::Partial);
    scalars.write(kSquareSum, sum);
    return scalars.read(kSquareSum);
  }

  /// The sum of the squares of all accumulated gradients, over all ranks.
  static Value buildSquareSum(ScalarBuilder &scalars, UpdateOp update,
                              ArrayRef<TrainedSegment> segments) {
    SmallVector<Value> parts =
        llvm::map_to_vector(segments, [&](const TrainedSegment &segment) {
          return accel::buildSquareSum(scalars, segment);
        });
    return sumOverRanks(scalars, update, scalars.sumOf(parts));
  }

  /// What accumulated gradients are multiplied by: the scale of the mean, and
  /// the clipping of its norm. `sum` is that of their squares.
  static Value buildGradientFactor(ScalarBuilder &scalars, UpdateOp update,
                                   Value sum) {
    Value norm = scalars.mul(scalars.sqrt(sum), update.getScale());
    scalars.report("grad_norm", norm);
    auto module = update->getParentOfType<ModuleOp>();
    if (!SymbolTable::lookupSymbolIn(module, "clip_norm")) {
      return update.getScale();
    }
    Value most = scalars.read("clip_norm");
    Value ratio =
        scalars.div(most, scalars.add(norm, scalars.number(kClipEpsilon)));
    // A factor of 1 changes no bit: without clipping nothing is lost.
    Value clipped = scalars.selectLess(scalars.number(0), most,
                                       scalars.min(ratio, scalars.number(1)),
                                       scalars.number(1));
    return scalars.mul(update.getScale(), clipped);
  }
};

} // namespace
} // namespace accel
