// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the writer writes, the reader reads; incomplete files never appear.
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "runtime/io/safetensors.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;
using ::accel::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <typename T>
absl::Span<const std::byte> AsBytes(const std::vector<T>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()),
          values.size() * sizeof(T)};
}

class SafetensorsWriterTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<SafetensorsWriter>> Create(
      std::vector<SafetensorsSpec> specs,
      const std::map<std::string, std::string>& metadata = {}) {
    return SafetensorsWriter::Create(*vfs_, path_, std::move(specs), metadata);
  }

  TempDir dir_;
  std::string path_ = dir_.File("m.safetensors");
  std::unique_ptr<Vfs> vfs_ = MakePosixVfs();
};

TEST_F(SafetensorsWriterTest, RoundTripsInAnyOrderAndInPieces) {
  const std::vector<float> weights = {1, 2, 3, 4};
  const std::vector<int64_t> ids = {7};
  ASSERT_OK_AND_ASSIGN(auto writer, Create({{"w", DType::kF32, {2, 2}},
                                            {"ids", DType::kI64, {1}},
                                            {"none", DType::kF32, {0}}},
                                           {{"by \"us\"", "line\nbreak"}}));
  ASSERT_OK(writer->Append("w", AsBytes(weights).first(4)));
  ASSERT_OK(writer->Append("ids", AsBytes(ids)));
  ASSERT_OK(writer->Append("w", AsBytes(weights).subspan(4)));
  ASSERT_OK(writer->Finish());

  ASSERT_OK_AND_ASSIGN(auto reader, SafetensorsReader::Open(*vfs_, path_));
  EXPECT_EQ(reader->metadata().at("by \"us\""), "line\nbreak");
  ASSERT_NE(reader->Find("w"), nullptr);
  EXPECT_THAT(reader->Find("w")->shape, ElementsAre(2, 2));
  std::vector<float> read(4);
  ASSERT_OK(reader->Read(
      *reader->Find("w"), 0,
      absl::MakeSpan(reinterpret_cast<std::byte*>(read.data()), 16)));
  EXPECT_EQ(read, weights);
  // Widest first, so that every tensor is aligned.
  EXPECT_EQ(reader->entries().front().name, "ids");
}

TEST_F(SafetensorsWriterTest, TheBytesAreThoseOfTheFormat) {
  ASSERT_OK_AND_ASSIGN(auto writer, Create({{"w", DType::kU8, {3}}}));
  ASSERT_OK(writer->Append("w", AsBytes(std::vector<uint8_t>{65, 66, 67})));
  ASSERT_OK(writer->Finish());
  const std::string json =
      R"({"w":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})";
  std::string padded = json;
  padded.resize((json.size() + 7) / 8 * 8, ' ');
  EXPECT_EQ(
      dir_.Read("m.safetensors"),
      TempDir::Bytes(std::vector<uint64_t>{padded.size()}) + padded + "ABC");
}

TEST_F(SafetensorsWriterTest, IncompleteTensorsAreNamedAndNothingAppears) {
  ASSERT_OK_AND_ASSIGN(auto writer, Create({{"w", DType::kF32, {2}}}));
  ASSERT_OK(writer->Append("w", AsBytes(std::vector<float>{1})));
  EXPECT_THAT(writer->Finish(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       absl::StrCat("'", path_,
                                    "': tensor 'w' is incomplete: expected 8 "
                                    "bytes, got 4")));
  writer.reset();
  EXPECT_THAT(vfs_->List(dir_.path()), IsOkAndHolds(IsEmpty()));
}

TEST_F(SafetensorsWriterTest, TooMuchOrUnknownDataIsRefused) {
  ASSERT_OK_AND_ASSIGN(auto writer, Create({{"w", DType::kF32, {1}}}));
  EXPECT_THAT(
      writer->Append("w", AsBytes(std::vector<float>{1, 2})),
      StatusIs(absl::StatusCode::kOutOfRange,
               absl::StrCat("'", path_, "': tensor 'w' has 4 bytes, got 8")));
  EXPECT_THAT(
      writer->Append("v", {}),
      StatusIs(absl::StatusCode::kNotFound,
               absl::StrCat("'", path_, "': no tensor 'v' was announced")));
}

TEST_F(SafetensorsWriterTest, BadNamesAndShapesAreRefused) {
  EXPECT_THAT(Create({{"w", DType::kF32, {1}}, {"w", DType::kI64, {1}}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "tensor 'w' is there twice"));
  EXPECT_THAT(Create({{"__metadata__", DType::kF32, {1}}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "a tensor cannot be called '__metadata__': the format "
                       "reserves it"));
  EXPECT_THAT(Create({{"w", DType::kF32, {-1}}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "tensor 'w': impossible shape [-1]"));
  EXPECT_THAT(Create({{"w\xff", DType::kF32, {1}}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "expected names and metadata in UTF-8, got "
                       "'\"w\\ufffd\"'"));
}

}  // namespace
}  // namespace accel::runtime
