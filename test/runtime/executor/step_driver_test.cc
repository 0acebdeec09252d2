// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sample plan, trained: against the same arithmetic written as loops, in
// streams and serially, with delays, for every global batch.
#include "runtime/executor/step_driver.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/create_device.h"
#include "runtime/executor/parameters.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/plan/container/external_file.h"
#include "runtime/random/philox.h"
#include "test/runtime/device/queued_device.h"
#include "test/runtime/faulty_vfs.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using runtime::Dataset;
using runtime::DatasetOptions;
using runtime::Device;
using runtime::DeviceOptions;
using runtime::ExecutorOptions;
using runtime::Plan;
using runtime::StepDriver;
using ::testing::HasSubstr;

constexpr int kSamples = 13;
constexpr int kSteps = 5;

std::vector<float> RandomFloats(uint32_t site, size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = runtime::UnitFloat(runtime::RandomWord(11, site, 0, i));
  }
  return values;
}

struct Result {
  std::vector<std::vector<double>> metrics;  // per step
  std::vector<float> w;
};

class StepDriverTest : public ::testing::Test {
 protected:
  StepDriverTest() {
    x_ = RandomFloats(1, kSamples * kFeatures);
    t_ = RandomFloats(2, kSamples);
    dir_.Write("x.npy", Npy("<f4", {kSamples, kFeatures}, x_));
    dir_.Write("t.npy", Npy("<f4", {kSamples}, t_));
  }

  void Open(const SamplePlan& sample) {
    ASSERT_OK(WriteSamplePlan(*vfs_, sample, dir_.File("plan")));
    ASSERT_OK_AND_ASSIGN(plan_, Plan::Open(*vfs_, dir_.File("plan")));
    DatasetOptions options;
    options.data = {"x=" + dir_.File("x.npy"), "t=" + dir_.File("t.npy")};
    options.shuffle = false;
    options.global_batch = 1;
    ASSERT_OK_AND_ASSIGN(
        dataset_,
        Dataset::Open(*vfs_, runtime::DataSignature(plan_->manifest()),
                      options));
  }

  absl::StatusOr<std::unique_ptr<StepDriver>> Make(ExecutorOptions options,
                                                   int threads = 2) {
    DeviceOptions device;
    device.threads = threads;
    return Make(options, runtime::CreateDevice(*vfs_, device).value());
  }

  absl::StatusOr<std::unique_ptr<StepDriver>> Make(
      ExecutorOptions options, std::unique_ptr<Device> device) {
    device_ = std::move(device);
    options.binding.threads = static_cast<uint64_t>(device_->threads());
    return StepDriver::Create(*vfs_, *plan_, *device_, *dataset_, options);
  }

  Result Train(const ExecutorOptions& options, int threads = 2) {
    return Train(Make(options, threads));
  }

  Result Train(absl::StatusOr<std::unique_ptr<StepDriver>> executor) {
    Result result;
    EXPECT_OK(executor);
    EXPECT_OK((*executor)->Initialize());
    for (int step = 0; step < kSteps; ++step) {
      auto metrics = (*executor)->RunStep(step);
      EXPECT_OK(metrics);
      result.metrics.push_back(*metrics);
    }
    result.w = Weights(**executor, "linear.weight");
    return result;
  }

  std::vector<float> Weights(const runtime::Executor& executor,
                             const std::string& name) {
    for (const planpb::Parameter& parameter : plan_->manifest().parameters()) {
      if (parameter.name() != name) {
        continue;
      }
      const auto place =
          runtime::FindParameter(plan_->view(), parameter, "master");
      EXPECT_OK(place);
      std::vector<float> values((*place)->elements);
      EXPECT_OK(runtime::ReadParameter(
          executor, **place, 0, values.size(),
          absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                         values.size() * sizeof(float))));
      return values;
    }
    return {};
  }

  // The batch of a step as the reference wants it.
  SampleStep Reference(int step, int global_batch, std::vector<float>& w) {
    std::vector<std::vector<float>> rows;
    std::vector<float> targets;
    for (int i = 0; i < global_batch; ++i) {
      const int row = (step * global_batch + i) % kSamples;
      rows.emplace_back(x_.begin() + row * kFeatures,
                        x_.begin() + (row + 1) * kFeatures);
      targets.push_back(t_[row]);
    }
    return ReferenceStep(rows, targets, 0.125, w);
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  std::vector<float> x_;
  std::vector<float> t_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Dataset> dataset_;
  std::unique_ptr<Device> device_;
};

