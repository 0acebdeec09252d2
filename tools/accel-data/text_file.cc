// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text files, piece by piece.
#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/utf8.h"
#include "tools/accel-data/document_reader.h"
#include "tools/accel-data/known_format.h"

namespace accel::tools {
namespace {

constexpr size_t kTextBlock = size_t{1} << 20;

class TextReader {
 public:
  TextReader(runtime::File& file, const ReaderOptions& options,
             DocumentSink& sink)
      : file_(file), options_(options), sink_(sink), buffer_(kTextBlock) {}

  absl::Status Run() {
    while (true) {
      ASSIGN_OR_RETURN(const size_t count,
                       file_.Read(absl::MakeSpan(
                           reinterpret_cast<std::byte*>(buffer_.data()) + kept_,
                           buffer_.size() - kept_)));
      RETURN_IF_ERROR(sink_.Progress(count));
      if (count == 0) {
        break;
      }
      RETURN_IF_ERROR(Take({buffer_.data(), kept_ + count}));
    }
    if (kept_ > 0) {
      return RefuseByte(buffer_[0]);
    }
    return sink_.EndDocument(Place());
  }

 private:
  TextPlace Place() const { return {file_.path(), line_}; }

  absl::Status RefuseByte(char byte) const {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: expected UTF-8, got byte 0x%02x at byte offset %d; convert the "
        "file (iconv -t UTF-8), or take bytes as tokens (--tokenizer bytes)",
        Place().Text(), static_cast<unsigned char>(byte), offset_));
  }

  absl::Status Take(absl::string_view text) {
    if (offset_ == 0) {
      RETURN_IF_ERROR(RefuseKnownFormat(file_.path(), text));
    }
    runtime::Utf8Prefix whole = {text.size(), true};
    if (options_.utf8) {
      whole = runtime::FindUtf8Prefix(text);
    }
    const absl::string_view piece = text.substr(0, whole.size);
    RETURN_IF_ERROR(sink_.Text(piece, Place()));
    line_ += std::count(piece.begin(), piece.end(), '\n');
    offset_ += piece.size();
    if (!whole.may_go_on) {
      return RefuseByte(text[whole.size]);
    }
    // The beginning of a character waits for its end.
    kept_ = text.size() - piece.size();
    std::copy(text.begin() + static_cast<ptrdiff_t>(piece.size()), text.end(),
              buffer_.begin());
    return absl::OkStatus();
  }

  runtime::File& file_;
  const ReaderOptions& options_;
  DocumentSink& sink_;
  std::vector<char> buffer_;
  size_t kept_ = 0;  // bytes at the buffer's front
  int64_t line_ = 1;
  uint64_t offset_ = 0;
};

}  // namespace

std::string TextPlace::Text() const {
  return absl::StrCat("'", path, "', line ", line);
}

absl::Status ReadTextFile(runtime::Vfs& vfs, const std::string& path,
                          const ReaderOptions& options, DocumentSink& sink) {
  if (absl::EndsWith(path, ".json")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", path,
        "': expected text or JSON Lines, got a .json file; if each of its "
        "lines is an object with a text, name the text's field: --field text"));
  }
  ASSIGN_OR_RETURN(const auto file, vfs.Open(path, runtime::OpenMode::kRead));
  return TextReader(*file, options, sink).Run();
}

}  // namespace accel::tools
