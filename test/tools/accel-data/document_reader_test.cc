// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files become documents, and what is no text is refused with file and line.
#include "tools/accel-data/document_reader.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/status_matchers.h"
#include "test/runtime/temp_dir.h"

namespace accel::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class Documents final : public tools::DocumentSink {
 public:
  absl::Status Text(absl::string_view piece, const tools::TextPlace&) override {
    absl::StrAppend(&begun_, piece);
    return absl::OkStatus();
  }
  absl::Status EndDocument(const tools::TextPlace& place) override {
    texts.push_back(std::move(begun_));
    lines.push_back(place.line);
    begun_.clear();
    return absl::OkStatus();
  }
  absl::Status Progress(uint64_t count) override {
    bytes += count;
    return absl::OkStatus();
  }

  std::vector<std::string> texts;
  std::vector<int64_t> lines;
  uint64_t bytes = 0;

 private:
  std::string begun_;
};

class DocumentReaderTest : public ::testing::Test {
 protected:
  absl::Status ReadLines(const std::string& content,
                         const std::string& field = "text") {
    tools::ReaderOptions options;
    options.field = field;
    return tools::ReadJsonLines(*vfs_, dir_.Write("a.jsonl", content), options,
                                documents_);
  }

  absl::Status ReadText(const std::string& content, bool utf8 = true,
                        const std::string& name = "a.txt") {
    tools::ReaderOptions options;
    options.utf8 = utf8;
    return tools::ReadTextFile(*vfs_, dir_.Write(name, content), options,
                               documents_);
  }

  void ExpectLineRefused(const std::string& content, int line,
                         const std::string& message) {
    EXPECT_THAT(ReadLines(content),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         absl::StrCat("'", dir_.File("a.jsonl"), "', line ",
                                      line, ": ", message)))
        << content.substr(0, 100);
  }

  TempDir dir_;
  std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  Documents documents_;
};

TEST_F(DocumentReaderTest, EveryLineWithAnObjectIsADocument) {
  ASSERT_OK(
      ReadLines("\xef\xbb\xbf{\"text\": \"a\\nb\", \"id\": 1}\r\n"
                "\n \t\n"
                "{\"meta\": {\"text\": [\"no\"]}, \"text\": \"\"}\n"
                "{\"text\": \"\\u00e9\\ud83d\\ude00\\u0000\"}"));
  EXPECT_THAT(
      documents_.texts,
      ElementsAre("a\nb", "", std::string("\xc3\xa9\xf0\x9f\x98\x80\0", 7)));
  EXPECT_THAT(documents_.lines, ElementsAre(1, 4, 5));
}

TEST_F(DocumentReaderTest, LinesLongerThanABlockAreWhole) {
  const std::string text(3'000'000, 'x');
  ASSERT_OK(ReadLines(absl::StrCat("{\"text\": \"a\"}\n{\"text\": \"", text,
                                   "\"}\n{\"text\": \"b\"}\n")));
  EXPECT_THAT(documents_.texts, ElementsAre("a", text, "b"));
  EXPECT_EQ(documents_.bytes, dir_.Read("a.jsonl").size());
}

