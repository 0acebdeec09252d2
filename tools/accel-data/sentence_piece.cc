// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A long document is given to the library in parts, cut where that makes no
// difference: at a single space or line end for which the tokens of what stands
// around it are those of its two sides.
#include "tools/accel-data/sentence_piece.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "tools/accel-data/model_bounds.h"
#include "tools/accel-data/sentence_piece_model.h"

namespace accel::tools {
namespace {

// Parts are cut behind the first byte beyond this one that allows it.
constexpr size_t kPart = size_t{16} << 10;
// Without any such place a document is given up on.
constexpr size_t kLongestPart = size_t{16} << 20;
// What is looked at on each side of a place.
constexpr size_t kContext = 192;

bool IsContinuation(char c) { return (c & 0xc0) == 0x80; }

class SentencePieceTokenizer final : public Tokenizer {
 public:
  SentencePieceTokenizer(std::string path,
                         std::unique_ptr<SentencePieceModel> model)
      : path_(std::move(path)), model_(std::move(model)) {}

  std::string Name() const override {
    return absl::StrCat("SentencePiece model '", path_, "'");
  }
  int64_t vocabulary() const override { return model_->size(); }
  std::optional<uint32_t> end_of_document() const override {
    return model_->end_of_sentence();
  }
  bool needs_utf8() const override { return true; }

  bool is_slow() const override { return true; }

  absl::Status Cut(absl::string_view text,
                   std::vector<std::string>& parts) override;
  std::string TakeRest() override;
  absl::Status Encode(absl::string_view part,
                      std::vector<uint32_t>& ids) const override;
  absl::StatusOr<std::string> Decode(
      absl::Span<const uint32_t> ids) const override;

 private:
  // Where a part ends and where the next one begins.
  struct Place {
    size_t end;
    size_t next;
  };

  absl::StatusOr<std::optional<Place>> FindCut(absl::string_view text,
                                               size_t from) const;
  absl::StatusOr<std::optional<Place>> CutAt(absl::string_view text,
                                             size_t place) const;

  std::string path_;
  std::unique_ptr<SentencePieceModel> model_;
  std::string pending_;   // of the document, not encoded yet
  size_t looked_at_ = 0;  // no cut up to here
};

absl::Status SentencePieceTokenizer::Encode(absl::string_view text,
                                            std::vector<uint32_t>& ids) const {
  std::vector<int> encoded;
  const auto wrong =
      model_->Encode(std::string_view(text.data(), text.size()), encoded);
  if (wrong.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", path_, "': this model cannot encode the text: ", *wrong));
  }
  ids.insert(ids.end(), encoded.begin(), encoded.end());
  return absl::OkStatus();
}

// Whether the document may be cut at the space `place`, and how: models differ
// in what they make of a space at the beginning of a text.
absl::StatusOr<std::optional<SentencePieceTokenizer::Place>>
SentencePieceTokenizer::CutAt(absl::string_view text, size_t place) const {
  size_t begin = place - std::min(place, kContext);
  size_t end = std::min(text.size(), place + kContext);
  while (begin > 0 && IsContinuation(text[begin])) {
    --begin;
  }
  while (end < text.size() && IsContinuation(text[end])) {
    --end;
  }
  std::vector<uint32_t> whole;
  RETURN_IF_ERROR(Encode(text.substr(begin, end - begin), whole));
  for (const Place cut : {Place{place, place + 1}, Place{place, place},
                          Place{place + 1, place + 1}}) {
    std::vector<uint32_t> sides;
    RETURN_IF_ERROR(Encode(text.substr(begin, cut.end - begin), sides));
    RETURN_IF_ERROR(Encode(text.substr(cut.next, end - cut.next), sides));
    if (sides == whole) {
      return std::optional<Place>(cut);
    }
  }
  return std::optional<Place>();
}

absl::StatusOr<std::optional<SentencePieceTokenizer::Place>>
SentencePieceTokenizer::FindCut(absl::string_view text, size_t from) const {
  constexpr absl::string_view kSpaces = " \n";
  // What follows a place must be known as far as it is looked at.
  while (from + kContext + 1 < text.size()) {
    const size_t place = text.find_first_of(kSpaces, from);
    if (place == absl::string_view::npos ||
        place + kContext + 1 >= text.size()) {
      break;
    }
    if (place > 0 && !absl::ascii_isspace(text[place - 1]) &&
        !absl::ascii_isspace(text[place + 1])) {
      ASSIGN_OR_RETURN(const std::optional<Place> cut, CutAt(text, place));
      if (cut.has_value()) {
        return cut;
      }
    }
    from = place + 1;
  }
  return std::optional<Place>();
}

absl::Status SentencePieceTokenizer::Cut(absl::string_view text,
                                         std::vector<std::string>& parts) {
  absl::StrAppend(&pending_, text);
  size_t done = 0;
  while (pending_.size() - done > kPart + kContext + 1) {
    const absl::string_view rest = absl::string_view(pending_).substr(done);
    ASSIGN_OR_RETURN(const std::optional<Place> cut,
                     FindCut(rest, std::max(kPart, looked_at_)));
    if (!cut.has_value()) {
      if (rest.size() > kLongestPart) {
        return absl::InvalidArgumentError(absl::StrCat(
            "expected a place at which a document of more than ",
            kLongestPart >> 20,
            " MiB can be cut without changing its tokens, got none; give "
            "shorter documents, as JSON lines for instance"));
      }
      looked_at_ = rest.size() - kContext - 1;
      break;
    }
    parts.emplace_back(rest.substr(0, cut->end));
    done += cut->next;
    looked_at_ = 0;
  }
  pending_.erase(0, done);
  return absl::OkStatus();
}

std::string SentencePieceTokenizer::TakeRest() {
  looked_at_ = 0;
  return std::exchange(pending_, "");
}

absl::StatusOr<std::string> SentencePieceTokenizer::Decode(
    absl::Span<const uint32_t> ids) const {
  std::string text;
  const auto wrong =
      model_->Decode(std::vector<int>(ids.begin(), ids.end()), text);
  if (wrong.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", path_, "': this model cannot decode the tokens: ", *wrong));
  }
  return text;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Tokenizer>> OpenSentencePiece(
    const std::string& path, absl::string_view model) {
  auto loaded = HasBoundedTables(model)
                    ? SentencePieceModel::Load({model.data(), model.size()})
                    : nullptr;
  if (loaded == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--tokenizer ", path,
        ": expected bytes or a SentencePiece model, got other content"));
  }
  return std::make_unique<SentencePieceTokenizer>(path, std::move(loaded));
}

}  // namespace accel::tools
