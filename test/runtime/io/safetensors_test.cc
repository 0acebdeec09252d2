// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader reads pieces of tensors and believes no length it is told.
#include "runtime/io/safetensors.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;

std::string Framed(uint64_t length, const std::string& rest) {
  return TempDir::Bytes(std::vector<uint64_t>{length}) + rest;
}

class SafetensorsReaderTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<SafetensorsReader>> Open(
      const std::string& content) {
    return SafetensorsReader::Open(*vfs_, dir_.Write("m", content));
  }

  TempDir dir_;
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(SafetensorsReaderTest, ReadsPiecesOfTensors) {
  const std::string json =
      R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
      R"("b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}})";
  ASSERT_OK_AND_ASSIGN(auto reader, Open(Framed(json.size(), json + "ABCDEF")));
  const SafetensorsEntry* b = reader->Find("b");
  ASSERT_NE(b, nullptr);
  std::byte value;
  ASSERT_OK(reader->Read(*b, 1, {&value, 1}));
  EXPECT_EQ(value, std::byte{'F'});
  EXPECT_EQ(reader->Find("c"), nullptr);
  std::vector<std::byte> three(3);
  EXPECT_THAT(reader->Read(*b, 0, absl::MakeSpan(three)),
              StatusIs(absl::StatusCode::kOutOfRange,
                       absl::StrCat("'", dir_.File("m"),
                                    "': tensor 'b' has 2 bytes, asked for 3 "
                                    "at 0")));
  EXPECT_FALSE(reader->Read(*b, UINT64_MAX, {&value, 1}).ok());
}

TEST_F(SafetensorsReaderTest, RefusesBadFramesNamingTheFile) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"short", "expected a safetensors file, got 5 bytes"},
      {Framed(100'000'001, "{}"),
       "expected a safetensors file: a header of at most 100000000 bytes, got "
       "100000001"},
      {Framed(UINT64_MAX, "{}"),
       "expected a safetensors file: a header of at most 100000000 bytes, got "
       "18446744073709551615"},
      {Framed(99'999'999, "{}"),
       "the safetensors header says 99999999 bytes, the file has 2 after it: "
       "it is cut short"},
      {Framed(2, "{]"), "safetensors header: not valid JSON at byte 2"},
  };
  for (const auto& [content, message] : cases) {
    EXPECT_THAT(Open(content),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("'", dir_.File("m"), "': ", message)));
  }
}

TEST_F(SafetensorsReaderTest, EveryTruncationIsRefused) {
  const std::string json =
      R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})";
  const std::string whole = Framed(json.size(), json + "ABCD");
  ASSERT_OK(Open(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Open(whole.substr(0, size)).ok()) << size;
  }
}

}  // namespace
}  // namespace accel::runtime
