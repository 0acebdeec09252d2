// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How communicators begin and end, blocking and not.
#include <climits>
#include <thread>

#include "absl/strings/str_cat.h"
#include "test/cuda/double/nccl/nccl_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

using CommunicatorTest = NcclTest;

// ncclConfig_t of a younger library.
struct LongConfig {
  NcclConfig config;
  int others[30] = {};
};

TEST_F(CommunicatorTest, Versions) {
  int version = 0;
  OpenAll(1);
  EXPECT_EQ(nccl.ncclGetVersion(&version), kNcclSuccess);
  EXPECT_EQ(version, 22800);
  EXPECT_EQ(nccl.ncclGetVersion(nullptr), kNcclInvalidArgument);
  OpenAll(1, {{"NCCL_VERSION", "21805"}});
  EXPECT_EQ(nccl.ncclGetVersion(&version), kNcclSuccess);
  EXPECT_EQ(version, 21805);
  EXPECT_STREQ(nccl.ncclGetErrorString(kNcclInvalidUsage), "invalid usage");
  EXPECT_STREQ(nccl.ncclGetErrorString(99), "unknown result code");
}

TEST_F(CommunicatorTest, Configurations) {
  OpenAll(1);
  TestRank rank = OnGpu(0, 1);
  const auto init = [&](NcclConfig* config) {
    const NcclResult result =
        nccl.ncclCommInitRankConfig(&rank.comm, 1, NewId(), 0, config);
    if (result == kNcclSuccess || result == kNcclInProgress) {
      EXPECT_EQ(Settle(rank.comm), kNcclSuccess);
      EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclSuccess);
    } else {
      EXPECT_EQ(rank.comm, nullptr);
    }
    return result;
  };
  NcclConfig config;
  EXPECT_EQ(init(&config), kNcclInProgress);
  config.blocking = 1;
  EXPECT_EQ(init(&config), kNcclSuccess);
  config.blocking = INT_MIN;
  EXPECT_EQ(init(&config), kNcclSuccess);
  EXPECT_EQ(init(nullptr), kNcclSuccess);
  config.blocking = 2;
  EXPECT_EQ(init(&config), kNcclInvalidArgument);
  config.blocking = 0;
  config.version = 21300;  // It had no such member.
  EXPECT_EQ(init(&config), kNcclSuccess);
  config.magic = 0;
  EXPECT_EQ(init(&config), kNcclInvalidArgument);
  config = NcclConfig();
  config.size = 8;
  EXPECT_EQ(init(&config), kNcclInvalidArgument);
  LongConfig young;
  young.config.size = sizeof(young);
  young.config.version = 23203;
  EXPECT_EQ(init(&young.config), kNcclInProgress);
}

TEST_F(CommunicatorTest, Ranks) {
  OpenAll(2);
  TestRank rank = OnGpu(0, 1);
  const NcclUniqueId id = NewId();
  const std::pair<int, int> kNone[] = {{0, 0}, {1, 1}, {1, -1}, {65, 0}};
  for (const auto& [ranks, number] : kNone) {
    EXPECT_EQ(
        nccl.ncclCommInitRankConfig(&rank.comm, ranks, id, number, nullptr),
        kNcclInvalidArgument);
  }
  EXPECT_EQ(nccl.ncclCommInitRankConfig(nullptr, 1, id, 0, nullptr),
            kNcclInvalidArgument);
  EXPECT_EQ(Init(rank, NcclUniqueId{}), kNcclSystemError);
  EXPECT_EQ(Init(rank, id), kNcclSuccess);
  // An id makes one communicator.
  const NcclComm first = rank.comm;
  EXPECT_EQ(Init(rank, id), kNcclSystemError);
  EXPECT_THAT(nccl.ncclGetLastError(first), HasSubstr("the id is none"));
  const NcclUniqueId second = NewId();
  NcclConfig config;
  rank.ranks = 2;
  EXPECT_EQ(nccl.ncclCommInitRankConfig(&rank.comm, 2, second, 0, &config),
            kNcclInProgress);
  NcclComm other = nullptr;
  EXPECT_EQ(nccl.ncclCommInitRankConfig(&other, 2, second, 0, &config),
            kNcclInvalidUsage);
  EXPECT_THAT(ReportText(), HasSubstr("rank 0 has joined already"));
  EXPECT_EQ(nccl.ncclCommInitRankConfig(&other, 3, second, 1, &config),
            kNcclInvalidUsage);
  EXPECT_THAT(ReportText(), HasSubstr("counts 3 ranks, another one 2"));
  EXPECT_EQ(cu.cuCtxSetCurrent(nullptr), kSuccess);
  EXPECT_EQ(Init(rank, NewId()), kNcclUnhandledCudaError);
}

