// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of the sharded plan on two processes that write what both of them hold
// together; and what the other one does when the writer fails.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"
#include "tools/accel-run/training_run.h"

namespace accel::testing {
namespace {

using ::testing::HasSubstr;
using tools::ExitCode;
using tools::RunOptions;

constexpr uint64_t kElements = 101;

class ShardedProcessesTest : public ::testing::Test {
 protected:
  ShardedProcessesTest() {
    constexpr int kSamples = 12;
    dir_.Write("x.npy", Npy("<f4", {kSamples, kFeatures},
                            std::vector<float>(kSamples * kFeatures, 0.5f)));
    dir_.Write("t.npy",
               Npy("<f4", {kSamples}, std::vector<float>(kSamples, 1.0f)));
    EXPECT_OK(
        WriteSamplePlan(*vfs_, MakeShardedPlan(kElements), dir_.File("plan")));
    options_.plan = dir_.File("plan");
    options_.data = {"x=" + dir_.File("x.npy"), "t=" + dir_.File("t.npy")};
    options_.run_dir = dir_.File("run");
    options_.threads = 1;
    options_.steps = 2;
    options_.quiet = true;
  }

  // One rank, in the process that calls. Its errors go to a file.
  int RunRank(uint32_t rank) {
    runtime::Console console(runtime::TerminalTraits(),
                             [](absl::string_view) {});
    std::string errors;
    const runtime::Logger logger(runtime::LogLevel::kInfo, 0, 1,
                                 [&errors](absl::string_view line) {
                                   absl::StrAppend(&errors, line, "\n");
                                 });
    runtime::RankEnvironment environment;
    environment.rank = rank;
    environment.ranks = 2;
    environment.run_id = absl::StrCat("sharded-processes-", getppid());
    RunOptions options = options_;
    before_(rank, options);
    const tools::RunEnvironment all{
        *vfs_, console, logger, [] { return 0; }, environment, &logger};
    const ExitCode code = tools::TrainingRun(options, all).Run();
    dir_.Write(absl::StrCat("errors-", rank), errors);
    return static_cast<int>(code);
  }

  std::vector<int> RunRanks() {
    std::vector<pid_t> children;
    for (uint32_t rank = 0; rank < 2; ++rank) {
      const pid_t pid = fork();
      if (pid == 0) {
        _exit(RunRank(rank));
      }
      children.push_back(pid);
    }
    std::vector<int> codes;
    for (const pid_t child : children) {
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    return codes;
  }

  std::string Errors(int rank) {
    return dir_.Read(absl::StrCat("errors-", rank));
  }

  // The 100 elements of parameter "sharded", wherever the file has them.
  bool HoldsInitialValues(const std::string& bytes) {
    const std::vector<float> values = InitialShardValues(kElements);
    const std::string wanted(reinterpret_cast<const char*>(&values[1]),
                             (kElements - 1) * sizeof(float));
    return bytes.find(wanted) != std::string::npos;
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  RunOptions options_;
  // Called in the process of each rank before it runs.
  std::function<void(uint32_t, RunOptions&)> before_ = [](uint32_t,
                                                          RunOptions&) {};
};

TEST_F(ShardedProcessesTest, TheFirstRankWritesWhatAllHold) {
  options_.export_path = dir_.File("model.safetensors");
  options_.dump_gradients = dir_.File("gradients.safetensors");
  EXPECT_THAT(RunRanks(), ::testing::ElementsAre(0, 0))
      << Errors(0) << Errors(1);
  EXPECT_TRUE(HoldsInitialValues(dir_.Read("model.safetensors")));
  EXPECT_THAT(dir_.Read("gradients.safetensors"), HasSubstr("\"sharded\""));
}

TEST_F(ShardedProcessesTest, OnnxFilesToo) {
  SamplePlan plan = MakeShardedPlan(kElements);
  planpb::ExportTensor* tensor = plan.manifest.mutable_export_()->add_tensors();
  tensor->set_header("HEADER-SHARDED");
  tensor->set_parameter(2);
  ASSERT_OK(WriteSamplePlan(*vfs_, plan, dir_.File("plan")));
  options_.export_path = dir_.File("model.onnx");
  EXPECT_THAT(RunRanks(), ::testing::ElementsAre(0, 0))
      << Errors(0) << Errors(1);
  EXPECT_TRUE(HoldsInitialValues(dir_.Read("model.onnx")));
}

// The folder goes away during the run, so the file cannot be made at its end.
TEST_F(ShardedProcessesTest, AFileThatCannotBeWrittenEndsAllWithThatMessage) {
  ASSERT_OK(vfs_->MakeDirectory(dir_.File("out")));
  options_.export_path = dir_.File("out/model.safetensors");
  options_.steps = 200;
  options_.delay_collectives_ms = 1;
  const pid_t remover = fork();
  if (remover == 0) {
    // Not longer than a minute: the ranks may have failed before it is there.
    for (int i = 0; i < 60'000; ++i) {
      if (vfs_->Stat(dir_.File("run/metrics.jsonl")).ok()) {
        break;
      }
      usleep(1000);
    }
    _exit(std::filesystem::remove(dir_.File("out")) ? 0 : 1);
  }
  const std::vector<int> codes = RunRanks();
  int status = 0;
  ASSERT_EQ(waitpid(remover, &status, 0), remover);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(codes, ::testing::ElementsAre(
                         static_cast<int>(ExitCode::kInputOutput),
                         static_cast<int>(ExitCode::kCommunication)));
  EXPECT_THAT(Errors(0), HasSubstr("out/model.safetensors"));
  EXPECT_THAT(Errors(1), HasSubstr("error: rank 0: "));
  EXPECT_THAT(Errors(1), HasSubstr("out/model.safetensors"));
}

// Only some would take part in what all must do.
TEST_F(ShardedProcessesTest, RanksThatWantDifferentFilesAreTold) {
  before_ = [this](uint32_t rank, RunOptions& options) {
    if (rank == 0) {
      options.export_path = dir_.File("model.safetensors");
    }
  };
  EXPECT_THAT(RunRanks(), ::testing::ElementsAre(2, 2));
  EXPECT_THAT(Errors(0), HasSubstr("--export"));
}

}  // namespace
}  // namespace accel::testing
