// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A header is accepted only if it says exactly one thing about every byte.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/safetensors.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(SafetensorsHeaderTest, ReadsEntriesInTheOrderOfTheirBytes) {
  ASSERT_OK_AND_ASSIGN(const SafetensorsHeader header,
                       ParseSafetensorsHeader(
                           R"({"__metadata__":{"format":"pt"},
              "b":{"dtype":"F32","shape":[2,2],"data_offsets":[8,24]},
              "a":{"data_offsets":[0,8],"dtype":"I64","shape":[]}}  )",
                           24));
  ASSERT_EQ(header.entries.size(), 2);
  EXPECT_EQ(header.entries[0].name, "a");
  EXPECT_EQ(header.entries[0].dtype, DType::kI64);
  EXPECT_THAT(header.entries[0].shape, IsEmpty());
  EXPECT_EQ(header.entries[1].name, "b");
  EXPECT_THAT(header.entries[1].shape, ElementsAre(2, 2));
  EXPECT_EQ(header.entries[1].begin, 8);
  EXPECT_EQ(header.entries[1].end, 24);
  EXPECT_THAT(header.metadata, ElementsAre(Pair("format", "pt")));
}

TEST(SafetensorsHeaderTest, EmptyTensorsAndNoTensorsAreFine) {
  EXPECT_OK(ParseSafetensorsHeader("{}", 0));
  EXPECT_OK(ParseSafetensorsHeader(
      R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
          "a":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]}})",
      4));
}

TEST(SafetensorsHeaderTest, EveryDTypeNameLeadsBack) {
  for (int i = 0; i <= static_cast<int>(DType::kF64); ++i) {
    const DType dtype = static_cast<DType>(i);
    EXPECT_EQ(SafetensorsDTypeFromName(SafetensorsDTypeName(dtype)), dtype);
  }
}

struct BadHeader {
  std::string json;
  uint64_t data_size;
  std::string message;
};

std::string Entry(const std::string& fields) {
  return absl::StrCat("{\"w\":{", fields, "}}");
}

std::vector<BadHeader> BadStructure() {
  const std::string rest = R"("shape":[1],"data_offsets":[0,4])";
  const std::string good = R"({"dtype":"F32",)" + rest + "}";
  return {
      {"", 0, "not valid JSON at byte 1"},
      {"{} x", 0, "not valid JSON at byte 4"},
      {"[]", 0, "unexpected array"},
      {"3", 0, "unexpected number"},
      {"{\"w\":\xff}", 0, "not valid JSON at byte 6"},
      {R"({"w":1})", 0, "unexpected number"},
      {R"({"w":null})", 0, "unexpected null"},
      {"{\"w\":" + good + ",\"w\":" + good + "}", 4, "duplicate key 'w'"},
      {Entry(R"("dtype":"F32","dtype":"F32",)" + rest), 4,
       "'w': duplicate key 'dtype'"},
      {Entry(R"("dtype":"F4",)" + rest), 4, "'w': unsupported dtype 'F4'"},
      {Entry(R"("dtype":7,)" + rest), 4, "'w': unexpected number"},
      {Entry(rest), 4, "'w': missing key 'dtype'"},
      {Entry(R"("dtype":"F32","extra":"x",)" + rest), 4,
       "'w': unexpected string"},
      {Entry(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"), 4,
       "'w': unexpected negative number"},
      {Entry(R"("dtype":"F32","shape":[1.5],"data_offsets":[0,4])"), 4,
       "'w': unexpected fraction"},
      {Entry(R"("dtype":"F32","shape":[true],"data_offsets":[0,4])"), 4,
       "'w': unexpected boolean"},
      {Entry(R"("dtype":"F32","shape":[[1]],"data_offsets":[0,4])"), 4,
       "'w': unexpected array"},
      {Entry(R"("dtype":"F32","shape":[9223372036854775808],)"
             R"("data_offsets":[0,4])"),
       4, "'w': shape out of range"},
      {Entry(R"("dtype":"F32","shape":[1],"data_offsets":[0,4,8])"), 4,
       "'w': data_offsets: expected 2 numbers, got 3"},
      {Entry(R"("dtype":{},)" + rest), 4, "'w': unexpected object"},
      {R"({"__metadata__":{"a":1}})", 0, "'__metadata__': unexpected number"},
  };
}

TEST(SafetensorsHeaderTest, RefusesWhatIsNotTheFormat) {
  for (const BadHeader& bad : BadStructure()) {
    EXPECT_THAT(ParseSafetensorsHeader(bad.json, bad.data_size),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("safetensors header: ", bad.message)))
        << bad.json;
  }
}

std::string Two(const std::string& first, const std::string& second) {
  return absl::StrCat(
      R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)", first,
      R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)", second, "}}");
}

TEST(SafetensorsHeaderTest, RefusesWrongSizesHolesOverlapsAndCutFiles) {
  const std::vector<BadHeader> cases = {
      {Entry(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"), 8,
       "'w': [3] of F32 takes 12 bytes, data_offsets are [0, 8]"},
      {Entry(R"("dtype":"U8","shape":[0],"data_offsets":[8,0])"), 8,
       "'w': [0] of U8 takes 0 bytes, data_offsets are [8, 0]"},
      {Entry(R"("dtype":"U8","shape":[4294967296,4294967296],)"
             R"("data_offsets":[0,0])"),
       0,
       "'w': [4294967296, 4294967296] of U8 takes more bytes than can be "
       "counted, data_offsets are [0, 0]"},
      {Two("[0,4]", "[5,9]"), 9,
       "'b': hole before it: expected it to begin at data byte 4, got 5"},
      {Two("[0,4]", "[3,7]"), 7,
       "'b': overlap before it: expected it to begin at data byte 4, got 3"},
      {Two("[1,5]", "[5,9]"), 9,
       "'a': hole before it: expected it to begin at data byte 0, got 1"},
      {Two("[0,4]", "[4,8]"), 7,
       "the tensors take 8 bytes, the file has 7: it is cut short"},
      {Two("[0,4]", "[4,8]"), 9, "the tensors take 8 bytes, the file has 9"},
  };
  for (const BadHeader& bad : cases) {
    EXPECT_THAT(ParseSafetensorsHeader(bad.json, bad.data_size),
                StatusIs(absl::StatusCode::kInvalidArgument, bad.message));
  }
}

TEST(SafetensorsHeaderTest, DeepNestingCostsNothing) {
  EXPECT_THAT(ParseSafetensorsHeader(std::string(10'000'000, '['), 0),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "safetensors header: unexpected array"));
}

}  // namespace
}  // namespace accel::runtime
