// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not decided is not written: the writer has no defaults, and each
// thing that a module lacks is named.
#include "compiler/DecidedPlan.h"

#include "compiler/RegisterAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace accel {
namespace {

constexpr StringLiteral kFacts =
    "accel.batch = 2 : i64, accel.gradient_exponent = 0 : i64, "
    "accel.global_batch = 8 : i64, plan.max_ranks = 4 : i64, "
    "plan.peak = #plan.peak<@step at 0, 16 bytes>, "
    "dist.mesh = {replica = 0 : i64, fsdp = 1 : i64, tensor = 1 : i64, "
    "pipeline = 1 : i64, context = 1 : i64, expert = 1 : i64}";

/// What is said of a module with these facts and a function of these
/// operations; "" if it may be written.
std::string check(StringRef facts, StringRef operations) {
  DialectRegistry registry;
  registerAllAccelDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
  });
  std::string text = "module attributes {" + facts.str() + R"(} {
plan.stream @compute compute
func.func @step() attributes {accel.role = #accel.role<step>} {
  )" + operations.str() +
                     "\n  return\n}\n}\n";
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << errors;
  if (module) {
    bool isRefused = failed(verifyDecided(*module));
    EXPECT_EQ(isRefused, !errors.empty());
  }
  return errors;
}

/// The same of a module that has all facts.
std::string check(StringRef operations) { return check(kFacts, operations); }

void expectError(const std::string &errors, const std::string &expected) {
  EXPECT_NE(errors.find(expected), std::string::npos) << errors;
}

TEST(DecidedPlanTest, WhatIsDecidedMayBeWritten) {
  EXPECT_EQ(
      check(
          R"(%0 = plan.buffer transient activations {offset = 0 : i64} : memref<4xf32>
  plan.fill %0 {cost = #plan.cost<16 bytes>, stream = @compute} : memref<4xf32>
  plan.all_reduce %0 over ["replica"] {bytes_sent = #plan.size<32 bytes>, sequence = 0 : i64, cost = #plan.cost<16 bytes>, stream = @compute} : memref<4xf32>)"),
      "");
}

TEST(DecidedPlanTest, EachFactOfTheProgramThatIsMissingIsNamed) {
  std::string errors = check("plan.max_ranks = 4 : i64", "");
  for (const char *name :
       {"accel.batch", "accel.gradient_exponent", "accel.global_batch"}) {
    expectError(errors, std::string("expected attribute '") + name +
                            "' of what is written into a plan, got none: run "
                            "all phases up to Memory");
  }
  expectError(check("accel.batch = 2 : i64", ""), "'plan.max_ranks'");
}

TEST(DecidedPlanTest, TransientMemoryHasAPlace) {
  expectError(check("%0 = plan.buffer transient activations : memref<4xf32>"),
              "expected an offset of transient memory that is written into a "
              "plan, got a buffer that Memory has not placed");
}

TEST(DecidedPlanTest, AFieldIsFilledAsAPlanCanSay) {
  expectError(check("%0 = plan.buffer io io \"x\" {accel.fill = \"sevens\"} : "
                    "memref<4xi64>"),
              "expected 'accel.fill' to be tokens, ones or positions, got "
              "'sevens'");
}

TEST(DecidedPlanTest, AnInstructionHasAStreamAndACost) {
  expectError(check(R"(%0 = plan.buffer persistent scalars "x" : memref<4xf32>
  plan.fill %0 {stream = @compute} : memref<4xf32>)"),
              "expected a stream and a cost of what is written into a plan");
}

TEST(DecidedPlanTest, OperationsAreOnElementsThatPlansName) {
  expectError(check(R"(%0 = plan.buffer persistent scalars "x" : memref<4xf32>
  plan.fill %0 {cost = #plan.cost<16 bytes, 4 f4E2M1FN>, stream = @compute} : memref<4xf32>)"),
              "expected operations on elements that plans have a name for, got "
              "'f4E2M1FN'");
}

TEST(DecidedPlanTest, ACollectiveHasANumberAndSaysWhatIsSent) {
  expectError(
      check(R"(%0 = plan.buffer persistent scalars "x" : memref<4xf32>
  plan.all_reduce %0 over ["replica"] {cost = #plan.cost<16 bytes>, stream = @compute} : memref<4xf32>)"),
      "expected a sequence number and the bytes that a rank sends, got a "
      "collective that AnnotateCosts has not seen");
}

} // namespace
} // namespace accel
