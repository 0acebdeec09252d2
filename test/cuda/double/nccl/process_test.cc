// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that are processes, each with a driver of its own. They are forked
// before a library is loaded.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "test/cuda/double/nccl/nccl_fixture.h"

namespace accel::cuda_double {
namespace {

class ProcessTest : public NcclTest {
 protected:
  // Forks the ranks. Rank 0 makes the id; a rank ends with 0 if it finds no
  // mistake.
  void Fork(int ranks, int seed, const RankFunction& run, int blocking) {
    EXPECT_EQ(::pipe(pipe_), 0);
    for (int k = 0; k < ranks; ++k) {
      const pid_t child = ::fork();
      if (child == 0) {
        Child(k, ranks, seed, run, blocking);
        ::_exit(HasFailure() ? 1 : 0);
      }
      children_.push_back(child);
    }
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }

  int WaitFor(size_t rank) {
    int status = -1;
    EXPECT_EQ(::waitpid(children_[rank], &status, 0), children_[rank]);
    return status;
  }

  void InProcesses(int ranks, int seed, const RankFunction& run,
                   int blocking = 0) {
    children_.clear();
    Fork(ranks, seed, run, blocking);
    for (size_t k = 0; k < children_.size(); ++k) {
      EXPECT_EQ(WaitFor(k), 0) << "rank " << k << " with seed " << seed;
    }
  }

  std::vector<pid_t> children_;

 private:
  void Child(int k, int ranks, int seed, const RankFunction& run,
             int blocking) {
    OpenAll(ranks, {{"SEED", absl::StrCat(seed + k)}});
    NcclUniqueId id = {};
    if (k == 0) {
      id = NewId();
      for (int copy = 1; copy < ranks; ++copy) {
        EXPECT_EQ(::write(pipe_[1], &id, sizeof(id)), sizeof(id));
      }
    } else {
      EXPECT_EQ(::read(pipe_[0], &id, sizeof(id)), sizeof(id));
    }
    TestRank rank = OnGpu(k, ranks);
    ExpectDone(rank.comm, Init(rank, id, blocking));
    run(rank);
    EXPECT_EQ(ReportText(), "");
    Close();
  }

  int pipe_[2] = {-1, -1};
};

TEST_F(ProcessTest, Collectives) {
  for (int seed = 0; seed < 12; ++seed) {
    InProcesses(
        4, seed,
        [&](TestRank& rank) {
          const auto own = static_cast<int64_t>(rank.rank);
          for (int64_t k = 0; k < 10; ++k) {
            int64_t* x = Upload<int64_t>(rank, {own, k, 3});
            int64_t* y = MakeEmpty<int64_t>(12);
            ExpectDone(rank.comm,
                       nccl.ncclAllReduce(x, x, 3, kNcclInt64, kNcclSum,
                                          rank.comm, rank.stream));
            ExpectDone(rank.comm, nccl.ncclAllGather(x, y, 3, kNcclInt64,
                                                     rank.comm, rank.stream));
            EXPECT_EQ(Download(rank, y, 12),
                      (std::vector<int64_t>{6, 4 * k, 12, 6, 4 * k, 12, 6,
                                            4 * k, 12, 6, 4 * k, 12}));
          }
          ExpectDone(rank.comm, nccl.ncclCommFinalize(rank.comm));
          EXPECT_EQ(Settle(rank.comm), kNcclSuccess);
          EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclSuccess);
        },
        seed % 2);
  }
}

TEST_F(ProcessTest, LargeBuffersAndReplays) {
  constexpr size_t kCount = 100003;
  InProcesses(2, 3, [&](TestRank& rank) {
    float* x = Upload(rank, std::vector<float>(kCount, 1));
    EXPECT_EQ(Wait(rank.stream), kSuccess);
    Graph graph = nullptr;
    EXPECT_EQ(cu.cuStreamBeginCapture_v2(rank.stream, kCaptureModeGlobal),
              kSuccess);
    ExpectDone(rank.comm, nccl.ncclAllReduce(x, x, kCount, kNcclFloat32,
                                             kNcclSum, rank.comm, rank.stream));
    EXPECT_EQ(cu.cuStreamEndCapture(rank.stream, &graph), kSuccess);
    const GraphExec executable = Instantiate(graph);
    for (int k = 0; k < 10; ++k) {
      EXPECT_EQ(cu.cuGraphLaunch(executable, rank.stream), kSuccess);
    }
    EXPECT_EQ(Download(rank, x, kCount), std::vector<float>(kCount, 1024));
    EXPECT_EQ(cu.cuGraphExecDestroy(executable), kSuccess);
    EXPECT_EQ(nccl.ncclCommDestroy(rank.comm), kNcclSuccess);
  });
}

// The others wait for ever, until they abort; nothing is left on the machine.
TEST_F(ProcessTest, AKilledProcess) {
  children_.clear();
  Fork(
      3, 0,
      [&](TestRank& rank) {
        float* x = Upload<float>(rank, {1, 2});
        if (rank.rank == 2) {
          EXPECT_EQ(::raise(SIGKILL), 0);
        }
        EXPECT_EQ(nccl.ncclAllReduce(x, x, 2, kNcclFloat32, kNcclSum, rank.comm,
                                     rank.stream),
                  kNcclSuccess);
        const auto end =
            std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
        while (std::chrono::steady_clock::now() < end) {
          EXPECT_EQ(cu.cuStreamQuery(rank.stream), kErrorNotReady);
        }
        EXPECT_EQ(nccl.ncclCommAbort(rank.comm), kNcclSuccess);
        EXPECT_EQ(Wait(rank.stream), kSuccess);
      },
      1);
  EXPECT_EQ(WaitFor(0), 0);
  EXPECT_EQ(WaitFor(1), 0);
  EXPECT_TRUE(WIFSIGNALED(WaitFor(2)));
}

TEST_F(ProcessTest, AnIdEndsWithItsProcess) {
  int pipe[2] = {-1, -1};
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    OpenAll(1);
    const NcclUniqueId id = NewId();
    EXPECT_EQ(::write(pipe[1], &id, sizeof(id)), sizeof(id));
    ::_exit(HasFailure() ? 1 : 0);
  }
  NcclUniqueId id = {};
  EXPECT_EQ(::read(pipe[0], &id, sizeof(id)), sizeof(id));
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  OpenAll(1);
  TestRank rank = OnGpu(0, 1);
  EXPECT_EQ(Init(rank, id), kNcclSystemError);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace accel::cuda_double
