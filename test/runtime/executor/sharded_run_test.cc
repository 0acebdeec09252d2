// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sharded plan on several ranks, as threads and as processes: what each
// rank holds after a step, against sums made here; the memory that all share;
// and what an executor refuses before it runs.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/device/cpu/cpu_memory.h"
#include "runtime/device/create_device.h"
#include "runtime/executor/parameters.h"
#include "runtime/executor/rank_threads.h"
#include "runtime/executor/step_driver.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/comm/rank_runner.h"
#include "test/runtime/npy_bytes.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using planpb::Access;
using runtime::Communicator;
using runtime::Dataset;
using runtime::DeviceOptions;
using runtime::ExecutorOptions;
using runtime::OwnedRange;
using runtime::Plan;
using runtime::StepDriver;
using ::testing::HasSubstr;

constexpr int kRows = 12;

// What rank `rank` brings to the sums; integers, so that sums are exact.
float Contribution(uint64_t rank, uint64_t i) {
  return static_cast<float>((rank + 1) * (i + 3));
}

std::vector<float> Contributions(uint64_t rank, uint64_t elements) {
  std::vector<float> values(elements);
  for (uint64_t i = 0; i < elements; ++i) {
    values[i] = Contribution(rank, i);
  }
  return values;
}

float SumAt(uint64_t ranks, uint64_t i) {
  float sum = 0;
  for (uint64_t rank = 0; rank < ranks; ++rank) {
    sum += Contribution(rank, i);
  }
  return sum;
}

absl::Status Expect(const std::string& what, const std::vector<float>& got,
                    const std::function<float(uint64_t)>& expected) {
  for (uint64_t i = 0; i < got.size(); ++i) {
    if (got[i] != expected(i)) {
      return absl::InternalError(absl::StrCat(what, "[", i, "]: expected ",
                                              expected(i), ", got ", got[i]));
    }
  }
  return absl::OkStatus();
}

absl::Span<std::byte> BytesOf(std::vector<float>& values) {
  return absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                        values.size() * sizeof(float));
}

// One rank: an executor with all that it borrows.
class Rank {
 public:
  static absl::StatusOr<std::unique_ptr<Rank>> Create(
      const TempDir& dir, const SamplePlan& sample, uint64_t rank,
      uint64_t ranks, Communicator* communicator,
      std::function<runtime::AvailableMemory(runtime::Vfs&)> available =
          runtime::ReadAvailableMemory) {
    auto self = std::make_unique<Rank>();
    self->sample_ = &sample;
    self->binding_ = FsdpBinding(rank, ranks);
    ASSIGN_OR_RETURN(self->plan_, Plan::Open(*self->vfs_, dir.File("plan")));
    runtime::DatasetOptions data;
    data.data = {"x=" + dir.File("x.npy"), "t=" + dir.File("t.npy")};
    data.shuffle = false;
    data.global_batch = kRows;
    ASSIGN_OR_RETURN(
        self->dataset_,
        Dataset::Open(*self->vfs_,
                      runtime::DataSignature(self->plan_->manifest()), data));
    DeviceOptions device;
    device.threads = 1;
    device.available_memory = std::move(available);
    self->device_ = runtime::CreateDevice(*self->vfs_, device).value();
    ExecutorOptions options;
    options.binding = self->binding_;
    options.communicator = communicator;
    options.global_batch = kRows;
    ASSIGN_OR_RETURN(
        self->executor_,
        StepDriver::Create(*self->vfs_, *self->plan_, *self->device_,
                           *self->dataset_, options));
    return self;
  }

  StepDriver& executor() { return *executor_; }
  const Plan& plan() const { return *plan_; }

  OwnedRange Owned(uint64_t elements) const {
    return *runtime::OwnedElements(TestShard(elements), binding_);
  }

  absl::StatusOr<std::vector<float>> Read(const std::string& buffer,
                                          uint64_t elements,
                                          uint64_t first = 0) const {
    std::vector<float> values(elements);
    RETURN_IF_ERROR(executor_->ReadBuffer(
        sample_->BufferIndex(buffer), first * sizeof(float), BytesOf(values)));
    return values;
  }

