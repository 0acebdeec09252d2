// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one rank does wrong, all ranks learn soon and in the same words.
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/comm/communicator.h"
#include "test/runtime/comm/rank_runner.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::Backend;
using ::accel::testing::IsOk;
using ::accel::testing::RankBody;
using ::accel::testing::RunRanks;
using ::accel::testing::SleepFor;
using ::accel::testing::StatusIs;
using planpb::Collective;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

CommunicatorOptions TimeoutOf(std::chrono::nanoseconds timeout) {
  CommunicatorOptions options;
  options.timeout = timeout;
  return options;
}

CollectiveCall SumOf(absl::string_view name, std::vector<float>& values) {
  CollectiveCall call;
  call.kind = Collective::KIND_ALL_REDUCE;
  call.reduction = Collective::REDUCTION_SUM;
  call.name = name;
  call.elements = values.size();
  call.output = absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                               values.size() * sizeof(float));
  call.input = call.output;
  return call;
}

absl::Status Sum(Communicator& comm, absl::string_view name,
                 uint64_t elements = 10) {
  std::vector<float> values(elements);
  return comm.Run(SumOf(name, values));
}

absl::Status Barrier(Communicator& comm, absl::string_view name) {
  CollectiveCall call;
  call.name = name;
  return comm.Run(call);
}

// The body's status, unless it took longer than `limit`.
absl::Status Within(std::chrono::nanoseconds limit, const RankBody& body,
                    Communicator& comm) {
  const auto before = steady_clock::now();
  absl::Status status = body(comm);
  if (steady_clock::now() - before > limit) {
    return Annotate(
        status.ok() ? absl::InternalError("OK") : status,
        absl::StrCat("after ", (steady_clock::now() - before) / milliseconds(1),
                     " ms"));
  }
  return status;
}

class FailureTest : public ::testing::TestWithParam<Backend> {
 protected:
  std::vector<absl::Status> Run(
      uint32_t ranks, const RankBody& body,
      std::chrono::nanoseconds timeout = seconds(30)) {
    return RunRanks(
        GetParam(), ranks,
        [&](Communicator& comm) { return Within(seconds(2), body, comm); },
        TimeoutOf(timeout));
  }
};

TEST_P(FailureTest, AnotherOrderOnOneRankIsNamedOnAllRanks) {
  const auto results = Run(3, [](Communicator& comm) -> absl::Status {
    RETURN_IF_ERROR(Barrier(comm, "start"));
    if (comm.rank() == 1) {
      RETURN_IF_ERROR(Sum(comm, "b.gradient", 20));
      return Sum(comm, "a.gradient", 10);
    }
    RETURN_IF_ERROR(Sum(comm, "a.gradient", 10));
    return Sum(comm, "b.gradient", 20);
  });
  EXPECT_THAT(
      results,
      Each(StatusIs(
          absl::StatusCode::kFailedPrecondition,
          "rank 1: the ranks differ in operation 2: ranks 0 and 2 came to "
          "a.gradient (all_reduce, sum, f32, 10 elements, sequence 0); rank 1 "
          "to b.gradient (all_reduce, sum, f32, 20 elements, sequence 0); all "
          "ranks must run the same plan")));
}

TEST_P(FailureTest, AnotherSizeOnOneRankIsNamedOnAllRanks) {
  EXPECT_THAT(
      Run(2,
          [](Communicator& comm) {
            return Sum(comm, "gradient", 10 + comm.rank());
          }),
      Each(StatusIs(
          absl::StatusCode::kFailedPrecondition,
          "rank 1: the ranks differ in operation 1: rank 0 came to gradient "
          "(all_reduce, sum, f32, 10 elements, sequence 0); rank 1 to gradient "
          "(all_reduce, sum, f32, 11 elements, sequence 0); all ranks must run "
          "the same plan")));
}

TEST_P(FailureTest, AnotherTypeOnOneRankIsNamedOnAllRanks) {
  EXPECT_THAT(
      Run(4,
          [](Communicator& comm) {
            std::vector<float> values(20);
            CollectiveCall call = SumOf("gradient", values);
            if (comm.rank() == 0) {
              call.dtype = DType::kF64;
              call.elements = 10;
            }
            return comm.Run(call);
          }),
      Each(StatusIs(
          absl::StatusCode::kFailedPrecondition,
          "rank 0: the ranks differ in operation 1: ranks 1, 2 and 3 came to "
          "gradient (all_reduce, sum, f32, 20 elements, sequence 0); rank 0 to "
          "gradient (all_reduce, sum, f64, 10 elements, sequence 0); all ranks "
          "must run the same plan")));
}

