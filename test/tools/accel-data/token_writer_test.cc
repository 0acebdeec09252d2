// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is written is read back, and no id is cut.
#include "tools/accel-data/token_writer.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/data/token_file.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

class TokenWriterTest : public ::testing::Test {
 protected:
  void ExpectRoundTrip(int64_t vocabulary, const std::string& layout) {
    std::vector<uint32_t> ids(600'000);
    for (size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<uint32_t>(
          (i * 7919 + static_cast<size_t>(vocabulary) - 1) %
          static_cast<size_t>(vocabulary));
    }
    ASSERT_OK_AND_ASSIGN(auto writer,
                         tools::TokenWriter::Create(*vfs_, path_, vocabulary));
    ASSERT_OK(writer->Append(ids));
    EXPECT_EQ(writer->count(), ids.size());
    ASSERT_OK(writer->Commit());
    ASSERT_OK_AND_ASSIGN(
        auto file,
        runtime::TokenFile::Open(*vfs_, path_, runtime::TokenEncoding::kAuto));
    EXPECT_EQ(file->Layout(), layout);
    std::vector<uint32_t> read(static_cast<size_t>(file->size()));
    ASSERT_OK(file->Read(0, absl::MakeSpan(read)));
    EXPECT_EQ(read, ids);
  }

  TempDir dir_;
  std::string path_ = dir_.File("out.bin");
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
};

TEST_F(TokenWriterTest, TheVocabularyChoosesTheWidth) {
  ExpectRoundTrip(65536, "16-bit tokens");
  ExpectRoundTrip(65537, "32-bit tokens, llm.c header");
}

TEST_F(TokenWriterTest, AnIdBeyondTheVocabularyIsNeverWritten) {
  ASSERT_OK_AND_ASSIGN(auto writer,
                       tools::TokenWriter::Create(*vfs_, path_, 256));
  EXPECT_THAT(
      writer->Append(std::vector<uint32_t>{1, 65541}),
      StatusIs(absl::StatusCode::kInternal,
               absl::StrCat("'", path_,
                            "': expected token ids below 256, got 65541")));
}

TEST_F(TokenWriterTest, NothingAppearsWithoutCommit) {
  ASSERT_OK_AND_ASSIGN(auto writer,
                       tools::TokenWriter::Create(*vfs_, path_, 256));
  ASSERT_OK(writer->Append(std::vector<uint32_t>{1, 2}));
  writer.reset();
  EXPECT_THAT(vfs_->List(dir_.path()), IsOkAndHolds(::testing::IsEmpty()));
}

}  // namespace
}  // namespace accel::testing