// The short last iteration, padded at weight 0, included.
TEST_F(StepDriverTest, RefusesRanksThatShareSamples) {
  SamplePlan sample = MakeSamplePlan();
  sample.manifest.mutable_mesh()
      ->mutable_axes(planpb::AXIS_PIPELINE - 1)
      ->set_degree(2);
  Open(sample);
  EXPECT_THAT(Make(ExecutorOptions()).status(),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "expected a plan whose ranks lie along 'replica' or "
                       "'fsdp', got 2 along 'pipeline', which accel-run cannot "
                       "execute"));
}

// Threads without a workspace would write into whatever lies behind it.
TEST_F(StepDriverTest, RefusesMemoryForFewerThreadsThanTheDeviceHas) {
  Open(MakeSamplePlan());
  DeviceOptions two;
  two.threads = 2;
  ASSERT_OK_AND_ASSIGN(const auto device, runtime::CreateDevice(*vfs_, two));
  ExecutorOptions options;
  options.binding.threads = 1;
  EXPECT_THAT(
      StepDriver::Create(*vfs_, *plan_, *device, *dataset_, options).status(),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "expected memory for the 2 threads of the device, got a binding "
               "of 1"));
}

TEST_F(StepDriverTest, TrainsAsTheReferenceForEveryGlobalBatch) {
  Open(MakeSamplePlan());
  for (const int global_batch : {1, 2, 3, 6, 7}) {
    SCOPED_TRACE(global_batch);
    ExecutorOptions options;
    options.global_batch = global_batch;
    const Result result = Train(options);
    std::vector<float> w = kInitialWeights;
    for (int step = 0; step < kSteps; ++step) {
      const SampleStep expected = Reference(step, global_batch, w);
      EXPECT_NEAR(result.metrics[step][0], expected.loss, 1e-6);
      EXPECT_EQ(result.metrics[step][1], expected.tokens);
      EXPECT_EQ(result.metrics[step][2], 2.0 / expected.tokens);
      EXPECT_EQ(result.metrics[step][3], 0.125);
      EXPECT_NEAR(result.metrics[step][4], expected.grad_norm, 1e-6);
    }
    for (int i = 0; i < kFeatures; ++i) {
      EXPECT_NEAR(result.w[i], w[i], 1e-6);
    }
  }
}

TEST_F(StepDriverTest, StreamsSerialThreadsAndDelaysGiveTheSameBits) {
  Open(MakeSamplePlan());
  ExecutorOptions options;
  options.global_batch = 7;
  const Result streams = Train(options);
  EXPECT_EQ(Train(options).metrics, streams.metrics);
  EXPECT_EQ(Train(options, 1).metrics, streams.metrics);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    std::atomic<uint64_t> ticket = 0;
    options.before_instruction = [&](const planpb::Instruction&) {
      const uint32_t word = runtime::RandomWord(seed, 9, ticket++, 0);
      std::this_thread::sleep_for(std::chrono::microseconds(word % 300));
    };
    const Result delayed = Train(options);
    EXPECT_EQ(delayed.metrics, streams.metrics);
    EXPECT_EQ(delayed.w, streams.w);
  }
  options.before_instruction = nullptr;
  options.serial = true;
  const Result serial = Train(options);
  EXPECT_EQ(serial.metrics, streams.metrics);
  EXPECT_EQ(serial.w, streams.w);
}

// Of a device that issues instructions when they are enqueued and carries them
// out when it likes, in an order that only streams and events restrain.
TEST_F(StepDriverTest, AnyDeviceThatRespectsEventsGivesTheSameBits) {
  Open(MakeSamplePlan());
  ExecutorOptions options;
  options.global_batch = 7;
  const Result expected = Train(options);
  for (uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    options.serial = seed == 11;
    const Result got = Train(
        Make(options, std::make_unique<QueuedDevice>(
                          *vfs_, QueuedDeviceOptions{seed, 3, seed % 3 != 0})));
    EXPECT_EQ(got.metrics, expected.metrics);
    EXPECT_EQ(got.w, expected.w);
  }
}

