// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of a file are compared with the plan's parameters, and become them.
#include "runtime/checkpoint/model_weights.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/executor/parameters.h"
#include "test/runtime/checkpoint/sample_state.h"

namespace accel::testing {
namespace {

using runtime::DType;
using runtime::Executor;
using runtime::SafetensorsSet;
using runtime::WeightsAllowance;
using runtime::WeightsComparison;

struct Given {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

const std::string kW = TempDir::Bytes(std::vector<float>{3, -4, 5});
const std::string kTable =
    TempDir::Bytes(std::vector<float>{8, 9, 10, 11, 12, 13, 14, 15});

class ModelWeightsTest : public ::testing::Test {
 protected:
  std::unique_ptr<SafetensorsSet> Write(const std::vector<Given>& tensors) {
    std::vector<runtime::SafetensorsSpec> specs;
    for (const Given& each : tensors) {
      specs.push_back({each.name, each.dtype, each.shape});
    }
    const std::string path = state_.dir().File("m.safetensors");
    auto writer =
        *runtime::SafetensorsWriter::Create(state_.vfs(), path, specs);
    for (const Given& each : tensors) {
      EXPECT_OK(writer->Append(
          each.name, absl::MakeConstSpan(
                         reinterpret_cast<const std::byte*>(each.bytes.data()),
                         each.bytes.size())));
    }
    EXPECT_OK(writer->Finish());
    return *SafetensorsSet::Open(state_.vfs(), path);
  }
  absl::Status Check(const SafetensorsSet& weights,
                     const WeightsAllowance& allowance = {}) {
    const auto comparison = runtime::CompareWeights(state_.plan(), weights);
    return comparison.ok()
               ? runtime::CheckWeights(*comparison, allowance, "m.safetensors")
               : comparison.status();
  }
  void Load(const SafetensorsSet& weights) {
    ASSERT_OK(state_.executor().Initialize(
        [&](Executor& rank, Executor::RestoredPart part) {
          return part == Executor::RestoredPart::kParameters
                     ? runtime::LoadWeights(state_.plan(), weights, rank)
                     : absl::OkStatus();
        }));
  }
  // What the executor has.
  std::vector<float> Values(int parameter) {
    const auto place = *runtime::FindParameter(
        state_.plan(), state_.plan().manifest().parameters(parameter),
        "master");
    std::vector<float> values(place->elements);
    EXPECT_OK(runtime::ReadParameter(
        state_.executor(), *place, 0, place->elements,
        absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                       values.size() * sizeof(float))));
    return values;
  }

  SampleState state_;
};

TEST_F(ModelWeightsTest, ReplaceTheParametersOfThePlan) {
  const auto weights = Write({{"linear.weight", DType::kF32, {3}, kW},
                              {"table", DType::kF32, {2, 4}, kTable}});
  ASSERT_OK(Check(*weights));
  Load(*weights);
  EXPECT_THAT(Values(0), ::testing::ElementsAre(3, -4, 5));
  EXPECT_THAT(Values(1), ::testing::ElementsAre(8, 9, 10, 11, 12, 13, 14, 15));
}

TEST_F(ModelWeightsTest, FloatsOf16BitsBecomeF32) {
  const auto weights = Write(
      {{"linear.weight",
        DType::kF16,
        {3},
        TempDir::Bytes(std::vector<uint16_t>{0x3c00, 0xc000, 0x0001})},
       {"table",
        DType::kBF16,
        {2, 4},
        TempDir::Bytes(std::vector<uint16_t>{0x3f80, 0xc049, 0, 0x8000, 0x3f00,
                                             0x4000, 0x4040, 0x4080})}});
  ASSERT_OK(Check(*weights));
  Load(*weights);
  EXPECT_THAT(Values(0), ::testing::ElementsAre(1, -2, 0x1p-24f));
  EXPECT_THAT(Values(1),
              ::testing::ElementsAre(1, -3.140625f, 0, -0.0f, 0.5f, 2, 3, 4));
}

TEST_F(ModelWeightsTest, WhatIsAllowedToBeMissingStaysAsThePlanHasIt) {
  const auto weights = Write({{"table", DType::kF32, {2, 4}, kTable},
                              {"extra", DType::kI64, {1}, std::string(8, 1)}});
  EXPECT_THAT(
      Check(*weights, {.missing = true}),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               "'m.safetensors': expected the 2 parameters of the plan, got 1 "
               "of them, and 1 missing, 1 unexpected\n"
               "tensor  plan  file\n"
               "extra   none  i64 [1]\n"
               "give the weights of the plan's model, under its names; "
               "--weights-allow=unexpected leaves out what is unexpected"));
  ASSERT_OK(Check(*weights, {.missing = true, .unexpected = true}));
  Load(*weights);
  EXPECT_EQ(Values(0), kInitialWeights);
  EXPECT_EQ(Values(1)[0], 8);
}

TEST_F(ModelWeightsTest, AllThatIsOtherwiseIsInOneTable) {
  const auto weights = Write({{"table", DType::kF32, {4, 2}, kTable},
                              {"weight", DType::kF32, {3}, kW}});
  const std::string table =
      "tensor         plan        file\n"
      "table          f32 [2, 4]  f32 [4, 2]\n"
      "linear.weight  f32 [3]     none\n"
      "weight         none        f32 [3]\n";
  EXPECT_THAT(Check(*weights),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "'m.safetensors': expected the 2 parameters of the "
                       "plan, got 0 of them, and 1 of another shape or type, 1 "
                       "missing, 1 unexpected\n" +
                           table +
                           "give the weights of the plan's model, under its "
                           "names"));
  // A shape is never allowed to be another.
  EXPECT_EQ(Check(*weights, {.missing = true, .unexpected = true}).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(ModelWeightsTest, NumbersThatF32DoesNotHoldAreRefused) {
  for (const DType dtype : {DType::kF64, DType::kI32, DType::kF8E4M3}) {
    const auto weights = Write(
        {{"linear.weight",
          dtype,
          {3},
          std::string(3 * static_cast<size_t>(runtime::ByteWidth(dtype)), 0)},
         {"table", DType::kF32, {2, 4}, kTable}});
    EXPECT_THAT(
        std::string(Check(*weights).message()),
        ::testing::HasSubstr(absl::StrCat("linear.weight  f32 [3]  ",
                                          runtime::DTypeName(dtype), " [3]")));
  }
}

// A run would begin as without the file.
TEST_F(ModelWeightsTest, AFileOfNothingIsRefusedWhateverIsAllowed) {
  const auto weights = Write({{"weight", DType::kF32, {3}, kW}});
  EXPECT_THAT(Check(*weights, {.missing = true, .unexpected = true}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       ::testing::HasSubstr("got 0 of them, and 2 missing, 1 "
                                            "unexpected\n")));
}

TEST_F(ModelWeightsTest, LongTablesAreCut) {
  std::vector<Given> tensors = {{"linear.weight", DType::kF32, {3}, kW},
                                {"table", DType::kF32, {2, 4}, kTable}};
  for (int i = 100; i < 145; ++i) {
    tensors.push_back({absl::StrCat("x", i), DType::kU8, {1}, "x"});
  }
  const std::string message(Check(*Write(tensors)).message());
  EXPECT_THAT(message, ::testing::HasSubstr("\nx139    none  u8 [1]\nand 5 "
                                            "more\n"));
  EXPECT_THAT(message, ::testing::Not(::testing::HasSubstr("x140")));
}

}  // namespace
}  // namespace accel::testing
