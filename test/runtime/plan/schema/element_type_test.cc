// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every element type of the schema has a name and a width, and those of whole
// bytes are types of the runtime.
#include "runtime/plan/schema/element_type.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace accel::runtime {
namespace {

TEST(ElementTypeTest, EveryTypeOfTheSchemaHasANameAndAWidth) {
  std::set<std::string> names;
  for (int i = planpb::ELEMENT_UNSPECIFIED + 1; i <= planpb::ElementType_MAX;
       ++i) {
    const auto type = static_cast<planpb::ElementType>(i);
    SCOPED_TRACE(i);
    const std::string name(ElementTypeName(type));
    EXPECT_NE(name, "unknown");
    EXPECT_TRUE(names.insert(name).second);
    const uint64_t bits = ElementBits(type);
    const std::optional<DType> dtype = ToDType(type);
    EXPECT_EQ(dtype.has_value(), bits >= 8);
    if (dtype) {
      EXPECT_EQ(DTypeName(*dtype), name);
      EXPECT_EQ(ByteWidth(*dtype) * 8, bits);
      EXPECT_EQ(FromDType(*dtype), type);
    }
  }
}

TEST(ElementTypeTest, WhatIsNoTypeSaysSo) {
  const auto unknown =
      static_cast<planpb::ElementType>(planpb::ElementType_MAX + 1);
  EXPECT_EQ(ElementTypeName(unknown), "unknown");
  EXPECT_EQ(ElementBits(unknown), 0);
  EXPECT_EQ(ToDType(unknown), std::nullopt);
  EXPECT_EQ(ElementTypeName(planpb::ELEMENT_UNSPECIFIED), "unknown");
}

TEST(ElementTypeTest, FloatsOf8BitsAreThoseOfTheOcp) {
  EXPECT_EQ(ElementTypeName(planpb::ELEMENT_F8E4M3), "f8e4m3");
  EXPECT_EQ(ElementTypeName(planpb::ELEMENT_F8E5M2), "f8e5m2");
  EXPECT_EQ(ElementTypeName(planpb::ELEMENT_F8E8M0), "f8e8m0");
}

}  // namespace
}  // namespace accel::runtime
