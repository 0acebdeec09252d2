// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pass over the characters; files within files are a stack of names.
#include "tools/command-line/response_file.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/posix_vfs.h"

namespace accel::tools {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 20;

// Reads words from the front of a text.
class WordReader {
 public:
  explicit WordReader(absl::string_view text) : text_(text) {}

  // The next word; nothing at the end.
  absl::StatusOr<std::optional<std::string>> Next() {
    text_ = absl::StripLeadingAsciiWhitespace(text_);
    if (text_.empty()) {
      return std::nullopt;
    }
    std::string word;
    while (!text_.empty() && !absl::ascii_isspace(text_.front())) {
      RETURN_IF_ERROR(TakePart(word));
    }
    return word;
  }

 private:
  char Take() {
    const char c = text_.front();
    text_.remove_prefix(1);
    return c;
  }

  // A character, escaped or not, or all between two quotes.
  absl::Status TakePart(std::string& word) {
    const char c = Take();
    if (c == '\\' && !text_.empty()) {
      word += Take();
    } else if (c == '\'' || c == '"') {
      return TakeQuoted(c, word);
    } else {
      word += c;
    }
    return absl::OkStatus();
  }

  absl::Status TakeQuoted(char quote, std::string& word) {
    while (!text_.empty() && text_.front() != quote) {
      const char c = Take();
      const bool escapes = c == '\\' && quote == '"' && !text_.empty();
      word += escapes ? Take() : c;
    }
    if (text_.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected the quote ", std::string(1, quote),
                       " to be closed, got the end of the file"));
    }
    Take();
    return absl::OkStatus();
  }

  absl::string_view text_;
};

class Expander {
 public:
  absl::Status Add(const std::string& word) {
    if (word.size() < 2 || word[0] != '@') {
      line_.words.push_back(word);
      return absl::OkStatus();
    }
    const std::string path = word.substr(1);
    if (std::find(open_.begin(), open_.end(), path) != open_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(word,
                       ": expected files that do not contain themselves, "
                       "got this one inside itself"));
    }
    ASSIGN_OR_RETURN(const std::vector<std::string> words, Read(path));
    open_.push_back(path);
    for (const std::string& each : words) {
      RETURN_IF_ERROR(Add(each));
    }
    open_.pop_back();
    return absl::OkStatus();
  }

  CommandLineWords Take() { return std::move(line_); }

 private:
  absl::StatusOr<std::vector<std::string>> Read(const std::string& path) {
    const auto text = runtime::ReadWholeFile(*vfs_, path, kMostBytes);
    if (!text.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "@", path,
          ": expected a file of command line words: ", text.status().message(),
          "; a word that begins with @ itself is "
          "written ./@WORD or OPTION=@WORD"));
    }
    if (std::find(line_.files.begin(), line_.files.end(), path) ==
        line_.files.end()) {
      line_.files.push_back(path);
    }
    auto words = SplitWords(*text);
    return words.ok() ? words
                      : absl::InvalidArgumentError(absl::StrCat(
                            "@", path, ": ", words.status().message()));
  }

  const std::unique_ptr<runtime::Vfs> vfs_ = runtime::MakePosixVfs();
  CommandLineWords line_;
  std::vector<std::string> open_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> SplitWords(absl::string_view text) {
  std::vector<std::string> words;
  WordReader reader(text);
  while (true) {
    ASSIGN_OR_RETURN(std::optional<std::string> word, reader.Next());
    if (!word) {
      return words;
    }
    words.push_back(*std::move(word));
  }
}

absl::StatusOr<CommandLineWords> ExpandResponseFiles(int argc, char** argv) {
  Expander expander;
  for (int i = 1; i < argc; ++i) {
    RETURN_IF_ERROR(expander.Add(argv[i]));
  }
  return expander.Take();
}

}  // namespace accel::tools