TEST_F(CommunicatorTest, OneGpuIsOfOneRank) {
  for (const int blocking : {0, 1}) {
    OpenAll(1);
    const NcclUniqueId id = NewId();
    std::vector<std::thread> threads;
    for (int k = 0; k < 2; ++k) {
      threads.emplace_back([&, k] {
        TestRank rank = OnGpu(0, 2);
        rank.rank = k;
        EXPECT_EQ(Init(rank, id, blocking), kNcclInvalidUsage);
        EXPECT_EQ(rank.comm == nullptr, blocking == 1);
        EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclSuccess);
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_THAT(ReportText(),
                HasSubstr("rank 0 and rank 1 use the same GPU 0"));
  }
}

TEST_F(CommunicatorTest, OneThreadForSeveralRanks) {
  OpenAll(3);
  const NcclUniqueId id = NewId();
  std::vector<TestRank> ranks(3);
  EXPECT_EQ(nccl.ncclGroupStart(), kNcclSuccess);
  for (int k = 0; k < 3; ++k) {
    TestRank& rank = ranks[static_cast<size_t>(k)] = OnGpu(k, 3);
    NcclConfig config;
    config.blocking = 1;
    EXPECT_EQ(nccl.ncclCommInitRankConfig(&rank.comm, 3, id, k, &config),
              kNcclSuccess);
  }
  EXPECT_EQ(nccl.ncclGroupEnd(), kNcclSuccess);
  std::vector<float*> x;
  for (TestRank& rank : ranks) {
    EXPECT_EQ(cu.cuCtxSetCurrent(rank.context), kSuccess);
    x.push_back(Upload<float>(rank, {1, 2}));
  }
  // The context of the last GPU is the current one.
  EXPECT_EQ(nccl.ncclGroupStart(), kNcclSuccess);
  for (TestRank& rank : ranks) {
    float* own = x[static_cast<size_t>(rank.rank)];
    EXPECT_EQ(nccl.ncclAllReduce(own, own, 2, kNcclFloat32, kNcclSum, rank.comm,
                                 rank.stream),
              kNcclSuccess);
  }
  EXPECT_EQ(nccl.ncclGroupEnd(), kNcclSuccess);
  for (TestRank& rank : ranks) {
    EXPECT_EQ(cu.cuCtxSetCurrent(rank.context), kSuccess);
    EXPECT_EQ(Download(rank, x[static_cast<size_t>(rank.rank)], 2),
              (std::vector<float>{3, 6}));
  }
  for (TestRank& rank : ranks) {
    EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclSuccess);
  }
}

TEST_F(CommunicatorTest, InProgress) {
  bool was_late = false;
  for (int seed = 0; seed < 20; ++seed) {
    OpenAll(2, {{"SEED", absl::StrCat(seed)}});
    const NcclUniqueId id = NewId();
    TestRank rank = OnGpu(0, 2);
    NcclConfig config;
    NcclResult state = kNcclSuccess;
    EXPECT_EQ(nccl.ncclCommInitRankConfig(&rank.comm, 2, id, 0, &config),
              kNcclInProgress);
    for (int k = 0; k < 20; ++k) {
      EXPECT_EQ(nccl.ncclCommGetAsyncError(rank.comm, &state), kNcclSuccess);
      EXPECT_EQ(state, kNcclInProgress) << "the other rank has not come";
    }
    float* x = Upload<float>(rank, {1, 2});
    EXPECT_EQ(nccl.ncclAllReduce(x, x, 2, kNcclFloat32, kNcclSum, rank.comm,
                                 rank.stream),
              kNcclInvalidArgument);
    EXPECT_EQ(nccl.ncclCommFinalize(rank.comm), kNcclInvalidArgument);
    EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclInvalidArgument);
    EXPECT_THAT(ReportText(), HasSubstr("in progress until"));
    std::thread other([&] {
      TestRank peer = OnGpu(1, 2);
      EXPECT_EQ(Init(peer, id, 0), kNcclSuccess);
      float* y = Upload<float>(peer, {1, 2});
      ExpectDone(peer.comm, nccl.ncclAllReduce(y, y, 2, kNcclFloat32, kNcclSum,
                                               peer.comm, peer.stream));
      EXPECT_EQ(Download(peer, y, 2), (std::vector<float>{2, 4}));
    });
    EXPECT_EQ(Settle(rank.comm), kNcclSuccess);
    const NcclResult result = nccl.ncclAllReduce(
        x, x, 2, kNcclFloat32, kNcclSum, rank.comm, rank.stream);
    if (result == kNcclInProgress) {
      was_late = true;
      // Nothing is in the stream before the state says so.
      EXPECT_EQ(Wait(rank.stream), kSuccess);
      EXPECT_EQ(nccl.ncclAllReduce(x, x, 2, kNcclFloat32, kNcclSum, rank.comm,
                                   rank.stream),
                kNcclInvalidArgument);
    }
    ExpectDone(rank.comm, result);
    EXPECT_EQ(Download(rank, x, 2), (std::vector<float>{2, 4}));
    other.join();
  }
  EXPECT_TRUE(was_late);
}

