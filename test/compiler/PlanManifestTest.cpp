// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction refers to is in the plan, or it is an error: weights,
// kernels and fields that nobody knows have no index.
#include "compiler/PlanManifest.h"
#include "compiler/RegisterAll.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace accel {
namespace {

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllAccelDialects(registry);
  return registry;
}

/// What is said of a function with this one instruction over buffers %w and
/// %x; "" if nothing is.
std::string write(const std::string &instruction) {
  MLIRContext context(makeRegistry(), MLIRContext::Threading::DISABLED);
  std::string error;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { error += diagnostic.str(); });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      R"(
plan.stream @compute compute
func.func private @k0(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  %y = accel.neg %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %w = plan.buffer persistent parameters "w" : memref<4xf32>
  %x = plan.buffer io io "x" : memref<4xf32>
  )" + instruction +
          "\n  return\n}\n",
      &context);
  EXPECT_TRUE(module) << error;
  if (!module) {
    return error;
  }
  for (const char *name : {"accel.batch", "accel.gradient_exponent",
                           "accel.global_batch", "plan.max_ranks"}) {
    (*module)->setAttr(name, Builder(&context).getI64IntegerAttr(1));
  }
  (*module)->setAttr(
      "dist.mesh",
      parseAttribute("{replica = 0 : i64, fsdp = 1 : i64, tensor = 1 : i64, "
                     "pipeline = 1 : i64, context = 1 : i64, expert = 1 : i64}",
                     &context));
  LoweredCode code;
  onnx::ImportedModel model;
  PlanManifest manifest(*module, code, model, PlanWriterOptions());
  manifest.setWeightSource("w", WeightSource());
  FailureOr<std::string> records = manifest.addFunction(
      module->lookupSymbol<func::FuncOp>("step"), /*section=*/0);
  EXPECT_EQ(failed(records), !error.empty());
  return error;
}

constexpr char kMarks[] = " {cost = #plan.cost<16 bytes>, stream = @compute} ";

TEST(PlanManifestTest, WeightsMustBeThoseOfTheModel) {
  EXPECT_EQ(write(std::string("plan.load \"w\" into %w") + kMarks +
                  ": memref<4xf32>"),
            "");
  EXPECT_EQ(write(std::string("plan.load \"v\" into %w") + kMarks +
                  ": memref<4xf32>"),
            "'plan.load' op expected the key of weights that the model has, "
            "got 'v'");
}

TEST(PlanManifestTest, FieldsMustBeIoBuffers) {
  EXPECT_EQ(write(std::string("plan.fetch [\"x\"] into %x ahead 0") + kMarks +
                  ": memref<4xf32>"),
            "");
  EXPECT_EQ(write(std::string("plan.fetch [\"y\"] into %x ahead 0") + kMarks +
                  ": memref<4xf32>"),
            "'plan.fetch' op expected the name of an io buffer, got 'y'");
}

TEST(PlanManifestTest, KernelsMustHaveCode) {
  EXPECT_EQ(write(std::string("plan.launch @k0(%x, %w) [read, write]") +
                  kMarks + ": memref<4xf32>, memref<4xf32>"),
            "'plan.launch' op expected a kernel that has code, got '@k0'");
}

} // namespace
} // namespace accel
