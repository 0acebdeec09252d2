// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every collective against a plain computation, for any number of ranks and any
// size, with the same bits however the ranks are delayed.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/comm/communicator.h"
#include "test/runtime/comm/rank_runner.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::Backend;
using ::accel::testing::IsOk;
using ::accel::testing::RunRanks;
using ::accel::testing::SleepFor;
using planpb::Collective;
using ::testing::Each;

constexpr uint64_t kSizes[] = {0, 1, 2, 127, 1000, 5003};
constexpr uint64_t kGranules[] = {1, 128};

// Small chunks, so that most sizes need several, and the last one is partial.
CommunicatorOptions SmallChunks() {
  CommunicatorOptions options;
  options.chunk_bytes = 4096;
  return options;
}

uint64_t Mixed(uint64_t value) {
  value *= 0x9E3779B97F4A7C15;
  value ^= value >> 29;
  value *= 0xBF58476D1CE4E5B9;
  return value ^ (value >> 32);
}

// Of many magnitudes and both signs, so that another order gives other sums.
template <typename T>
T InputOf(uint32_t rank, uint64_t index) {
  const uint64_t word = Mixed(rank * 1000003 + index + 1);
  const auto value = static_cast<double>(static_cast<int64_t>(word) >> 20);
  return static_cast<T>(value / static_cast<double>(1 << (word % 24)));
}

template <typename T>
std::vector<T> InputsOf(uint32_t rank, uint64_t elements) {
  std::vector<T> values(elements);
  for (uint64_t i = 0; i < elements; ++i) {
    values[i] = InputOf<T>(rank, i);
  }
  return values;
}

template <typename T>
T Combined(CollectiveCall::Reduction reduction, T a, T b) {
  if (reduction == Collective::REDUCTION_MAX) {
    return a > b ? a : b;
  }
  if (reduction == Collective::REDUCTION_MIN) {
    return a < b ? a : b;
  }
  return a + b;
}

template <typename T>
std::vector<T> ReducedOf(uint32_t ranks, uint64_t elements,
                         CollectiveCall::Reduction reduction) {
  std::vector<T> sums = InputsOf<T>(0, elements);
  for (uint32_t rank = 1; rank < ranks; ++rank) {
    for (uint64_t i = 0; i < elements; ++i) {
      sums[i] = Combined(reduction, sums[i], InputOf<T>(rank, i));
    }
  }
  return sums;
}

template <typename T>
absl::Span<const std::byte> BytesOf(const std::vector<T>& values,
                                    OwnedRange range) {
  return absl::MakeConstSpan(
      reinterpret_cast<const std::byte*>(values.data() + range.begin),
      range.size() * sizeof(T));
}
template <typename T>
absl::Span<std::byte> BytesOf(std::vector<T>& values, OwnedRange range) {
  return absl::MakeSpan(
      reinterpret_cast<std::byte*>(values.data() + range.begin),
      range.size() * sizeof(T));
}

template <typename T>
absl::Status ExpectEqual(const std::vector<T>& got,
                         const std::vector<T>& expected, OwnedRange range,
                         absl::string_view what) {
  for (uint64_t i = range.begin; i < range.end; ++i) {
    if (BytesOf(got, {i, i + 1}) != BytesOf(expected, {i, i + 1})) {
      return absl::InternalError(absl::StrCat(
          what, ": element ", i, " is ", got[i], ", expected ", expected[i]));
    }
  }
  return absl::OkStatus();
}

// [r L, (r+1) L), written down once more on purpose.
OwnedRange PlainCut(uint64_t elements, uint64_t granule, uint64_t ranks,
                    uint64_t rank) {
  const uint64_t length =
      (elements + granule * ranks - 1) / (granule * ranks) * granule;
  return {std::min(elements, rank * length),
          std::min(elements, (rank + 1) * length)};
}

template <typename T>
constexpr DType TypeOf() {
  return std::is_same_v<T, float>    ? DType::kF32
         : std::is_same_v<T, double> ? DType::kF64
                                     : DType::kI64;
}

struct Case {
  uint64_t elements = 0;
  uint64_t granule = 1;
  bool in_place = false;
  CollectiveCall::Reduction reduction = Collective::REDUCTION_SUM;
};

