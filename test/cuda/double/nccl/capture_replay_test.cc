// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives in CUDA graphs.
#include "absl/strings/str_cat.h"
#include "test/cuda/double/nccl/nccl_fixture.h"

namespace accel::cuda_double {
namespace {

using ::testing::HasSubstr;

class CaptureReplayTest : public NcclTest {
 protected:
  NcclResult AllReduce(TestRank& rank, float* x, size_t count = 4) {
    return nccl.ncclAllReduce(x, x, count, kNcclFloat32, kNcclSum, rank.comm,
                              rank.stream);
  }
  // A graph of what is called between the begin and the end of a capture.
  GraphExec Capture(TestRank& rank, const std::function<void()>& call) {
    Graph graph = nullptr;
    EXPECT_EQ(cu.cuStreamBeginCapture_v2(rank.stream, kCaptureModeThreadLocal),
              kSuccess);
    call();
    EXPECT_EQ(cu.cuStreamEndCapture(rank.stream, &graph), kSuccess);
    return Instantiate(graph);
  }
};

TEST_F(CaptureReplayTest, Replays) {
  for (const int blocking : {0, 1}) {
    for (int seed = 0; seed < 20; ++seed) {
      OpenAll(3, {{"SEED", absl::StrCat(seed)}});
      Collectively(
          3,
          [&](TestRank& rank) {
            float* x = Upload<float>(rank, {1, 2, 3, 4});
            float* y = Upload<float>(rank, {1, 1, 1, 1});
            EXPECT_EQ(Wait(rank.stream), kSuccess);
            const GraphExec graph = Capture(rank, [&] {
              ExpectDone(rank.comm, AllReduce(rank, x));
              EXPECT_EQ(nccl.ncclGroupStart(), kNcclSuccess);
              EXPECT_EQ(AllReduce(rank, y), kNcclSuccess);
              EXPECT_EQ(nccl.ncclBroadcast(x, x, 4, kNcclFloat32, 2, rank.comm,
                                           rank.stream),
                        kNcclSuccess);
              ExpectDone(rank.comm, nccl.ncclGroupEnd());
            });
            for (int k = 0; k < 2; ++k) {
              EXPECT_EQ(cu.cuGraphLaunch(graph, rank.stream), kSuccess);
              ExpectDone(rank.comm, AllReduce(rank, y));
            }
            EXPECT_EQ(Download(rank, x, 4),
                      (std::vector<float>{9, 18, 27, 36}));
            EXPECT_EQ(Download(rank, y, 4), std::vector<float>(4, 81));
            EXPECT_EQ(cu.cuGraphExecDestroy(graph), kSuccess);
          },
          blocking);
      EXPECT_EQ(ReportText(), "");
    }
  }
}

// Branches of a graph hold collectives of one communicator in the order of
// their capture, and streams hold collectives and graphs in that of the calls.
TEST_F(CaptureReplayTest, BranchesAndStreams) {
  for (int seed = 0; seed < 30; ++seed) {
    OpenAll(2, {{"SEED", absl::StrCat(seed)}});
    Collectively(2, [&](TestRank& rank) {
      TestRank other = rank;
      other.stream = NewStream();
      float* x = Upload<float>(rank, {1, 2, 3, 4});
      float* y = Upload<float>(rank, {1, 1, 1, 1});
      float* z = Upload<float>(other, {5, 5, 5, 5});
      EXPECT_EQ(Wait(rank.stream), kSuccess);
      const GraphExec graph = Capture(rank, [&] {
        Order(rank.stream, other.stream);
        EXPECT_EQ(AllReduce(rank, x, 4), kNcclSuccess);
        EXPECT_EQ(AllReduce(other, y, 3), kNcclSuccess);
        Order(other.stream, rank.stream);
      });
      EXPECT_EQ(cu.cuGraphLaunch(graph, rank.stream), kSuccess);
      EXPECT_EQ(AllReduce(other, z, 2), kNcclSuccess);
      EXPECT_EQ(Download(rank, x, 4), (std::vector<float>{2, 4, 6, 8}));
      EXPECT_EQ(Download(rank, y, 4), (std::vector<float>{2, 2, 2, 1}));
      EXPECT_EQ(Download(other, z, 4), (std::vector<float>{10, 10, 5, 5}));
      EXPECT_EQ(cu.cuGraphExecDestroy(graph), kSuccess);
    });
    EXPECT_EQ(ReportText(), "");
  }
}

TEST_F(CaptureReplayTest, MismatchesOfReplays) {
  OpenAll(2);
  const NcclUniqueId id = NewId();
  InThreads(2, [&](TestRank& rank) {
    EXPECT_EQ(Init(rank, id), kNcclSuccess);
    float* x = Upload<float>(rank, {1, 2, 3, 4});
    EXPECT_EQ(Wait(rank.stream), kSuccess);
    const GraphExec four =
        Capture(rank, [&] { EXPECT_EQ(AllReduce(rank, x), kNcclSuccess); });
    const GraphExec three =
        Capture(rank, [&] { EXPECT_EQ(AllReduce(rank, x, 3), kNcclSuccess); });
    EXPECT_EQ(cu.cuGraphLaunch(four, rank.stream), kSuccess);
    EXPECT_EQ(Wait(rank.stream), kSuccess);
    EXPECT_EQ(cu.cuGraphLaunch(rank.rank == 0 ? four : three, rank.stream),
              kSuccess);
    EXPECT_EQ(Wait(rank.stream), kErrorLaunchFailed);
  });
  EXPECT_THAT(ReportText(), HasSubstr("the operation 2 of the communicator"));
}

// That a collective is captured is a collective property.
TEST_F(CaptureReplayTest, OneRankReplaysAndAnotherOneCalls) {
  OpenAll(2);
  const NcclUniqueId id = NewId();
  InThreads(2, [&](TestRank& rank) {
    EXPECT_EQ(Init(rank, id), kNcclSuccess);
    float* x = Upload<float>(rank, {1, 2, 3, 4});
    EXPECT_EQ(Wait(rank.stream), kSuccess);
    if (rank.rank == 0) {
      EXPECT_EQ(AllReduce(rank, x), kNcclSuccess);
    } else {
      const GraphExec graph =
          Capture(rank, [&] { EXPECT_EQ(AllReduce(rank, x), kNcclSuccess); });
      EXPECT_EQ(cu.cuGraphLaunch(graph, rank.stream), kSuccess);
    }
    EXPECT_EQ(Wait(rank.stream), kErrorLaunchFailed);
  });
  EXPECT_THAT(ReportText(), HasSubstr("of no graph on rank 0 and of one on"));
}

TEST_F(CaptureReplayTest, GraphsEndBeforeTheirCommunicators) {
  OpenAll(2);
  const NcclUniqueId id = NewId();
  InThreads(2, [&](TestRank& rank) {
    EXPECT_EQ(Init(rank, id), kNcclSuccess);
    float* x = Upload<float>(rank, {1, 2, 3, 4});
    EXPECT_EQ(Wait(rank.stream), kSuccess);
    const GraphExec graph =
        Capture(rank, [&] { EXPECT_EQ(AllReduce(rank, x), kNcclSuccess); });
    EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclInvalidUsage);
    EXPECT_EQ(cu.cuGraphLaunch(graph, rank.stream), kSuccess);
    EXPECT_EQ(Wait(rank.stream), kSuccess);
    EXPECT_EQ(nccl.ncclCommFinalize(rank.comm), kNcclSuccess);
    EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclInvalidUsage);
    EXPECT_EQ(cu.cuGraphExecDestroy(graph), kSuccess);
    EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclSuccess);
  });
  EXPECT_THAT(ReportText(), HasSubstr("graphs still hold 1 operations"));
}