// What a program must not do before the state says that a launch is done.
TEST_F(CommunicatorTest, WorkOnTheStreamWhileInProgress) {
  int late = 0;
  for (int seed = 0; seed < 20; ++seed) {
    for (const bool captures : {false, true}) {
      OpenAll(1, {{"SEED", absl::StrCat(seed)}});
      TestRank rank = OnGpu(0, 1);
      EXPECT_EQ(Init(rank, NewId(), 0), kNcclSuccess);
      float* x = Upload<float>(rank, {1, 2});
      EXPECT_EQ(Wait(rank.stream), kSuccess);
      Graph graph = nullptr;
      if (captures) {
        EXPECT_EQ(cu.cuStreamBeginCapture_v2(rank.stream, kCaptureModeRelaxed),
                  kSuccess);
      }
      const NcclResult result = nccl.ncclAllReduce(
          x, x, 2, kNcclFloat32, kNcclSum, rank.comm, rank.stream);
      if (captures) {
        EXPECT_EQ(cu.cuStreamEndCapture(rank.stream, &graph), kSuccess);
      } else {
        EXPECT_EQ(cu.cuEventRecord(NewEvent(), rank.stream), kSuccess);
      }
      if (result == kNcclInProgress) {
        ++late;
        EXPECT_EQ(Settle(rank.comm), kNcclInvalidUsage);
        EXPECT_THAT(ReportText(), HasSubstr("was in progress"));
      }
    }
  }
  EXPECT_GT(late, 10);
}

TEST_F(CommunicatorTest, Finalise) {
  for (const int blocking : {0, 1}) {
    for (int seed = 0; seed < 10; ++seed) {
      OpenAll(2, {{"SEED", absl::StrCat(seed)}});
      const NcclUniqueId id = NewId();
      InThreads(2, [&](TestRank& rank) {
        EXPECT_EQ(Init(rank, id, blocking), kNcclSuccess);
        float* x = Upload<float>(rank, {1, 2});
        ExpectDone(rank.comm,
                   nccl.ncclAllReduce(x, x, 2, kNcclFloat32, kNcclSum,
                                      rank.comm, rank.stream));
        const NcclResult result = nccl.ncclCommFinalize(rank.comm);
        if (blocking == 0) {
          EXPECT_EQ(nccl.ncclCommFinalize(rank.comm), kNcclInvalidArgument);
        } else {
          EXPECT_EQ(result, kNcclSuccess);
        }
        EXPECT_EQ(Settle(rank.comm), kNcclSuccess);
        // What was enqueued has been flushed.
        EXPECT_EQ(cu.cuStreamQuery(rank.stream), kSuccess);
        EXPECT_EQ(nccl.ncclAllReduce(x, x, 2, kNcclFloat32, kNcclSum, rank.comm,
                                     rank.stream),
                  kNcclInvalidUsage);
        EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclSuccess);
        EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclInvalidArgument);
        EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclInvalidArgument);
        EXPECT_EQ(nccl.ncclAllReduce(x, x, 2, kNcclFloat32, kNcclSum, rank.comm,
                                     rank.stream),
                  kNcclInvalidArgument);
        EXPECT_THAT(ReportText(), HasSubstr("destroyed or aborted"));
        EXPECT_EQ(nccl.ncclCommDestroy(nullptr), kNcclSuccess);
      });
    }
  }
}

TEST_F(CommunicatorTest, DestroyFlushes) {
  OpenAll(2);
  Collectively(2, [&](TestRank& rank) {
    float* x = Upload<float>(rank, {1, 2});
    EXPECT_EQ(nccl.ncclAllReduce(x, x, 2, kNcclFloat32, kNcclSum, rank.comm,
                                 rank.stream),
              kNcclSuccess);
  });
  EXPECT_EQ(ReportText(), "");
}

}  // namespace
}  // namespace accel::cuda_double
