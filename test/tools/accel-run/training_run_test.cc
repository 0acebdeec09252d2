// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole runs of the sample plan in this process: what is printed, written, and
// how a run ends.
#include "tools/accel-run/training_run.h"

#include <signal.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "runtime/io/posix_vfs.h"
#include "runtime/random/philox.h"
#include "test/runtime/faulty_vfs.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tools::ExitCode;
using tools::RunOptions;

constexpr int kSamples = 20;

class TrainingRunTest : public ::testing::Test {
 protected:
  TrainingRunTest() {
    std::vector<float> x(kSamples * kFeatures);
    std::vector<float> t(kSamples);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = runtime::UnitFloat(runtime::RandomWord(11, 1, 0, i));
    }
    for (int i = 0; i < kSamples; ++i) {
      t[i] = x[i * kFeatures] - 2 * x[i * kFeatures + 1];
    }
    dir_.Write("x.npy", Npy("<f4", {kSamples, kFeatures}, x));
    dir_.Write("t.npy", Npy("<f4", {kSamples}, t));
    Write(MakeSamplePlan());
    options_.plan = dir_.File("plan");
    options_.data = {"x=" + dir_.File("x.npy"), "t=" + dir_.File("t.npy")};
    options_.run_dir = dir_.File("run");
    options_.threads = 1;
  }

  void Write(const SamplePlan& plan) {
    ASSERT_OK(WriteSamplePlan(*vfs_, plan, dir_.File("plan")));
  }

  ExitCode RunPlan() {
    output_.clear();
    errors_.clear();
    runtime::TerminalTraits pipe;
    runtime::Console console(pipe, [this](absl::string_view text) {
      output_.append(text.data(), text.size());
    });
    const runtime::Logger logger(runtime::LogLevel::kInfo, 0, 1,
                                 [this](absl::string_view line) {
                                   errors_.append(line.data(), line.size());
                                   errors_.append("\n");
                                 });
    const tools::RunEnvironment environment{*vfs_, console, logger, stop_};
    return tools::TrainingRun(options_, environment).Run();
  }

  std::vector<nlohmann::json> Metrics(const std::string& run = "run") {
    std::vector<nlohmann::json> lines;
    std::ifstream file(dir_.File(run + "/metrics.jsonl"));
    for (std::string line; std::getline(file, line);) {
      lines.push_back(nlohmann::json::parse(line));
    }
    return lines;
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  RunOptions options_;
  std::function<int()> stop_ = [] { return 0; };
  std::string output_;
  std::string errors_;
};

TEST_F(TrainingRunTest, TrainsReportsAndExports) {
  options_.steps = 200;
  options_.export_path = dir_.File("trained.safetensors");
  EXPECT_EQ(RunPlan(), ExitCode::kOk) << errors_;
  EXPECT_EQ(errors_, "");
  const auto metrics = Metrics();
  ASSERT_EQ(metrics.size(), 200u);
  EXPECT_EQ(metrics[0]["step"], 1);
  EXPECT_EQ(metrics[0]["tokens"], kGlobalBatch);
  EXPECT_EQ(metrics[0]["lr"], 0.125);
  EXPECT_GT(metrics[0]["peak_bytes"], 1000000);
  EXPECT_GT(metrics[0]["step_seconds"], 0.0);
  EXPECT_LT(metrics[199]["loss"], 0.05 * metrics[0]["loss"].get<double>());
  EXPECT_THAT(output_, HasSubstr("plan    regression, 11 parameters, sha256 "));
  EXPECT_THAT(output_, HasSubstr("batch   6 samples = 3 x 2\n"));
  EXPECT_THAT(output_, HasSubstr("step 200/200  loss "));
  EXPECT_THAT(output_, HasSubstr("peak memory planned"));
  EXPECT_THAT(output_, HasSubstr("trained.safetensors"));
  const auto record = nlohmann::json::parse(dir_.Read("run/run.json"));
  EXPECT_EQ(record["steps"], 200);
  EXPECT_EQ(record["model"], "regression");
  // Where the lines belong, and when they were written.
  EXPECT_EQ(metrics[0]["run"], record["run"]);
  EXPECT_EQ(metrics[199]["run"], record["run"]);
  EXPECT_EQ(metrics[0]["epoch"], 6.0 / 20);
  EXPECT_EQ(metrics[199]["epoch"], 60.0);
  EXPECT_GE(metrics[0]["time"], record["started"]);
  EXPECT_GE(metrics[199]["time"], metrics[0]["time"]);
}

TEST_F(TrainingRunTest, StepsDefaultToOneEpoch) {
  EXPECT_EQ(RunPlan(), ExitCode::kOk) << errors_;
  EXPECT_EQ(Metrics().size(), 3u);  // 20 samples, 6 a step
}