  absl::Status Write(const std::string& buffer, std::vector<float> values) {
    return executor_->WriteBuffer(sample_->BufferIndex(buffer), 0,
                                  BytesOf(values));
  }

 private:
  const SamplePlan* sample_ = nullptr;
  runtime::RankBinding binding_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Dataset> dataset_;
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<StepDriver> executor_;
};

class ShardedRunBase : public ::testing::Test {
 protected:
  ShardedRunBase() {
    dir_.Write("x.npy", Npy("<f4", {kRows, kFeatures},
                            std::vector<float>(kRows * kFeatures, 0.5f)));
    dir_.Write("t.npy", Npy("<f4", {kRows}, std::vector<float>(kRows, 1.0f)));
  }

  void Write(SamplePlan sample) {
    sample_ = std::move(sample);
    ASSERT_OK(
        WriteSamplePlan(*runtime::MakePosixVfs(), sample_, dir_.File("plan")));
  }

  TempDir dir_;
  SamplePlan sample_;
};

class ShardedRunTest : public ShardedRunBase,
                       public ::testing::WithParamInterface<Backend> {};

INSTANTIATE_TEST_SUITE_P(Backends, ShardedRunTest,
                         ::testing::Values(Backend::kThreads, Backend::kShm),
                         BackendName);

// All buffers of one rank after a step.
absl::Status CheckStep(Rank& rank, uint64_t number, uint64_t ranks,
                       uint64_t elements) {
  RETURN_IF_ERROR(rank.executor().Initialize());
  RETURN_IF_ERROR(rank.Write("contribution", Contributions(number, elements)));
  RETURN_IF_ERROR(rank.executor().RunStep(0).status());
  const OwnedRange owned = rank.Owned(elements);
  const std::vector<float> initial = InitialShardValues(elements);
  const auto is_initial = [&](uint64_t i) { return initial[i]; };
  const auto is_mine = [&](uint64_t i) {
    return i >= owned.begin && i < owned.end;
  };
  ASSIGN_OR_RETURN(const auto master, rank.Read("master", owned.size()));
  RETURN_IF_ERROR(Expect("master", master,
                         [&](uint64_t i) { return initial[owned.begin + i]; }));
  for (const char* name : {"seen", "replicated"}) {
    ASSIGN_OR_RETURN(const auto whole, rank.Read(name, elements));
    RETURN_IF_ERROR(Expect(name, whole, is_initial));
  }
  ASSIGN_OR_RETURN(const auto summed, rank.Read("summed", owned.size()));
  RETURN_IF_ERROR(Expect("summed", summed, [&](uint64_t i) {
    return SumAt(ranks, owned.begin + i);
  }));
  ASSIGN_OR_RETURN(const auto in_place, rank.Read("contribution", elements));
  RETURN_IF_ERROR(Expect("contribution", in_place, [&](uint64_t i) {
    return is_mine(i) ? SumAt(ranks, i) : Contribution(number, i);
  }));
  ASSIGN_OR_RETURN(const auto filled, rank.Read("filled", elements));
  return Expect("filled", filled,
                [&](uint64_t i) { return is_mine(i) ? 1.0f : 0.0f; });
}

// 5 elements on 3 ranks: rank 1 owns one, rank 2 nothing.
TEST_P(ShardedRunTest, CollectivesInPlaceAndApart) {
  for (const uint64_t elements : {5u, 10u, 1001u}) {
    Write(MakeShardedPlan(elements));
    for (const uint32_t ranks : {1u, 2u, 3u}) {
      const auto results =
          RunRanks(GetParam(), ranks, [&](Communicator& group) {
            const uint32_t number = group.rank();
            ASSIGN_OR_RETURN(
                const auto rank,
                Rank::Create(dir_, sample_, number, ranks, &group));
            return CheckStep(*rank, number, ranks, elements);
          });
      for (const absl::Status& result : results) {
        EXPECT_OK(result) << elements << " elements on " << ranks << " ranks";
      }
    }
  }
}

