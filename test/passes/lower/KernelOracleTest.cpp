// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel gives what the interpreter gives for its definition, with the
// same bits however its tiles are split and on whichever variant it runs, and
// touches no memory but its own.
#include "test/passes/lower/KernelCases.h"
#include "test/passes/lower/KernelRun.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/Interpreter/Interpreter.h"
#include "dialects/Accel/Interpreter/RandomArguments.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Fuse/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <set>

using namespace mlir;

namespace accel::test {
namespace {

/// A parsed kernel with its inputs.
struct Program {
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp kernel;
  std::string diagnostics;
  SmallVector<HostTensor> arguments, before, expected;
  int64_t tiles = 0;

  Program() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<AccelDialect, plan::PlanDialect, func::FuncDialect>();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &d) { diagnostics += d.str() + "\n"; });
  }
};

HostTensor sumOf(const HostTensor &a, const HostTensor &b) {
  HostTensor sum(a);
  if (a.isFloat()) {
    for (auto [x, y] : llvm::zip_equal(sum.mutableFloats(), b.floats())) {
      x += y;
    }
  } else {
    for (auto [x, y] : llvm::zip_equal(sum.mutableIntegers(), b.integers())) {
      x = wrapToElementType(x + y, a.getElementType());
    }
  }
  return sum;
}

/// Parses, makes inputs, asks the interpreter.
void prepare(const KernelCase &kernelCase, Program &program) {
  program.module =
      parseSourceString<ModuleOp>(kernelCase.text, &program.context);
  ASSERT_TRUE(program.module) << program.diagnostics << kernelCase.text;
  program.kernel = program.module->lookupSymbol<func::FuncOp>("k");
  FailureOr<IterationDomain> shape = IterationDomain::get(program.kernel);
  ASSERT_TRUE(succeeded(shape)) << program.diagnostics;
  auto arguments = makeArguments(program.kernel, /*seed=*/7);
  ASSERT_TRUE(succeeded(arguments)) << program.diagnostics;
  for (const HostTensor &argument : *arguments) {
    program.arguments.push_back(argument.rounded());
  }
  auto expected =
      Interpreter(*program.module).run(program.kernel, program.arguments);
  ASSERT_TRUE(succeeded(expected)) << program.diagnostics;
  for (auto [i, result] : llvm::enumerate(*expected)) {
    HostTensor before;
    if (isKept(program.kernel, i, program.arguments)) {
      auto made = makeValue(program.kernel.getLoc(), result.getType(),
                            DictionaryAttr::get(&program.context),
                            "before" + std::to_string(i), 7);
      ASSERT_TRUE(succeeded(made));
      before = made->rounded();
      result = sumOf(before, result);
    }
    program.before.push_back(before);
    program.expected.push_back(result);
  }
}

/// Makes the kernel what OutlineKernels leaves, cut as the target does.
void expandComposites(Program &program) {
  PassManager manager(&program.context);
  manager.addPass(createExpandCompositesPass());
  ASSERT_TRUE(succeeded(manager.run(*program.module))) << program.diagnostics;
  // The same tiles in every variant.
  assignGeometry(program.kernel);
  auto codes = program.kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr);
  program.tiles = cast<plan::CodeAttr>(codes.begin()->getValue()).getTiles();
}

using Parts = std::vector<std::pair<int64_t, int64_t>>;

/// Runs a kernel on fresh memory.
class Launch {
public:
  Launch(const Program &program, const KernelCase &kernelCase)
      : program(program) {
    for (const HostTensor &argument : program.arguments) {
      buffers.push_back(std::make_unique<GuardedBuffer>(argument.getType()));
      buffers.back()->fill(argument);
      places.push_back(buffers.back().get());
    }
    for (auto [i, result] : llvm::enumerate(program.expected)) {
      const auto *inPlace =
          std::find_if(kernelCase.inPlace.data(),
                       kernelCase.inPlace.data() + kernelCase.inPlace.size(),
                       [&](auto pair) { return pair.first == i; });
      if (inPlace != kernelCase.inPlace.data() + kernelCase.inPlace.size()) {
        places.push_back(places[inPlace->second]);
        overwritten.push_back(inPlace->second);
        continue;
      }
      buffers.push_back(std::make_unique<GuardedBuffer>(result.getType()));
      places.push_back(buffers.back().get());
      if (program.before[i]) {
        buffers.back()->fill(program.before[i]);
      }
    }
  }

