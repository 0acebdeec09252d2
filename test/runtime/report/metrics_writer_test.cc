// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// metrics.jsonl holds exactly the promised fields, readable after every step
// and after a crash.
#include "runtime/report/metrics_writer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "nlohmann/json.hpp"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/faulty_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::Faults;
using ::accel::testing::FaultyVfs;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::HasSubstr;

StepMetrics Sample() {
  return {1,        2.3025851249694824,
          3e-4,     1.0 / 3,
          1024,     125'000'000,
          8192,     123456789,
          0.25,     1'795'392'000'123'999'999,
          3,        std::nullopt,
          3'000'001};
}

constexpr char kSampleLine[] =
    R"({"step":1,"loss":2.3025851249694824,"lr":0.0003,)"
    R"("grad_norm":0.3333333333333333,"tokens":1024,"step_seconds":0.125,)"
    R"("data_wait_seconds":0.003000001,)"
    R"("tokens_per_second":8192.0,"peak_bytes":123456789,)"
    R"("epoch":0.25,"skipped_steps":3,"time":"2026-11-23T00:00:00.123Z","run":"0123456789abcdef"})";
constexpr char kRun[] = "0123456789abcdef";

constexpr std::chrono::seconds kLong(30);

class MetricsWriterTest : public ::testing::Test {
 protected:
  std::unique_ptr<MetricsWriter> Open(Vfs& vfs) {
    auto writer = MetricsWriter::Start(vfs, nullptr);
    EXPECT_OK(writer);
    EXPECT_OK((*writer)->Open(path_, kRun));
    return *std::move(writer);
  }

  TempDir dir_;
  std::string path_ = dir_.File("metrics.jsonl");
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(MetricsWriterTest, ALineHasExactlyThePromisedFields) {
  EXPECT_EQ(MetricsJson(Sample(), kRun), kSampleLine);
}

TEST_F(MetricsWriterTest, ALossScaleStandsBehindTheSkippedSteps) {
  StepMetrics metrics = Sample();
  metrics.loss_scale = 65536;
  EXPECT_THAT(MetricsJson(metrics, kRun),
              ::testing::HasSubstr(
                  R"("skipped_steps":3,"loss_scale":65536.0,"time":"2026)"));
}

TEST_F(MetricsWriterTest, AnEvaluationHasALineOfItsOwn) {
  EXPECT_EQ(runtime::EvaluationJson({50, 2.3025851249694824, 3200, 125'000'000,
                                     1'795'392'000'123'999'999},
                                    kRun),
            R"({"step":50,"eval_loss":2.3025851249694824,"eval_tokens":3200,)"
            R"("eval_seconds":0.125,"time":"2026-11-23T00:00:00.123Z",)"
            R"("run":"0123456789abcdef"})");
}

TEST_F(MetricsWriterTest, EvaluationsStayAndGoWithTheirSteps) {
  auto writer = Open(*vfs_);
  for (int64_t step = 1; step <= 4; ++step) {
    StepMetrics metrics = Sample();
    metrics.step = step;
    writer->Write(metrics);
    if (step % 2 == 0) {
      writer->Write(runtime::EvaluationMetrics{step, 2.5, 10, 1, 1});
    }
  }
  ASSERT_OK(writer->Close(kLong));
  const std::string whole = dir_.Read("metrics.jsonl");
  ASSERT_OK(runtime::KeepMetrics(*vfs_, path_, 3));
  const std::string kept = dir_.Read("metrics.jsonl");
  EXPECT_EQ(kept, whole.substr(0, kept.size()));
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), 4);
  const auto ends_with = [&](const std::string& path, int64_t step) {
    const auto found = runtime::EndsWithEvaluation(*vfs_, path, step);
    EXPECT_OK(found);
    return found.value_or(false);
  };
  EXPECT_FALSE(ends_with(path_, 2));
  EXPECT_FALSE(ends_with(path_, 3));
  ASSERT_OK(runtime::KeepMetrics(*vfs_, path_, 2));
  EXPECT_TRUE(ends_with(path_, 2));
  EXPECT_FALSE(ends_with(path_, 3));
  EXPECT_FALSE(ends_with(dir_.File("none"), 2));
}

TEST_F(MetricsWriterTest, DoublesReadBackExactly) {
  StepMetrics metrics = Sample();
  metrics.loss = std::nextafter(0.1, 1.0);
  metrics.lr = 5e-324;
  const auto json = nlohmann::json::parse(MetricsJson(metrics, kRun));
  EXPECT_EQ(json["loss"].get<double>(), metrics.loss);
  EXPECT_EQ(json["lr"].get<double>(), metrics.lr);
}

// As a double of nanoseconds, the last one would be gone and the sum with it.
TEST_F(MetricsWriterTest, LongTimesKeepTheirNanoseconds) {
  StepMetrics metrics = Sample();
  metrics.step_ns = (int64_t{1} << 53) + 1;
  EXPECT_THAT(MetricsJson(metrics, kRun),
              HasSubstr("\"step_seconds\":9007199.254740993,"));
}

