// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled plan that answers: what it takes and gives, what it refuses, and
// which changes of its manifest are refused when it is opened. Which numbers it
// gives is a matter of test/onnx.
#include "runtime/executor/inference.h"
#include "compiler/Driver.h"
#include "runtime/device/create_device.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/plan.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>

namespace accel::test {
namespace {

using runtime::Inference;

std::vector<std::byte> toBytes(const std::vector<float> &numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

class InferenceTest : public testing::Test {
protected:
  void SetUp() override {
    path = (std::filesystem::temp_directory_path() /
            ("inference-" + std::to_string(getpid()) + ".plan"))
               .string();
    CompilerOptions options;
    options.model = ACCEL_MODELS "/mlp/model.onnx";
    options.output = path;
    options.target = "x86-64-v3";
    options.frontend.dimensions["batch"] = 2;
    options.diagnostics.quiet = true;
    options.makeInference();
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    ASSERT_EQ(compile(options, llvm::nulls(), stream), ExitCode::Ok)
        << messages;
    plan = *runtime::Plan::Open(*vfs, path);
    runtime::DeviceOptions device;
    device.threads = 1;
    this->device = *runtime::CreateDevice(*vfs, device);
    ASSERT_TRUE(this->device->ChooseVariant(plan->view()).ok());
    inference = *Inference::Create(*vfs, *plan, *this->device, {});
    ASSERT_TRUE(inference->Initialize().ok());
  }

  void TearDown() override { std::filesystem::remove(path); }

  const planpb::Tensor &input() { return plan->manifest().inputs(0); }
  const planpb::Tensor &output() { return plan->manifest().outputs(0); }

  /// What opening the plan says of a changed manifest.
  std::string open(const std::function<void(planpb::Manifest &)> &change) {
    planpb::Manifest manifest = plan->manifest();
    change(manifest);
    std::vector<std::vector<planpb::Instruction>> instructions;
    for (const runtime::FunctionView &function : plan->view().functions()) {
      instructions.emplace_back(function.instructions().begin(),
                                function.instructions().end());
    }
    auto view =
        runtime::PlanView::Create(std::move(manifest), std::move(instructions));
    return std::string(view.status().message());
  }

  std::string path;
  std::unique_ptr<runtime::Vfs> vfs = runtime::MakePosixVfs();
  std::unique_ptr<runtime::Plan> plan;
  std::unique_ptr<runtime::Device> device;
  std::unique_ptr<Inference> inference;
};

TEST_F(InferenceTest, AnswersAgainWithTheSameBitsAndOtherInputs) {
  auto answer = [&](float value) {
    EXPECT_TRUE(
        inference->SetInput(input(), toBytes(std::vector<float>(2 * 21, value)))
            .ok());
    EXPECT_TRUE(inference->Run().ok());
    return *inference->ReadOutput(output());
  };
  auto first = answer(0.5F), other = answer(-2.0F), again = answer(0.5F);
  EXPECT_EQ(first.size(), 2 * 10 * sizeof(float));
  EXPECT_NE(first, other);
  EXPECT_EQ(first, again);
}

TEST_F(InferenceTest, NamesInputsThatAreMissing) {
  EXPECT_EQ(inference->Run().message(),
            "expected an array for every input, got none for 'x' ([2, 21] of "
            "f32); add --input NAME=FILE.npy");
}

TEST_F(InferenceTest, RefusesBytesThatAreNotTheInputs) {
  EXPECT_EQ(inference->SetInput(input(), toBytes({1, 2})).message(),
            "input 'x': expected [2, 21] of f32, 168 bytes, got 8");
}

TEST_F(InferenceTest, RefusesIntegersOutOfTheRange) {
  planpb::Tensor ids;
  ids.set_name("ids");
  ids.set_dtype(planpb::ELEMENT_I64);
  ids.add_shape(2);
  ids.set_max_value(3);
  auto set = [&](int64_t number) {
    std::vector<std::byte> bytes(16);
    std::memcpy(bytes.data() + 8, &number, 8);
    return std::string(inference->SetInput(ids, bytes).message());
  };
  EXPECT_EQ(set(3), "");
  EXPECT_EQ(set(4), "input 'ids': expected numbers from 0 to 3, which rows are "
                    "chosen by, got 4 at element 1");
  EXPECT_EQ(set(-1), "input 'ids': expected numbers from 0 to 3, which rows "
                     "are chosen by, got -1 at element 1");
}

TEST_F(InferenceTest, RefusesIntegersOutOfTheRangeOfTheirColumn) {
  planpb::Tensor ids;
  ids.set_name("ids");
  ids.set_dtype(planpb::ELEMENT_I64);
  ids.add_shape(1);
  ids.add_shape(2);
  ids.set_ranges_axis(1);
  ids.add_ranges()->set_max_value(3);
  ids.add_ranges()->set_max_value(9);
  auto set = [&](int64_t first, int64_t second) {
    int64_t numbers[] = {first, second};
    std::vector<std::byte> bytes(16);
    std::memcpy(bytes.data(), numbers, 16);
    return std::string(inference->SetInput(ids, bytes).message());
  };
  EXPECT_EQ(set(3, 9), "");
  EXPECT_EQ(set(4, 9), "input 'ids': expected numbers from 0 to 3, which rows "
                       "are chosen by, got 4 at element 0");
}

TEST_F(InferenceTest, RefusesBooleansThatAreNone) {
  planpb::Tensor mask;
  mask.set_name("mask");
  mask.set_dtype(planpb::ELEMENT_BOOL);
  mask.add_shape(2);
  std::vector<std::byte> bytes = {std::byte{1}, std::byte{2}};
  EXPECT_EQ(inference->SetInput(mask, bytes).message(),
            "input 'mask': expected booleans, 0 or 1, got 2 at element 1");
}

TEST_F(InferenceTest, IsOpenedOnlyWithTensorsThatLieInTheirBuffers) {
  EXPECT_EQ(open([](planpb::Manifest &) {}), "");
  EXPECT_EQ(open([](planpb::Manifest &manifest) {
              manifest.mutable_inputs(0)->set_shape(1, 22);
            }),
            "input 'x': expected buffer 'input.x' to be one persistent buffer "
            "of its 176 bytes");
  EXPECT_EQ(open([](planpb::Manifest &manifest) {
              manifest.mutable_outputs(0)->set_dtype(planpb::ELEMENT_I32);
            }),
            "output 'logits': expected buffer 'output.logits' to be one "
            "persistent buffer of its 80 bytes");
  EXPECT_EQ(open([](planpb::Manifest &manifest) {
              manifest.mutable_inputs(0)->set_buffer_plus_one(0);
            }),
            "input 'x': it has elements, and no buffer");
  EXPECT_EQ(open([](planpb::Manifest &manifest) {
              *manifest.add_inputs() = manifest.inputs(0);
            }),
            "input 'x': the name is taken");
  EXPECT_NE(open([](planpb::Manifest &manifest) {
              manifest.mutable_inputs(0)->set_buffer_plus_one(1000);
            }),
            "");
}

TEST_F(InferenceTest, IsAsNoStepIs) {
  CompilerOptions options;
  options.model = ACCEL_MODELS "/mlp/model.onnx";
  options.output = path;
  options.target = "x86-64-v3";
  options.diagnostics.quiet = true;
  ASSERT_EQ(compile(options, llvm::nulls(), llvm::nulls()), ExitCode::Ok);
  auto trains = *runtime::Plan::Open(*vfs, path);
  EXPECT_EQ(Inference::Create(*vfs, *trains, *device, {}).status().message(),
            "the plan trains and does not answer: compile the model with "
            "accelc --inference, or leave out --input and --output");
}

} // namespace
} // namespace accel::test
