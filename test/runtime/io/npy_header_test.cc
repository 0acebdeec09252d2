// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Header dictionaries are read as NumPy writes them; anything else is refused
// with the call that helps.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/npy.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Dictionary(const std::string& descr,
                       const std::string& order = "False",
                       const std::string& shape = "(2, 3)") {
  return absl::StrCat("{'descr': ", descr, ", 'fortran_order': ", order,
                      ", 'shape': ", shape, ", }");
}

TEST(NpyHeaderTest, ReadsWhatNumpyWrites) {
  ASSERT_OK_AND_ASSIGN(
      const NpyHeader header,
      ParseNpyHeader(Dictionary("'<f4'", "False", "(3, 4)") + "      \n"));
  EXPECT_EQ(header.dtype, DType::kF32);
  EXPECT_THAT(header.shape, ElementsAre(3, 4));
}

TEST(NpyHeaderTest, OrderQuotesAndCommasMayVary) {
  ASSERT_OK_AND_ASSIGN(
      const NpyHeader header,
      ParseNpyHeader(
          R"({ "shape":(7,) ,"fortran_order" : False,"descr":"|u1"})"));
  EXPECT_EQ(header.dtype, DType::kU8);
  EXPECT_THAT(header.shape, ElementsAre(7));
  ASSERT_OK_AND_ASSIGN(const NpyHeader scalar,
                       ParseNpyHeader(Dictionary("'<f8'", "False", "()")));
  EXPECT_THAT(scalar.shape, IsEmpty());
}

TEST(NpyHeaderTest, KnowsEverySupportedType) {
  const std::vector<std::pair<std::string, DType>> types = {
      {"|b1", DType::kBool}, {"|i1", DType::kI8},  {"|u1", DType::kU8},
      {"<i2", DType::kI16},  {"<u2", DType::kU16}, {"<i4", DType::kI32},
      {"<u4", DType::kU32},  {"<i8", DType::kI64}, {"<u8", DType::kU64},
      {"<f2", DType::kF16},  {"<f4", DType::kF32}, {"<f8", DType::kF64}};
  for (const auto& [descr, dtype] : types) {
    ASSERT_OK_AND_ASSIGN(const NpyHeader header,
                         ParseNpyHeader(Dictionary("'" + descr + "'")));
    EXPECT_EQ(header.dtype, dtype) << descr;
  }
}

TEST(NpyHeaderTest, UnsupportedArraysComeWithTheCallThatHelps) {
  const std::string types =
      "expected dtype bool, int8 to int64, uint8 to uint64, or float16 to "
      "float64, got ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {Dictionary("'>i4'"),
       "expected little-endian values, got dtype '>i4'; write "
       "ARRAY.astype('<i4')"},
      {Dictionary("'<f16'"),
       types + "'<f16'; write ARRAY.astype(one of these)"},
      {Dictionary("'|O'"), types + "'|O'; write ARRAY.astype(one of these)"},
      {Dictionary("''"), types + "''; write ARRAY.astype(one of these)"},
      {Dictionary("[('a', '<f4')]"),
       "the array is structured (a record dtype); save each field as an array "
       "of its own"},
      {Dictionary("'<f4'", "True"),
       "the array is in Fortran order; write numpy.ascontiguousarray(ARRAY)"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(ParseNpyHeader(text),
                StatusIs(absl::StatusCode::kInvalidArgument, message));
  }
}

TEST(NpyHeaderTest, MalformedHeadersSayWhereTheyEndToMakeSense) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "'{' at \"\""},
      {"{'descr' '<f4'}", "':' at \"'<f4'}\""},
      {"{descr: 1}", "a string at \"descr: 1}\""},
      {"{'descr", "a closing quote at \"'descr\""},
      {"{'color': 1}", "the keys descr, fortran_order and shape at \" 1}\""},
      {Dictionary("'<f4'", "Maybe"),
       "True or False at \"Maybe, 'shape': (2, \""},
      {Dictionary("'<f4'", "False", "(-2,)"), "a dimension at \"-2,), }\""},
      {Dictionary("'<f4'", "False", "(99999999999999999999,)"),
       "a dimension at \"99999999999999999999\""},
      {"{'shape': (1,), 'shape': (1,)}", "each key once at \" (1,)}\""},
      {"{'shape': (1,)}",
       "the keys descr, fortran_order and shape, once each at \"\""},
      {Dictionary("'<f4'") + "x",
       "the keys descr, fortran_order and shape, once each at \"x\""},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(
        ParseNpyHeader(text),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 absl::StrCat("malformed .npy header: expected ", message)));
  }
}

TEST(NpyHeaderTest, WritesWhatItReads) {
  for (const std::vector<int64_t>& shape :
       std::vector<std::vector<int64_t>>{{}, {3}, {2, 3}, {0, 5}}) {
    for (const DType dtype : {DType::kBool, DType::kI64, DType::kF32}) {
      const auto bytes = MakeNpyHeader({dtype, shape});
      ASSERT_TRUE(bytes.ok());
      EXPECT_EQ(bytes->size() % 64, 0);
      EXPECT_EQ(bytes->substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
      const auto header = ParseNpyHeader(absl::string_view(*bytes).substr(10));
      ASSERT_TRUE(header.ok()) << header.status();
      EXPECT_EQ(header->dtype, dtype);
      EXPECT_EQ(header->shape, shape);
    }
  }
}

TEST(NpyHeaderTest, WritesNoTypeThatNumpyHasNoNameFor) {
  EXPECT_EQ(MakeNpyHeader({DType::kBF16, {2}}).status().message(),
            "a .npy file cannot hold elements of type bf16");
}

}  // namespace
}  // namespace accel::runtime
