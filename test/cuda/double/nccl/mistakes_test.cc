// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What NCCL would hang on, or corrupt data by, is reported.
#include "test/cuda/double/nccl/nccl_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

class MistakesTest : public NcclTest {
 protected:
  using Call = std::function<NcclResult(TestRank& rank, float* x)>;

  // Both ranks call, and find that they call differently.
  void ExpectMismatch(const Call& call, const std::string& text) {
    OpenAll(2);
    const NcclUniqueId id = NewId();
    InThreads(2, [&](TestRank& rank) {
      EXPECT_EQ(Init(rank, id), kNcclSuccess);
      float* x = Upload(rank, std::vector<float>(64, 1));
      EXPECT_EQ(call(rank, x), kNcclSuccess) << nccl.ncclGetLastError(nullptr);
      EXPECT_EQ(Wait(rank.stream), kErrorLaunchFailed);
      EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclSuccess);
    });
    EXPECT_THAT(ReportText(), HasSubstr("mismatch: the operation 1"));
    EXPECT_THAT(ReportText(), HasSubstr(text));
  }

  // A call of one rank that is refused.
  void ExpectRefused(const Call& call, NcclResult result,
                     const std::string& text) {
    OpenAll(2);
    TestRank rank = OnGpu(0, 1);
    EXPECT_EQ(Init(rank, NewId()), kNcclSuccess);
    float* x = Upload(rank, std::vector<float>(64, 1));
    EXPECT_EQ(call(rank, x), result) << text;
    EXPECT_THAT(nccl.ncclGetLastError(nullptr), HasSubstr(text));
    EXPECT_THAT(ReportText(), HasSubstr(text));
    EXPECT_EQ(Wait(rank.stream), kSuccess);
  }

  NcclResult AllReduce(TestRank& rank, const float* send, float* receive,
                       size_t count) {
    return nccl.ncclAllReduce(send, receive, count, kNcclFloat32, kNcclSum,
                              rank.comm, rank.stream);
  }
};

TEST_F(MistakesTest, Mismatches) {
  ExpectMismatch(
      [&](TestRank& rank, float* x) {
        return AllReduce(rank, x, x, rank.rank == 0 ? 7 : 8);
      },
      "ncclAllReduce of 7 f32, sum on rank 0 and ncclAllReduce of 8 f32, sum "
      "on rank 1");
  ExpectMismatch(
      [&](TestRank& rank, float* x) {
        return nccl.ncclAllReduce(x, x, 8,
                                  rank.rank == 0 ? kNcclFloat32 : kNcclFloat64,
                                  kNcclSum, rank.comm, rank.stream);
      },
      "of 8 f64");
  ExpectMismatch(
      [&](TestRank& rank, float* x) {
        return nccl.ncclAllReduce(x, x, 8, kNcclFloat32,
                                  rank.rank == 0 ? kNcclMax : kNcclMin,
                                  rank.comm, rank.stream);
      },
      "f32, max");
  ExpectMismatch(
      [&](TestRank& rank, float* x) {
        return nccl.ncclBroadcast(x, x, 8, kNcclFloat32, rank.rank, rank.comm,
                                  rank.stream);
      },
      "root 1");
  ExpectMismatch(
      [&](TestRank& rank, float* x) {
        return rank.rank == 0 ? AllReduce(rank, x, x, 8)
                              : nccl.ncclReduce(x, x, 8, kNcclFloat32, kNcclSum,
                                                0, rank.comm, rank.stream);
      },
      "ncclReduce of 8 f32, sum, root 0");
}

TEST_F(MistakesTest, MismatchesOfGroups) {
  ExpectMismatch(
      [&](TestRank& rank, float* x) {
        nccl.ncclGroupStart();
        EXPECT_EQ(AllReduce(rank, x, x, 8), kNcclSuccess);
        if (rank.rank == 0) {
          EXPECT_EQ(AllReduce(rank, x + 8, x + 8, 8), kNcclSuccess);
        }
        return nccl.ncclGroupEnd();
      },
      "2 collectives on rank 0 and 1 on rank 1");
  ExpectMismatch(
      [&](TestRank& rank, float* x) {
        nccl.ncclGroupStart();
        for (int k = 0; k < 2; ++k) {
          const int root = rank.rank == 0 ? k : 1 - k;
          EXPECT_EQ(
              nccl.ncclBroadcast(x + 8 * root, x + 8 * root, 8, kNcclFloat32,
                                 root, rank.comm, rank.stream),
              kNcclSuccess);
        }
        return nccl.ncclGroupEnd();
      },
      "root 0 on rank 0 and");
}