// What one rank writes into its gathered buffer all others find there.
TEST_P(ShardedRunTest, GatheredBuffersAreOneMemory) {
  Write(MakeShardedPlan(10));
  const auto results = RunRanks(GetParam(), 2, [&](Communicator& group) {
    const auto view = ViewOf(sample_);
    RETURN_IF_ERROR(view.status());
    ASSIGN_OR_RETURN(const auto layout,
                     runtime::MemoryLayout::Create(
                         *view, FsdpBinding(group.rank(), group.ranks())));
    const auto share = [&](uint64_t bytes) {
      return group.AllocateShared(bytes, "gathered buckets");
    };
    ASSIGN_OR_RETURN(const auto memory,
                     runtime::CpuMemory::Create(*view, layout, share));
    std::byte* const gathered =
        memory->At(layout.RangeOf(sample_.BufferIndex("gathered"), 0));
    std::byte* const own =
        memory->At(layout.RangeOf(sample_.BufferIndex("seen"), 0));
    gathered[group.rank()] = std::byte{static_cast<uint8_t>(7 + group.rank())};
    own[group.rank()] = std::byte{1};
    runtime::CollectiveCall barrier;
    RETURN_IF_ERROR(group.Run(barrier));
    for (uint32_t rank = 0; rank < 2; ++rank) {
      const auto found = std::to_integer<uint32_t>(gathered[rank]);
      const auto kept = std::to_integer<uint32_t>(own[rank]);
      if (found != 7 + rank || kept != (rank == group.rank() ? 1u : 0u)) {
        return absl::InternalError(
            absl::StrCat("byte ", rank, ": got ", found, " and ", kept));
      }
    }
    // Nobody leaves before all have looked.
    return group.Run(barrier);
  });
  for (const absl::Status& result : results) {
    EXPECT_OK(result);
  }
}

// What the slot holds, read in pieces of `step`, by this rank and all others.
absl::StatusOr<std::vector<float>> ReadSlot(const Plan& plan,
                                            const runtime::Executor& executor,
                                            const std::string& slot,
                                            uint64_t step, bool wanted) {
  const planpb::Parameter& parameter = plan.manifest().parameters(2);
  ASSIGN_OR_RETURN(const auto place,
                   runtime::FindParameter(plan.view(), parameter, slot));
  if (!place) {
    return absl::NotFoundError(slot);
  }
  std::vector<float> values(wanted ? place->elements : 0);
  for (uint64_t first = 0; first < place->elements; first += step) {
    const uint64_t count = std::min(step, place->elements - first);
    RETURN_IF_ERROR(runtime::ReadParameter(
        executor, *place, first, count,
        wanted ? BytesOf(values).subspan(first * sizeof(float),
                                         count * sizeof(float))
               : absl::Span<std::byte>()));
  }
  return values;
}

// Parts at the beginning of their buffers ("master", "gradient"), at their
// places in larger ones ("in place"), and a slot that every rank has.
absl::Status CheckTensors(const Plan& plan, const runtime::Executor& executor,
                          uint64_t ranks, bool wanted) {
  const auto sum = [ranks](uint64_t i) { return SumAt(ranks, i + 1); };
  const auto initial = [](uint64_t i) {
    return 0.25f * static_cast<float>(i + 2);
  };
  for (const uint64_t step : {1000u, 7u}) {
    ASSIGN_OR_RETURN(const auto master,
                     ReadSlot(plan, executor, "master", step, wanted));
    RETURN_IF_ERROR(Expect("master", master, initial));
    for (const char* slot : {"gradient", "in place"}) {
      ASSIGN_OR_RETURN(const auto values,
                       ReadSlot(plan, executor, slot, step, wanted));
      RETURN_IF_ERROR(Expect(slot, values, sum));
    }
    ASSIGN_OR_RETURN(const auto whole,
                     ReadSlot(plan, executor, "whole", step, wanted));
    RETURN_IF_ERROR(Expect("whole", whole, initial));
  }
  return absl::OkStatus();
}

TEST_P(ShardedRunTest, RanksReadTensorsTogether) {
  for (const uint64_t elements : {5u, 101u}) {
    Write(MakeShardedPlan(elements));
    for (const uint32_t ranks : {1u, 2u, 3u}) {
      const auto results =
          RunRanks(GetParam(), ranks, [&](Communicator& group) {
            ASSIGN_OR_RETURN(
                const auto rank,
                Rank::Create(dir_, sample_, group.rank(), ranks, &group));
            RETURN_IF_ERROR(CheckStep(*rank, group.rank(), ranks, elements));
            return CheckTensors(rank->plan(), rank->executor(), ranks,
                                group.rank() == 0);
          });
      for (const absl::Status& result : results) {
        EXPECT_OK(result) << elements << " elements on " << ranks << " ranks";
      }
    }
  }
}

