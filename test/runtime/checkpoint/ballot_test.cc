// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ranks come to the same verdict.
#include "runtime/checkpoint/ballot.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/base/status_macros.h"
#include "test/runtime/comm/rank_runner.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::Communicator;
using runtime::Tell;
using runtime::Verdict;
using runtime::Vote;

class BallotTest : public ::testing::TestWithParam<Backend> {};

TEST_P(BallotTest, AllKnowTheFirstFailure) {
  const auto statuses =
      RunRanks(GetParam(), 3, [](Communicator& communicator) -> absl::Status {
        const absl::Status own =
            communicator.rank() == 0
                ? absl::OkStatus()
                : absl::UnavailableError("no space on disk " +
                                         std::to_string(communicator.rank()));
        ASSIGN_OR_RETURN(const Verdict verdict,
                         Vote(&communicator, "a vote", own));
        return verdict.status;
      });
  for (const absl::Status& status : statuses) {
    EXPECT_EQ(status, absl::UnavailableError("rank 1: no space on disk 1"));
  }
}

TEST_P(BallotTest, AllAgreeIfEachDoes) {
  for (const uint32_t against : {0u, 1u, 2u, 3u}) {
    const auto statuses = RunRanks(
        GetParam(), 3, [&](Communicator& communicator) -> absl::Status {
          ASSIGN_OR_RETURN(const bool all,
                           runtime::AllAgree(&communicator, "a question",
                                             communicator.rank() != against));
          return all == (against == 3)
                     ? absl::OkStatus()
                     : absl::InternalError(absl::StrCat("got ", all));
        });
    for (const absl::Status& status : statuses) {
      EXPECT_OK(status);
    }
  }
  EXPECT_TRUE(*runtime::AllAgree(nullptr, "a question", true));
  EXPECT_FALSE(*runtime::AllAgree(nullptr, "a question", false));
}

TEST_P(BallotTest, AllKnowTheFilesOfAll) {
  const auto statuses =
      RunRanks(GetParam(), 3, [](Communicator& communicator) -> absl::Status {
        const std::string number = std::to_string(communicator.rank());
        ASSIGN_OR_RETURN(
            const Verdict verdict,
            Vote(&communicator, "a vote", absl::OkStatus(),
                 {"state-" + number, 100 + communicator.rank(), number}));
        RETURN_IF_ERROR(verdict.status);
        for (size_t rank = 0; rank < 3; ++rank) {
          const auto& file = verdict.files[rank];
          if (file.name != "state-" + std::to_string(rank) ||
              file.bytes != 100 + rank ||
              file.header_sha256 != std::to_string(rank)) {
            return absl::InternalError(file.name);
          }
        }
        return absl::OkStatus();
      });
  for (const absl::Status& status : statuses) {
    EXPECT_OK(status);
  }
}

TEST_P(BallotTest, RankZeroTells) {
  const auto statuses =
      RunRanks(GetParam(), 3, [](Communicator& communicator) -> absl::Status {
        ASSIGN_OR_RETURN(
            const int64_t told,
            Tell(&communicator, "a step", communicator.rank() == 0 ? 250 : -1));
        return told == 250 ? absl::OkStatus() : absl::InternalError("another");
      });
  for (const absl::Status& status : statuses) {
    EXPECT_OK(status);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, BallotTest,
                         ::testing::Values(Backend::kThreads, Backend::kShm),
                         BackendName);

TEST(BallotOfOneTest, IsItsOwn) {
  ASSERT_OK_AND_ASSIGN(
      const Verdict verdict,
      Vote(nullptr, "a vote", absl::UnavailableError("no"), {"file", 1, "x"}));
  EXPECT_EQ(verdict.status, absl::UnavailableError("no"));
  EXPECT_EQ(verdict.files[0].name, "file");
  EXPECT_EQ(*Tell(nullptr, "a step", 5), 5);
}

TEST(BallotOfOneTest, ALongMessageIsCut) {
  const auto statuses = RunRanks(
      Backend::kThreads, 2, [](Communicator& communicator) -> absl::Status {
        ASSIGN_OR_RETURN(const Verdict verdict,
                         Vote(&communicator, "a vote",
                              absl::UnavailableError(std::string(5000, 'x'))));
        return verdict.status;
      });
  EXPECT_EQ(statuses[1].message().size(),
            767u + std::string("rank 0: ").size());
}

}  // namespace
}  // namespace accel::testing