// The data is to blame, and the state is unknown from then on.
void ExpectFailedFetch(runtime::Executor& executor,
                       const absl::Status& failed) {
  ASSERT_FALSE(failed.ok());
  EXPECT_TRUE(failed.GetPayload(runtime::kDataErrorPayload));
  EXPECT_THAT(std::string(failed.message()),
              HasSubstr("instruction 3 of 'step' (fetch 'fetch first', stream "
                        "'communication'): "));
  EXPECT_EQ(executor.RunStep(1).status(), failed);
}

// The thread that enqueues reads the data, too. Each read of a row takes 2 ms,
// a step 6 rows of two fields.
TEST_F(StepDriverTest, AReadIsAWaitWhereADeviceHasNothingElseToDo) {
  constexpr std::chrono::milliseconds kRead(2);
  Faults faults;
  faults.before = [&](const std::string& what) {
    if (what == "read") {
      std::this_thread::sleep_for(kRead);
    }
  };
  const std::unique_ptr<runtime::Vfs> base = std::move(vfs_);
  vfs_ = std::make_unique<FaultyVfs>(*base, faults);
  Open(MakeSamplePlan());
  ExecutorOptions options;
  options.global_batch = 6;
  for (const std::optional<bool> is_out_of_work :
       {std::optional<bool>(), std::optional(false), std::optional(true)}) {
    ASSERT_OK_AND_ASSIGN(
        const auto executor,
        Make(options,
             std::make_unique<QueuedDevice>(
                 *vfs_, QueuedDeviceOptions{
                            .seed = 1, .is_out_of_work = is_out_of_work})));
    ASSERT_OK(executor->Initialize());
    for (int step = 0; step < 2; ++step) {
      ASSERT_OK(executor->RunStep(step));
      const auto wait = executor->DataWait();
      EXPECT_EQ(wait.has_value(), is_out_of_work.has_value());
      if (is_out_of_work == true) {
        EXPECT_GE(*wait, 6 * 2 * kRead);
      } else {
        EXPECT_EQ(wait.value_or(std::chrono::nanoseconds(0)).count(), 0);
      }
    }
  }
  device_ = nullptr;
  dataset_ = nullptr;
  plan_ = nullptr;
  vfs_ = runtime::MakePosixVfs();
}

TEST_F(StepDriverTest, AnErrorOfAnotherDeviceSaysWhereAndStays) {
  Open(MakeSamplePlan());
  ASSERT_OK_AND_ASSIGN(
      const auto executor,
      Make(ExecutorOptions(),
           std::make_unique<QueuedDevice>(*vfs_, QueuedDeviceOptions())));
  ASSERT_OK(executor->Initialize());
  std::filesystem::resize_file(dir_.File("x.npy"), 40);
  const auto failed = executor->RunStep(1);
  ExpectFailedFetch(*executor, failed.status());
}

TEST_F(StepDriverTest, WeightsAreLoadedAndTransposed) {
  Open(MakeSamplePlan());
  ASSERT_OK_AND_ASSIGN(const auto executor, Make(ExecutorOptions()));
  ASSERT_OK(executor->Initialize());
  EXPECT_EQ(Weights(*executor, "linear.weight"), kInitialWeights);
  EXPECT_EQ(Weights(*executor, "table"), kFrozenTable);
}

TEST_F(StepDriverTest, ConstantsAreThereWithoutInitialisation) {
  Open(MakeSamplePlan());
  ASSERT_OK_AND_ASSIGN(const auto executor, Make(ExecutorOptions()));
  std::vector<float> values(4);
  ASSERT_OK(executor->ReadBuffer(
      MakeSamplePlan().BufferIndex("constant"), 0,
      absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()), 16)));
  EXPECT_THAT(values, ::testing::ElementsAre(1, 2, 3, 4));
}

// Gradients are observed complete, unscaled and before the update.
TEST_F(StepDriverTest, ObservedStepsSeeTheGradient) {
  Open(MakeSamplePlan());
  ExecutorOptions options;
  options.global_batch = 5;
  ASSERT_OK_AND_ASSIGN(const auto executor, Make(options));
  ASSERT_OK(executor->Initialize());
  std::vector<float> w = kInitialWeights;
  const SampleStep expected = Reference(0, 5, w);
  int calls = 0;
  ASSERT_OK(executor->RunObservedStep(0, [&] {
    ++calls;
    EXPECT_EQ(Weights(*executor, "linear.weight"), kInitialWeights);
    std::vector<float> gradient(kFeatures);
    EXPECT_OK(executor->ReadBuffer(
        MakeSamplePlan().BufferIndex("gradient"), 0,
        absl::MakeSpan(reinterpret_cast<std::byte*>(gradient.data()),
                       sizeof(float) * kFeatures)));
    const auto scale =
        runtime::GetScalar(*executor, MakeSamplePlan().BufferIndex("scale"));
    EXPECT_THAT(scale, IsOkAndHolds(2.0 / 5));
    for (int i = 0; i < kFeatures; ++i) {
      EXPECT_NEAR(gradient[i] * *scale, expected.gradient[i], 1e-6);
    }
    return absl::OkStatus();
  }));
  EXPECT_EQ(calls, 1);
}

