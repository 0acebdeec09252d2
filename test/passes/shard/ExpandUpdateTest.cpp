// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The optimizer on flat segments does to every parameter what accel.update
// says: the same steps by the interpreter, before and after phase Shard.
#include "passes/Shard/Passes.h"
#include "passes/Shard/ShardPipeline.h"
#include "test/passes/TrainingFixture.h"

#include <cstring>
#include <map>

namespace accel::test {
namespace {

struct UpdateCase {
  const char *optimizer;
  const char *schedule;
  double clipNorm;
  /// Rates and decays by name, and averages of parameters.
  bool isGrouped = false;
};

void PrintTo(const UpdateCase &update, std::ostream *stream) {
  *stream << update.optimizer << " " << update.schedule << " clip "
          << update.clipNorm << (update.isGrouped ? " grouped" : "");
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
    if (GetParam().isGrouped) {
      options.groups = {"first:lr=0.5x", "bias:lr=0.1,decay=0.25",
                        "second:decay=0"};
      options.ema = kEma;
    }
    return options;
  }

  static constexpr double kEma = 0.75;

  /// The averages of all parameters that train, as `module` lays them out.
  void checkAverages(const Interpreter &interpreter, mlir::ModuleOp module,
                     const std::map<std::string, std::vector<double>> &wanted) {
    for (auto parameter : module.getOps<ParameterOp>()) {
      auto found = wanted.find(parameter.getSymName().str());
      if (found == wanted.end()) {
        continue;
      }
      std::string master = parameter.getSegment()->str();
      std::string slot =
          llvm::StringRef(master).drop_back(strlen("master")).str() + "average";
      HostTensor average = interpreter.getSymbol(slot);
      ASSERT_TRUE(average) << slot;
      for (size_t i = 0; i < found->second.size(); ++i) {
        EXPECT_NEAR(average.floats()[*parameter.getOffset() + i],
                    found->second[i], 1e-6)
            << slot << " of " << found->first;
      }
    }
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
  std::map<std::string, std::vector<double>> averages;
  for (const char *name : {"first", "first_bias", "second"}) {
    averages[name] = before.getSymbol(name).floats().vec();
  }
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
    for (auto &[name, average] : averages) {
      HostTensor value = before.getSymbol(name);
      for (auto [e, p] : llvm::zip_equal(average, value.floats())) {
        e = kEma * e + (1 - kEma) * p;
      }
    }
    if (GetParam().isGrouped) {
      checkAverages(after, *flat, averages);
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
        UpdateCase{"adamw8", "constant", 0}, UpdateCase{"adamw8", "wsd", 0.3},
        UpdateCase{"adamw", "cosine", 0.3, true},
        UpdateCase{"sgd", "linear", 0.3, true},
        UpdateCase{"lion", "wsd", 0, true},
        UpdateCase{"adamw8", "cosine", 0.3, true}));

} // namespace
} // namespace accel::test
