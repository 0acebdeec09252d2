// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file that an export writes, byte by byte.
#include "tools/accel-run/export_model.h"

#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/create_device.h"
#include "runtime/executor/step_driver.h"
#include "runtime/export/onnx_file.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/io/safetensors.h"
#include "runtime/plan/sizes/size_expr.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using ::testing::HasSubstr;

class ExportModelTest : public ::testing::Test {
 protected:
  void Open(const SamplePlan& sample) {
    ASSERT_OK(WriteSamplePlan(*vfs_, sample, dir_.File("plan")));
    ASSERT_OK_AND_ASSIGN(plan_, runtime::Plan::Open(*vfs_, dir_.File("plan")));
    ASSERT_OK_AND_ASSIGN(
        dataset_, runtime::Dataset::Open(
                      *vfs_, runtime::DataSignature(plan_->manifest()), {}));
    runtime::DeviceOptions options;
    options.threads = 1;
    device_ = runtime::CreateDevice(*vfs_, options).value();
    ASSERT_OK_AND_ASSIGN(
        executor_,
        runtime::StepDriver::Create(*vfs_, *plan_, *device_, *dataset_, {}));
    ASSERT_OK(executor_->Initialize());
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  std::unique_ptr<runtime::Plan> plan_;
  std::unique_ptr<runtime::Dataset> dataset_;
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<runtime::StepDriver> executor_;
};

std::string Floats(const std::vector<float>& values) {
  return TempDir::Bytes(values);
}

TEST_F(ExportModelTest, OnnxFilesAreTheTemplateWithTheWeights) {
  Open(MakeSamplePlan());
  const std::string path = dir_.File("m.onnx");
  ASSERT_OK(tools::CheckExport(*vfs_, *plan_, path));
  ASSERT_OK(tools::ExportModel(*vfs_, *plan_, *executor_, path,
                               tools::ExportRole::kWriter));
  const std::string w = Floats(kInitialWeights);
  const std::string table = Floats({0, 4, 1, 5, 2, 6, 3, 7});  // transposed
  const std::string first =
      std::string("HEADER-W") + "\x4a" + char(w.size()) + w;
  const std::string second =
      std::string("HEADER-TABLE") + "\x4a" + char(table.size()) + table;
  const std::string graph = std::string("GRAPH-PART") + "\x2a" +
                            char(first.size()) + first + "\x2a" +
                            char(second.size()) + second;
  EXPECT_EQ(dir_.Read("m.onnx"),
            std::string("MODEL-PART") + "\x3a" + char(graph.size()) + graph);
}

// A length of two bytes, and a table as it is.
TEST_F(ExportModelTest, LongLengths) {
  SamplePlan sample = MakeSamplePlan();
  auto* tensors = sample.manifest.mutable_export_()->mutable_tensors();
  tensors->RemoveLast();
  tensors->Mutable(0)->set_header(std::string(300, 'h'));
  tensors->Mutable(0)->set_parameter(1);
  Open(sample);
  ASSERT_OK(tools::ExportModel(*vfs_, *plan_, *executor_, dir_.File("m.onnx"),
                               tools::ExportRole::kWriter));
  const std::string tensor =
      std::string(300, 'h') + "\x4a\x20" +
      Floats({0, 1, 2, 3, 4, 5, 6, 7});  // 334 = 0xce 0x02
  const std::string graph = std::string("GRAPH-PART") + "\x2a\xce\x02" + tensor;
  // 10 + 3 + 334 = 347 = 0xdb 0x02
  EXPECT_EQ(dir_.Read("m.onnx"),
            std::string("MODEL-PART") + "\x3a\xdb\x02" + graph);
}

TEST_F(ExportModelTest, SafetensorsHoldWholeParametersInTheirOrientation) {
  Open(MakeSamplePlan());
  const std::string path = dir_.File("m.safetensors");
  ASSERT_OK(tools::CheckExport(*vfs_, *plan_, path));
  ASSERT_OK(tools::ExportModel(*vfs_, *plan_, *executor_, path,
                               tools::ExportRole::kWriter));
  ASSERT_OK_AND_ASSIGN(const auto reader,
                       runtime::SafetensorsReader::Open(*vfs_, path));
  ASSERT_EQ(reader->entries().size(), 2u);
  const auto* table = reader->Find("table");
  ASSERT_NE(table, nullptr);
  EXPECT_THAT(table->shape, ::testing::ElementsAre(2, 4));
  std::vector<float> values(8);
  ASSERT_OK(reader->Read(
      *table, 0,
      absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()), 32)));
  EXPECT_EQ(values, kFrozenTable);
}

TEST_F(ExportModelTest, WhatCannotBeWrittenIsSaidBeforeTraining) {
  SamplePlan sample = MakeSamplePlan();
  sample.manifest.mutable_export_()->Clear();
  Open(sample);
  const std::string path = dir_.File("m.onnx");
  EXPECT_THAT(tools::CheckExport(*vfs_, *plan_, path),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "--export " + path +
                           ": the plan does not hold the model's graph; "
                           "export to FILE.safetensors instead"));
  EXPECT_OK(tools::CheckExport(*vfs_, *plan_, dir_.File("m.safetensors")));
}

// The size is computed from shapes, so nothing that large is needed here.
TEST_F(ExportModelTest, ModelsOfTwoGibibytesAreRefusedWithARemedy) {
  SamplePlan sample = MakeSamplePlan();
  constexpr uint64_t kElements = uint64_t{1} << 29;
  sample.Buffer("table").clear_shape();
  *sample.Buffer("table").mutable_bytes() =
      runtime::ConstantSizeExpr(kElements * sizeof(float));
  sample.manifest.mutable_buckets(0)->mutable_segments(1)->set_elements(
      kElements);
  sample.manifest.mutable_parameters(1)->set_shape(0, kElements / 4);
  sample.manifest.mutable_export_()->mutable_tensors(1)->clear_rows();
  sample.manifest.mutable_export_()->mutable_tensors(1)->clear_columns();
  ASSERT_OK(WriteSamplePlan(*vfs_, sample, dir_.File("plan")));
  ASSERT_OK_AND_ASSIGN(plan_, runtime::Plan::Open(*vfs_, dir_.File("plan")));
  EXPECT_THAT(runtime::CheckOnnxExport(*plan_),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "an ONNX file holds less than 2 GiB, this model takes 2 "
                       "GiB; export to FILE.safetensors instead"));
}

TEST_F(ExportModelTest, GradientsNeedAPointWhereTheyAreComplete) {
  SamplePlan sample = MakeSamplePlan();
  sample.step_function().clear_gradients_complete_plus_one();
  Open(sample);
  const std::string path = dir_.File("g.safetensors");
  EXPECT_THAT(tools::CheckGradients(*vfs_, *plan_, path),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("does not say where its gradients are "
                                 "complete")));
}

}  // namespace
}  // namespace accel::testing
