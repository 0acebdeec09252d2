// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizer on flat segments does to every parameter what accel.update
// says: the same steps by the interpreter, before and after phase Shard.
#include "passes/Shard/Passes.h"
#include "passes/Shard/ShardPipeline.h"
#include "test/passes/TrainingFixture.h"

namespace accel::test {
namespace {

struct UpdateCase {
  const char *optimizer;
  const char *schedule;
  double clipNorm;
};

void PrintTo(const UpdateCase &update, std::ostream *stream) {
  *stream << update.optimizer << " " << update.schedule << " clip "
          << update.clipNorm;
}

class ExpandUpdateTest : public TrainingFixture,
                         public testing::WithParamInterface<UpdateCase> {
protected:
  static constexpr int64_t kBatch = 3;
  static constexpr int64_t kSteps = 8;

  static AccumulateOptions makeOptions() {
    AccumulateOptions options;
    options.optimizer = GetParam().optimizer;
    options.schedule = GetParam().schedule;
    options.clipNorm = GetParam().clipNorm;
    options.lr = 0.05;
    options.minLr = 0.004;
    options.weightDecay = 0.1;
    options.warmupSteps = 2;
    options.scheduleSteps = 7;
    options.decaySteps = 3;
    return options;
  }

  /// Runs one step on data of its own.
  void runStep(Interpreter &interpreter, mlir::ModuleOp module, int64_t step) {
    std::vector<HostTensor> inputs, targets;
    for (int64_t microbatch = 0; microbatch < 2; ++microbatch) {
      inputs.push_back(makeNumbers({kBatch, 5}, 2 * step + microbatch));
      targets.push_back(makeLabels(
          {step % 3, (step + microbatch) % 3, microbatch ? -100 : 2}));
    }
    interpreter.setInputs("x", std::move(inputs));
    interpreter.setInputs("labels", std::move(targets));
    ASSERT_TRUE(mlir::succeeded(interpreter.run(getFunction(module, "step"))))
        << diagnostics;
  }
};

TEST_P(ExpandUpdateTest, SegmentsFollowTheUpdate) {
  mlir::OwningOpRef<mlir::ModuleOp> whole =
      makeStep(makeClassifier(kBatch), makeOptions());
  // Whose state has blocks keeps others before it has segments.
  if (findOptimizer(GetParam().optimizer)->getBlock() > 1) {
    runPasses(*whole, [](mlir::OpPassManager &manager) {
      manager.addPass(createAssignBucketsPass());
    });
  }
  mlir::OwningOpRef<mlir::ModuleOp> flat = whole->clone();
  runPasses(*flat, [](mlir::OpPassManager &manager) {
    if (findOptimizer(GetParam().optimizer)->getBlock() > 1) {
      manager.addPass(createExpandUpdatePass());
    } else {
      buildShardPipeline(manager, ShardOptions());
    }
  });
  ASSERT_FALSE(HasFatalFailure());

  InterpreterOptions options;
  options.microbatches = 2;
  Interpreter before(*whole, options);
  Interpreter after(*flat, options);
  ASSERT_TRUE(mlir::succeeded(before.run(getFunction(*whole, "init"))))
      << diagnostics;
  ASSERT_TRUE(mlir::succeeded(after.run(getFunction(*flat, "init"))))
      << diagnostics;
  HostTensor initial = before.getSymbol("first");
  for (int64_t step = 0; step < kSteps; ++step) {
    runStep(before, *whole, step);
    runStep(after, *flat, step);
    for (const char *metric : {"loss", "tokens", "grad_norm", "lr"}) {
      EXPECT_NEAR(getMetric(after, metric), getMetric(before, metric), 1e-9)
          << metric << " in step " << step;
    }
    for (const char *name : {"first", "first_bias", "second", "offset"}) {
      expectClose(after.getSymbol(name), before.getSymbol(name), 1e-9,
                  std::string(name) + " after step " + std::to_string(step));
    }
    for (const char *name : {"step_count", "weight_decay"}) {
      expectClose(after.getSymbol(name), before.getSymbol(name), 0, name);
    }
  }
  EXPECT_GT(
      std::abs(initial.floats()[0] - before.getSymbol("first").floats()[0]),
      1e-3)
      << "nothing was trained";
}

INSTANTIATE_TEST_SUITE_P(
    Optimizers, ExpandUpdateTest,
    testing::Values(
        UpdateCase{"adamw", "constant", 0}, UpdateCase{"adamw", "linear", 0.3},
        UpdateCase{"adamw", "cosine", 0.3}, UpdateCase{"adamw", "wsd", 100},
        UpdateCase{"sgd", "constant", 0.3}, UpdateCase{"sgd", "linear", 0},
        UpdateCase{"sgd", "cosine", 0}, UpdateCase{"sgd", "wsd", 0.3},
        UpdateCase{"lion", "constant", 0}, UpdateCase{"lion", "cosine", 0.3},
        UpdateCase{"adamw8", "constant", 0}, UpdateCase{"adamw8", "wsd", 0.3}));

} // namespace
} // namespace accel::test