template <typename T>
CollectiveCall CallOf(Collective::Kind kind, const Case& c) {
  CollectiveCall call;
  call.kind = kind;
  call.dtype = TypeOf<T>();
  call.elements = c.elements;
  call.granule = c.granule;
  call.name = "test";
  if (call.reduces()) {
    call.reduction = c.reduction;
  }
  return call;
}

template <typename T>
absl::Status CheckAllGather(Communicator& comm, const Case& c) {
  // Of the whole tensor each rank knows its own part only.
  const auto whole = InputsOf<T>(0, c.elements);
  const OwnedRange owned =
      PlainCut(c.elements, c.granule, comm.ranks(), comm.rank());
  std::vector<T> output(c.elements, T(-1));
  CollectiveCall call = CallOf<T>(Collective::KIND_ALL_GATHER, c);
  call.input = BytesOf(whole, owned);
  call.output = BytesOf(output, {0, c.elements});
  if (c.in_place) {
    std::copy(whole.begin() + owned.begin, whole.begin() + owned.end,
              output.begin() + owned.begin);
    call.input = BytesOf(output, owned);
  }
  RETURN_IF_ERROR(comm.Run(call));
  return ExpectEqual(output, whole, {0, c.elements}, "all_gather");
}

template <typename T>
absl::Status CheckReduceScatter(Communicator& comm, const Case& c) {
  const OwnedRange owned =
      PlainCut(c.elements, c.granule, comm.ranks(), comm.rank());
  std::vector<T> input = InputsOf<T>(comm.rank(), c.elements);
  std::vector<T> output(c.elements, T(-1));
  CollectiveCall call = CallOf<T>(Collective::KIND_REDUCE_SCATTER, c);
  call.input = BytesOf(input, {0, c.elements});
  call.output = BytesOf(c.in_place ? input : output, owned);
  RETURN_IF_ERROR(comm.Run(call));
  return ExpectEqual(c.in_place ? input : output,
                     ReducedOf<T>(comm.ranks(), c.elements, c.reduction), owned,
                     "reduce_scatter");
}

template <typename T>
absl::Status CheckAllReduce(Communicator& comm, const Case& c) {
  std::vector<T> input = InputsOf<T>(comm.rank(), c.elements);
  std::vector<T> output(c.elements, T(-1));
  CollectiveCall call = CallOf<T>(Collective::KIND_ALL_REDUCE, c);
  call.input = BytesOf(input, {0, c.elements});
  call.output = BytesOf(c.in_place ? input : output, {0, c.elements});
  RETURN_IF_ERROR(comm.Run(call));
  return ExpectEqual(c.in_place ? input : output,
                     ReducedOf<T>(comm.ranks(), c.elements, c.reduction),
                     {0, c.elements}, "all_reduce");
}