// Rank 2 is busy; the others do not wait for it to say who is wrong.
TEST_P(FailureTest, ADifferenceIsNamedBeforeTheLastRankComes) {
  const auto results =
      RunRanks(GetParam(), 4, [](Communicator& comm) -> absl::Status {
        if (comm.rank() == 2) {
          SleepFor(milliseconds(2500));
          return Sum(comm, "a");
        }
        return Within(
            seconds(2),
            [](Communicator& c) { return Sum(c, c.rank() == 3 ? "b" : "a"); },
            comm);
      });
  EXPECT_THAT(
      results,
      Each(StatusIs(
          absl::StatusCode::kFailedPrecondition,
          "rank 3: the ranks differ in operation 1: ranks 0 and 1 came to a "
          "(all_reduce, sum, f32, 10 elements, sequence 0); rank 3 to b "
          "(all_reduce, sum, f32, 10 elements, sequence 0); all ranks must run "
          "the same plan")));
}

TEST_P(FailureTest, AnotherAllocationOnOneRankIsNamedOnAllRanks) {
  EXPECT_THAT(
      Run(2,
          [](Communicator& comm) {
            return comm.AllocateShared(100 + comm.rank(), "slot").status();
          }),
      Each(StatusIs(absl::StatusCode::kFailedPrecondition,
                    "rank 1: the ranks differ in operation 1: rank 0 came to "
                    "slot (allocation of 100 shared bytes); rank 1 to slot "
                    "(allocation of 101 shared bytes); all ranks must run the "
                    "same plan")));
}

TEST_P(FailureTest, ARankThatDoesNotComeIsNamedAtTheDeadline) {
  const auto results = Run(
      4,
      [](Communicator& comm) -> absl::Status {
        RETURN_IF_ERROR(Sum(comm, "first"));
        if (comm.rank() == 1 || comm.rank() == 3) {
          SleepFor(milliseconds(1000));
        }
        return Sum(comm, "second");
      },
      milliseconds(300));
  for (const absl::Status& result : results) {
    EXPECT_THAT(
        result,
        StatusIs(absl::StatusCode::kDeadlineExceeded,
                 AllOf(HasSubstr("waited 300 ms for ranks 1 and 3 in second "
                                 "(all_reduce, sum, f32, 10 elements, sequence "
                                 "0), operation 2; rank 1"),
                       HasSubstr("last completed first (all_reduce, sum, f32, "
                                 "10 elements, sequence 0), operation 1; rank "
                                 "3"))));
  }
}

TEST_P(FailureTest, ARankThatGetsOnIsWaitedForBeyondTheTimeout) {
  EXPECT_THAT(Run(
                  3,
                  [](Communicator& comm) -> absl::Status {
                    for (int i = 0; comm.rank() == 2 && i < 15; ++i) {
                      SleepFor(milliseconds(100));
                      comm.ReportProgress();
                    }
                    return Sum(comm, "gradient");
                  },
                  milliseconds(500)),
              Each(IsOk()));
}

TEST_P(FailureTest, ARankThatHangsAfterProgressIsNoticedOneTimeoutLater) {
  const auto results = Run(
      2,
      [](Communicator& comm) -> absl::Status {
        for (int i = 0; comm.rank() == 1 && i < 5; ++i) {
          SleepFor(milliseconds(100));
          comm.ReportProgress();
        }
        if (comm.rank() == 1) {
          SleepFor(milliseconds(1200));
        }
        const auto before = steady_clock::now();
        absl::Status status = Sum(comm, "gradient");
        const auto waited = steady_clock::now() - before;
        if (comm.rank() == 0 &&
            (waited < milliseconds(700) || waited > milliseconds(1300))) {
          return absl::InternalError(
              absl::StrCat("waited ", waited / milliseconds(1), " ms"));
        }
        return status;
      },
      milliseconds(400));
  EXPECT_THAT(results, Each(StatusIs(absl::StatusCode::kDeadlineExceeded,
                                     HasSubstr("waited 400 ms for rank 1"))));
}

TEST_P(FailureTest, AbortEndsAllWaitsWithTheReason) {
  EXPECT_THAT(Run(4,
                  [](Communicator& comm) -> absl::Status {
                    if (comm.rank() == 2) {
                      SleepFor(milliseconds(50));
                      comm.Abort(absl::DataLossError("data/text.bin: changed"));
                      return comm.Health();
                    }
                    return Sum(comm, "gradient");
                  }),
              Each(StatusIs(absl::StatusCode::kDataLoss,
                            "rank 2: data/text.bin: changed")));
}

