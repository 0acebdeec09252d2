// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An index says of each tensor one file beside it, or is refused with what is
// wrong.
#include "runtime/io/safetensors_index.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::Pair;

// As Hugging Face's transformers writes it, and with what a later release may
// add.
TEST(SafetensorsIndexTest, ReadsTheMapAndSkipsTheRest) {
  EXPECT_THAT(
      ParseSafetensorsIndex(
          R"({"metadata": {"total_size": 1234.0, "of": [1, {"b": null}, "x"]},
              "weight_map": {"b": "model-00002-of-00002.safetensors",
                             "a": "model-00001-of-00002.safetensors"},
              "weight_map_of_old": {"c": 3}, "last": true})"),
      IsOkAndHolds(ElementsAre(Pair("a", "model-00001-of-00002.safetensors"),
                               Pair("b", "model-00002-of-00002.safetensors"))));
}

TEST(SafetensorsIndexTest, WhatIsWrongIsNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "not valid JSON at byte 1"},
      {"{", "not valid JSON at byte 2"},
      {"[]", "expected an object, got a list"},
      {"3", "expected an object, got a number"},
      {"{}", "expected tensors in 'weight_map', got none"},
      {R"({"weight_map":{}})", "expected tensors in 'weight_map', got none"},
      {R"({"weight_map":[]})", "'weight_map': expected an object, got a list"},
      {R"({"weight_map":"f"})", "'weight_map': expected an object, got text"},
      {R"({"weight_map":{"a":1}})",
       "tensor 'a': expected the name of a file, got a number"},
      {R"({"weight_map":{"a":{"b":"f"}}})",
       "tensor 'a': expected the name of a file, got an object"},
      {R"({"weight_map":{"a":"f","a":"g"}})", "tensor 'a' is named twice"},
      {R"({"weight_map":{"a":"f"},"weight_map":{"b":"f"}})",
       "two objects 'weight_map'"},
      {R"({"weight_map":{"a":"../f"}})",
       "tensor 'a': expected the name of a file beside the index, got '../f'"},
      {R"({"weight_map":{"a":"/etc/passwd"}})",
       "tensor 'a': expected the name of a file beside the index, got "
       "'/etc/passwd'"},
      {R"({"weight_map":{"a":".."}})",
       "tensor 'a': expected the name of a file beside the index, got '..'"},
      {R"({"weight_map":{"a":""}})",
       "tensor 'a': expected the name of a file beside the index, got ''"},
      {"{\"weight_map\":{\"a\":\"f\\u0000g\"}}",
       "tensor 'a': expected the name of a file beside the index, got "
       "'f\\x00g'"},
  };
  for (const auto& [json, message] : cases) {
    EXPECT_THAT(ParseSafetensorsIndex(json),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("index of safetensors files: ", message)))
        << json;
  }
}

TEST(SafetensorsIndexTest, DeepNestingCostsNothing) {
  const std::string deep(1'000'000, '[');
  EXPECT_FALSE(ParseSafetensorsIndex("{\"metadata\":" + deep).ok());
}

}  // namespace
}  // namespace accel::runtime
