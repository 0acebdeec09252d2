// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel's figures are read in bytes.
#include "runtime/report/peak_memory.h"

#include <vector>

#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;

TEST(PeakMemoryTest, ParsesTheKernelsText) {
  ASSERT_OK_AND_ASSIGN(
      const ResidentMemory memory,
      ParseProcStatus("Name:\tx\nVmPeak:\t    9 kB\n"
                      "VmHWM:\t  2048 kB\nVmRSS:\t 1024 kB\n"));
  EXPECT_EQ(memory.peak_bytes, 2 << 20);
  EXPECT_EQ(memory.now_bytes, 1 << 20);
}

TEST(PeakMemoryTest, MissingOrOddLinesAreErrors) {
  EXPECT_THAT(ParseProcStatus("VmRSS:\t 1 kB\n"),
              StatusIs(absl::StatusCode::kNotFound,
                       "expected a line 'VmHWM: N kB', got none"));
  EXPECT_THAT(ParseProcStatus("VmHWM:\t 1 kB\nVmRSS:\t 1 MB\n"),
              StatusIs(absl::StatusCode::kNotFound,
                       "expected a line 'VmRSS: N kB', got none"));
}

TEST(PeakMemoryTest, ThePeakOfThisProcessCoversWhatItTouched) {
  const auto vfs = MakePosixVfs();
  ASSERT_OK_AND_ASSIGN(const ResidentMemory before, ReadResidentMemory(*vfs));
  constexpr size_t kSize = 64 << 20;
  {
    const std::vector<char> touched(kSize, 1);
  }
  ASSERT_OK_AND_ASSIGN(const ResidentMemory after, ReadResidentMemory(*vfs));
  // The kernel counts per processor and folds the counts in now and then.
  constexpr size_t kSlack = 1 << 20;
  EXPECT_GE(after.peak_bytes + kSlack, before.now_bytes + kSize);
}

TEST(PeakMemoryTest, ThePeakBeginsAnew) {
  const auto vfs = MakePosixVfs();
  constexpr uint64_t kSize = 64 << 20;
  {
    const std::vector<char> touched(kSize, 1);
  }
  ASSERT_OK(ResetPeakMemory(*vfs));
  ASSERT_OK_AND_ASSIGN(const ResidentMemory after, ReadResidentMemory(*vfs));
  EXPECT_LT(after.peak_bytes, after.now_bytes + kSize / 2);
}

}  // namespace
}  // namespace accel::runtime
