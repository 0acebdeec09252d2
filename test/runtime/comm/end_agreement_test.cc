// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of several ranks do pieces of work at their own pace; when one of
// them wants to end, all end before the same piece, which nobody has begun.
#include "runtime/comm/end_agreement.h"

#include <thread>

#include "runtime/base/deadline.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;
using ::testing::Each;

constexpr uint32_t kRanks = 3;
constexpr uint32_t kThreads = 2;  // of each rank

absl::Status Healthy() { return absl::OkStatus(); }

class EndAgreementTest : public ::testing::Test {
 protected:
  EndAgreement Of(uint32_t rank) {
    std::vector<std::atomic<uint64_t>*> begun;
    for (std::atomic<uint64_t>& word : begun_) {
      begun.push_back(&word);
    }
    return EndAgreement(words_, begun, rank, std::chrono::milliseconds(100));
  }

  EndWords words_;
  std::atomic<uint64_t> begun_[kRanks] = {};
};

TEST_F(EndAgreementTest, WithoutAWishNothingEnds) {
  EndAgreement rank = Of(1);
  EXPECT_THAT(rank.Begin(1, false, Healthy), IsOkAndHolds(EndAgreement::kNone));
  EXPECT_THAT(rank.Begin(7, false, Healthy), IsOkAndHolds(EndAgreement::kNone));
}

TEST_F(EndAgreementTest, TheEndLiesBehindAllThatHasBegun) {
  EndAgreement slow = Of(0);
  EndAgreement fast = Of(2);
  EXPECT_OK(slow.Begin(3, false, Healthy));
  EXPECT_OK(fast.Begin(5, false, Healthy));
  EXPECT_THAT(slow.Begin(4, true, Healthy), IsOkAndHolds(6u));
  // Decided once.
  EXPECT_THAT(fast.Begin(6, true, Healthy), IsOkAndHolds(6u));
  EXPECT_THAT(slow.Begin(5, false, Healthy), IsOkAndHolds(6u));
}

TEST_F(EndAgreementTest, WhoDecidesAndDiesIsNotWaitedForForEver) {
  words_.deciding.store(1);
  EndAgreement rank = Of(0);
  EXPECT_THAT(rank.Begin(1, false, Healthy),
              StatusIs(absl::StatusCode::kDeadlineExceeded,
                       "waited 100 ms for a rank to decide which microbatch is "
                       "the last"));
  EXPECT_THAT(rank.Begin(1, false,
                         [] { return absl::UnavailableError("rank 1: died"); }),
              StatusIs(absl::StatusCode::kUnavailable, "rank 1: died"));
}

// In each iteration one thread wants to end at a random piece; nobody may be
// caught in a piece that others leave out.
TEST_F(EndAgreementTest, NobodyBeginsWhatOthersLeaveOut) {
  for (uint64_t round = 0; round < 60; ++round) {
    words_.deciding.store(0);
    words_.end.store(0);
    for (std::atomic<uint64_t>& word : begun_) {
      word.store(0);
    }
    std::vector<uint64_t> last(kRanks * kThreads);  // pieces that were begun
    std::vector<uint64_t> ends(kRanks * kThreads);
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < kRanks * kThreads; ++i) {
      threads.emplace_back([&, i] {
        EndAgreement rank = Of(i % kRanks);
        for (uint64_t piece = 1;; ++piece) {
          const bool ends_here =
              i == round % (kRanks * kThreads) && piece == 5 + round % 50;
          const auto end = rank.Begin(piece, ends_here, Healthy);
          ASSERT_OK(end);
          if (*end <= piece) {
            ends[i] = *end;
            return;
          }
          last[i] = piece;
          for (uint64_t spin = 0; spin < (i + round) % 7 * 20; ++spin) {
            __builtin_ia32_pause();
          }
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_THAT(ends, Each(ends[0]));
    EXPECT_THAT(last, Each(ends[0] - 1));
  }
}

}  // namespace
}  // namespace accel::runtime