TEST_F(MetricsWriterTest, NanAndInfinityAreNullAndTheLineStaysJson) {
  StepMetrics metrics = Sample();
  metrics.loss = std::numeric_limits<double>::quiet_NaN();
  metrics.grad_norm = std::numeric_limits<double>::infinity();
  const auto json = nlohmann::json::parse(MetricsJson(metrics, kRun));
  EXPECT_TRUE(json["loss"].is_null());
  EXPECT_TRUE(json["grad_norm"].is_null());
  // Synthetic data have no epochs.
  metrics.epoch = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(MetricsJson(metrics, kRun), HasSubstr("\"epoch\":null,"));
}

TEST_F(MetricsWriterTest, EveryStepIsOneWrite) {
  Faults faults;
  FaultyVfs vfs(*vfs_, faults);
  const auto writer = Open(vfs);
  const int before = faults.operations;
  writer->Write(Sample());
  ASSERT_OK(writer->Sync(kLong));
  EXPECT_EQ(faults.operations, before + 2);  // and the sync
  EXPECT_EQ(dir_.Read("metrics.jsonl"), std::string(kSampleLine) + "\n");
  ASSERT_OK(writer->Close(kLong));
}

TEST_F(MetricsWriterTest, ALaterRunAppends) {
  dir_.Write("metrics.jsonl", "{\"step\":1}\n");
  const auto writer = Open(*vfs_);
  writer->Write(Sample());
  ASSERT_OK(writer->Close(kLong));
  EXPECT_EQ(dir_.Read("metrics.jsonl"),
            "{\"step\":1}\n" + std::string(kSampleLine) + "\n");
}

TEST_F(MetricsWriterTest, ALineThatACrashCutIsRemoved) {
  const std::string whole = std::string(5000, ' ') + "\n";
  for (const std::string& torn :
       {std::string("{\"st"), std::string(9000, 'x'), std::string()}) {
    dir_.Write("metrics.jsonl", whole + torn);
    Open(*vfs_);
    EXPECT_EQ(dir_.Read("metrics.jsonl"), whole);
  }
  dir_.Write("metrics.jsonl", "{\"step\":1");
  Open(*vfs_);
  EXPECT_EQ(dir_.Read("metrics.jsonl"), "");
}

TEST_F(MetricsWriterTest, AWriteErrorIsToldAndTheLineWrittenAllTheSame) {
  Faults faults;
  FaultyVfs vfs(*vfs_, faults);
  const auto writer = Open(vfs);
  faults.fail_at = faults.operations;
  writer->Write(Sample());
  ASSERT_OK(writer->Close(kLong));
  EXPECT_EQ(dir_.Read("metrics.jsonl"), std::string(kSampleLine) + "\n");
}

TEST_F(MetricsWriterTest, AFileThatIsRemovedOrReplacedIsAnError) {
  const auto writer = Open(*vfs_);
  writer->Write(Sample());
  ASSERT_OK(writer->Sync(kLong));
  std::filesystem::rename(path_, dir_.File("moved"));
  writer->Write(Sample());
  EXPECT_THAT(writer->Sync(kLong),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("metrics.jsonl' is gone, or is another file "
                                 "now: somebody has removed or moved the run "
                                 "directory")));
  dir_.Write("metrics.jsonl", "foreign\n");
  EXPECT_THAT(writer->Close(kLong).message(), HasSubstr("1 line is lost: '"));
  EXPECT_EQ(dir_.Read("metrics.jsonl"), "foreign\n");
  EXPECT_EQ(dir_.Read("moved"), std::string(kSampleLine) + "\n");
}

std::string LineOf(int step) {
  return absl::StrCat(R"({"step":)", step, R"(,"run":"a"})", "\n");
}

TEST_F(MetricsWriterTest, KeepMetricsCutsTheStepsThatAreTakenAgain) {
  std::string all;
  std::string kept;
  for (int step = 1; step <= 1000; ++step) {
    all += LineOf(step);
    kept += step <= 400 ? LineOf(step) : "";
  }
  // What a crash has cut short, at each place of a line.
  for (size_t cut = 0; cut < LineOf(1001).size(); ++cut) {
    dir_.Write("metrics.jsonl", all + LineOf(1001).substr(0, cut));
    ASSERT_OK(KeepMetrics(*vfs_, path_, 1000));
    EXPECT_EQ(dir_.Read("metrics.jsonl"), all);
  }
  ASSERT_OK(KeepMetrics(*vfs_, path_, 400));
  EXPECT_EQ(dir_.Read("metrics.jsonl"), kept);
  ASSERT_OK(KeepMetrics(*vfs_, path_, 400));
  EXPECT_EQ(dir_.Read("metrics.jsonl"), kept);
  ASSERT_OK(KeepMetrics(*vfs_, path_, 0));
  EXPECT_EQ(dir_.Read("metrics.jsonl"), "");
}

TEST_F(MetricsWriterTest, KeepMetricsCutsWhatIsNoLine) {
  dir_.Write("metrics.jsonl", LineOf(3) + "\n[1]\n{\"step\":\"4\"}\n" +
                                  std::string(2 << 20, 'x') + "\n{\n");
  ASSERT_OK(KeepMetrics(*vfs_, path_, 5));
  EXPECT_EQ(dir_.Read("metrics.jsonl"), LineOf(3));
}

TEST_F(MetricsWriterTest, KeepMetricsMakesNoFile) {
  ASSERT_OK(KeepMetrics(*vfs_, path_, 5));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace accel::runtime
