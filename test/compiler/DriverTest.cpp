// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler as a library: what it returns, and that one compilation leaves
// nothing behind for the next.
#include "compiler/Driver.h"

#include "compiler/Estimate.h"
#include "compiler/Place.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace accel;

namespace {

struct Outcome {
  ExitCode code;
  std::string output, messages;
};

Outcome compileModel(CompilerOptions options, llvm::StringRef model) {
  options.model = std::string(ACCEL_MODELS "/") + model.str();
  Outcome outcome;
  llvm::raw_string_ostream output(outcome.output), messages(outcome.messages);
  outcome.code = compile(options, output, messages);
  return outcome;
}

TEST(PhasesTest, TheTableIsInTheOrderOfTheEnum) {
  for (auto [index, info] : llvm::enumerate(getPhases())) {
    EXPECT_EQ(static_cast<size_t>(info.phase), index);
    EXPECT_EQ(findPhase(info.name), info.phase);
  }
  EXPECT_EQ(getPhases().back().phase, Phase::Lower);
  EXPECT_FALSE(findPhase("shrad"));
}

TEST(DriverTest, TwoEstimatesInOneProcessAreEqual) {
  CompilerOptions options;
  options.estimate = true;
  options.json = true;
  Outcome first = compileModel(options, "mlp/model.onnx");
  Outcome second = compileModel(options, "mlp/model.onnx");
  EXPECT_EQ(first.code, ExitCode::Ok) << first.messages;
  EXPECT_EQ(first.output, second.output);
  EXPECT_NE(first.output.find("\"parameters\": "), std::string::npos);
}

TEST(DriverTest, AMissingFileIsNeitherCompiledNorAMistakeOfOurs) {
  Outcome outcome = compileModel({}, "nobody/model.onnx");
  EXPECT_EQ(outcome.code, ExitCode::InputOutput);
  EXPECT_TRUE(outcome.output.empty());
  EXPECT_EQ(outcome.messages, std::string("error: " ACCEL_MODELS
                                          "/nobody/model.onnx: expected an "
                                          "ONNX file, got none (No such file "
                                          "or directory); check the path, or "
                                          "write one with torch.onnx.export("
                                          "model, args, \"model.onnx\", "
                                          "dynamo=True) [ACCEL-E0101]\n"));
}

TEST(DriverTest, AModelThatCannotBeTrainedIsACompileError) {
  Outcome outcome = compileModel({}, "mlp-folded/model.onnx");
  EXPECT_EQ(outcome.code, ExitCode::CompileError);
  EXPECT_NE(outcome.messages.find("onnx::MatMul_18"), std::string::npos);
}

TEST(DriverTest, QuietKeepsRemarksBack) {
  CompilerOptions options;
  options.compileTo = Phase::Import;
  Outcome loud = compileModel(options, "gpt2/model.onnx");
  EXPECT_EQ(loud.messages.rfind("remark: ", 0), 0u) << loud.messages;
  options.diagnostics.quiet = true;
  Outcome quiet = compileModel(options, "gpt2/model.onnx");
  EXPECT_EQ(quiet.messages, "");
  EXPECT_EQ(quiet.output, loud.output);
}

TEST(DiagnosticsTest, APlaceIsWhatTheLocationKnows) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  mlir::Location line =
      mlir::FileLineColLoc::get(&context, "/home/user/train.py", 12, 0);
  mlir::Location node =
      mlir::NameLoc::get(builder.getStringAttr("embed"), line);
  mlir::Location scoped = mlir::FusedLoc::get(
      &context, {node}, builder.getStringAttr("transformer.wte"));
  EXPECT_EQ(
      describePlace(scoped, "models/gpt2.onnx"),
      "gpt2.onnx: node 'embed' (transformer.wte, /home/user/train.py:12)");
  EXPECT_EQ(describePlace(node, "gpt2.onnx"),
            "gpt2.onnx: node 'embed' (/home/user/train.py:12)");
  EXPECT_EQ(describePlace(line, "gpt2.onnx"),
            "gpt2.onnx: (/home/user/train.py:12)");
  EXPECT_EQ(describePlace(mlir::UnknownLoc::get(&context), "gpt2.onnx"), "");
  mlir::Location module = mlir::NameLoc::get(builder.getStringAttr("gpt2"));
  EXPECT_EQ(describePlace(module, "models/gpt2.onnx"), "");
}

TEST(EstimateTest, BytesHaveTheUnitThatFits) {
  EXPECT_EQ(formatBytes(0), "0 bytes");
  EXPECT_EQ(formatBytes(1023), "1023 bytes");
  EXPECT_EQ(formatBytes(1536), "1.5 KiB");
  EXPECT_EQ(formatBytes(uint64_t(3) << 30), "3.0 GiB");
  EXPECT_EQ(formatBytes(uint64_t(1) << 60), "1048576.0 TiB");
}

} // namespace