// Larger than the pieces in which ranks exchange it.
TEST_P(ShardedRunTest, LargeTensorsAreExchangedInPieces) {
  constexpr uint64_t kLarge = 3'000'001;
  Write(MakeShardedPlan(kLarge));
  const auto results = RunRanks(GetParam(), 2, [&](Communicator& group) {
    ASSIGN_OR_RETURN(const auto rank,
                     Rank::Create(dir_, sample_, group.rank(), 2, &group));
    RETURN_IF_ERROR(rank->executor().Initialize());
    ASSIGN_OR_RETURN(const auto values,
                     ReadSlot(rank->plan(), rank->executor(), "master", kLarge,
                              group.rank() == 0));
    const std::vector<float> initial = InitialShardValues(kLarge);
    return Expect("master", values, [&](uint64_t i) { return initial[i + 1]; });
  });
  for (const absl::Status& result : results) {
    EXPECT_OK(result);
  }
}

// The rank that writes cannot go on: the others, which wait for it, learn why.
TEST_P(ShardedRunTest, AFailureWhileReadingTogetherEndsAll) {
  Write(MakeShardedPlan(10));
  const auto results = RunRanks(GetParam(), 2, [&](Communicator& group) {
    ASSIGN_OR_RETURN(const auto rank,
                     Rank::Create(dir_, sample_, group.rank(), 2, &group));
    RETURN_IF_ERROR(rank->executor().Initialize());
    if (group.rank() == 0) {
      group.Abort(absl::ResourceExhaustedError("the disk is full"));
      return absl::OkStatus();
    }
    return ReadSlot(rank->plan(), rank->executor(), "master", 10, false)
        .status();
  });
  EXPECT_OK(results[0]);
  EXPECT_THAT(results[1], StatusIs(absl::StatusCode::kResourceExhausted,
                                   HasSubstr("rank 0: the disk is full")));
}

class ShardedRankTest : public ShardedRunBase {
 protected:
  // A rank alone, without a communicator.
  absl::StatusOr<std::unique_ptr<Rank>> Alone(SamplePlan sample) {
    Write(std::move(sample));
    return Rank::Create(dir_, sample_, 0, 1, nullptr);
  }
};

TEST_F(ShardedRankTest, ARankAloneGathersAndScattersByCopying) {
  ASSERT_OK_AND_ASSIGN(const auto rank, Alone(MakeShardedPlan(10)));
  EXPECT_OK(CheckStep(*rank, 0, 1, 10));
}

class ShardedThreadsTest : public ShardedRunBase {
 protected:
  void Open(SamplePlan sample) {
    Write(std::move(sample));
    ASSERT_OK_AND_ASSIGN(plan_, Plan::Open(*vfs_, dir_.File("plan")));
    runtime::DatasetOptions data;
    data.data = {"x=" + dir_.File("x.npy"), "t=" + dir_.File("t.npy")};
    data.global_batch = kRows;
    ASSERT_OK_AND_ASSIGN(
        dataset_,
        Dataset::Open(*vfs_, runtime::DataSignature(plan_->manifest()), data));
  }

  absl::StatusOr<std::unique_ptr<runtime::RankThreads>> Make(
      int ranks, std::chrono::milliseconds delay = {}) {
    runtime::RankThreadsOptions options;
    options.ranks = ranks;
    options.executor.global_batch = kRows;
    options.executor.collective_delay = delay;
    return runtime::RankThreads::Create(*vfs_, *plan_, *dataset_, options);
  }

  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Dataset> dataset_;
};

