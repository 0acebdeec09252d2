// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table that leads outside of itself is refused before the library follows
// it.
#include "tools/accel-data/model_bounds.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using tools::HasBoundedTables;
using tools::IsBoundedTable;

// Of 512 entries that all stay where they are, and the string "a".
class Table {
 public:
  Table() : units_(512) {}

  uint32_t& operator[](size_t unit) { return units_[unit]; }
  std::string Bytes(uint32_t size = 2048) const {
    return TempDir::Bytes(std::vector<uint32_t>{size}) +
           TempDir::Bytes(units_) + strings;
  }

  std::string strings = std::string("a\0", 2);

 private:
  std::vector<uint32_t> units_;
};

std::string Field(int number, const std::string& value) {
  std::string bytes(1, static_cast<char>(number << 3 | 2));
  for (size_t size = value.size(); true; size >>= 7) {
    bytes += static_cast<char>((size & 0x7f) | (size > 0x7f ? 0x80 : 0));
    if (size <= 0x7f) {
      return bytes + value;
    }
  }
}

TEST(ModelBoundsTest, EntriesLeadInside) {
  Table table;
  EXPECT_TRUE(IsBoundedTable(table.Bytes()));
  table[3] = 256 << 10;
  EXPECT_TRUE(IsBoundedTable(table.Bytes()));
  table[3] = 512 << 10;
  EXPECT_FALSE(IsBoundedTable(table.Bytes()));
  // The same offset with its unit in the other field.
  table[3] = 2 << 10 | 1 << 9;
  EXPECT_FALSE(IsBoundedTable(table.Bytes()));
  // A value leads nowhere.
  table[3] = 0xffffffff;
  EXPECT_TRUE(IsBoundedTable(table.Bytes()));
}

TEST(ModelBoundsTest, ValuesLieInTheStrings) {
  Table table;
  table[3] = 4 << 10 | 1 << 8;  // its value is at 7
  table[7] = 0x80000001;
  EXPECT_TRUE(IsBoundedTable(table.Bytes()));
  table[7] = 0x80000002;
  EXPECT_FALSE(IsBoundedTable(table.Bytes()));
}

TEST(ModelBoundsTest, PartsFillTheTable) {
  Table table;
  EXPECT_FALSE(IsBoundedTable(""));
  EXPECT_FALSE(IsBoundedTable("abc"));
  EXPECT_FALSE(IsBoundedTable(table.Bytes(0)));
  EXPECT_FALSE(IsBoundedTable(table.Bytes(1024 + 4)));
  EXPECT_FALSE(IsBoundedTable(table.Bytes(4096)));
  EXPECT_FALSE(IsBoundedTable(table.Bytes(0xfffffc00)));
  table.strings = "a";
  EXPECT_FALSE(IsBoundedTable(table.Bytes()));
}

TEST(ModelBoundsTest, BothNormalizersOfAModelAreLookedAt) {
  Table good;
  Table bad;
  bad[3] = 512 << 10;
  const std::string piece = Field(1, "piece");
  for (const int normalizer : {3, 5}) {
    EXPECT_TRUE(HasBoundedTables(
        piece + Field(normalizer, Field(2, good.Bytes()) + Field(1, "nfkc"))));
    EXPECT_FALSE(HasBoundedTables(
        piece + Field(normalizer, Field(1, "nfkc") + Field(2, bad.Bytes()))));
    // Of two the last one counts.
    EXPECT_FALSE(HasBoundedTables(Field(normalizer, Field(2, good.Bytes())) +
                                  Field(normalizer, Field(2, bad.Bytes()))));
  }
  EXPECT_TRUE(HasBoundedTables(Field(3, Field(2, ""))));
  EXPECT_TRUE(HasBoundedTables(Field(4, Field(2, "no table"))));
}

TEST(ModelBoundsTest, WhatIsNoMessageIsRefused) {
  EXPECT_TRUE(HasBoundedTables(""));
  EXPECT_FALSE(HasBoundedTables("text"));
  EXPECT_FALSE(HasBoundedTables("\x1a\x7f"));  // longer than the rest
  EXPECT_FALSE(HasBoundedTables("\x1a"));      // without its length
  EXPECT_FALSE(HasBoundedTables("\x0d\x01"));  // four bytes, got one
  EXPECT_FALSE(HasBoundedTables("\x0b\x0c"));  // a group
  EXPECT_FALSE(HasBoundedTables(std::string(11, '\xff')));
}

}  // namespace
}  // namespace accel::testing