TEST_F(StepDriverTest, HyperparametersCanBeSetBetweenSteps) {
  Open(MakeSamplePlan());
  ASSERT_OK_AND_ASSIGN(const auto executor, Make(ExecutorOptions()));
  ASSERT_OK(executor->Initialize());
  ASSERT_OK(
      runtime::SetScalar(*executor, MakeSamplePlan().BufferIndex("lr"), 0.0));
  ASSERT_OK_AND_ASSIGN(const auto metrics, executor->RunStep(0));
  EXPECT_EQ(metrics[3], 0.0);
  EXPECT_EQ(Weights(*executor, "linear.weight"), kInitialWeights);
}

TEST_F(StepDriverTest, APlanWithARaceIsNotRun) {
  SamplePlan sample = MakeSamplePlan();
  sample.Step("predict").mutable_waits()->DeleteSubrange(0, 1);
  Open(sample);
  EXPECT_THAT(Make(ExecutorOptions()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("nothing orders instruction 3")));
}

TEST_F(StepDriverTest, ACollectiveIsRefusedByItsInstruction) {
  SamplePlan sample = MakeSamplePlan();
  sample.manifest.mutable_metrics()->RemoveLast();
  planpb::Collective* collective =
      sample.Step("metric grad_norm").mutable_collective();
  collective->set_kind(planpb::Collective::KIND_BARRIER);
  collective->add_axes(planpb::AXIS_REPLICA);
  collective->set_dtype(planpb::ELEMENT_F32);
  Open(sample);
  EXPECT_THAT(
      Make(ExecutorOptions()),
      StatusIs(
          absl::StatusCode::kUnimplemented,
          "instruction 16 of 'step' (collective 'metric grad_norm', stream "
          "'communication'): expected all_gather, reduce_scatter or "
          "all_reduce, which is all that this executor knows of "
          "collectives, got barrier"));
}

TEST_F(StepDriverTest, AChangedDataFileEndsTheRunAndSaysSo) {
  Open(MakeSamplePlan());
  ASSERT_OK_AND_ASSIGN(const auto executor, Make(ExecutorOptions()));
  ASSERT_OK(executor->Initialize());
  ASSERT_OK(executor->RunStep(0).status());
  std::filesystem::resize_file(dir_.File("x.npy"), 40);
  const auto failed = executor->RunStep(1);
  ExpectFailedFetch(*executor, failed.status());
}

TEST_F(StepDriverTest, ReadsAndWritesBeyondABufferAreRefused) {
  Open(MakeSamplePlan());
  ASSERT_OK_AND_ASSIGN(const auto executor, Make(ExecutorOptions()));
  std::vector<std::byte> bytes(65);
  EXPECT_THAT(executor->ReadBuffer(0, 0, absl::MakeSpan(bytes)),
              StatusIs(absl::StatusCode::kOutOfRange,
                       "buffer 'w': bytes [0, +65) do not lie in its 64"));
  EXPECT_FALSE(executor->WriteBuffer(0, UINT64_MAX, bytes).ok());
}

// Nothing is shared: two executors of one process, of different plans, take
// turns and give the bits that each gives alone.
TEST_F(StepDriverTest, TwoExecutorsInOneProcessDoNotDisturbEachOther) {
  Open(MakeSamplePlan());
  ExecutorOptions options;
  options.global_batch = 7;
  options.serial = true;
  const Result alone = Train(options, 2);
  options.global_batch = 3;
  const Result other_alone = Train(options, 1);

  std::unique_ptr<Plan> other_plan;
  std::unique_ptr<Dataset> other_dataset;
  std::unique_ptr<Device> other_device;
  ASSERT_OK_AND_ASSIGN(const auto other, Make(options, 1));
  other_plan = std::move(plan_);
  other_dataset = std::move(dataset_);
  other_device = std::move(device_);
  Open(MakeSamplePlan());
  options.global_batch = 7;
  ASSERT_OK_AND_ASSIGN(const auto one, Make(options, 2));
  ASSERT_OK(other->Initialize());
  ASSERT_OK(one->Initialize());
  for (int step = 0; step < kSteps; ++step) {
    EXPECT_THAT(one->RunStep(step), IsOkAndHolds(alone.metrics[step]));
    EXPECT_THAT(other->RunStep(step), IsOkAndHolds(other_alone.metrics[step]));
  }
  EXPECT_EQ(Weights(*one, "linear.weight"), alone.w);
}