TEST_F(TrainingRunTest, TheSameRunGivesTheSameMetrics) {
  const auto losses = [this] {
    std::string text;
    for (const auto& line : Metrics()) {
      text += line["loss"].dump() + " " + line["grad_norm"].dump() + "\n";
    }
    return text;
  };
  options_.steps = 10;
  ASSERT_EQ(RunPlan(), ExitCode::kOk) << errors_;
  const std::string first = losses();
  for (const bool serial : {false, true}) {
    for (const bool jitter : {false, true}) {
      std::filesystem::remove_all(dir_.File("run"));
      options_.serial = serial;
      options_.jitter.reset();
      if (jitter) {
        options_.jitter = 42;
      }
      ASSERT_EQ(RunPlan(), ExitCode::kOk) << errors_;
      EXPECT_EQ(losses(), first);
    }
  }
}

TEST_F(TrainingRunTest, SetIsThePlanCompiledWithThatValue) {
  options_.set = {"lr=0.0625"};
  ASSERT_EQ(RunPlan(), ExitCode::kOk) << errors_;
  const auto set = Metrics();
  std::filesystem::remove_all(dir_.File("run"));
  SamplePlan plan = MakeSamplePlan();
  const double lr = 0.0625;
  plan.functions[0][3].mutable_fill()->set_pattern(
      std::string(reinterpret_cast<const char*>(&lr), sizeof lr));
  Write(plan);
  options_.set.clear();
  ASSERT_EQ(RunPlan(), ExitCode::kOk) << errors_;
  const auto compiled = Metrics();
  ASSERT_EQ(set.size(), compiled.size());
  for (size_t i = 0; i < set.size(); ++i) {
    EXPECT_EQ(set[i]["loss"], compiled[i]["loss"]);
    EXPECT_EQ(set[i]["lr"], 0.0625);
  }
}

TEST_F(TrainingRunTest, WithoutDataItTrainsOnSyntheticOnesAndSaysSo) {
  options_.data.clear();
  EXPECT_EQ(RunPlan(), ExitCode::kOk) << errors_;
  EXPECT_EQ(Metrics().size(), 20u);
  EXPECT_EQ(errors_,
            "warning: no --data: training on SYNTHETIC data, the model learns "
            "nothing useful\n");
  EXPECT_THAT(output_, HasSubstr("synthetic data"));
}

TEST_F(TrainingRunTest, QuietPrintsNothing) {
  options_.quiet = true;
  EXPECT_EQ(RunPlan(), ExitCode::kOk) << errors_;
  EXPECT_EQ(output_, "");
  EXPECT_EQ(errors_, "");
}

// The sample plan is as accelc wrote them before steps tested themselves.
TEST_F(TrainingRunTest, ALossThatIsNoNumberEndsTheRunInThatStep) {
  options_.set = {"lr=1e30"};
  options_.steps = 50;
  EXPECT_EQ(RunPlan(), ExitCode::kDivergence);
  const auto metrics = Metrics();
  EXPECT_LT(metrics.size(), 6u);
  EXPECT_THAT(
      errors_,
      ::testing::MatchesRegex(
          "error: step [2-5]: expected a finite loss and gradient, got loss "
          "(nan|inf|[-+.e0-9]+) and gradient norm (nan|inf); the weights are "
          "unusable, as this plan updates them all the same; compile it again "
          "with this release's accelc\n"));
}

TEST_F(TrainingRunTest, AStopRequestEndsAfterTheStepInProgress) {
  int asked = 0;
  stop_ = [&asked] { return ++asked > 2 ? SIGTERM : 0; };
  options_.steps = 100;
  options_.global_batch = 2;  // in one microbatch, which is not given up
  options_.export_path = dir_.File("w.safetensors");
  EXPECT_EQ(RunPlan(), ExitCode::kOk) << errors_;
  EXPECT_EQ(errors_, "stopped by SIGTERM after step 2 of 100\n");
  EXPECT_EQ(Metrics().size(), 2u);
  EXPECT_TRUE(vfs_->Stat(options_.export_path).ok());
}