template <typename T>
absl::Status CheckBroadcast(Communicator& comm, const Case& c) {
  for (uint32_t root = 0; root < comm.ranks(); ++root) {
    std::vector<T> input = InputsOf<T>(comm.rank(), c.elements);
    std::vector<T> output(c.elements, T(-1));
    CollectiveCall call = CallOf<T>(Collective::KIND_BROADCAST, c);
    call.root = root;
    call.input = BytesOf(input, {0, c.elements});
    call.output = BytesOf(c.in_place ? input : output, {0, c.elements});
    RETURN_IF_ERROR(comm.Run(call));
    RETURN_IF_ERROR(ExpectEqual(c.in_place ? input : output,
                                InputsOf<T>(root, c.elements), {0, c.elements},
                                "broadcast"));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status CheckEverything(Communicator& comm) {
  for (const uint64_t elements : kSizes) {
    for (const uint64_t granule : kGranules) {
      for (const bool in_place : {false, true}) {
        Case c{elements, granule, in_place, Collective::REDUCTION_SUM};
        RETURN_IF_ERROR(CheckAllGather<T>(comm, c));
        RETURN_IF_ERROR(CheckBroadcast<T>(comm, c));
        for (const auto reduction :
             {Collective::REDUCTION_SUM, Collective::REDUCTION_MAX,
              Collective::REDUCTION_MIN}) {
          c.reduction = reduction;
          RETURN_IF_ERROR(CheckReduceScatter<T>(comm, c));
          RETURN_IF_ERROR(CheckAllReduce<T>(comm, c));
        }
        RETURN_IF_ERROR(comm.Run(CollectiveCall()));
      }
    }
  }
  return absl::OkStatus();
}

class CollectivesTest : public ::testing::TestWithParam<Backend> {};

TEST_P(CollectivesTest, AreWhatAPlainComputationGives) {
  for (uint32_t ranks = 1; ranks <= 5; ++ranks) {
    EXPECT_THAT(RunRanks(
                    GetParam(), ranks,
                    [](Communicator& comm) -> absl::Status {
                      RETURN_IF_ERROR(CheckEverything<float>(comm));
                      RETURN_IF_ERROR(CheckEverything<double>(comm));
                      return CheckEverything<int64_t>(comm);
                    },
                    SmallChunks()),
                Each(IsOk()))
        << ranks << " ranks";
  }
}

// Delays of a rank before its calls: another pattern in every run.
TEST_P(CollectivesTest, HaveTheSameBitsHoweverTheRanksAreDelayed) {
  for (uint64_t run = 0; run < 20; ++run) {
    EXPECT_THAT(RunRanks(
                    GetParam(), 4,
                    [run](Communicator& comm) -> absl::Status {
                      const Case c{5003, 128, false, Collective::REDUCTION_SUM};
                      for (uint64_t round = 0; round < 5; ++round) {
                        const uint64_t word =
                            Mixed(run * 64 + comm.rank() * 8 + round + 1);
                        SleepFor(std::chrono::microseconds(word % 2000));
                        RETURN_IF_ERROR(CheckAllReduce<float>(comm, c));
                        RETURN_IF_ERROR(CheckReduceScatter<float>(comm, c));
                      }
                      return absl::OkStatus();
                    },
                    SmallChunks()),
                Each(IsOk()));
  }
}

TEST_P(CollectivesTest, ManySmallOnesFollowEachOther) {
  EXPECT_THAT(RunRanks(GetParam(), 3,
                       [](Communicator& comm) -> absl::Status {
                         const Case c{3, 1, true, Collective::REDUCTION_SUM};
                         for (int i = 0; i < 1000; ++i) {
                           RETURN_IF_ERROR(CheckAllReduce<double>(comm, c));
                         }
                         return absl::OkStatus();
                       }),
              Each(IsOk()));
}

TEST_P(CollectivesTest, ABarrierWaitsForTheLastRank) {
  EXPECT_THAT(RunRanks(GetParam(), 3,
                       [](Communicator& comm) -> absl::Status {
                         const auto before = std::chrono::steady_clock::now();
                         if (comm.rank() == 1) {
                           SleepFor(std::chrono::milliseconds(300));
                         }
                         RETURN_IF_ERROR(comm.Run(CollectiveCall()));
                         const auto after = std::chrono::steady_clock::now();
                         // The ranks do not begin at the same moment.
                         return after - before < std::chrono::milliseconds(100)
                                    ? absl::InternalError("too early")
                                    : absl::OkStatus();
                       }),
              Each(IsOk()));
}

TEST_P(CollectivesTest, SeveralMayBeUnderWayAndEndInTheirOrder) {
  EXPECT_THAT(
      RunRanks(
          GetParam(), 3,
          [](Communicator& comm) -> absl::Status {
            std::vector<std::vector<float>> values;
            std::vector<Communicator::Ticket> tickets;
            for (uint64_t i = 0; i < 5; ++i) {
              values.push_back(InputsOf<float>(comm.rank(), 100 * i));
            }
            for (uint64_t i = 0; i < 5; ++i) {
              CollectiveCall call = CallOf<float>(Collective::KIND_ALL_REDUCE,
                                                  {.elements = 100 * i});
              call.input = BytesOf(values[i], {0, 100 * i});
              call.output = BytesOf(values[i], {0, 100 * i});
              ASSIGN_OR_RETURN(const auto ticket, comm.Start(call));
              tickets.push_back(ticket);
            }
            RETURN_IF_ERROR(comm.Wait(tickets[3]));
            RETURN_IF_ERROR(comm.Wait(tickets[1]));
            RETURN_IF_ERROR(comm.Wait(tickets[4]));
            for (uint64_t i = 0; i < 5; ++i) {
              RETURN_IF_ERROR(ExpectEqual(
                  values[i],
                  ReducedOf<float>(3, 100 * i, Collective::REDUCTION_SUM),
                  {0, 100 * i}, absl::StrCat("call ", i)));
            }
            return absl::OkStatus();
          },
          SmallChunks()),
      Each(IsOk()));
}

TEST_P(CollectivesTest, WhatOnlyMovesMayHaveAnyType) {
  EXPECT_THAT(RunRanks(GetParam(), 2,
                       [](Communicator& comm) -> absl::Status {
                         std::vector<uint16_t> mine(3, uint16_t(comm.rank()));
                         std::vector<uint16_t> all(6, 7);
                         CollectiveCall call;
                         call.kind = Collective::KIND_ALL_GATHER;
                         call.dtype = DType::kBF16;
                         call.elements = 6;
                         call.input = BytesOf(mine, {0, 3});
                         call.output = BytesOf(all, {0, 6});
                         RETURN_IF_ERROR(comm.Run(call));
                         return ExpectEqual(all, {0, 0, 0, 1, 1, 1}, {0, 6},
                                            "all_gather");
                       }),
              Each(IsOk()));
}

// The rank writes its part only; the others' parts are there afterwards, at the
// same place for all.
TEST_P(CollectivesTest, AGatherIntoSharedMemoryIsAWriteAndABarrier) {
  EXPECT_THAT(
      RunRanks(
          GetParam(), 3,
          [](Communicator& comm) -> absl::Status {
            // Another allocation in front: offsets are not all zero.
            RETURN_IF_ERROR(comm.AllocateShared(100, "first").status());
            ASSIGN_OR_RETURN(const absl::Span<std::byte> shared,
                             comm.AllocateShared(4000, "bucket"));
            for (const std::byte byte : shared) {
              if (byte != std::byte{0}) {
                return absl::InternalError("not zeroed");
              }
            }
            for (uint32_t round = 0; round < 10; ++round) {
              const auto whole = InputsOf<float>(round, 999);
              const OwnedRange owned = PlainCut(999, 128, 3, comm.rank());
              CollectiveCall call =
                  CallOf<float>(Collective::KIND_ALL_GATHER,
                                {.elements = 999, .granule = 128});
              call.input = BytesOf(whole, owned);
              call.output = shared.subspan(4, 999 * sizeof(float));
              RETURN_IF_ERROR(comm.Run(call));
              if (call.output != BytesOf(whole, {0, 999})) {
                return absl::InternalError("the gathered tensor is another");
              }
            }
            return absl::OkStatus();
          },
          SmallChunks()),
      Each(IsOk()));
}

TEST_P(CollectivesTest, SharedMemoryIsTheSameForAllRanks) {
  EXPECT_THAT(RunRanks(GetParam(), 3,
                       [](Communicator& comm) -> absl::Status {
                         ASSIGN_OR_RETURN(
                             const absl::Span<std::byte> shared,
                             comm.AllocateShared(3, "three bytes"));
                         shared[comm.rank()] = std::byte(comm.rank() + 1);
                         RETURN_IF_ERROR(comm.Run(CollectiveCall()));
                         for (uint32_t rank = 0; rank < 3; ++rank) {
                           if (shared[rank] != std::byte(rank + 1)) {
                             return absl::InternalError("not shared");
                           }
                         }
                         return absl::OkStatus();
                       }),
              Each(IsOk()));
}

// A broadcast into shared memory: the root's bytes, written once.
TEST_P(CollectivesTest, ABroadcastIntoSharedMemoryReachesAll) {
  EXPECT_THAT(RunRanks(GetParam(), 3,
                       [](Communicator& comm) -> absl::Status {
                         ASSIGN_OR_RETURN(const absl::Span<std::byte> shared,
                                          comm.AllocateShared(400, "weights"));
                         const auto weights = InputsOf<float>(2, 100);
                         CollectiveCall call = CallOf<float>(
                             Collective::KIND_BROADCAST, {.elements = 100});
                         call.root = 2;
                         call.input =
                             BytesOf(weights, {0, comm.rank() == 2 ? 100u : 0});
                         call.output = shared;
                         RETURN_IF_ERROR(comm.Run(call));
                         return shared == BytesOf(weights, {0, 100})
                                    ? absl::OkStatus()
                                    : absl::InternalError("other bytes");
                       }),
              Each(IsOk()));
}

INSTANTIATE_TEST_SUITE_P(All, CollectivesTest,
                         ::testing::Values(Backend::kThreads, Backend::kShm),
                         ::accel::testing::BackendName);

}  // namespace
}  // namespace accel::runtime
