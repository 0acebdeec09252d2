// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans for a target that only this test knows train as those for CPUs do, in
// every mode, and are planned as that target asks.
#include "compiler/Driver.h"
#include "runtime/executor/rank_threads.h"
#include "runtime/io/posix_vfs.h"
#include "test/compiler/OtherTarget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace accel::test {
namespace {

constexpr int64_t kGlobalBatch = 12;
constexpr int64_t kSteps = 5;
constexpr double kTolerance = 2e-5; ///< of a loss, relative

struct Case {
  const char *model, *mode;
};

class TargetTest : public testing::TestWithParam<Case> {
protected:
  TargetTest() {
    OtherTarget::makeKnown();
    std::string pattern = testing::TempDir() + "accel-target-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~TargetTest() override { std::filesystem::remove_all(folder); }

  std::unique_ptr<runtime::Plan> compileFor(const std::string &target) {
    CompilerOptions options;
    options.model =
        std::string(ACCEL_MODELS "/") + GetParam().model + "/model.onnx";
    options.output = folder + "/" + target + ".plan";
    options.target = target;
    options.frontend.dimensions["batch"] = 3;
    options.shard.mode = *dist::symbolizeShardingMode(GetParam().mode);
    options.accumulate.globalBatch = kGlobalBatch;
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    if (compile(options, stream, stream) != ExitCode::Ok) {
      ADD_FAILURE() << messages;
      return nullptr;
    }
    auto opened = runtime::Plan::Open(*vfs, options.output);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return opened.ok() ? std::move(*opened) : nullptr;
  }

  std::vector<double> train(const runtime::Plan &plan, int count) {
    runtime::DatasetOptions dataOptions;
    dataOptions.global_batch = kGlobalBatch;
    auto data = runtime::Dataset::Open(
        *vfs, runtime::DataSignature(plan.manifest()), dataOptions);
    runtime::RankThreadsOptions options;
    options.ranks = count;
    options.executor.global_batch = kGlobalBatch;
    std::vector<double> losses;
    auto ranks = runtime::RankThreads::Create(*vfs, plan, **data, options);
    EXPECT_TRUE(ranks.ok()) << ranks.status();
    if (!ranks.ok() || !(*ranks)->Initialize().ok()) {
      return losses;
    }
    for (int64_t step = 0; step < kSteps; ++step) {
      auto metrics = (*ranks)->Run(planpb::FUNCTION_STEP, step);
      EXPECT_TRUE(metrics.ok()) << metrics.status();
      losses.push_back((*metrics)[*plan.view().FindMetric("loss")]);
    }
    return losses;
  }

  std::unique_ptr<runtime::Vfs> vfs = runtime::MakePosixVfs();
  std::string folder;
};

/// A target without code for floats of 8 bits.
class NoFp8Target : public OtherTarget {
public:
  Fp8Support getFp8Support(int64_t) const override { return Fp8Support::None; }
};

TEST(Fp8TargetTest, ATargetWithoutFp8RefusesIt) {
  registerTarget("no-fp8", std::make_unique<NoFp8Target>());
  CompilerOptions options;
  options.model = std::string(ACCEL_MODELS "/decoder16/model.onnx");
  options.output = testing::TempDir() + "no-fp8.plan";
  options.target = "no-fp8";
  options.precision.precision = "bf16";
  options.precision.fp8.recipe = "current";
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  EXPECT_EQ(compile(options, stream, stream), ExitCode::CompileError);
  EXPECT_NE(messages.find("--fp8=current: expected a target that multiplies "
                          "floats of 8 bits with such scales, got 'no-fp8', "
                          "which does not; "),
            std::string::npos)
      << messages;
  EXPECT_FALSE(std::filesystem::exists(options.output));
}

/// Whether weights lie in the file at multiples of what the target asks for.
bool hasAlignedWeights(const runtime::Plan &plan) {
  for (const auto &function : plan.view().functions()) {
    for (const planpb::Instruction &instruction : function.instructions()) {
      for (const planpb::LoadPiece &piece : instruction.load().pieces()) {
        if (piece.source_offset() % OtherTarget::kAlignment != 0) {
          return false;
        }
      }
    }
  }
  return true;
}

TEST_P(TargetTest, AnotherTargetsPlanTrainsAsThatForCpus) {
  auto usual = compileFor("cpu");
  auto other = compileFor(OtherTarget::kName);
  ASSERT_TRUE(usual && other);
  // Its answers have been asked for.
  EXPECT_GT(other->manifest().kernels_size(), usual->manifest().kernels_size());
  for (const planpb::Buffer &buffer : other->manifest().buffers()) {
    EXPECT_EQ(buffer.alignment(), OtherTarget::kAlignment) << buffer.name();
    EXPECT_EQ(buffer.offset() % OtherTarget::kAlignment, 0) << buffer.name();
    EXPECT_NE(buffer.space(), planpb::SPACE_SHARED) << buffer.name();
  }
  EXPECT_TRUE(hasAlignedWeights(*other));
  ASSERT_EQ(other->manifest().streams_size(), 3);
  EXPECT_EQ(other->manifest().streams(0).name(), "input");
  EXPECT_EQ(other->manifest().streams(0).kind(), planpb::STREAM_HOST);
  EXPECT_EQ(other->manifest().streams(2).name(), "kernels");
  EXPECT_EQ(other->manifest().streams(2).kind(), planpb::STREAM_COMPUTE);
  // Products are calls of a library where the target says so, and code where it
  // does not: the same kernels.
  ASSERT_EQ(other->manifest().variants(0).name(), OtherTarget::kLibraryVariant);
  bool hasCalls = false;
  for (const planpb::Kernel &kernel : other->manifest().kernels()) {
    const planpb::KernelEntry &entry = kernel.entries(0);
    hasCalls |= entry.has_call();
    EXPECT_EQ(entry.has_call(), entry.size() == 0) << kernel.name();
    EXPECT_EQ(entry.call().library(), entry.has_call() ? "matrices" : "");
    for (int i = 1; i < kernel.entries_size(); ++i) {
      EXPECT_GT(kernel.entries(i).size(), 0u) << kernel.name();
    }
  }
  EXPECT_TRUE(hasCalls);
  for (int count : {1, 2}) {
    std::vector<double> expected = train(*usual, count);
    std::vector<double> actual = train(*other, count);
    ASSERT_EQ(actual.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(actual[i], expected[i], kTolerance * std::fabs(expected[i]))
          << "step " << i << " on " << count << " ranks";
    }
  }
}

/// A target on which nothing can be fetched.
class HostlessTarget : public OtherTarget {
public:
  llvm::ArrayRef<PlannedStream> getStreams() const override {
    return OtherTarget::getStreams().drop_front();
  }
};

TEST(TargetStreamsTest, AKindOfStreamThatIsNeededAndMissingIsAnError) {
  registerTarget("hostless", std::make_unique<HostlessTarget>());
  CompilerOptions options;
  options.model = ACCEL_MODELS "/mlp/model.onnx";
  options.output = testing::TempDir() + "accel-hostless.plan";
  options.target = "hostless";
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  EXPECT_NE(compile(options, stream, stream), ExitCode::Ok);
  EXPECT_NE(messages.find("expected a stream of kind host among the 2 that "
                          "target hostless lists, got none"),
            std::string::npos)
      << messages;
  EXPECT_FALSE(std::filesystem::exists(options.output));
}

INSTANTIATE_TEST_SUITE_P(
    Modes, TargetTest,
    testing::Values(Case{"gpt2", "plain"}, Case{"gpt2", "zero1"},
                    Case{"gpt2", "zero2"}, Case{"gpt2", "fsdp"},
                    Case{"mlp", "fsdp"}, Case{"gpt2-dropout", "fsdp"}),
    [](const testing::TestParamInfo<Case> &info) {
      std::string name = std::string(info.param.model) + "_" + info.param.mode;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

} // namespace
} // namespace accel::test