  void run(KernelFunction function, const Parts &parts) {
    std::vector<void *> pointers;
    for (GuardedBuffer *place : places) {
      pointers.push_back(place->data());
    }
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

  /// No operand has changed, and nothing in front of a buffer.
  void checkMemory() const {
    for (size_t i = 0; i < program.arguments.size(); ++i) {
      if (!llvm::is_contained(overwritten, i)) {
        GuardedBuffer original(program.arguments[i].getType());
        original.fill(program.arguments[i]);
        EXPECT_EQ(places[i]->bytes(), original.bytes())
            << "argument " << i << " has changed";
      }
    }
    for (const auto &buffer : buffers) {
      EXPECT_TRUE(buffer->isGuardIntact());
    }
  }

  std::vector<std::string> resultBytes() const {
    std::vector<std::string> bytes;
    for (size_t i = program.arguments.size(); i < places.size(); ++i) {
      bytes.push_back(places[i]->bytes());
    }
    return bytes;
  }

  HostTensor result(size_t i) const {
    return places[program.arguments.size() + i]->read();
  }

private:
  const Program &program;
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  std::vector<GuardedBuffer *> places;
  std::vector<size_t> overwritten;
};

/// The largest error, relative to an element or to the root of the mean square,
/// whichever is larger.
double errorOf(const HostTensor &actual, const HostTensor &expected,
               int64_t &worst) {
  double squares = 0.0;
  int64_t count = expected.getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    double value = expected.getAsDouble(i);
    squares += std::isfinite(value) ? value * value : 0.0;
  }
  double size = std::sqrt(squares / static_cast<double>(count));
  double largest = 0.0;
  for (int64_t i = 0; i < count; ++i) {
    double a = actual.getAsDouble(i);
    double b = expected.getAsDouble(i);
    bool areSame = a == b || (std::isnan(a) && std::isnan(b));
    double error =
        areSame ? 0.0 : std::fabs(a - b) / std::max(std::fabs(b), size);
    if (!(error <= largest)) {
      largest = std::isnan(error) ? HUGE_VAL : error;
      worst = i;
    }
  }
  return largest;
}

void compare(const Program &program, const Launch &launch, double tolerance) {
  for (size_t i = 0; i < program.expected.size(); ++i) {
    int64_t worst = 0;
    HostTensor expected =
        tolerance == 0.0 ? program.expected[i].rounded() : program.expected[i];
    HostTensor actual = launch.result(i);
    double error = errorOf(actual, expected, worst);
    EXPECT_LE(error, tolerance)
        << "result " << i << ": expected " << expected.getAsDouble(worst)
        << ", got " << actual.getAsDouble(worst) << " at element " << worst;
    testing::Test::RecordProperty("error" + std::to_string(i),
                                  std::to_string(error));
  }
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
  ASSERT_NO_FATAL_FAILURE(expandComposites(program));
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
      Launch launch(program, kernelCase);
      launch.run(function, seed == 0 ? Parts{{0, program.tiles}}
                                     : splitTiles(program.tiles, seed));
      launch.checkMemory();
      if (reference.empty()) {
        compare(program, launch, kernelCase.tolerance);
        reference = launch.resultBytes();
      }
      EXPECT_TRUE(reference == launch.resultBytes()) << "the bits differ";
    }
  }
}

std::string nameOf(const testing::TestParamInfo<KernelCase> &info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return std::to_string(info.index) + "_" + name;
}

class KernelOracleTest : public testing::TestWithParam<KernelCase> {};

TEST_P(KernelOracleTest, GivesWhatTheInterpreterGives) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Flat, KernelOracleTest,
                         testing::ValuesIn(getFlatCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Rows, KernelOracleTest,
                         testing::ValuesIn(getRowCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Views, KernelOracleTest,
                         testing::ValuesIn(getViewCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Columns, KernelOracleTest,
                         testing::ValuesIn(getColumnCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Attention, KernelOracleTest,
                         testing::ValuesIn(getAttentionCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Products, KernelOracleTest,
                         testing::ValuesIn(getProductCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Codes, KernelOracleTest,
                         testing::ValuesIn(getQuantizeCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(SmallFloats, KernelOracleTest,
                         testing::ValuesIn(getSmallFloatCases()), nameOf);

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
  expandComposites(program);
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

TEST(VariantsTest, DeviceWithoutLoweringIsAnError) {
  Program program;
  prepare(getRowCases().front(), program);
  CodeVariant variant = getCpuVariants().front();
  variant.device = static_cast<plan::DeviceKind>(99);
  EXPECT_TRUE(failed(lowerKernels(*program.module, variant)));
  EXPECT_NE(
      program.diagnostics.find(
          "variant 'x86-64-v4-bf16': expected a device that kernels have code "
          "for, cpu, got ''"),
      std::string::npos)
      << program.diagnostics;
}

TEST(VariantsTest, SameInputGivesTheSameBytes) {
  auto compile = [](Program &program, const KernelCase &kernelCase) {
    prepare(kernelCase, program);
    expandComposites(program);
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
