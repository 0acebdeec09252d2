// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CRC-32C against published values.
#include "runtime/base/crc32c.h"

#include <string>

#include "gtest/gtest.h"

namespace accel::testing {
namespace {

using runtime::Crc32c;

// RFC 3720, appendix B.4: bytes of the table are in the order of a wire.
TEST(Crc32cTest, HasTheValuesOfRfc3720) {
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string ascending;
  std::string descending;
  for (char i = 0; i < 32; ++i) {
    ascending.push_back(i);
    descending.insert(descending.begin(), i);
  }
  EXPECT_EQ(Crc32c(ascending), 0x46dd794eu);
  EXPECT_EQ(Crc32c(descending), 0x113fdb5cu);
}

TEST(Crc32cTest, HasTheCheckValueOfItsCatalogue) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(""), 0u);
}

}  // namespace
}  // namespace accel::testing
