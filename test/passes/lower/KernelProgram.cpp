// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs, expectations and memory of kernels.
#include "test/passes/lower/KernelProgram.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/Interpreter/Interpreter.h"
#include "dialects/Accel/Interpreter/RandomArguments.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Fuse/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace accel::test {

Program::Program() : context(MLIRContext::Threading::DISABLED) {
  context.loadDialect<AccelDialect, plan::PlanDialect, func::FuncDialect>();
  context.getDiagEngine().registerHandler(
      [this](Diagnostic &d) { diagnostics += d.str() + "\n"; });
}

std::string nameOf(const testing::TestParamInfo<KernelCase> &info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return std::to_string(info.index) + "_" + name;
}

static HostTensor sumOf(const HostTensor &a, const HostTensor &b) {
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

void expandComposites(Program &program) {
  PassManager manager(&program.context);
  manager.addPass(createExpandCompositesPass());
  ASSERT_TRUE(succeeded(manager.run(*program.module))) << program.diagnostics;
}

LaunchMemory::LaunchMemory(const Program &program, const KernelCase &kernelCase,
                           size_t alignment, size_t before)
    : program(program) {
  for (const HostTensor &argument : program.arguments) {
    buffers.push_back(
        std::make_unique<GuardedBuffer>(argument.getType(), alignment, before));
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
    buffers.push_back(
        std::make_unique<GuardedBuffer>(result.getType(), alignment, before));
    places.push_back(buffers.back().get());
    if (program.before[i]) {
      buffers.back()->fill(program.before[i]);
    }
  }
}

std::vector<void *> LaunchMemory::getPointers() const {
  std::vector<void *> pointers;
  for (GuardedBuffer *place : places) {
    pointers.push_back(place->data());
  }
  return pointers;
}

std::vector<size_t> LaunchMemory::getSizes() const {
  std::vector<size_t> sizes;
  for (GuardedBuffer *place : places) {
    sizes.push_back(place->bytes().size());
  }
  return sizes;
}

void LaunchMemory::check() const {
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

std::vector<std::string> LaunchMemory::resultBytes() const {
  std::vector<std::string> bytes;
  for (size_t i = program.arguments.size(); i < places.size(); ++i) {
    bytes.push_back(places[i]->bytes());
  }
  return bytes;
}

HostTensor LaunchMemory::result(size_t i) const {
  return places[program.arguments.size() + i]->read();
}

/// The largest error, relative to an element or to the root of the mean square,
/// whichever is larger.
static double errorOf(const HostTensor &actual, const HostTensor &expected,
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

void compare(const Program &program, const LaunchMemory &launch,
             double tolerance) {
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

} // namespace accel::test
