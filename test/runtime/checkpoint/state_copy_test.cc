// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy stays what the state was, whatever steps make of the state.
#include "runtime/checkpoint/state_copy.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/checkpoint/sample_state.h"

namespace accel::testing {
namespace {

using runtime::StateCopy;
using runtime::StatePart;
using ::testing::HasSubstr;

class StateCopyTest : public ::testing::Test {
 protected:
  StateCopyTest() : tensors_(state_.Tensors()) {
    EXPECT_OK(state_.executor().Initialize());
    parts_ = *runtime::PartsToWrite(tensors_, state_.executor(), {});
    for (const StatePart& part : parts_) {
      bytes_ += (part.end - part.begin) * part.tensor->slot.width;
    }
  }

  SampleState state_;
  const std::vector<runtime::StateTensor> tensors_;
  std::vector<StatePart> parts_;
  uint64_t bytes_ = 0;
};

TEST_F(StateCopyTest, StaysWhatTheStateWas) {
  StateCopy copy(bytes_);
  ASSERT_OK(copy.Take(parts_, runtime::ReaderOf(state_.executor())));
  std::vector<std::vector<std::byte>> before;
  for (const auto& tensor : tensors_) {
    before.push_back(state_.Read(tensor));
  }
  ASSERT_OK(state_.executor().RunStep(0).status());
  size_t changed = 0;
  for (const StatePart& part : parts_) {
    const size_t number = static_cast<size_t>(part.tensor - tensors_.data());
    changed += state_.Read(*part.tensor) != before[number] ? 1 : 0;
    const uint64_t width = part.tensor->slot.width;
    // Piece by piece, as files are written.
    for (uint64_t first = part.begin; first < part.end; ++first) {
      std::vector<std::byte> piece(width);
      ASSERT_OK(copy.Read(part, first, absl::MakeSpan(piece)));
      ASSERT_TRUE(std::equal(
          piece.begin(), piece.end(),
          before[number].begin() + static_cast<ptrdiff_t>(first * width)))
          << part.tensor->name << " at " << first;
    }
  }
  EXPECT_GT(changed, 0u);
  // And the next one is taken in its place.
  ASSERT_OK(copy.Take(parts_, runtime::ReaderOf(state_.executor())));
  for (const StatePart& part : parts_) {
    std::vector<std::byte> whole((part.end - part.begin) *
                                 part.tensor->slot.width);
    ASSERT_OK(copy.Read(part, part.begin, absl::MakeSpan(whole)));
    EXPECT_EQ(whole, state_.Read(*part.tensor));
  }
}

TEST_F(StateCopyTest, HasRoomForWhatWasPlanned) {
  ASSERT_OK_AND_ASSIGN(const uint64_t planned,
                       runtime::CheckpointBytes(state_.plan().manifest(),
                                                runtime::RankBinding(), 1));
  EXPECT_EQ(planned, bytes_);
  StateCopy small(bytes_ - 1);
  EXPECT_THAT(small.Take(parts_, runtime::ReaderOf(state_.executor())),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("room")));
}

TEST_F(StateCopyTest, AnErrorOfReadingIsGiven) {
  StateCopy copy(bytes_);
  const absl::Status error = absl::UnavailableError("the device is gone");
  EXPECT_EQ(copy.Take(parts_, [&](const StatePart&, uint64_t,
                                  absl::Span<std::byte>) { return error; }),
            error);
}

}  // namespace
}  // namespace accel::testing
