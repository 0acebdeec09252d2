// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts become streams of tokens, whole or not at all.
#include "tools/accel-data/pack.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

class PackTest : public ::testing::Test {
 protected:
  absl::StatusOr<tools::PackResult> Pack() {
    options_.output = dir_.File("out.bin");
    return tools::Pack(options_, {*vfs_, console_, stop_});
  }

  void ExpectRefused(const std::string& message) {
    EXPECT_THAT(Pack(), StatusIs(absl::StatusCode::kInvalidArgument, message));
    ExpectNothing();
  }

  // Neither the output nor a part of it under another name.
  void ExpectNothing() {
    EXPECT_FALSE(vfs_->Stat(dir_.File("out.bin")).ok());
    auto names = vfs_->List(dir_.path());
    ASSERT_OK(names);
    for (const std::string& name : *names) {
      EXPECT_THAT(name, ::testing::Not(::testing::HasSubstr("tmp")));
    }
  }

  static std::string Narrow(const std::string& bytes) {
    std::string words;
    for (const char byte : bytes) {
      words += byte;
      words += '\0';
    }
    return words;
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  runtime::Console console_{{}, [](absl::string_view) {}};
  std::function<int()> stop_ = [] { return 0; };
  tools::PackOptions options_;
};

TEST_F(PackTest, EveryByteIsATokenAndZeroEndsADocument) {
  options_.inputs = {dir_.Write("a.txt", std::string("A\xff")),
                     dir_.Write("b.txt", std::string("\n"))};
  ASSERT_OK_AND_ASSIGN(const auto result, Pack());
  EXPECT_EQ(dir_.Read("out.bin"), Narrow(std::string("A\xff\0\n\0", 5)));
  EXPECT_EQ(result.tokens, 5);
  EXPECT_EQ(result.Describe("out.bin"),
            "out.bin: 5 tokens of 16 bits in 2 documents, from 3 B\n"
            "  tokenizer bytes: ids below 256, token 0 ends a document");
}

TEST_F(PackTest, FilesLargerThanABlockAreWhole) {
  std::string text(3'000'001, 'x');
  text.back() = 'y';
  options_.inputs = {dir_.Write("a.txt", text)};
  options_.end_of_document = "none";
  ASSERT_OK_AND_ASSIGN(const auto result, Pack());
  EXPECT_EQ(dir_.Read("out.bin"), Narrow(text));
  EXPECT_EQ(result.Describe("out.bin"),
            "out.bin: 3,000,001 tokens of 16 bits in 1 document, from 2.9 MiB\n"
            "  tokenizer bytes: ids below 256, nothing marks the end of a "
            "document");
}

TEST_F(PackTest, JsonLinesAndTextsGoTogether) {
  options_.inputs = {
      dir_.Write("a.jsonl", "{\"text\": \"ab\"}\n{\"text\": \"\"}\n"),
      dir_.Write("b.txt", "c"), dir_.Write("empty.txt", "")};
  options_.end_of_document = "256";
  ASSERT_OK_AND_ASSIGN(const auto result, Pack());
  EXPECT_EQ(dir_.Read("out.bin"),
            TempDir::Bytes(std::vector<uint16_t>{'a', 'b', 256, 'c', 256}));
  EXPECT_EQ(result.Describe("out.bin"),
            "out.bin: 5 tokens of 16 bits in 2 documents, from 29 B\n"
            "  tokenizer bytes: ids below 257, token 256 ends a document\n"
            "  2 empty documents left out");
}

TEST_F(PackTest, AFieldMakesEveryInputJsonLines) {
  options_.inputs = {dir_.Write("part-0001", "{\"body\": \"ab\"}\n")};
  options_.field = "body";
  ASSERT_OK(Pack());
  EXPECT_EQ(dir_.Read("out.bin"), Narrow(std::string("ab\0", 3)));
}

TEST_F(PackTest, ALargeIdMakesWideTokensBehindAHeader) {
  options_.inputs = {dir_.Write("a.txt", "a")};
  options_.end_of_document = "65536";
  ASSERT_OK_AND_ASSIGN(const auto result, Pack());
  EXPECT_EQ(result.width, 4);
  std::vector<uint32_t> words(256 + 2);
  words[0] = 20240801;
  words[1] = 7;
  words[2] = 2;
  words[256] = 'a';
  words[257] = 65536;
  EXPECT_EQ(dir_.Read("out.bin"), TempDir::Bytes(words));
}

TEST_F(PackTest, TextThatIsTheEndOfADocumentIsRefused) {
  const std::string a = dir_.Write("a.txt", std::string("a\n\0b", 4));
  options_.inputs = {a};
  ExpectRefused(absl::StrCat(
      "'", a,
      "', line 1 or below: expected no text that is token 0 itself, which ends "
      "documents, got some; take another token for that (--end-of-document "
      "ID), or none (--end-of-document none)"));
  options_.end_of_document = "none";
  ASSERT_OK(Pack());
  EXPECT_EQ(dir_.Read("out.bin"), Narrow(std::string("a\n\0b", 4)));
}

TEST_F(PackTest, FaultsLeaveNoFile) {
  const std::string empty = dir_.Write("empty.txt", "");
  options_.inputs = {empty};
  ExpectRefused("'" + empty + "': expected text, got no byte");
  const std::string absent = dir_.File("absent");
  options_.inputs = {empty, absent, dir_.path()};
  EXPECT_THAT(
      Pack(),
      StatusIs(absl::StatusCode::kNotFound,
               absl::StrCat("the inputs cannot be read:\n  - '", absent,
                            "': expected a file, got none\n  - '", dir_.path(),
                            "': expected a file, got a directory; name "
                            "its files: ",
                            dir_.path(), "/*")));
  ExpectNothing();
  options_.inputs = {dir_.Write("a.jsonl", "{\"text\": \"a\"}\n[]")};
  EXPECT_FALSE(Pack().ok());
  ExpectNothing();
  options_.end_of_document = "-1";
  ExpectRefused(
      "--end-of-document: expected the id of a token or none, got '-1'");
}

TEST_F(PackTest, AStopLeavesNoFileAndWhatWasThereBefore) {
  int asked = 0;
  stop_ = [&] { return ++asked > 2 ? 15 : 0; };
  options_.inputs = {dir_.Write("a.txt", std::string(5'000'000, 'x'))};
  EXPECT_TRUE(absl::IsCancelled(Pack().status()));
  ExpectNothing();
  dir_.Write("out.bin", "before");
  asked = 0;
  EXPECT_TRUE(absl::IsCancelled(Pack().status()));
  EXPECT_EQ(dir_.Read("out.bin"), "before");
}

TEST_F(PackTest, OtherTokenizersAreRefused) {
  options_.inputs = {dir_.Write("a.txt", "a")};
  const std::string json = dir_.Write("tokenizer.json", "\n{}");
  options_.tokenizer = json;
  options_.field = "body";
  ExpectRefused(absl::StrCat(
      "--tokenizer ", json,
      ": expected bytes or a SentencePiece model, got a JSON file such as "
      "Hugging Face's tokenizer.json; accel-data-hf reads it and writes the "
      "same files: accel-data-hf --tokenizer ",
      json, " --field body ", options_.inputs[0], " -o ",
      dir_.File("out.bin")));
  for (const std::string& content :
       {std::string(), std::string("text"), std::string(1000, '\xff')}) {
    options_.tokenizer = dir_.Write("other.model", content);
    ExpectRefused(absl::StrCat(
        "--tokenizer ", options_.tokenizer,
        ": expected bytes or a SentencePiece model, got other content"));
  }
  options_.tokenizer = "none.model";
  EXPECT_THAT(Pack(), StatusIs(absl::StatusCode::kNotFound,
                               "--tokenizer none.model: expected bytes or the "
                               "file of a SentencePiece model, got no such "
                               "file; check the path"));
}

}  // namespace
}  // namespace accel::testing
