// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Peers that never come, aborts, and failures that the environment asks for.
#include <atomic>
#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "test/cuda/double/nccl/nccl_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

class FailureTest : public NcclTest {
 protected:
  NcclResult AllReduce(TestRank& rank, float* x) {
    return nccl.ncclAllReduce(x, x, 4, kNcclFloat32, kNcclSum, rank.comm,
                              rank.stream);
  }
  // Says that a stream does not end, however often it is asked.
  void ExpectHangs(StreamHandle stream) {
    for (int k = 0; k < 100; ++k) {
      EXPECT_EQ(cu.cuStreamQuery(stream), kErrorNotReady);
    }
  }
};

TEST_F(FailureTest, APeerThatNeverComes) {
  for (int seed = 0; seed < 20; ++seed) {
    OpenAll(2, {{"SEED", absl::StrCat(seed)}});
    std::atomic<bool> has_ended = false;
    const NcclUniqueId id = NewId();
    InThreads(2, [&](TestRank& rank) {
      EXPECT_EQ(Init(rank, id), kNcclSuccess);
      if (rank.rank == 0) {
        float* x = Upload<float>(rank, {1, 2, 3, 4});
        EXPECT_EQ(AllReduce(rank, x), kNcclSuccess);
        EXPECT_EQ(AllReduce(rank, x), kNcclSuccess);
        ExpectHangs(rank.stream);
        NcclResult state = kNcclInProgress;
        EXPECT_EQ(nccl.ncclCommGetAsyncError(rank.comm, &state), kNcclSuccess);
        EXPECT_EQ(state, kNcclSuccess);
        EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclSuccess);
        EXPECT_EQ(Wait(rank.stream), kSuccess);
        has_ended = true;
      }
      while (!has_ended) {
        std::this_thread::yield();
      }
      if (rank.rank == 1) {
        EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclSuccess);
      }
    });
    EXPECT_EQ(ReportText(), "");
  }
}

// Work behind it goes on, and sees no error, as on a GPU.
TEST_F(FailureTest, AnAbortLeavesGarbage) {
  OpenAll(2);
  const NcclUniqueId id = NewId();
  InThreads(2, [&](TestRank& rank) {
    EXPECT_EQ(Init(rank, id), kNcclSuccess);
    if (rank.rank == 0) {
      const DevicePointer x = NewNumbers(4);
      const DevicePointer y = NewMemory(16);
      EXPECT_EQ(AllReduce(rank, reinterpret_cast<float*>(x)), kNcclSuccess);
      EXPECT_EQ(cu.cuMemsetD32Async(x, 1, 1, rank.stream), kSuccess);
      EXPECT_EQ(cu.cuMemcpyDtoDAsync_v2(y, x, 16, rank.stream), kSuccess);
      EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclSuccess);
      EXPECT_EQ(AllReduce(rank, reinterpret_cast<float*>(x)),
                kNcclInvalidArgument);
      EXPECT_EQ(Wait(rank.stream), kSuccess);
      const uint32_t garbage = 0xffffffff;
      EXPECT_EQ(Read(y, 4),
                (std::vector<uint32_t>{1, garbage, garbage, garbage}));
    }
  });
}

// Another thread aborts while one waits in a call that synchronises.
TEST_F(FailureTest, AnAbortFreesACallThatSynchronises) {
  OpenAll(2);
  const NcclUniqueId id = NewId();
  std::atomic<NcclComm> waiting = nullptr;
  InThreads(2, [&](TestRank& rank) {
    EXPECT_EQ(Init(rank, id), kNcclSuccess);
    if (rank.rank == 0) {
      float* x = Upload<float>(rank, {1, 2, 3, 4});
      EXPECT_EQ(AllReduce(rank, x), kNcclSuccess);
      waiting = rank.comm;
      EXPECT_EQ(cu.cuMemFree_v2(reinterpret_cast<DevicePointer>(x)), kSuccess);
    } else {
      while (waiting == nullptr) {
        std::this_thread::yield();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      EXPECT_EQ(nccl.ncclCommAbort(waiting), kNcclSuccess);
    }
  });
}

TEST_F(FailureTest, AnAbortEndsTheWaitForRanks) {
  for (const int blocking : {0, 1}) {
    OpenAll(2);
    TestRank rank = OnGpu(0, 2);
    NcclConfig config;
    config.blocking = blocking;
    std::thread aborting;
    if (blocking == 1) {
      aborting = std::thread([&] {
        NcclComm comm = nullptr;
        while (comm == nullptr) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          comm = __atomic_load_n(&rank.comm, __ATOMIC_ACQUIRE);
        }
        EXPECT_EQ(nccl.ncclCommAbort(comm), kNcclSuccess);
      });
    }
    const NcclResult result =
        nccl.ncclCommInitRankConfig(&rank.comm, 2, NewId(), 0, &config);
    if (blocking == 1) {
      aborting.join();
      EXPECT_EQ(result, kNcclInternalError);
    } else {
      EXPECT_EQ(result, kNcclInProgress);
      EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclSuccess);
    }
  }
}

TEST_F(FailureTest, ABrokenContext) {
  OpenAll(2);
  const NcclUniqueId id = NewId();
  InThreads(2, [&](TestRank& rank) {
    EXPECT_EQ(Init(rank, id), kNcclSuccess);
    if (rank.rank == 0) {
      float* x = Upload<float>(rank, {1, 2, 3, 4});
      EXPECT_EQ(AllReduce(rank, x), kNcclSuccess);
      ExpectHangs(rank.stream);
      EXPECT_EQ(cu.cuMemsetD8Async(16, 0, 1, rank.stream),
                kErrorIllegalAddress);
      NcclResult state = kNcclSuccess;
      EXPECT_EQ(nccl.ncclCommGetAsyncError(rank.comm, &state), kNcclSuccess);
      EXPECT_EQ(state, kNcclUnhandledCudaError);
      EXPECT_EQ(AllReduce(rank, x), kNcclUnhandledCudaError);
      EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclUnhandledCudaError);
      EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclSuccess);
    }
  });
}

