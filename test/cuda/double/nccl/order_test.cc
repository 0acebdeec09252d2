// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a collective begins and ends, what may go on meanwhile, and in which
// order sums are made.
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "absl/strings/str_cat.h"
#include "test/cuda/double/nccl/nccl_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

using OrderTest = NcclTest;

constexpr int kSeeds = 30;

// Numbers whose sum depends on the order.
float Rough(int rank, size_t index) {
  const size_t number = static_cast<size_t>(rank + 1) * 48271 * (index + 11);
  return 1 + static_cast<float>(number % 65521) / 65521;
}

std::vector<float> SumOf(const std::vector<int>& order, size_t n) {
  std::vector<float> sum(n);
  for (size_t k = 0; k < n; ++k) {
    sum[k] = Rough(order[0], k);
    for (size_t r = 1; r < order.size(); ++r) {
      sum[k] += Rough(order[r], k);
    }
  }
  return sum;
}

TEST_F(OrderTest, SumsAreEqualOnAllRanksAndNotInTheirOrder) {
  constexpr size_t kCount = 1000;
  OpenAll(4);
  std::vector<std::vector<float>> sums(8, std::vector<float>(kCount));
  Collectively(4, [&](TestRank& rank) {
    float* send = Make(rank, kCount, &Rough);
    float* receive = MakeEmpty<float>(kCount);
    for (size_t repetition = 0; repetition < 2; ++repetition) {
      EXPECT_EQ(nccl.ncclAllReduce(send, receive, kCount, kNcclFloat32,
                                   kNcclSum, rank.comm, rank.stream),
                kNcclSuccess);
      sums[static_cast<size_t>(rank.rank) + 4 * repetition] =
          Download(rank, receive, kCount);
    }
  });
  for (size_t k = 1; k < 8; ++k) {
    EXPECT_EQ(sums[k], sums[0]);
  }
  const std::vector<float> forwards = SumOf({0, 1, 2, 3}, kCount);
  const std::vector<float> backwards = SumOf({3, 2, 1, 0}, kCount);
  int others = 0;
  for (size_t k = 0; k < kCount; ++k) {
    others += sums[0][k] != forwards[k] && sums[0][k] != backwards[k] ? 1 : 0;
    EXPECT_NEAR(sums[0][k], forwards[k], forwards[k] * 1e-5);
  }
  EXPECT_GT(others, 50);
}

TEST_F(OrderTest, ANaNIsNeitherTheLargestNorTheSmallest) {
  OpenAll(3);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Collectively(3, [&](TestRank& rank) {
    const auto own = static_cast<float>(rank.rank);
    float* send = Upload<float>(
        rank, {rank.rank == 0 ? nan : own, rank.rank == 2 ? nan : own, nan});
    float* receive = MakeEmpty<float>(3);
    for (const NcclReduction reduction : {kNcclMax, kNcclMin, kNcclSum}) {
      EXPECT_EQ(nccl.ncclAllReduce(send, receive, 3, kNcclFloat32, reduction,
                                   rank.comm, rank.stream),
                kNcclSuccess);
      const std::vector<float> got = Download(rank, receive, 3);
      EXPECT_TRUE(std::isnan(got[2]));
      if (reduction == kNcclSum) {
        EXPECT_TRUE(std::isnan(got[0]));
      } else {
        EXPECT_EQ(got[0], reduction == kNcclMax ? 2 : 1);
        EXPECT_EQ(got[1], reduction == kNcclMax ? 1 : 0);
      }
    }
  });
}

TEST_F(OrderTest, ItIsWorkOfItsStream) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenAll(2, {{"SEED", absl::StrCat(seed)}});
    Collectively(2, [&](TestRank& rank) {
      const StreamHandle other = NewStream();
      const DevicePointer x = NewNumbers(4);
      const DevicePointer y = NewMemory(16);
      auto* numbers = reinterpret_cast<uint8_t*>(x);
      const auto value = static_cast<uint32_t>(rank.rank + 1);
      EXPECT_EQ(cu.cuMemsetD32Async(x, value, 4, other), kSuccess);
      Order(other, rank.stream);
      EXPECT_EQ(nccl.ncclAllReduce(numbers, numbers, 16, kNcclUint8, kNcclSum,
                                   rank.comm, rank.stream),
                kNcclSuccess);
      Order(rank.stream, other);
      EXPECT_EQ(cu.cuMemcpyDtoDAsync_v2(y, x, 16, other), kSuccess);
      EXPECT_EQ(Wait(other), kSuccess) << ReportText();
      EXPECT_EQ(Read(y, 4), std::vector<uint32_t>(4, 3));
    });
    EXPECT_EQ(ReportText(), "");
    EXPECT_THAT(LogText(),
                HasSubstr("GPU 1: ncclAllReduce of 16 u8, sum, rank 1 of 2\n"));
  }
}

TEST_F(OrderTest, ItsAccessesRace) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenAll(1, {{"SEED", absl::StrCat(seed)}});
    TestRank rank = OnGpu(0, 1);
    EXPECT_EQ(Init(rank, NewId()), kNcclSuccess);
    const StreamHandle other = NewStream();
    const DevicePointer x = NewNumbers(4);
    auto* numbers = reinterpret_cast<uint8_t*>(x);
    auto* received = MakeEmpty<uint8_t>(16);
    EXPECT_EQ(cu.cuMemsetD32Async(x, 1, 1, other), kSuccess);
    EXPECT_EQ(nccl.ncclAllReduce(numbers, received, 16, kNcclUint8, kNcclSum,
                                 rank.comm, rank.stream),
              kNcclSuccess);
    EXPECT_EQ(Wait(other) == kSuccess ? Wait(rank.stream) : kErrorLaunchFailed,
              kErrorLaunchFailed);
    EXPECT_THAT(ReportText(), HasSubstr("race: "));
    EXPECT_THAT(ReportText(), HasSubstr("ncclAllReduce of 16 u8, sum"));
  }
}