TEST_F(TrainingRunTest, EachKindOfFaultHasItsExitCodeAndLeavesNoRun) {
  const auto fails = [this](ExitCode code, const std::string& message) {
    EXPECT_EQ(RunPlan(), code);
    EXPECT_THAT(errors_, HasSubstr(message));
    EXPECT_FALSE(vfs_->Stat(dir_.File("run")).ok());
  };
  const RunOptions good = options_;
  options_.plan = dir_.File("absent");
  fails(ExitCode::kInputOutput, "absent");
  options_ = good;
  options_.set = {"magic=1"};
  fails(ExitCode::kCommandLine,
        "error: hyperparameters: --set magic=1: expected one of lr, got "
        "'magic'\n");
  options_ = good;
  options_.export_path = dir_.File("model.pt");
  fails(ExitCode::kCommandLine,
        "expected a name that ends in .onnx or .safetensors");
  options_ = good;
  options_.export_path = dir_.File("no/such/folder/model.onnx");
  fails(ExitCode::kCommandLine, "no/such/folder");
  options_ = good;
  options_.data.pop_back();
  fails(ExitCode::kData, "target 't'");
  options_ = good;
  options_.global_batch = 21;
  fails(ExitCode::kData, "20");
  options_ = good;
  SamplePlan race = MakeSamplePlan();
  race.Step("predict").mutable_waits()->DeleteSubrange(0, 1);
  Write(race);
  fails(ExitCode::kVerification, "nothing orders");
  SamplePlan foreign = MakeSamplePlan();
  foreign.manifest.mutable_variants(0)->add_features("telepathy");
  Write(foreign);
  fails(ExitCode::kUnsupported, "'x86-64' needs telepathy");
  SamplePlan future = MakeSamplePlan();
  future.manifest.add_required_features("collectives");
  Write(future);
  fails(ExitCode::kUnsupported, "the plan requires 'collectives'");
  SamplePlan huge = MakeSamplePlan();
  planpb::Buffer* buffer = huge.manifest.add_buffers();
  *buffer = huge.Buffer("lr");
  buffer->set_name("huge");
  buffer->mutable_bytes()
      ->mutable_alternatives(0)
      ->mutable_terms(0)
      ->set_factor(uint64_t{1} << 60);
  Write(huge);
  fails(ExitCode::kMemory, "not enough memory: the plan needs");
}

TEST_F(TrainingRunTest, ARunDirectoryInUseIsRefused) {
  ASSERT_EQ(RunPlan(), ExitCode::kOk) << errors_;
  ASSERT_OK_AND_ASSIGN(const auto lock, vfs_->TryLock(dir_.File("run/lock")));
  EXPECT_EQ(RunPlan(), ExitCode::kInputOutput);
  EXPECT_THAT(errors_, HasSubstr("is in use"));
}

// What changed under the run is a fault of the data, with the file's name.
TEST_F(TrainingRunTest, DataThatChangeDuringTheRunEndIt) {
  options_.steps = 100;
  stop_ = [this] {
    std::filesystem::resize_file(dir_.File("x.npy"), 100);
    return false;
  };
  EXPECT_EQ(RunPlan(), ExitCode::kData);
  EXPECT_THAT(errors_, HasSubstr("x.npy"));
}

// Each read of a row takes 5 ms from step 1 on, so that a step of 6 samples of
// two fields takes 60 at least, of which computing hides next to nothing.
TEST_F(TrainingRunTest, TimeInWhichNothingIsComputedForWantOfDataIsTold) {
  constexpr double kFetch = 0.06;  // seconds of a step
  std::atomic<bool> is_slow = false;
  Faults faults;
  faults.before = [&](const std::string& what) {
    if (is_slow && what == "read") {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  const std::unique_ptr<runtime::Vfs> base = std::move(vfs_);
  vfs_ = std::make_unique<FaultyVfs>(*base, faults);
  stop_ = [&] {
    is_slow = true;
    return 0;
  };
  options_.steps = 10;
  for (const auto& [name, serial, ranks] :
       {std::tuple("streams", false, 1), std::tuple("serial", true, 1),
        std::tuple("ranks", false, 2)}) {
    options_.run_dir = dir_.File(name);
    options_.serial = serial;
    options_.ranks_as_threads = ranks;
    is_slow = false;
    ASSERT_EQ(RunPlan(), ExitCode::kOk) << errors_;
    double most = 0;
    for (const auto& line : Metrics(name)) {
      const double wait = line["data_wait_seconds"];
      EXPECT_LE(wait, line["step_seconds"].get<double>()) << name;
      most = std::max(most, wait);
      if (serial) {
        EXPECT_GE(wait, kFetch);
      }
    }
    // A busy machine may compute slowly in some steps, and so wait less.
    EXPECT_GE(most, kFetch / ranks / 2) << name;
  }
  vfs_ = runtime::MakePosixVfs();
}

TEST_F(TrainingRunTest, GradientsOfTheFirstStepAreThoseOfTheMeanLoss) {
  options_.shuffle = false;
  options_.dump_gradients = dir_.File("g.safetensors");
  ASSERT_EQ(RunPlan(), ExitCode::kOk) << errors_;
  const std::string bytes = dir_.Read("g.safetensors");
  EXPECT_THAT(bytes, HasSubstr("linear.weight"));
  EXPECT_THAT(bytes, Not(HasSubstr("table")));  // frozen
  std::vector<float> gradient(kFeatures);
  std::memcpy(gradient.data(), bytes.data() + bytes.size() - 12, 12);
  double norm = 0;
  for (const float g : gradient) {
    norm += double{g} * g;
  }
  EXPECT_NEAR(std::sqrt(norm), Metrics()[0]["grad_norm"].get<double>(), 1e-6);
}

}  // namespace
}  // namespace accel::testing
