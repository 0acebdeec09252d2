// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives between GPUs against the host's communicator, which has tests of
// its own.
#include "runtime/device/cuda/collectives/device_collectives.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/collectives/exchange.h"
#include "test/cuda/collectives/gpu_ranks.h"
#include "test/runtime/comm/rank_runner.h"

namespace accel::testing {
namespace {

using planpb::Collective;
using runtime::CollectiveCall;
using runtime::CollectivesChoice;
using runtime::Communicator;
using runtime::DType;
using runtime::OwnedRange;
using runtime::ShardCut;

constexpr uint64_t kMostBytes = 1 << 16;

// A call, and whether its input and output are one tensor.
struct Case {
  CollectiveCall::Kind kind;
  CollectiveCall::Reduction reduction;
  DType dtype;
  uint64_t elements;
  uint64_t granule;
  bool in_place;
};

// Where a rank's input and output lie.
struct Places {
  uint64_t input = 0, input_bytes = 0;
  uint64_t output = 0, output_bytes = 0;
  uint64_t memory_bytes = 0;
};

Places PlacesOf(const Case &test, const Communicator &communicator) {
  ShardCut cut(communicator.ranks());
  EXPECT_TRUE(cut.Set(test.elements, test.granule).ok());
  const OwnedRange owned = cut.Of(communicator.rank());
  const auto width = static_cast<uint64_t>(ByteWidth(test.dtype));
  const uint64_t whole = test.elements * width;
  const bool gathers = test.kind == Collective::KIND_ALL_GATHER;
  const bool scatters = test.kind == Collective::KIND_REDUCE_SCATTER;
  Places places;
  places.input_bytes = gathers ? owned.size() * width : whole;
  places.output_bytes = scatters ? owned.size() * width : whole;
  if (test.in_place) {
    places.input = gathers ? owned.begin * width : 0;
    places.output = scatters ? owned.begin * width : 0;
    places.memory_bytes = whole;
  } else {
    // Aligned for every type.
    places.output = (places.input_bytes + 15) / 16 * 16;
    places.memory_bytes = places.output + places.output_bytes;
  }
  return places;
}

template <typename T> T Number(uint32_t rank, uint64_t i) {
  return static_cast<T>(std::sin(static_cast<double>(i * 7 + rank * 13 + 1)) *
                        1000);
}

std::vector<std::byte> Numbers(const Case &test, uint32_t rank,
                               uint64_t bytes) {
  std::vector<std::byte> memory(bytes);
  const auto fill = [&](auto zero) {
    using T = decltype(zero);
    for (uint64_t i = 0; i < bytes / sizeof(T); ++i) {
      T number = Number<T>(rank, i);
      // What no rank may lose.
      if (std::numeric_limits<T>::has_quiet_NaN && i % 11 == 3 && rank == 1) {
        number = std::numeric_limits<T>::quiet_NaN();
      }
      std::memcpy(&memory[i * sizeof(T)], &number, sizeof(T));
    }
  };
  if (test.dtype == DType::kF32) {
    fill(0.0f);
  } else if (test.dtype == DType::kF64) {
    fill(0.0);
  } else if (test.dtype == DType::kI64) {
    fill(int64_t{0});
  } else {
    fill(uint8_t{0});
  }
  return memory;
}

CollectiveCall CallOf(const Case &test) {
  CollectiveCall call;
  call.kind = test.kind;
  call.reduction = test.reduction;
  call.dtype = test.dtype;
  call.elements = test.elements;
  call.granule = test.granule;
  call.name = "a tensor";
  return call;
}

std::string Text(const Case &test) {
  CollectiveCall call = CallOf(test);
  return absl::StrCat(DescriptionText(Describe(call)),
                      test.in_place ? ", in place" : "");
}

// NaNs are equal: a GPU's have other bits than a CPU's.
template <typename T>
bool AreNear(const std::byte *a, const std::byte *b, uint64_t bytes,
             double tolerance) {
  for (uint64_t i = 0; i < bytes; i += sizeof(T)) {
    T x, y;
    std::memcpy(&x, a + i, sizeof(T));
    std::memcpy(&y, b + i, sizeof(T));
    if (std::isnan(x) != std::isnan(y) || std::abs(x - y) > tolerance) {
      return false;
    }
  }
  return true;
}

bool AreEqual(const Case &test, CollectivesChoice choice, const std::byte *a,
              const std::byte *b, uint64_t bytes) {
  // NCCL may sum in any order.
  const double tolerance = choice == CollectivesChoice::kNccl &&
                                   test.reduction == Collective::REDUCTION_SUM
                               ? 0.01
                               : 0;
  return test.dtype == DType::kF32   ? AreNear<float>(a, b, bytes, tolerance)
         : test.dtype == DType::kF64 ? AreNear<double>(a, b, bytes, tolerance)
                                     : std::memcmp(a, b, bytes) == 0;
}

absl::Status RunCase(const Case &test, CollectivesChoice choice, GpuRank &rank,
                     Communicator &communicator) {
  const Places places = PlacesOf(test, communicator);
  const std::vector<std::byte> before =
      Numbers(test, communicator.rank(), places.memory_bytes);
  std::vector<std::byte> expected = before;
  CollectiveCall call = CallOf(test);
  call.input =
      absl::MakeConstSpan(expected).subspan(places.input, places.input_bytes);
  call.output =
      absl::MakeSpan(expected).subspan(places.output, places.output_bytes);
  RETURN_IF_ERROR(communicator.Run(call));
  ASSIGN_OR_RETURN(const std::vector<std::byte> got,
                   rank.Run(CallOf(test), before, places.input,
                            places.input_bytes, places.output,
                            places.output_bytes));
  if (!AreEqual(test, choice, &got[places.output], &expected[places.output],
                places.output_bytes)) {
    return absl::DataLossError(absl::StrCat(Text(test), " has other results"));
  }
  return absl::OkStatus();
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const bool in_place : {false, true}) {
    // Even over 2 and 4 ranks, uneven, and with ranks that own nothing.
    for (const auto &[elements, granule] :
         {std::pair<uint64_t, uint64_t>{64, 1}, {64, 16}, {37, 4}, {1, 1}}) {
      for (const DType dtype : {DType::kU8, DType::kF32}) {
        cases.push_back({Collective::KIND_ALL_GATHER,
                         Collective::REDUCTION_NONE, dtype, elements, granule,
                         in_place});
        cases.push_back({Collective::KIND_BROADCAST, Collective::REDUCTION_NONE,
                         dtype, elements, granule, in_place});
      }
      for (const DType dtype : {DType::kF32, DType::kF64, DType::kI64}) {
        cases.push_back({Collective::KIND_REDUCE_SCATTER,
                         Collective::REDUCTION_SUM, dtype, elements, granule,
                         in_place});
        for (const auto reduction :
             {Collective::REDUCTION_SUM, Collective::REDUCTION_MAX,
              Collective::REDUCTION_MIN}) {
          cases.push_back({Collective::KIND_ALL_REDUCE, reduction, dtype,
                           elements, granule, in_place});
        }
      }
    }
  }
  return cases;
}

// A number of ranks, and who carries collectives out.
class DeviceCollectivesTest
    : public ::testing::TestWithParam<std::tuple<CollectivesChoice, uint32_t>> {
};

TEST_P(DeviceCollectivesTest, ResultsAreThoseOfTheHost) {
  const auto [choice, ranks] = GetParam();
  const std::vector<absl::Status> statuses = RunRanks(
      Backend::kThreads, ranks,
      [choice = choice](Communicator &communicator) -> absl::Status {
        ASSIGN_OR_RETURN(auto rank,
                         GpuRank::Create(choice, communicator, kMostBytes));
        for (const Case &test : Cases()) {
          RETURN_IF_ERROR(RunCase(test, choice, *rank, communicator));
        }
        return runtime::cuda::Arrive(communicator, "the end");
      });
  for (const absl::Status &status : statuses) {
    EXPECT_TRUE(status.ok()) << status;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, DeviceCollectivesTest,
    ::testing::Combine(::testing::Values(CollectivesChoice::kNccl,
                                         CollectivesChoice::kCard,
                                         CollectivesChoice::kHost),
                       ::testing::Values(2, 3, 4)));

} // namespace
} // namespace accel::testing

int main(int argc, char **argv) {
  // Before the double is opened.
  setenv("ACCEL_DOUBLE_GPUS", "4", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