// The other stream of the same GPU, and copies to pageable memory, go on while
// the peer has not come.
TEST_F(OrderTest, OtherStreamsGoOnWhileItWaits) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenAll(2, {{"SEED", absl::StrCat(seed)}});
    std::atomic<bool> has_gone_on = false;
    Collectively(2, [&](TestRank& rank) {
      float* x = Upload<float>(rank, {1, 2, 3});
      if (rank.rank == 1) {
        while (!has_gone_on) {
          std::this_thread::yield();
        }
      }
      EXPECT_EQ(nccl.ncclAllReduce(x, x, 3, kNcclFloat32, kNcclSum, rank.comm,
                                   rank.stream),
                kNcclSuccess);
      if (rank.rank == 0) {
        const StreamHandle other = NewStream();
        const DevicePointer y = NewNumbers(4, 7);
        EXPECT_EQ(cu.cuMemsetD32Async(y, 8, 4, other), kSuccess);
        EXPECT_EQ(Wait(other), kSuccess);
        EXPECT_EQ(Read(y, 4), std::vector<uint32_t>(4, 8));
        EXPECT_EQ(cu.cuStreamQuery(rank.stream), kErrorNotReady);
        has_gone_on = true;
      }
      EXPECT_EQ(Download(rank, x, 3), (std::vector<float>{2, 4, 6}));
    });
  }
}

// A free synchronises with the device, and a peer is a thread of the process.
TEST_F(OrderTest, ACallThatSynchronisesWaitsForThePeers) {
  OpenAll(2);
  Collectively(2, [&](TestRank& rank) {
    float* x = Upload<float>(rank, {1, 2, 3});
    if (rank.rank == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(nccl.ncclAllReduce(x, x, 3, kNcclFloat32, kNcclSum, rank.comm,
                                 rank.stream),
              kNcclSuccess);
    EXPECT_EQ(cu.cuMemFree_v2(NewMemory(4)), kSuccess);
    EXPECT_EQ(cu.cuStreamQuery(rank.stream), kSuccess);
  });
}

// Ranks that call two communicators in different orders wait for ever on GPUs
// that one collective fills.
TEST_F(OrderTest, ACollectiveMayFillTheGpu) {
  for (const bool fills : {false, true}) {
    OpenAll(2, {{"NCCL_ORDER", fills ? "gpu" : "communicator"}});
    const NcclUniqueId ids[] = {NewId(), NewId()};
    std::atomic<int> waiting = 0;
    InThreads(2, [&](TestRank& rank) {
      TestRank two[] = {rank, rank};
      two[1].stream = NewStream();
      float* x = Upload<float>(rank, {1});
      float* y = Upload<float>(two[1], {1});
      for (int k = 0; k < 2; ++k) {
        EXPECT_EQ(Init(two[k], ids[k]), kNcclSuccess);
      }
      for (const int k : {rank.rank, 1 - rank.rank}) {
        float* own = k == 0 ? x : y;
        EXPECT_EQ(nccl.ncclAllReduce(own, own, 1, kNcclFloat32, kNcclSum,
                                     two[k].comm, two[k].stream),
                  kNcclSuccess);
      }
      for (int k = 0; k < 2; ++k) {
        for (int n = 0; fills && n < 100; ++n) {
          EXPECT_EQ(cu.cuStreamQuery(two[k].stream), kErrorNotReady);
        }
      }
      for (++waiting; waiting < 2;) {
        std::this_thread::yield();
      }
      for (int k = 0; fills && k < 2; ++k) {
        EXPECT_EQ(nccl.ncclCommAbort(two[k].comm), kNcclSuccess);
      }
      for (int k = 0; k < 2; ++k) {
        EXPECT_EQ(Wait(two[k].stream), kSuccess);
      }
    });
  }
}

// Those of one communicator are executed in the order of the calls, whatever
// their streams, and those of two communicators in any order.
TEST_F(OrderTest, SeveralStreamsAndCommunicators) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    OpenAll(3, {{"SEED", absl::StrCat(seed)}});
    const NcclUniqueId second = NewId();
    Collectively(3, [&](TestRank& rank) {
      TestRank other = rank;
      other.stream = NewStream();
      EXPECT_EQ(Init(other, second), kNcclSuccess);
      float* x = Upload<float>(rank, {1});
      double* y = Upload<double>(other, {2});
      int64_t* z = Upload<int64_t>(rank, {3});
      EXPECT_EQ(nccl.ncclAllReduce(x, x, 1, kNcclFloat32, kNcclSum, rank.comm,
                                   rank.stream),
                kNcclSuccess);
      EXPECT_EQ(nccl.ncclAllReduce(y, y, 1, kNcclFloat64, kNcclSum, rank.comm,
                                   other.stream),
                kNcclSuccess);
      EXPECT_EQ(nccl.ncclAllReduce(z, z, 1, kNcclInt64, kNcclSum, other.comm,
                                   rank.stream),
                kNcclSuccess);
      EXPECT_EQ(Download(rank, x, 1)[0], 3);
      EXPECT_EQ(Download(other, y, 1)[0], 6);
      EXPECT_EQ(Download(rank, z, 1)[0], 9);
      EXPECT_EQ(nccl.ncclCommDestroy(other.comm), kNcclSuccess);
    });
    EXPECT_EQ(ReportText(), "");
  }
}

}  // namespace
}  // namespace accel::cuda_double
