// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A weight with its pair added, in both orientations, and PEFT's two files.
#include "runtime/export/adapters.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "runtime/export/model_file.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/io/safetensors.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using runtime::ExportRole;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint32_t kWeight = 1;  // `table`, [2, 4]

void AddMatrix(planpb::Manifest& manifest, const std::string& name,
               uint64_t rows, uint64_t columns) {
  planpb::Parameter* parameter = manifest.add_parameters();
  parameter->set_name(name);
  parameter->add_shape(rows);
  parameter->add_shape(columns);
  parameter->set_dtype(planpb::ELEMENT_F32);
  parameter->set_segment(1);
}

SamplePlan PlanWithPair(bool turned) {
  SamplePlan plan = MakeSamplePlan();
  AddMatrix(plan.manifest, "h.\"0\".fc.lora_A.weight", 1, turned ? 2 : 4);
  AddMatrix(plan.manifest, "h.\"0\".fc.lora_B.weight", turned ? 4 : 2, 1);
  planpb::Adapters& adapters = *plan.manifest.mutable_adapters();
  adapters.set_rank(1);
  adapters.set_alpha(0.5);
  adapters.set_dropout(0.25);
  planpb::Adapter& adapter = *adapters.add_added();
  adapter.set_weight(kWeight);
  adapter.set_a(2);
  adapter.set_b(3);
  adapter.set_fan_in_fan_out(turned);
  adapter.set_module("h.\"0\".fc");
  return plan;
}

absl::Span<std::byte> BytesOf(std::vector<float>& values) {
  return absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                        values.size() * sizeof(float));
}

// 1, 2, 3 ... of A, 10, 20, 30 ... of B; counts what is asked for.
class Reader {
 public:
  runtime::ParameterReader Get() {
    return [this](const planpb::Parameter& parameter,
                  const runtime::ParameterPlace&, uint64_t, uint64_t elements,
                  absl::Span<std::byte> dst) {
      asked_[parameter.name()] += elements;
      const bool is_b = absl::StrContains(parameter.name(), "lora_B");
      const float unit = is_b ? 10.0F : 1.0F;
      std::vector<float> values(elements);
      for (uint64_t i = 0; i < elements; ++i) {
        values[i] = unit * static_cast<float>(i + 1);
      }
      if (!dst.empty()) {
        std::memcpy(dst.data(), values.data(), dst.size());
      }
      return absl::OkStatus();
    };
  }
  const std::map<std::string, uint64_t>& asked() const { return asked_; }

 private:
  std::map<std::string, uint64_t> asked_;
};

std::vector<float> Merge(bool turned) {
  const SamplePlan plan = PlanWithPair(turned);
  const auto view = ViewOf(plan);
  EXPECT_OK(view.status());
  std::vector<float> values(8, 100.0F);
  Reader reader;
  EXPECT_OK(runtime::AddAdapter(*view, reader.Get(), kWeight, BytesOf(values)));
  return values;
}

TEST(AdaptersTest, AddsTheProductToTheWeight) {
  // 100 + 0.5 * [10, 20]^T [1, 2, 3, 4]
  EXPECT_THAT(Merge(/*turned=*/false),
              ElementsAre(105, 110, 115, 120, 110, 120, 130, 140));
}

TEST(AdaptersTest, AddsItsTransposeToAWeightOfConv1D) {
  // 100 + 0.5 * ([10, 20, 30, 40]^T [1, 2])^T
  EXPECT_THAT(Merge(/*turned=*/true),
              ElementsAre(105, 110, 115, 120, 110, 120, 130, 140));
}

TEST(AdaptersTest, LeavesOtherWeightsAlone) {
  const SamplePlan plan = PlanWithPair(false);
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  std::vector<float> values(3, 7.0F);
  Reader reader;
  ASSERT_OK(runtime::AddAdapter(view, reader.Get(), 0, BytesOf(values)));
  EXPECT_THAT(values, ElementsAre(7, 7, 7));
  EXPECT_TRUE(reader.asked().empty());
}

TEST(AdaptersTest, ARankThatGivesItsPartsReadsWithTheOthers) {
  const SamplePlan plan = PlanWithPair(false);
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  Reader reader;
  ASSERT_OK(runtime::AddAdapter(view, reader.Get(), kWeight, {}));
  EXPECT_EQ(reader.asked().at("h.\"0\".fc.lora_A.weight"), 4);
  EXPECT_EQ(reader.asked().at("h.\"0\".fc.lora_B.weight"), 2);
}

TEST(AdaptersTest, WritesWhatPeftReads) {
  const SamplePlan plan = PlanWithPair(true);
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  const TempDir dir;
  const auto vfs = runtime::MakePosixVfs();
  const std::string path = dir.File("adapter_model.safetensors");
  Reader reader;
  ASSERT_OK(runtime::WriteAdapters(*vfs, view, reader.Get(), path,
                                   ExportRole::kWriter));
  ASSERT_OK_AND_ASSIGN(const auto file,
                       runtime::SafetensorsReader::Open(*vfs, path));
  ASSERT_EQ(file->entries().size(), 2);
  const auto* b = file->Find("base_model.model.h.\"0\".fc.lora_B.weight");
  ASSERT_NE(b, nullptr);
  EXPECT_THAT(b->shape, ElementsAre(4, 1));
  std::vector<float> values(4);
  ASSERT_OK(file->Read(*b, 0, BytesOf(values)));
  EXPECT_THAT(values, ElementsAre(10, 20, 30, 40));
  EXPECT_EQ(file->metadata().at("format"), "pt");
  const auto config = nlohmann::json::parse(dir.Read("adapter_config.json"));
  EXPECT_EQ(config["peft_type"], "LORA");
  EXPECT_EQ(config["r"], 1);
  EXPECT_EQ(config["lora_alpha"], 0.5);
  EXPECT_EQ(config["lora_dropout"], 0.25);
  EXPECT_EQ(config["fan_in_fan_out"], true);
  EXPECT_EQ(config["target_modules"], nlohmann::json::array({"h.\"0\".fc"}));
}

TEST(AdaptersTest, TheNameOfTheFileChoosesThem) {
  EXPECT_TRUE(runtime::IsAdapterFile("out/adapter_model.safetensors"));
  EXPECT_TRUE(runtime::IsAdapterFile("adapter_model.safetensors"));
  EXPECT_FALSE(runtime::IsAdapterFile("out/my_adapter_model.safetensors"));
  EXPECT_FALSE(runtime::IsAdapterFile("adapter_model.safetensors/model.onnx"));
  EXPECT_THAT(
      runtime::ListModelFiles("out/adapter_model.safetensors"),
      ElementsAre("out/adapter_model.safetensors", "out/adapter_config.json"));
  EXPECT_THAT(runtime::ListModelFiles("m.onnx"), ElementsAre("m.onnx"));
}

TEST(AdaptersTest, APlanWithoutAdaptersHasNoSuchFile) {
  const SamplePlan plan = MakeSamplePlan();
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(plan));
  EXPECT_THAT(
      runtime::CheckAdapters(view),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               "expected a plan with adapters of accelc --lora for a file of "
               "the name adapter_model.safetensors, got one without; name the "
               "file of all weights otherwise"));
}

}  // namespace
}  // namespace accel::testing
