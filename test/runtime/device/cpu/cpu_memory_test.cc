// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mappings: zeroed, aligned, and huge pages where nearly all will be touched.
#include "runtime/device/cpu/cpu_memory.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::Mapping;

constexpr uint64_t kLarge = uint64_t{64} << 20;

// What the kernel keeps of the mapping at `address` ("rd wr mr mw me ac hg"),
// or "" if it tells nothing.
std::string FlagsOf(const std::byte* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream header(line);
    if (header >> std::hex >> begin >> dash >> end && dash == '-') {
      is_here = begin <= wanted && wanted < end;
    } else if (is_here && line.rfind("VmFlags:", 0) == 0) {
      return line;
    }
  }
  return "";
}

bool HasHugePages() {
  return std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").good();
}

TEST(CpuMemoryTest, IsZeroedAndAligned) {
  ASSERT_OK_AND_ASSIGN(const Mapping mapping, Mapping::Create(5000, 256, 5000));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(mapping.data()) % 256, 0u);
  const std::string zeros(5000, '\0');
  EXPECT_EQ(std::memcmp(mapping.data(), zeros.data(), zeros.size()), 0);
}

TEST(CpuMemoryTest, WhatIsAllTouchedAsksForHugePages) {
  if (!HasHugePages()) {
    GTEST_SKIP() << "no transparent huge pages";
  }
  ASSERT_OK_AND_ASSIGN(const Mapping mapping,
                       Mapping::Create(kLarge, 64, kLarge));
  EXPECT_THAT(FlagsOf(mapping.data()), ::testing::HasSubstr(" hg"));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(mapping.data()) % (2 << 20), 0u);
}

// A huge page in a gap would take memory that no plan counts.
TEST(CpuMemoryTest, WhatHasGapsDoesNot) {
  ASSERT_OK_AND_ASSIGN(const Mapping gaps,
                       Mapping::Create(kLarge, 64, kLarge / 2));
  EXPECT_THAT(FlagsOf(gaps.data()),
              ::testing::Not(::testing::HasSubstr(" hg")));
  ASSERT_OK_AND_ASSIGN(const Mapping small,
                       Mapping::Create(1 << 20, 64, 1 << 20));
  EXPECT_THAT(FlagsOf(small.data()),
              ::testing::Not(::testing::HasSubstr(" hg")));
}

}  // namespace
}  // namespace accel::testing