TEST_F(MistakesTest, Arguments) {
  ExpectRefused(
      [&](TestRank& rank, float* x) { return AllReduce(rank, nullptr, x, 8); },
      kNcclInvalidArgument, "a buffer is null");
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        auto* odd = reinterpret_cast<float*>(reinterpret_cast<char*>(x) + 2);
        return AllReduce(rank, odd, odd, 8);
      },
      kNcclInvalidArgument, "not aligned");
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        return nccl.ncclAllReduce(x, x, 8, 6, kNcclSum, rank.comm, rank.stream);
      },
      kNcclInvalidArgument, "no type 6");
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        return nccl.ncclAllReduce(x, x, 8, kNcclFloat32, 4, rank.comm,
                                  rank.stream);
      },
      kNcclInvalidArgument, "no reduction 4");
  for (const int root : {-1, 1}) {
    ExpectRefused(
        [&](TestRank& rank, float* x) {
          return nccl.ncclBroadcast(x, x, 8, kNcclFloat32, root, rank.comm,
                                    rank.stream);
        },
        kNcclInvalidArgument, "the root is none of the 1 ranks");
  }
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        return nccl.ncclAllReduce(x, x, 8, kNcclFloat32, kNcclSum, nullptr,
                                  rank.stream);
      },
      kNcclInvalidArgument, "the communicator is null");
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        return AllReduce(rank, x, x, size_t{1} << 60);
      },
      kNcclInvalidArgument, "at most 1 GiB");
}

TEST_F(MistakesTest, Memory) {
  ExpectRefused(
      [&](TestRank& rank, float* x) { return AllReduce(rank, x, x, 65); },
      kNcclInvalidArgument, "in no allocation of GPU 0");
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        std::vector<float> host(8);
        return AllReduce(rank, x, host.data(), 8);
      },
      kNcclInvalidArgument, "in no allocation of GPU 0");
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        const TestRank other = OnGpu(1, 1, 0);
        float* y = Upload(other, std::vector<float>(8, 1));
        EXPECT_EQ(Wait(other.stream), kSuccess);
        return AllReduce(rank, y, x, 8);
      },
      kNcclInvalidArgument, "in no allocation of GPU 0");
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        TestRank other = OnGpu(1, 1, 0);
        std::swap(other.stream, rank.stream);
        const NcclResult result = AllReduce(rank, x, x, 8);
        std::swap(other.stream, rank.stream);
        return result;
      },
      kNcclUnhandledCudaError, "the stream is of GPU 1");
}

TEST_F(MistakesTest, UninitialisedBytesAreNotSent) {
  OpenAll(1);
  TestRank rank = OnGpu(0, 1);
  EXPECT_EQ(Init(rank, NewId()), kNcclSuccess);
  float* x = MakeEmpty<float>(8);
  EXPECT_EQ(AllReduce(rank, x, x, 8), kNcclSuccess);
  EXPECT_EQ(Wait(rank.stream), kErrorLaunchFailed);
  EXPECT_THAT(ReportText(), HasSubstr("uninitialised"));
}

TEST_F(MistakesTest, Overlaps) {
  const std::string text = "overlap in another way";
  ExpectRefused(
      [&](TestRank& rank, float* x) { return AllReduce(rank, x, x + 1, 8); },
      kNcclInvalidArgument, text);
  OpenAll(2);
  Collectively(2, [&](TestRank& rank) {
    float* x = Upload(rank, std::vector<float>(64, 1));
    // In place for the other rank.
    EXPECT_EQ(nccl.ncclAllGather(x + 8 * (1 - rank.rank), x, 8, kNcclFloat32,
                                 rank.comm, rank.stream),
              kNcclInvalidArgument);
    EXPECT_EQ(
        nccl.ncclReduceScatter(x, x + 8 * (1 - rank.rank), 8, kNcclFloat32,
                               kNcclSum, rank.comm, rank.stream),
        kNcclInvalidArgument);
    EXPECT_THAT(ReportText(), HasSubstr(text));
    EXPECT_EQ(Wait(rank.stream), kSuccess);
  });
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        nccl.ncclGroupStart();
        EXPECT_EQ(AllReduce(rank, x, x + 8, 8), kNcclSuccess);
        EXPECT_EQ(AllReduce(rank, x, x + 16, 8), kNcclSuccess);
        EXPECT_EQ(AllReduce(rank, x + 15, x + 32, 8), kNcclInvalidArgument);
        return nccl.ncclGroupEnd();
      },
      kNcclInvalidArgument, "a group is one operation");
}

