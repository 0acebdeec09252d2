// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The masks of compiled dropout: the interpreter's, bit for bit, and as many
// elements kept as the probability says.
#include "test/passes/lower/KernelCases.h"
#include "test/passes/lower/KernelRun.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/Interpreter/Interpreter.h"
#include "dialects/Accel/Interpreter/RandomArguments.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;

namespace accel::test {
namespace {

constexpr int64_t kMaskSamples = 4;
constexpr int64_t kMaskColumns = 16384;
constexpr int64_t kMaskElements = kMaskSamples * kMaskColumns;

struct MaskCase {
  double probability;
  int64_t site, offset, seed;
};

/// Dropout of ones for samples whose indices exceed 32 bits.
std::string makeText(const MaskCase &mask) {
  std::string type = tensorOf({kMaskSamples, kMaskColumns}, "f32");
  std::vector<std::string> values = {
      type, std::to_string(mask.probability), std::to_string(mask.site),
      std::to_string(mask.offset), std::to_string(mask.seed)};
  return makeKernel(
      "rows", kMaskSamples, kMaskColumns,
      substitute(
          "%x: $0 {accel.value = dense<1.0> : $0}, %s: tensor<4xi64> "
          "{accel.value = dense<[0, 7, 5000000000, 5000000001]> : "
          "tensor<4xi64>}, %seed: tensor<i64> {accel.value = dense<$4> : "
          "tensor<i64>}, %o: tensor<i64> {accel.value = dense<$3> : "
          "tensor<i64>}",
          values),
      type,
      substitute("  %y = accel.dropout %x, %s, %seed probability $1 site $2 "
                 "plus %o : $0, tensor<4xi64>, tensor<i64>\n  return %y : $0",
                 values));
}

/// What the code for the first variant that runs here gives.
HostTensor runCompiled(ModuleOp module, ArrayRef<HostTensor> arguments,
                       RankedTensorType resultType) {
  assignGeometry(module.lookupSymbol<func::FuncOp>("k"));
  const CodeVariant *variant =
      llvm::find_if(getCpuVariants(), canRun); // KernelOracleTest: all
  auto lowered = lowerKernels(module, *variant);
  EXPECT_TRUE(succeeded(lowered));
  MappedImage image(lowered->variants[0].image);
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  std::vector<void *> pointers;
  for (const HostTensor &argument : arguments) {
    buffers.push_back(std::make_unique<GuardedBuffer>(argument.getType()));
    buffers.back()->fill(argument);
    pointers.push_back(buffers.back()->data());
  }
  GuardedBuffer result(resultType);
  pointers.push_back(result.data());
  image.getFunction(lowered->variants[0].image.entries[0])(pointers.data(), 0,
                                                           kMaskSamples);
  return result.read();
}

class DropoutKernelTest : public testing::TestWithParam<MaskCase> {};

TEST_P(DropoutKernelTest, KeepsWhatTheInterpreterKeepsAtTheRateAskedFor) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<AccelDialect, plan::PlanDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(makeText(GetParam()), &context);
  ASSERT_TRUE(module);
  auto kernel = module->lookupSymbol<func::FuncOp>("k");
  auto arguments = makeArguments(kernel, /*seed=*/7);
  ASSERT_TRUE(succeeded(arguments));
  auto expected = Interpreter(*module).run(kernel, *arguments);
  ASSERT_TRUE(succeeded(expected));
  HostTensor actual =
      runCompiled(*module, *arguments, expected->front().getType());

  EXPECT_EQ(actual.floats(), expected->front().rounded().floats());
  int64_t kept =
      llvm::count_if(actual.floats(), [](double x) { return x != 0.0; });
  double p = GetParam().probability;
  EXPECT_NEAR(static_cast<double>(kept), kMaskElements * (1.0 - p),
              4.0 * std::sqrt(kMaskElements * p * (1.0 - p)));
}

const MaskCase kMasks[] = {
    {0.1, 3, 0, 0},
    {0.1, 0, 3, 0},
    {0.1, 4000000000, 1000000000, 81985529216486895},
    {0.5, 1, 1, 12345},
    {0.9, 2, 40, -1},
};

INSTANTIATE_TEST_SUITE_P(Masks, DropoutKernelTest, testing::ValuesIn(kMasks));

} // namespace
} // namespace accel::test