// Every rank brings the same here, because buffers are written on all of them.
TEST_F(ShardedThreadsTest, TensorsAreReadFromTheRanksThatHoldThem) {
  constexpr uint64_t kElements = 101;
  Open(MakeShardedPlan(kElements));
  for (const uint64_t ranks : {1u, 2u, 3u}) {
    ASSERT_OK_AND_ASSIGN(const auto group, Make(static_cast<int>(ranks)));
    ASSERT_OK(group->Initialize());
    std::vector<float> same = Contributions(0, kElements);
    ASSERT_OK(group->WriteBuffer(sample_.BufferIndex("contribution"), 0,
                                 BytesOf(same)));
    const auto sum = [&](uint64_t i) {
      return static_cast<float>(ranks) * Contribution(0, i + 1);
    };
    // The gradients of the sample are complete before the collectives at the
    // step's end: nothing of them is there yet.
    ASSERT_OK(group->RunObservedStep(0, [&]() -> absl::Status {
      ASSIGN_OR_RETURN(const auto master,
                       ReadSlot(*plan_, *group, "master", 9, true));
      return Expect("master", master, [](uint64_t i) {
        return 0.25f * static_cast<float>(i + 2);
      });
    }));
    for (const char* slot : {"gradient", "in place"}) {
      ASSERT_OK_AND_ASSIGN(const auto values,
                           ReadSlot(*plan_, *group, slot, 9, true));
      EXPECT_OK(Expect(slot, values, sum));
    }
  }
}

TEST_F(ShardedThreadsTest, WhatLiesBeyondATensorIsRefused) {
  Open(MakeShardedPlan(10));
  ASSERT_OK_AND_ASSIGN(const auto group, Make(2));
  ASSERT_OK_AND_ASSIGN(
      const auto place,
      runtime::FindParameter(plan_->view(), plan_->manifest().parameters(2),
                             "master"));
  std::vector<float> values(2);
  EXPECT_THAT(group->ReadTensor(place->slot, 9, 2, BytesOf(values)),
              StatusIs(absl::StatusCode::kOutOfRange,
                       "rank 0: buffer 'master': elements [9, +2) do not lie "
                       "in its tensor of "
                       "10"));
}

// An error of who observes ends the ranks that wait for it.
TEST_F(ShardedThreadsTest, WhatTheObserverFailsWithEndsTheStepOfAll) {
  Open(MakeShardedPlan(10));
  ASSERT_OK_AND_ASSIGN(const auto group, Make(3));
  ASSERT_OK(group->Initialize());
  EXPECT_THAT(group->RunObservedStep(
                  0, [] { return absl::DataLossError("no room for it"); }),
              StatusIs(absl::StatusCode::kDataLoss, "rank 0: no room for it"));
}

TEST_F(ShardedThreadsTest, CollectivesCanBeDelayed) {
  Open(MakeShardedPlan(10));
  const auto seconds = [&](int ranks, int milliseconds) {
    auto group = Make(ranks, std::chrono::milliseconds(milliseconds));
    EXPECT_OK(group);
    EXPECT_OK((*group)->Initialize());
    const auto start = std::chrono::steady_clock::now();
    EXPECT_OK((*group)->RunStep(0));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  };
  // Four collectives of 60 ms each.
  EXPECT_GE(seconds(1, 60), 0.24);
  EXPECT_GE(seconds(2, 60), 0.24);
  EXPECT_LT(seconds(2, 0), 0.24);
}

TEST_F(ShardedThreadsTest, SharedMemoryIsCountedOnce) {
  Open(MakeShardedPlan(100));
  for (const int ranks : {1, 3}) {
    ASSERT_OK_AND_ASSIGN(const auto group, Make(ranks));
    const auto& layout = group->layout();
    EXPECT_EQ(group->PlannedBytes() - layout.staging().BytesOfHost(),
              ranks * layout.PrivateBytes() + (ranks == 1 ? 100 : 108) * 4u);
  }
}