TEST_F(MistakesTest, Groups) {
  ExpectRefused([&](TestRank&, float*) { return nccl.ncclGroupEnd(); },
                kNcclInvalidUsage, "no group has started");
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        nccl.ncclGroupStart();
        EXPECT_EQ(AllReduce(rank, x, x, 8), kNcclSuccess);
        TestRank other = OnGpu(1, 1, 0);
        EXPECT_EQ(Init(other, NewId()), kNcclInvalidUsage);
        EXPECT_EQ(other.comm, nullptr);
        return nccl.ncclGroupEnd();
      },
      kNcclInvalidUsage, "does nothing else");
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        nccl.ncclGroupStart();
        TestRank other = OnGpu(1, 1, 0);
        EXPECT_EQ(Init(other, NewId()), kNcclSuccess);
        EXPECT_EQ(AllReduce(rank, x, x, 8), kNcclInvalidUsage);
        return nccl.ncclGroupEnd();
      },
      kNcclInvalidUsage, "does nothing else");
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        nccl.ncclGroupStart();
        EXPECT_EQ(AllReduce(rank, x, x, 8), kNcclSuccess);
        TestRank other = rank;
        other.stream = NewStream();
        EXPECT_EQ(AllReduce(other, x + 8, x + 8, 8), kNcclInvalidUsage);
        return nccl.ncclGroupEnd();
      },
      kNcclInvalidUsage, "one stream for all collectives");
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        nccl.ncclGroupStart();
        EXPECT_EQ(AllReduce(rank, x, x, 8), kNcclSuccess);
        EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclInvalidUsage);
        EXPECT_EQ(nccl.ncclCommFinalize(rank.comm), kNcclInvalidUsage);
        EXPECT_EQ(nccl.ncclGroupEnd(), kNcclSuccess);
        return kNcclInvalidUsage;
      },
      kNcclInvalidUsage, "a group that has not ended");
}

// The operation of a group begins at its end, behind what was enqueued inside.
TEST_F(MistakesTest, WorkInsideAGroupIsNone) {
  for (const int blocking : {0, 1}) {
    OpenAll(1);
    TestRank rank = OnGpu(0, 1);
    EXPECT_EQ(Init(rank, NewId(), blocking), kNcclSuccess);
    float* x = Upload(rank, std::vector<float>(8, 1));
    EXPECT_EQ(nccl.ncclGroupStart(), kNcclSuccess);
    EXPECT_EQ(AllReduce(rank, x, x, 8), kNcclSuccess);
    EXPECT_EQ(cu.cuMemsetD8Async(reinterpret_cast<DevicePointer>(x), 0, 32,
                                 rank.stream),
              kSuccess);
    ExpectDone(rank.comm, nccl.ncclGroupEnd());
    EXPECT_EQ(Download(rank, x, 8), std::vector<float>(8, 0));
  }
}

TEST_F(MistakesTest, GroupsOfBlockingAndOtherCommunicators) {
  ExpectRefused(
      [&](TestRank& rank, float* x) {
        TestRank other = OnGpu(1, 1, 0);
        EXPECT_EQ(Init(other, NewId(), 0), kNcclSuccess);
        float* y = Upload(other, std::vector<float>(8, 1));
        nccl.ncclGroupStart();
        EXPECT_EQ(AllReduce(rank, x, x, 8), kNcclSuccess);
        EXPECT_EQ(AllReduce(other, y, y, 8), kNcclInvalidArgument);
        EXPECT_EQ(cu.cuCtxSetCurrent(rank.context), kSuccess);
        return nccl.ncclGroupEnd();
      },
      kNcclInvalidArgument, "blocking communicators and others");
}

}  // namespace
}  // namespace accel::cuda_double