// The same from two threads at once.
TEST_F(StepDriverTest, TwoExecutorsRunAtTheSameTime) {
  Open(MakeSamplePlan());
  ExecutorOptions options;
  options.global_batch = 7;
  const Result alone = Train(options, 2);
  std::vector<Result> results(2);
  {
    std::vector<std::jthread> threads;
    for (Result& result : results) {
      threads.emplace_back([&] {
        DeviceOptions device_options;
        device_options.threads = 2;
        const auto device =
            runtime::CreateDevice(*vfs_, device_options).value();
        ExecutorOptions own = options;
        own.binding.threads = 2;
        auto executor =
            StepDriver::Create(*vfs_, *plan_, *device, *dataset_, own);
        ASSERT_OK(executor);
        ASSERT_OK((*executor)->Initialize());
        for (int step = 0; step < kSteps; ++step) {
          auto metrics = (*executor)->RunStep(step);
          ASSERT_OK(metrics);
          result.metrics.push_back(*metrics);
        }
        result.w = Weights(**executor, "linear.weight");
      });
    }
  }
  for (const Result& result : results) {
    EXPECT_EQ(result.metrics, alone.metrics);
    EXPECT_EQ(result.w, alone.w);
  }
}

TEST_F(StepDriverTest, WeightsMayLieBesideThePlan) {
  SamplePlan sample = MakeSamplePlan();
  const std::string weights = sample.sections[kWeights].bytes;
  dir_.Write("weights.bin", weights);
  ASSERT_OK_AND_ASSIGN(*sample.manifest.add_external_files(),
                       runtime::DescribeExternalFile(
                           *vfs_, dir_.File("weights.bin"), "weights.bin"));
  for (int i = 0; i < 2; ++i) {
    auto* piece = sample.functions[0][i].mutable_load()->mutable_pieces(0);
    piece->clear_section_plus_one();
    piece->set_external_file_plus_one(1);
  }
  Open(sample);
  {
    ASSERT_OK_AND_ASSIGN(const auto executor, Make(ExecutorOptions()));
    ASSERT_OK(executor->Initialize());
    EXPECT_EQ(Weights(*executor, "table"), kFrozenTable);
  }
  const std::string remedy =
      "; put the file that the model was compiled with there, name its folder "
      "with --weights-dir, or compile the model again with accelc";
  dir_.Write("weights.bin", std::string(weights.size(), 'x'));
  {
    ASSERT_OK_AND_ASSIGN(const auto executor, Make(ExecutorOptions()));
    EXPECT_THAT(executor->Initialize(),
                StatusIs(absl::StatusCode::kDataLoss,
                         HasSubstr("is not the file that the plan was compiled "
                                   "with")));
  }
  dir_.Write("weights.bin", "short");
  EXPECT_THAT(Make(ExecutorOptions()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "weights of the plan: '" + dir_.File("weights.bin") +
                           "': expected a file of 44 bytes, got 5" + remedy));
  std::filesystem::remove(dir_.File("weights.bin"));
  EXPECT_THAT(Make(ExecutorOptions()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "weights of the plan: '" + dir_.File("weights.bin") +
                           "': expected the weights that the plan refers to, "
                           "got no such file" +
                           remedy));
}

TEST_F(StepDriverTest, FilesOutsideTheFolderOfTheWeightsAreNotRead) {
  for (const std::string path : {"/etc/passwd", "../x", "a/../b", ""}) {
    SamplePlan sample = MakeSamplePlan();
    sample.manifest.add_external_files()->set_path(path);
    Open(sample);
    EXPECT_THAT(
        Make(ExecutorOptions()),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 "weights of the plan: external file '" + path +
                     "': expected a path inside the folder of the weights"));
  }
}

}  // namespace
}  // namespace accel::testing