TEST_F(DocumentReaderTest, ABadLineIsNamed) {
  const std::string good = "{\"text\": \"a\"}\n";
  const std::string mend = "; mend the line or remove it";
  ExpectLineRefused(good + "{\"text\": \"a\n", 2,
                    "expected a JSON object, got no valid JSON (at byte 12 of "
                    "the line)" +
                        mend);
  ExpectLineRefused("{\"text\": \"\xff\"}", 1,
                    "expected a JSON object, got no valid JSON (at byte 11 of "
                    "the line)" +
                        mend);
  ExpectLineRefused("{\"text\": \"\\ud800\"}", 1,
                    "expected a JSON object, got no valid JSON (at byte 17 of "
                    "the line)" +
                        mend);
  ExpectLineRefused("{\"text\": \"a\"} {}", 1,
                    "expected a JSON object, got no valid JSON (at byte 15 of "
                    "the line)" +
                        mend);
  ExpectLineRefused("{\"text\": \"a\", \"n\": 1e999}", 1,
                    "expected a JSON object, got no valid JSON (at byte 24 of "
                    "the line)" +
                        mend);
  ExpectLineRefused(good + good + "[\"a\"]", 3,
                    "expected a JSON object, got an array; write one object to "
                    "a line");
  ExpectLineRefused("\"a\"", 1,
                    "expected a JSON object, got a string; write one object to "
                    "a line");
  ExpectLineRefused(
      "{\"text\": 7}", 1,
      "expected a string in the field \"text\", got a number" + mend);
  ExpectLineRefused(
      "{\"text\": {\"text\": \"a\"}}", 1,
      "expected a string in the field \"text\", got an object" + mend);
  ExpectLineRefused("{\"text\": null}", 1,
                    "expected a string in the field \"text\", got null" + mend);
  ExpectLineRefused("{\"text\": \"a\", \"text\": \"b\"}", 1,
                    "expected one field \"text\", got two" + mend);
  ExpectLineRefused("{\"body\": \"a\", \"\\u001b[2J\": 1}", 1,
                    "expected a field \"text\", got \"body\", \"\\x1b[2J\"; "
                    "say which one holds the text: --field NAME");
  ExpectLineRefused("{}", 1,
                    "expected a field \"text\", got an empty object; say which "
                    "one holds the text: --field NAME");
}

TEST_F(DocumentReaderTest, DeepNestingCostsNoStack) {
  const std::string deep(2'000'000, '[');
  ExpectLineRefused("{\"text\": \"a\", \"x\": " + deep, 1,
                    "expected a JSON object, got no valid JSON (at byte "
                    "2000020 of the line); mend the line or remove it");
}

TEST_F(DocumentReaderTest, ATextFileIsOneDocument) {
  std::string text;
  while (text.size() < 3'000'000) {
    text += "z\u00e9\u20ac\U0001f600\n";
  }
  ASSERT_OK(ReadText(text));
  EXPECT_THAT(documents_.texts, ElementsAre(text));
  EXPECT_EQ(documents_.bytes, text.size());
}

TEST_F(DocumentReaderTest, WhatIsNotUtf8IsNamedByLineAndOffset) {
  const std::string where = absl::StrCat("'", dir_.File("a.txt"), "', line ");
  const std::string remedy =
      "; convert the file (iconv -t UTF-8), or take bytes as tokens "
      "(--tokenizer bytes)";
  EXPECT_THAT(ReadText("caf\xe9\n"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       where +
                           "1: expected UTF-8, got byte 0xe9 at byte "
                           "offset 3" +
                           remedy));
  const std::string lines(2'000'000, '\n');
  EXPECT_THAT(ReadText(lines + "\xff"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       where +
                           "2000001: expected UTF-8, got byte 0xff at byte "
                           "offset 2000000" +
                           remedy));
  // A character that the end of the file cuts.
  EXPECT_THAT(ReadText("a\xc3"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       where +
                           "1: expected UTF-8, got byte 0xc3 at byte "
                           "offset 1" +
                           remedy));
  documents_.texts.clear();
  EXPECT_OK(ReadText("caf\xe9", /*utf8=*/false));
  EXPECT_THAT(documents_.texts, SizeIs(1));
}

TEST_F(DocumentReaderTest, FilesThatAreNoTextAreRefused) {
  const auto refused = [&](const std::string& name, const std::string& got) {
    return StatusIs(
        absl::StatusCode::kInvalidArgument,
        absl::StrCat("'", dir_.File(name), "': expected text, got ", got));
  };
  EXPECT_THAT(ReadText("\x1f\x8b\x08", false),
              refused("a.txt", "gzip-compressed data; unpack it first"));
  EXPECT_THAT(ReadText("PAR1", false),
              refused("a.txt", "a Parquet file; write its text as JSON Lines"));
  EXPECT_THAT(ReadLines("\x28\xb5\x2f\xfd"),
              refused("a.jsonl", "zstd-compressed data; unpack it first"));
  EXPECT_THAT(
      ReadText("{}", true, "a.json"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               absl::StrCat("'", dir_.File("a.json"),
                            "': expected text or JSON Lines, got a .json file; "
                            "if each of its lines is an object with a text, "
                            "name the text's field: --field text")));
}

}  // namespace
}  // namespace accel::testing
