// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of a CPU on the memory of a rank alone.
#include "runtime/device/cpu/cpu_operations.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/plan/sample_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::ByteRange;

class CpuOperationsTest : public ::testing::Test {
 protected:
  CpuOperationsTest() : view_(*ViewOf(MakeSamplePlan())) {
    layout_ = std::make_unique<runtime::MemoryLayout>(
        runtime::MemoryLayout::Create(view_, runtime::RankBinding()).value());
    memory_ = runtime::CpuMemory::Create(view_, *layout_).value();
    operations_ = std::make_unique<runtime::CpuOperations>(code_, *memory_,
                                                           pool_, nullptr, 0);
  }

  // The first `size` bytes of a buffer.
  ByteRange RangeOf(const std::string& buffer, uint64_t size) {
    ByteRange range = layout_->RangeOf(MakeSamplePlan().BufferIndex(buffer), 0);
    range.end = range.begin + size;
    return range;
  }
  void Set(const ByteRange& range, const std::string& bytes) {
    std::memcpy(memory_->At(range), bytes.data(), bytes.size());
  }
  std::string Get(const ByteRange& range) {
    return std::string(reinterpret_cast<const char*>(memory_->At(range)),
                       range.size());
  }

  runtime::PlanView view_;
  const runtime::CpuCode code_;
  const runtime::ThreadPool pool_ = runtime::ThreadPool::Create(2).value();
  std::unique_ptr<runtime::MemoryLayout> layout_;
  std::unique_ptr<runtime::CpuMemory> memory_;
  std::unique_ptr<runtime::CpuOperations> operations_;
};

TEST_F(CpuOperationsTest, AFillRepeatsItsPatternAndNothingMore) {
  Set(RangeOf("w", 8), "########");
  EXPECT_OK(operations_->Fill(RangeOf("w", 6), "ab"));
  EXPECT_EQ(Get(RangeOf("w", 8)), "ababab##");
  EXPECT_OK(operations_->Fill(RangeOf("w", 3), ""));
  EXPECT_EQ(Get(RangeOf("w", 8)), std::string("\0\0\0bab##", 8));
}

TEST_F(CpuOperationsTest, ACopyLeavesItsSource) {
  Set(RangeOf("w", 4), "wxyz");
  EXPECT_OK(operations_->Copy(RangeOf("w", 4), RangeOf("gradient", 4)));
  EXPECT_EQ(Get(RangeOf("w", 4)), "wxyz");
  EXPECT_EQ(Get(RangeOf("gradient", 4)), "wxyz");
}

TEST_F(CpuOperationsTest, ARankAloneIsItsOwnSum) {
  Set(RangeOf("w", 4), "wxyz");
  EXPECT_OK(
      operations_->Collective({}, RangeOf("w", 4), RangeOf("gradient", 4)));
  EXPECT_EQ(Get(RangeOf("gradient", 4)), "wxyz");
  EXPECT_OK(operations_->Collective({}, RangeOf("w", 4), RangeOf("w", 4)));
  EXPECT_EQ(Get(RangeOf("w", 4)), "wxyz");
}

TEST_F(CpuOperationsTest, TheHostWritesAndReads) {
  EXPECT_OK(
      operations_->Upload(RangeOf("w", 3), [](absl::Span<std::byte> host) {
        EXPECT_EQ(host.size(), 3u);
        std::memcpy(host.data(), "abc", 3);
        return absl::OkStatus();
      }));
  std::string read(3, '\0');
  EXPECT_OK(operations_->Download(
      RangeOf("w", 3),
      absl::MakeSpan(reinterpret_cast<std::byte*>(read.data()), read.size())));
  EXPECT_EQ(read, "abc");
  EXPECT_THAT(operations_->Upload(RangeOf("w", 3),
                                  [](absl::Span<std::byte>) {
                                    return absl::DataLossError("no sample");
                                  }),
              StatusIs(absl::StatusCode::kDataLoss, "no sample"));
}

TEST_F(CpuOperationsTest, EveryTaskIsCalledOnce) {
  std::vector<std::atomic<int>> calls(100);
  operations_->ParallelFor(100, [&](int64_t i) { ++calls[i]; });
  for (const auto& count : calls) {
    EXPECT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace accel::testing
