// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON Lines: lines are put together from blocks of the file, and of each only
// the text is kept, whatever else the object holds and however deep it goes.
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/text/printable.h"
#include "tools/accel-data/document_reader.h"
#include "tools/accel-data/known_format.h"

namespace accel::tools {
namespace {

using nlohmann::json;

constexpr size_t kLinesBlock = size_t{1} << 20;
constexpr size_t kLongestLine = size_t{256} << 20;
constexpr size_t kShownFields = 8;

// Takes the events of one line's JSON and keeps the string of one field of the
// outermost object. Its functions return false where they have a complaint.
class FieldFinder final : public nlohmann::json_sax<json> {
 public:
  explicit FieldFinder(absl::string_view field) : field_(field) {}

  // What is wrong, as "expected ..., got ...", or nothing.
  std::string Complaint() const;
  std::string& text() { return *text_; }

  bool null() override { return Other("null"); }
  bool boolean(bool) override { return Other("a boolean"); }
  bool number_integer(number_integer_t) override { return Other("a number"); }
  bool number_unsigned(number_unsigned_t) override { return Other("a number"); }
  bool number_float(number_float_t, const string_t&) override {
    return Other("a number");
  }
  bool binary(binary_t&) override { return Other("binary data"); }
  bool string(string_t& value) override {
    if (depth_ != 1 || !is_wanted_) {
      return Other("a string");
    }
    text_ = std::move(value);
    return true;
  }
  bool start_object(std::size_t) override {
    const bool fine = depth_ == 0 || Other("an object");
    ++depth_;
    return fine;
  }
  bool start_array(std::size_t) override {
    const bool fine = Other("an array");
    ++depth_;
    return fine;
  }
  bool end_object() override { return Leave(); }
  bool end_array() override { return Leave(); }
  bool key(string_t& name) override;
  bool parse_error(std::size_t position, const std::string&,
                   const json::exception&) override {
    complaint_ = absl::StrCat("expected a JSON object, got no valid JSON (at ",
                              "byte ", position, " of the line)");
    return false;
  }

 private:
  // A value that is not the text.
  bool Other(absl::string_view what) {
    if (depth_ == 0) {
      complaint_ = absl::StrCat("expected a JSON object, got ", what,
                                "; write one object to a line");
    } else if (depth_ == 1 && is_wanted_) {
      complaint_ = absl::StrCat("expected a string in the field \"",
                                runtime::Printable(field_), "\", got ", what);
    }
    return complaint_.empty();
  }
  bool Leave() {
    --depth_;
    return true;
  }

  absl::string_view field_;
  int64_t depth_ = 0;
  bool is_wanted_ = false;  // the value that comes, if it is at depth 1
  std::optional<std::string> text_;
  std::vector<std::string> others_;  // the first names of other fields
  std::string complaint_;
};

bool FieldFinder::key(string_t& name) {
  if (depth_ != 1) {
    return true;
  }
  is_wanted_ = name == field_;
  if (is_wanted_ && text_.has_value()) {
    complaint_ = absl::StrCat("expected one field \"",
                              runtime::Printable(field_), "\", got two");
    return false;
  }
  if (!is_wanted_ && others_.size() < kShownFields) {
    others_.push_back(
        absl::StrCat("\"", runtime::Printable(name.substr(0, 64)), "\""));
  }
  return true;
}

std::string FieldFinder::Complaint() const {
  if (!complaint_.empty() || text_.has_value()) {
    return complaint_;
  }
  return absl::StrCat(
      "expected a field \"", runtime::Printable(field_), "\", got ",
      others_.empty() ? "an empty object" : absl::StrJoin(others_, ", "),
      "; say which one holds the text: --field NAME");
}

class LinesReader {
 public:
  LinesReader(runtime::File& file, const ReaderOptions& options,
              DocumentSink& sink)
      : file_(file), options_(options), sink_(sink) {}

  absl::Status Run() {
    std::vector<char> block(kLinesBlock);
    while (true) {
      ASSIGN_OR_RETURN(
          const size_t count,
          file_.Read(absl::MakeSpan(reinterpret_cast<std::byte*>(block.data()),
                                    block.size())));
      RETURN_IF_ERROR(sink_.Progress(count));
      if (count == 0) {
        return TakeLine(begun_);
      }
      RETURN_IF_ERROR(TakeBlock({block.data(), count}));
    }
  }

 private:
  TextPlace Place() const { return {file_.path(), line_}; }

  absl::Status Refuse(absl::string_view complaint) const {
    return absl::InvalidArgumentError(
        absl::StrCat(Place().Text(), ": ", complaint));
  }

  absl::Status TakeBlock(absl::string_view block) {
    if (line_ == 1 && begun_.empty()) {
      RETURN_IF_ERROR(RefuseKnownFormat(file_.path(), block));
    }
    while (!block.empty()) {
      const size_t end = block.find('\n');
      if (end == absl::string_view::npos) {
        absl::StrAppend(&begun_, block);
        return begun_.size() <= kLongestLine
                   ? absl::OkStatus()
                   : Refuse(absl::StrCat("expected lines of at most ",
                                         kLongestLine >> 20,
                                         " MiB, got a longer one; write one "
                                         "object to a line"));
      }
      if (begun_.empty()) {
        RETURN_IF_ERROR(TakeLine(block.substr(0, end)));
      } else {
        absl::StrAppend(&begun_, block.substr(0, end));
        RETURN_IF_ERROR(TakeLine(begun_));
        begun_.clear();
      }
      block.remove_prefix(end + 1);
      ++line_;
    }
    return absl::OkStatus();
  }

  absl::Status TakeLine(absl::string_view line) {
    if (line_ == 1) {
      absl::ConsumePrefix(&line, "\xef\xbb\xbf");  // a byte order mark
    }
    if (absl::StripAsciiWhitespace(line).empty()) {
      return absl::OkStatus();
    }
    FieldFinder finder(options_.field);
    json::sax_parse(line.begin(), line.end(), &finder);
    const std::string complaint = finder.Complaint();
    if (!complaint.empty()) {
      return Refuse(
          absl::StrContains(complaint, ';')
              ? complaint
              : absl::StrCat(complaint, "; mend the line or remove it"));
    }
    RETURN_IF_ERROR(sink_.Text(finder.text(), Place()));
    return sink_.EndDocument(Place());
  }

  runtime::File& file_;
  const ReaderOptions& options_;
  DocumentSink& sink_;
  std::string begun_;  // a line whose end has not been read
  int64_t line_ = 1;
};

}  // namespace

bool IsJsonLinesName(absl::string_view path) {
  return absl::EndsWith(path, ".jsonl") || absl::EndsWith(path, ".ndjson");
}

absl::Status ReadJsonLines(runtime::Vfs& vfs, const std::string& path,
                           const ReaderOptions& options, DocumentSink& sink) {
  ASSIGN_OR_RETURN(const auto file, vfs.Open(path, runtime::OpenMode::kRead));
  return LinesReader(*file, options, sink).Run();
}

}  // namespace accel::tools