TEST_P(FailureTest, TheFirstErrorWinsAndStays) {
  EXPECT_THAT(Run(3,
                  [](Communicator& comm) -> absl::Status {
                    if (comm.rank() == 0) {
                      comm.Abort(absl::InternalError("first"));
                    }
                    absl::Status ended = Barrier(comm, "end");
                    comm.Abort(absl::InternalError("second"));
                    comm.PeerFailed(1, absl::InternalError("third"));
                    if (Barrier(comm, "again") != ended ||
                        comm.Health() != ended ||
                        comm.AllocateShared(1, "more").status() != ended) {
                      return absl::UnknownError("another error");
                    }
                    return ended;
                  }),
              Each(StatusIs(absl::StatusCode::kInternal, "rank 0: first")));
}

TEST_P(FailureTest, WhatIsNoticedOfAPeerBearsThePeersNumber) {
  EXPECT_THAT(Run(3,
                  [](Communicator& comm) -> absl::Status {
                    if (comm.rank() == 0) {
                      comm.PeerFailed(
                          2, absl::UnavailableError("killed by signal 9"));
                    }
                    return Barrier(comm, "end");
                  }),
              Each(StatusIs(absl::StatusCode::kUnavailable,
                            "rank 2: killed by signal 9")));
}

TEST_P(FailureTest, ARankThatLeavesIsNamedAtOnce) {
  const auto results = Run(3, [](Communicator& comm) -> absl::Status {
    RETURN_IF_ERROR(Barrier(comm, "first"));
    return comm.rank() == 1 ? absl::OkStatus() : Barrier(comm, "second");
  });
  EXPECT_THAT(results[1], IsOk());
  for (const uint32_t rank : {0, 2}) {
    EXPECT_THAT(
        results[rank],
        StatusIs(absl::StatusCode::kUnavailable,
                 AllOf(HasSubstr("rank 1: "), HasSubstr(" while rank "),
                       HasSubstr(" waited for it in second (barrier, sequence "
                                 "0), operation 2; it last completed first "
                                 "(barrier, sequence 0), operation 1"))));
  }
}

// Ranks that end do not look dead to those that still read.
TEST_P(FailureTest, LeavingAfterTheLastCallHarmsNobody) {
  for (int run = 0; run < 20; ++run) {
    EXPECT_THAT(Run(4,
                    [](Communicator& comm) -> absl::Status {
                      return Sum(comm, "last", 3000);
                    }),
                Each(IsOk()));
  }
}

TEST_P(FailureTest, ACallThatIsWrongByItselfEndsNobody) {
  EXPECT_THAT(
      Run(2,
          [](Communicator& comm) -> absl::Status {
            std::vector<float> values(10);
            CollectiveCall call = SumOf("gradient", values);
            call.dtype = DType::kBF16;
            call.elements = 20;
            const absl::Status refused = comm.Run(call);
            if (refused !=
                absl::UnimplementedError(absl::StrCat(
                    "rank ", comm.rank(),
                    ": gradient: no reduction over ranks of bf16; there are "
                    "those of f32, f64 and i64"))) {
              return absl::InternalError(refused.ToString());
            }
            return Sum(comm, "gradient");
          }),
      Each(IsOk()));
}

TEST_P(FailureTest, AnAllReduceIntoSharedMemoryIsRefused) {
  EXPECT_THAT(
      Run(1,
          [](Communicator& comm) -> absl::Status {
            ASSIGN_OR_RETURN(const absl::Span<std::byte> shared,
                             comm.AllocateShared(40, "shared"));
            std::vector<float> values(10);
            CollectiveCall call = SumOf("gradient", values);
            call.output = shared;
            return comm.Run(call);
          }),
      Each(StatusIs(absl::StatusCode::kUnimplemented,
                    "rank 0: gradient: no all_reduce into shared memory; "
                    "reduce into private memory")));
}

TEST_P(FailureTest, TooManyCallsUnderWayAreRefused) {
  EXPECT_THAT(Run(1,
                  [](Communicator& comm) -> absl::Status {
                    CollectiveCall call;
                    call.name = "barrier";
                    for (int i = 0; i < 64; ++i) {
                      RETURN_IF_ERROR(comm.Start(call).status());
                    }
                    return comm.Start(call).status();
                  }),
              Each(StatusIs(absl::StatusCode::kResourceExhausted,
                            "rank 0: barrier: 64 calls are under way, wait for "
                            "one of them first")));
}

TEST_P(FailureTest, WaitingForWhatWasNotStartedIsRefused) {
  EXPECT_THAT(
      Run(1, [](Communicator& comm) { return comm.Wait({1}); }),
      Each(StatusIs(absl::StatusCode::kInvalidArgument,
                    "rank 0: waits for call 1, which was not started")));
}

INSTANTIATE_TEST_SUITE_P(All, FailureTest,
                         ::testing::Values(Backend::kThreads, Backend::kShm),
                         ::accel::testing::BackendName);

}  // namespace
}  // namespace accel::runtime
