// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function that no pass, no writer and no runtime knows: it measures the loss
// as a step does, and leaves the parameters as they are. It is put into the
// program behind Accumulate and goes from there, by its role, through every
// phase, the estimate, the plan and the runtime.
#include "dialects/Accel/IR/FunctionRoles.h"
#include "absl/strings/match.h"
#include "compiler/Estimate.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "test/compiler/RunFixture.h"

using namespace mlir;

namespace accel::test {
namespace {

/// The step without gradients and without the update.
void addEvaluation(ModuleOp module) {
  func::FuncOp step = findFunction(module, FunctionRole::Step);
  func::FuncOp evaluate = step.clone();
  evaluate.setSymName("measure");
  setRole(evaluate, FunctionRole::Evaluate);
  // It is for the ranks of the first stage, which all are.
  Builder builder(module.getContext());
  evaluate->setAttr(dist::kCoordinatesAttr,
                    builder.getDictionaryAttr(builder.getNamedAttr(
                        "pipeline", builder.getI64IntegerAttr(0))));
  module.push_back(evaluate);
  SymbolTable symbols(module);
  SmallVector<Operation *> dropped;
  evaluate.walk([&](Operation *op) {
    auto add = dyn_cast<AccumulateOp>(op);
    bool isGradient = add && symbols.lookup<ParameterOp>(add.getSymbol());
    auto metric = dyn_cast<MetricOp>(op);
    bool isScale = metric && metric.getName() == "gradient_scale";
    if (isGradient || isScale || isa<UpdateOp>(op)) {
      dropped.push_back(op);
    }
  });
  for (Operation *op : llvm::reverse(dropped)) {
    op->erase();
  }
}

class FunctionRolesTest : public RunFixture,
                          public testing::TestWithParam<const char *> {
protected:
  /// Compiles `name` with the further function into `plan`.
  void compile(const std::string &name) {
    CompilerOptions options;
    options.model = ACCEL_MODELS "/" + name + "/model.onnx";
    options.frontend.dimensions["batch"] = kBatch;
    options.shard.mode = *dist::symbolizeShardingMode(GetParam());
    options.accumulate.globalBatch = kGlobalBatch;
    options.accumulate.evaluates = false; // The test's own one is to be it.
    auto imported = onnx::importOnnx(options.model, options.frontend, context);
    ASSERT_TRUE(succeeded(imported)) << diagnostics;
    onnx::ImportedModel model = std::move(*imported);
    ASSERT_NO_FATAL_FAILURE(
        runPhases(model, options, [](Phase behind, ModuleOp program) {
          if (behind == Phase::Accumulate) {
            addEvaluation(program);
          }
        }));
    LoweredCode code = lower(model);
    auto estimate = TrainingEstimate::create(
        *model.module, code, model, PlanWriterOptions(), options.shard.mode);
    ASSERT_TRUE(succeeded(estimate)) << diagnostics;
    ASSERT_NO_FATAL_FAILURE(openPlan(model, code));
    EXPECT_EQ(estimate->getManifest().functions_size(), 3);
    EXPECT_EQ(estimate->getPeak().function, "step");
  }

  double lossOf(runtime::Executor &ranks, planpb::FunctionRole role,
                int64_t step) {
    auto metrics = ranks.Run(role, step);
    EXPECT_TRUE(metrics.ok()) << metrics.status();
    return metrics.ok() ? (*metrics)[*plan->view().FindMetric("loss")] : 0;
  }
};

TEST_P(FunctionRolesTest, AThirdFunctionGoesThroughEverything) {
  compile("gpt2");
  if (HasFatalFailure()) {
    return;
  }
  ASSERT_EQ(plan->view().functions().size(), 3u);
  const runtime::FunctionView *evaluate =
      plan->view().FindFunction(planpb::FUNCTION_EVALUATE);
  ASSERT_TRUE(evaluate);
  ASSERT_EQ(evaluate->function().coordinates_size(), 1);
  EXPECT_EQ(evaluate->function().coordinates(0).axis(), planpb::AXIS_PIPELINE);
  EXPECT_EQ(evaluate->function().coordinates(0).coordinate(), 0u);
  for (int count : {1, 2}) {
    ASSERT_NO_FATAL_FAILURE(openRanks(count));
    double before = 0;
    for (int64_t step = 0; step < 3; ++step) {
      // What a step reports is what was measured in front of it, twice.
      double measured = lossOf(*ranks, planpb::FUNCTION_EVALUATE, step);
      EXPECT_EQ(lossOf(*ranks, planpb::FUNCTION_EVALUATE, step), measured);
      EXPECT_EQ(lossOf(*ranks, planpb::FUNCTION_STEP, step), measured);
      EXPECT_NE(measured, before);
      before = measured;
    }
    EXPECT_TRUE(
        absl::EndsWith(ranks->Run(planpb::FUNCTION_INFER, 0).status().message(),
                       ": the plan has no function to infer"));
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, FunctionRolesTest,
                         testing::Values("plain", "zero1", "zero2", "fsdp"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

} // namespace
} // namespace accel::test