TEST_F(ShardedRankTest, ARankIsAskedForItsShareOfTheSharedMemory) {
  Write(MakeShardedPlan(1000));
  ASSERT_OK_AND_ASSIGN(const auto view, ViewOf(sample_));
  for (const uint64_t spare : {0u, 1u}) {
    const auto results =
        RunRanks(Backend::kThreads, 2, [&](Communicator& group) {
          const auto binding = FsdpBinding(group.rank(), 2);
          ASSIGN_OR_RETURN(const auto layout,
                           runtime::MemoryLayout::Create(view, binding));
          const uint64_t all =
              layout.SharedBytes() + layout.staging().BytesOfHost();
          const uint64_t has = layout.PrivateBytes() + all / 2 - spare;
          return Rank::Create(dir_, sample_, group.rank(), 2, &group,
                              [&](runtime::Vfs&) {
                                return runtime::AvailableMemory{has, "a test"};
                              })
              .status();
        });
    for (const absl::Status& result : results) {
      if (spare == 0) {
        EXPECT_OK(result);
      } else {
        EXPECT_THAT(result, StatusIs(absl::StatusCode::kResourceExhausted,
                                     HasSubstr("for all 2 ranks")));
      }
    }
  }
}

struct Fault {
  std::string text;
  std::function<void(SamplePlan&)> make;
};

TEST_F(ShardedRankTest, WhatCannotRunIsRefusedByName) {
  const std::vector<Fault> faults = {
      {"(collective 'gather', stream 'communication'): output: expected an "
       "access of 40 bytes, got 36",
       [](SamplePlan& p) {
         p.Step("gather").mutable_accesses(1)->set_bytes(36);
         p.Step("look").mutable_accesses(0)->set_bytes(36);
         p.Step("look").mutable_accesses(1)->set_bytes(36);
       }},
      {"(collective 'gather own', stream 'communication'): input: expected a "
       "part of 10 elements, granule 4, got one of 10, granule 2",
       [](SamplePlan& p) {
         p.Step("gather own")
             .mutable_accesses(0)
             ->mutable_shard()
             ->set_granule(2);
       }},
      {"(collective 'scatter', stream 'communication'): output: expected an "
       "access of this rank's 40 bytes, or a buffer of 48, got 44",
       [](SamplePlan& p) {
         p.Step("scatter").mutable_accesses(1)->set_bytes(44);
       }},
      {"expected input and output apart or in place, got two that overlap",
       [](SamplePlan& p) {
         p.Step("gather").mutable_accesses(0)->set_buffer(
             p.BufferIndex("summed"));
         p.Step("gather").mutable_accesses(0)->set_offset(4);
         p.Step("gather").mutable_accesses(0)->set_bytes(40);
         p.Step("gather").mutable_accesses(1)->set_buffer(
             p.BufferIndex("summed"));
         p.Step("look").mutable_accesses(0)->set_buffer(
             p.BufferIndex("contribution"));
       }},
      {"expected a sum, which is all that this executor knows of "
       "reduce_scatter",
       [](SamplePlan& p) {
         p.Step("scatter").mutable_collective()->set_reduction(
             planpb::Collective::REDUCTION_MAX);
       }},
      {"expected a sum of f32, f64 or i64, got one of bf16",
       [](SamplePlan& p) {
         p.Step("scatter").mutable_collective()->set_dtype(
             planpb::ELEMENT_BF16);
       }},
      {"expected an all_gather, which reduces nothing, got a reduction",
       [](SamplePlan& p) {
         p.Step("gather").mutable_collective()->set_reduction(
             planpb::Collective::REDUCTION_SUM);
       }},
      {"expected a collective with input and output",
       [](SamplePlan& p) {
         p.Step("gather").mutable_collective()->clear_input_plus_one();
       }},
      {"buffer 'gathered': expected that only all_gather and broadcast write "
       "what all ranks share, got copy",
       [](SamplePlan& p) {
         p.Step("look").mutable_accesses(0)->set_mode(Access::MODE_READ_WRITE);
       }},
      {"buffer 'seen': expected transient buffers only in memory that ranks "
       "share",
       [](SamplePlan& p) { p.Buffer("seen").set_space(planpb::SPACE_SHARED); }},
      {"a copy of 40 bytes to 36",
       [](SamplePlan& p) {
         p.Step("look").mutable_accesses(1)->set_bytes(36);
       }},
  };
  for (const Fault& fault : faults) {
    SamplePlan plan = MakeShardedPlan(10);
    fault.make(plan);
    const auto rank = Alone(std::move(plan));
    ASSERT_FALSE(rank.ok()) << fault.text;
    EXPECT_THAT(std::string(rank.status().message()), HasSubstr(fault.text));
  }
}

}  // namespace
}  // namespace accel::testing