TEST_F(CaptureReplayTest, AReplayAfterAnAbort) {
  OpenAll(1);
  TestRank rank = OnGpu(0, 1);
  EXPECT_EQ(Init(rank, NewId()), kNcclSuccess);
  float* x = Upload<float>(rank, {1, 2, 3, 4});
  EXPECT_EQ(Wait(rank.stream), kSuccess);
  const GraphExec graph =
      Capture(rank, [&] { EXPECT_EQ(AllReduce(rank, x), kNcclSuccess); });
  // One that was launched before is aborted as others are.
  EXPECT_EQ(cu.cuGraphLaunch(graph, rank.stream), kSuccess);
  EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclSuccess);
  EXPECT_EQ(Wait(rank.stream), kSuccess);
  EXPECT_EQ(cu.cuGraphLaunch(graph, rank.stream), kSuccess);
  EXPECT_EQ(Wait(rank.stream), kErrorLaunchFailed);
  EXPECT_THAT(ReportText(), HasSubstr("had ended"));
}

TEST_F(CaptureReplayTest, AnInvalidCaptureTakesNoCollective) {
  OpenAll(1);
  TestRank rank = OnGpu(0, 1);
  EXPECT_EQ(Init(rank, NewId()), kNcclSuccess);
  float* x = Upload<float>(rank, {1, 2, 3, 4});
  Graph graph = nullptr;
  EXPECT_EQ(cu.cuStreamBeginCapture_v2(rank.stream, kCaptureModeRelaxed),
            kSuccess);
  EXPECT_EQ(cu.cuStreamQuery(rank.stream), kErrorStreamCaptureUnsupported);
  EXPECT_EQ(AllReduce(rank, x), kNcclUnhandledCudaError);
  EXPECT_EQ(cu.cuStreamEndCapture(rank.stream, &graph),
            kErrorStreamCaptureInvalidated);
  EXPECT_EQ(AllReduce(rank, x), kNcclSuccess);
  EXPECT_EQ(Wait(rank.stream), kSuccess);
}

TEST_F(CaptureReplayTest, AGroupIsCapturedAltogether) {
  OpenAll(2);
  TestRank rank = OnGpu(0, 1);
  EXPECT_EQ(Init(rank, NewId()), kNcclSuccess);
  float* x = Upload<float>(rank, {1, 2, 3, 4});
  Graph graph = nullptr;
  EXPECT_EQ(nccl.ncclGroupStart(), kNcclSuccess);
  EXPECT_EQ(AllReduce(rank, x, 2), kNcclSuccess);
  EXPECT_EQ(cu.cuStreamBeginCapture_v2(rank.stream, kCaptureModeRelaxed),
            kSuccess);
  EXPECT_EQ(AllReduce(rank, x + 2, 2), kNcclInvalidUsage);
  EXPECT_EQ(nccl.ncclGroupEnd(), kNcclInvalidUsage);
  EXPECT_THAT(ReportText(), HasSubstr("not all captured by the same graph"));
  EXPECT_EQ(cu.cuStreamEndCapture(rank.stream, &graph), kSuccess);
}

}  // namespace
}  // namespace accel::cuda_double
