// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel gives what the interpreter gives for its definition, with the
// same bits however its tiles are split and on whichever variant it runs, and
// touches no memory but its own.
#include "test/passes/lower/KernelProgram.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

using namespace mlir;

namespace accel::test {
namespace {

/// Makes the kernel what OutlineKernels leaves, cut as the target does; the
/// same tiles in every variant.
int64_t outline(Program &program) {
  expandComposites(program);
  assignGeometry(program.kernel);
  auto codes = program.kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr);
  return cast<plan::CodeAttr>(codes.begin()->getValue()).getTiles();
}

using Parts = std::vector<std::pair<int64_t, int64_t>>;

/// Runs code for CPUs.
void run(const Program &program, const LaunchMemory &memory,
         KernelFunction function, const Parts &parts) {
  std::vector<void *> pointers = memory.getPointers();
  std::unique_ptr<GuardedBuffer> workspace = makeWorkspace(program.kernel);
  if (workspace) {
    pointers.push_back(workspace->data());
  }
  FlushedSubnormals flush(program.kernel);
  for (auto [begin, end] : parts) {
    function(pointers.data(), begin, end);
  }
  EXPECT_TRUE(!workspace || workspace->isGuardIntact());
}

/// The variants that this processor runs. One that it cannot run lends its
/// geometry to the simplest: the code that a register block's shape makes runs
/// everywhere, if not at the speed it is meant for.
std::vector<CodeVariant> chooseVariants(func::FuncOp kernel) {
  std::vector<CodeVariant> chosen;
  NamedAttrList codes(kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr));
  const CodeVariant &simplest = getCpuVariants().back();
  for (const CodeVariant &variant : getCpuVariants()) {
    if (canRun(variant)) {
      chosen.push_back(variant);
      continue;
    }
    bool runsEverywhere =
        cast<plan::CodeAttr>(codes.get(variant.name)).getDots() == 0;
    if (codes.get(variant.name) != codes.get(simplest.name) && runsEverywhere &&
        canRun(simplest)) {
      chosen.push_back(simplest);
      chosen.back().name = "blocks of " + variant.name;
      codes.set(chosen.back().name, codes.get(variant.name));
    }
  }
  kernel->setAttr(plan::kCodeAttr, codes.getDictionary(kernel.getContext()));
  return chosen;
}

void check(const KernelCase &kernelCase) {
  Program program;
  ASSERT_NO_FATAL_FAILURE(prepare(kernelCase, program));
  int64_t tiles = outline(program);
  // VariantsTest names those that this processor cannot run.
  FailureOr<LoweredCode> lowered =
      lowerKernels(*program.module, chooseVariants(program.kernel));
  ASSERT_TRUE(succeeded(lowered)) << program.diagnostics << kernelCase.text;

  std::vector<std::string> reference;
  for (const VariantCode &code : lowered->variants) {
    SCOPED_TRACE(code.variant.name);
    MappedImage image(code.image);
    KernelFunction function = image.getFunction(code.image.entries[0]);
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(seed);
      LaunchMemory launch(program, kernelCase);
      run(program, launch, function,
          seed == 0 ? Parts{{0, tiles}} : splitTiles(tiles, seed));
      launch.check();
      if (reference.empty()) {
        compare(program, launch, kernelCase.tolerance);
        reference = launch.resultBytes();
      }
      EXPECT_TRUE(reference == launch.resultBytes()) << "the bits differ";
    }
  }
}

class KernelOracleTest : public testing::TestWithParam<KernelCase> {};

TEST_P(KernelOracleTest, GivesWhatTheInterpreterGives) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Flat, KernelOracleTest,
                         testing::ValuesIn(getFlatCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Rows, KernelOracleTest,
                         testing::ValuesIn(getRowCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Views, KernelOracleTest,
                         testing::ValuesIn(getViewCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Transposes, KernelOracleTest,
                         testing::ValuesIn(getTransposeCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Turned, KernelOracleTest,
                         testing::ValuesIn(getTurnedCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Columns, KernelOracleTest,
                         testing::ValuesIn(getColumnCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Grouped, KernelOracleTest,
                         testing::ValuesIn(getGroupedCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Attention, KernelOracleTest,
                         testing::ValuesIn(getAttentionCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Products, KernelOracleTest,
                         testing::ValuesIn(getProductCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Codes, KernelOracleTest,
                         testing::ValuesIn(getQuantizeCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(SmallFloats, KernelOracleTest,
                         testing::ValuesIn(getSmallFloatCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(WindowViews, KernelOracleTest,
                         testing::ValuesIn(getWindowViewCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(WindowProducts, KernelOracleTest,
                         testing::ValuesIn(getWindowProductCases()), nameOf);

TEST(VariantsTest, RunOnThisProcessor) {
  // What other cases run: with none they would pass and have checked nothing.
  EXPECT_TRUE(llvm::any_of(getCpuVariants(), canRun));
  for (const CodeVariant &variant : getCpuVariants()) {
    if (!canRun(variant)) {
      GTEST_SKIP() << "this processor cannot run " << variant.name
                   << ": its kernels are compiled but not run, except, on "
                      "another, those of its register blocks";
    }
  }
}

/// Between the module's plan.variant and the code nothing assumes a number.
TEST(VariantsTest, ReductionsAreCutAsTheVariantSays) {
  Program program;
  prepare({"sum",
           makeKernel("rows", 4, 256, "%x: tensor<4x256xf32>", "tensor<4xf32>",
                      "  %y = accel.reduce_sum %x [1] : tensor<4x256xf32> -> "
                      "tensor<4xf32>\n  return %y : tensor<4xf32>")},
          program);
  outline(program);
  const CodeVariant &variant = getCpuVariants().back();
  auto builder = OpBuilder::atBlockBegin(program.module->getBody());
  constexpr int64_t kLanes = 16;
  plan::VariantOp::create(builder, builder.getUnknownLoc(), variant.name,
                          variant.device, variant.processor,
                          builder.getStrArrayAttr({}), kLanes);
  PassManager manager(&program.context);
  ASSERT_TRUE(succeeded(buildLowerPipeline(manager, *program.module)))
      << program.diagnostics;
  ASSERT_TRUE(succeeded(manager.run(*program.module))) << program.diagnostics;
  std::set<int64_t> widths;
  program.module->walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      if (auto vector = dyn_cast<VectorType>(type)) {
        widths.insert(vector.getNumElements());
      }
    }
  });
  ASSERT_FALSE(widths.empty());
  EXPECT_EQ(*widths.rbegin(), kLanes);
}

TEST(VariantsTest, SameInputGivesTheSameBytes) {
  auto compile = [](Program &program, const KernelCase &kernelCase) {
    prepare(kernelCase, program);
    outline(program);
    FailureOr<LoweredCode> lowered =
        lowerKernels(*program.module, getCpuVariants());
    EXPECT_TRUE(succeeded(lowered));
    std::vector<std::vector<char>> images;
    for (const VariantCode &each : lowered->variants) {
      images.push_back(each.image.code);
    }
    return images;
  };
  for (const KernelCase &kernelCase :
       {getRowCases().front(), getAttentionCases().front()}) {
    Program first, second;
    EXPECT_TRUE(compile(first, kernelCase) == compile(second, kernelCase));
  }
}

} // namespace
} // namespace accel::test