TEST_F(FailureTest, AsynchronousErrors) {
  for (const char* value : {"6@3", "6@3/0"}) {
    OpenAll(2, {{"NCCL_ASYNC", value}});
    const NcclUniqueId id = NewId();
    InThreads(2, [&](TestRank& rank) {
      const bool fails = rank.rank == 0 || std::string(value) == "6@3";
      EXPECT_EQ(Init(rank, id), kNcclSuccess);
      float* x = Upload<float>(rank, {1, 2, 3, 4});
      NcclResult state = kNcclInProgress;
      for (int k = 0; k < 2; ++k) {
        EXPECT_EQ(AllReduce(rank, x), kNcclSuccess);
        EXPECT_EQ(Wait(rank.stream), kSuccess);
        EXPECT_EQ(nccl.ncclCommGetAsyncError(rank.comm, &state), kNcclSuccess);
        EXPECT_EQ(state, kNcclSuccess);
      }
      EXPECT_EQ(AllReduce(rank, x), kNcclSuccess);
      ExpectHangs(rank.stream);
      EXPECT_EQ(nccl.ncclCommGetAsyncError(rank.comm, &state), kNcclSuccess);
      EXPECT_EQ(state, fails ? kNcclRemoteError : kNcclSuccess);
      EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclSuccess);
      EXPECT_EQ(Wait(rank.stream), kSuccess);
    });
  }
}

TEST_F(FailureTest, EveryEntryPointFailsIfItIsAskedTo) {
  std::string all;
#define ACCEL_DOUBLE_FAIL(result, name, ...) \
  all += absl::StrCat(all.empty() ? "" : ",", #name, "=3@1");
  ACCEL_NCCL_FUNCTIONS(ACCEL_DOUBLE_FAIL)
#undef ACCEL_DOUBLE_FAIL
  OpenAll(1, {{"FAIL", all}});
  TestRank rank = OnGpu(0, 1);
  NcclUniqueId id = {};
  NcclResult state = kNcclSuccess;
  int version = 0;
  EXPECT_EQ(nccl.ncclGetVersion(&version), kNcclInternalError);
  EXPECT_THAT(nccl.ncclGetLastError(nullptr), HasSubstr("ncclGetLastError"));
  EXPECT_EQ(nccl.ncclGetUniqueId(&id), kNcclInternalError);
  EXPECT_EQ(Init(rank, id), kNcclInternalError);
  EXPECT_EQ(Init(rank, NewId()), kNcclSuccess);
  float* x = Upload<float>(rank, {1, 2, 3, 4});
  EXPECT_EQ(nccl.ncclCommGetAsyncError(rank.comm, &state), kNcclInternalError);
  EXPECT_EQ(nccl.ncclCommFinalize(rank.comm), kNcclInternalError);
  EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclInternalError);
  EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclInternalError);
  EXPECT_EQ(nccl.ncclGroupStart(), kNcclInternalError);
  EXPECT_EQ(nccl.ncclGroupStart(), kNcclSuccess);
  EXPECT_EQ(
      nccl.ncclReduce(x, x, 4, kNcclFloat32, 0, 0, rank.comm, rank.stream),
      kNcclInternalError);
  EXPECT_EQ(nccl.ncclGroupEnd(), kNcclInternalError);
  EXPECT_EQ(AllReduce(rank, x), kNcclInternalError);
  EXPECT_EQ(
      nccl.ncclBroadcast(x, x, 4, kNcclFloat32, 0, rank.comm, rank.stream),
      kNcclInternalError);
  EXPECT_EQ(nccl.ncclAllGather(x, x, 4, kNcclFloat32, rank.comm, rank.stream),
            kNcclInternalError);
  EXPECT_EQ(
      nccl.ncclReduceScatter(x, x, 4, kNcclFloat32, 0, rank.comm, rank.stream),
      kNcclInternalError);
  // Nothing was enqueued, and all works the next time.
  EXPECT_EQ(AllReduce(rank, x), kNcclSuccess);
  EXPECT_EQ(Download(rank, x, 4), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclSuccess);
  EXPECT_EQ(ReportText(), "");
}

// A group in which one call fails does nothing.
TEST_F(FailureTest, AFailedGroup) {
  OpenAll(1, {{"FAIL", "ncclAllReduce=2@2"}});
  TestRank rank = OnGpu(0, 1);
  EXPECT_EQ(Init(rank, NewId()), kNcclSuccess);
  float* x = Upload<float>(rank, {1, 2, 3, 4});
  EXPECT_EQ(nccl.ncclGroupStart(), kNcclSuccess);
  EXPECT_EQ(AllReduce(rank, x), kNcclSuccess);
  EXPECT_EQ(AllReduce(rank, x), kNcclSystemError);
  EXPECT_EQ(nccl.ncclGroupEnd(), kNcclSystemError);
  EXPECT_EQ(Wait(rank.stream), kSuccess);
  EXPECT_EQ(LogText().find("nccl"), std::string::npos);
}

TEST_F(FailureTest, MalformedConfigurations) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char* name :
       {"NCCL_ASYNC", "NCCL_VERSION", "NCCL_ORDER", "NCCL_COLOUR"}) {
    EXPECT_DEATH(
        {
          OpenAll(1, {{name, "3@0"}});
          int version = 0;
          nccl.ncclGetVersion(&version);
        },
        absl::StrCat(name, "=3@0: expected"));
  }
}

}  // namespace
}  // namespace accel::cuda_double
