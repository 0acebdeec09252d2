// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pass over the tokens of each file gives all that is said of it.
#include "tools/accel-data/token_report.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/token_file.h"
#include "runtime/text/printable.h"
#include "tools/accel-data/tokenizer.h"

namespace accel::tools {
namespace {

using runtime::FormatCount;
using runtime::TokenFile;

constexpr int64_t kPiece = int64_t{1} << 18;
constexpr int64_t kRow = 10;  // tokens in a row of head

// What is known of tokens that have been looked at.
struct Tally {
  int64_t tokens = 0;
  uint32_t least = UINT32_MAX;
  uint32_t largest = 0;
  int64_t ends = 0;    // tokens that end documents
  bool at_end = true;  // the last one does

  void Add(absl::Span<const uint32_t> ids, std::optional<uint32_t> end) {
    tokens += static_cast<int64_t>(ids.size());
    for (const uint32_t id : ids) {
      least = std::min(least, id);
      largest = std::max(largest, id);
    }
    if (end.has_value() && !ids.empty()) {
      ends += std::count(ids.begin(), ids.end(), *end);
      at_end = ids.back() == *end;
    }
  }

  int64_t documents() const { return ends + (at_end ? 0 : 1); }
  std::string Ids() const {
    return absl::StrCat(FormatCount(least), " to ", FormatCount(largest));
  }
};

using Visit = std::function<void(absl::Span<const uint32_t> ids)>;

absl::Status VisitTokens(const TokenFile& file, const Visit& visit) {
  std::vector<uint32_t> ids(static_cast<size_t>(std::min(kPiece, file.size())));
  for (int64_t first = 0; first < file.size(); first += kPiece) {
    const auto piece = absl::MakeSpan(ids).first(
        static_cast<size_t>(std::min(kPiece, file.size() - first)));
    RETURN_IF_ERROR(file.Read(first, piece));
    visit(piece);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TokenFile>> Open(runtime::Vfs& vfs,
                                                const std::string& text) {
  const runtime::TokenPath path = runtime::ParseTokenPath(text);
  return TokenFile::Open(vfs, path.path, path.encoding);
}

template <typename T>
void HashAs(runtime::Sha256& hash, absl::Span<const uint32_t> ids) {
  const std::vector<T> words(ids.begin(), ids.end());
  hash.Update({reinterpret_cast<const std::byte*>(words.data()),
               words.size() * sizeof(T)});
}

// The tokens as they lie in the file.
void Hash(runtime::Sha256& hash, absl::Span<const uint32_t> ids, int width) {
  switch (width) {
    case 1:
      return HashAs<uint8_t>(hash, ids);
    case 2:
      return HashAs<uint16_t>(hash, ids);
    case 8:
      return HashAs<uint64_t>(hash, ids);
    default:
      return HashAs<uint32_t>(hash, ids);
  }
}

// `indexed`: what an index counts.
std::string DocumentsText(const Tally& tally, const ReportOptions& options,
                          std::optional<int64_t> indexed) {
  const std::string counted =
      options.end_of_document
          ? absl::StrCat(FormatCount(tally.documents()), ", ended by token ",
                         *options.end_of_document)
          : "unknown; --end-of-document ID counts them";
  if (!indexed) {
    return counted;
  }
  const std::string text =
      absl::StrCat(FormatCount(*indexed), ", by the index");
  return options.end_of_document ? absl::StrCat(text, "; ", counted) : text;
}

std::string Block(const std::string& name, const std::string& layout,
                  const Tally& tally, const std::string& documents,
                  const std::string& digest) {
  return absl::StrCat(name, "\n  layout     ", layout, "\n  tokens     ",
                      FormatCount(tally.tokens), "\n  ids        ", tally.Ids(),
                      ": a vocabulary of at least ",
                      FormatCount(int64_t{tally.largest} + 1),
                      "\n  documents  ", documents, "\n  sha256     ", digest);
}

// As text: of bytes where all are bytes, or by the tokenizer that was named.
absl::StatusOr<std::string> DecodeHead(runtime::Vfs& vfs,
                                       const ReportOptions& options,
                                       absl::Span<const uint32_t> ids) {
  const uint32_t largest = *std::max_element(ids.begin(), ids.end());
  std::string name = options.tokenizer;
  if (name.empty()) {
    if (largest > 255) {
      return std::string("unknown; --tokenizer MODEL decodes them");
    }
    name = "bytes";
  }
  ASSIGN_OR_RETURN(const auto tokenizer, OpenTokenizer(vfs, name, " --help"));
  if (largest >= tokenizer->vocabulary()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--tokenizer ", name, ": expected ids below ", tokenizer->vocabulary(),
        ", got ", largest, "; take the tokenizer that the file was made with"));
  }
  ASSIGN_OR_RETURN(const std::string text, tokenizer->Decode(ids));
  return absl::StrCat("\"", runtime::Printable(text), "\" (", tokenizer->Name(),
                      ")");
}

}  // namespace

absl::Status ReportInfo(runtime::Vfs& vfs, const ReportOptions& options,
                        const Print& print) {
  Tally all;
  runtime::Sha256 all_hash;
  std::string layout;
  std::optional<int64_t> all_indexed = 0;
  for (const std::string& name : options.files) {
    ASSIGN_OR_RETURN(const auto file, Open(vfs, name));
    const std::optional<int64_t> indexed = file->documents();
    all_indexed = all_indexed && indexed
                      ? std::optional<int64_t>(*all_indexed + *indexed)
                      : std::nullopt;
    Tally tally;
    runtime::Sha256 hash;
    RETURN_IF_ERROR(VisitTokens(*file, [&](absl::Span<const uint32_t> ids) {
      tally.Add(ids, options.end_of_document);
      all.Add(ids, options.end_of_document);
      Hash(hash, ids, file->width());
      Hash(all_hash, ids, file->width());
    }));
    layout =
        layout.empty() || layout == file->Layout() ? file->Layout() : "several";
    print(Block(name, file->Layout(), tally,
                DocumentsText(tally, options, indexed),
                runtime::ToHex(hash.Finish())));
  }
  if (options.files.size() > 1) {
    print(Block(
        absl::StrCat("all ", options.files.size(), " files, as one stream"),
        layout, all, DocumentsText(all, options, all_indexed),
        runtime::ToHex(all_hash.Finish())));
  }
  return absl::OkStatus();
}

absl::Status VerifyFiles(runtime::Vfs& vfs, const ReportOptions& options,
                         const Print& print) {
  runtime::ErrorList errors;
  std::string first;
  std::string layout;
  for (const std::string& name : options.files) {
    auto file = Open(vfs, name);
    if (!file.ok()) {
      errors.Add(file.status());
      continue;
    }
    if (options.vocabulary) {
      (*file)->SetVocabulary(*options.vocabulary);
    }
    Tally tally;
    const absl::Status read = VisitTokens(
        **file,
        [&](absl::Span<const uint32_t> ids) { tally.Add(ids, std::nullopt); });
    if (!read.ok()) {
      errors.Add(read);
    } else if (!layout.empty() && (*file)->Layout() != layout) {
      errors.Add(absl::StrCat("'", first, "' and '", name,
                              "': expected files of one layout, got ", layout,
                              " and ", (*file)->Layout(),
                              "; write the files of a stream alike"));
    } else {
      print(absl::StrCat(name, ": good: ", FormatCount(tally.tokens), " ",
                         (*file)->Layout(), ", ids ", tally.Ids()));
    }
    if (layout.empty()) {
      first = name;
      layout = (*file)->Layout();
    }
  }
  return errors.ToStatus(absl::StrCat(errors.size(), " of ",
                                      options.files.size(),
                                      " files cannot be trained on"));
}

absl::Status PrintHead(runtime::Vfs& vfs, const ReportOptions& options,
                       const Print& print) {
  const std::string& name = options.files[0];
  ASSIGN_OR_RETURN(const auto file, Open(vfs, name));
  const int64_t count = std::min(options.count, file->size());
  std::vector<uint32_t> ids(static_cast<size_t>(count));
  RETURN_IF_ERROR(file->Read(0, absl::MakeSpan(ids)));
  print(absl::StrCat(name, ": the first ", FormatCount(count), " of ",
                     FormatCount(file->size()), " ", file->Layout()));
  for (int64_t first = 0; first < count; first += kRow) {
    std::string row = absl::StrFormat("%8d ", first);
    for (int64_t i = first; i < std::min(count, first + kRow); ++i) {
      absl::StrAppendFormat(&row, " %6d", ids[static_cast<size_t>(i)]);
    }
    print(row);
  }
  ASSIGN_OR_RETURN(const std::string text, DecodeHead(vfs, options, ids));
  print(absl::StrCat("text: ", text));
  return absl::OkStatus();
}

}  // namespace accel::tools
