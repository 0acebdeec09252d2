// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions of a stream to positions of its files.
#include "runtime/data/token_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/data/file_list.h"

namespace accel::runtime {

absl::StatusOr<std::unique_ptr<TokenStream>> TokenStream::Open(
    Vfs& vfs, absl::Span<const TokenPath> paths) {
  std::vector<std::unique_ptr<TokenFile>> files;
  for (const TokenPath& path : paths) {
    ASSIGN_OR_RETURN(auto file, TokenFile::Open(vfs, path.path, path.encoding));
    if (!files.empty() && file->Layout() != files[0]->Layout()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", files[0]->path(), "' and '", path.path,
          "': expected files of one layout, got ", files[0]->Layout(), " and ",
          file->Layout(), "; write the files of a stream alike"));
    }
    files.push_back(std::move(file));
  }
  return std::unique_ptr<TokenStream>(new TokenStream(std::move(files)));
}

TokenStream::TokenStream(std::vector<std::unique_ptr<TokenFile>> files)
    : files_(std::move(files)), starts_{0} {
  for (const auto& file : files_) {
    starts_.push_back(starts_.back() + file->size());
  }
}

std::string TokenStream::Name() const {
  return FileListName(files_.front()->path(), files_.back()->path(),
                      files_.size());
}

std::optional<int64_t> TokenStream::documents() const {
  std::optional<int64_t> documents;
  for (const auto& file : files_) {
    if (file->documents()) {
      documents = documents.value_or(0) + *file->documents();
    }
  }
  return documents;
}

absl::Status TokenStream::SetVocabulary(int64_t vocabulary) {
  const bool whole =
      static_cast<uint64_t>(size()) * width() <= kWholeCheckLimit;
  for (const auto& file : files_) {
    file->SetVocabulary(vocabulary);
    if (whole) {
      RETURN_IF_ERROR(file->CheckWhole());
    }
  }
  return absl::OkStatus();
}

absl::Status TokenStream::Read(int64_t first, absl::Span<uint32_t> dst) const {
  size_t index = static_cast<size_t>(
      std::upper_bound(starts_.begin(), starts_.end(), first) -
      starts_.begin() - 1);
  while (!dst.empty()) {
    const size_t here = std::min<size_t>(
        dst.size(), static_cast<size_t>(starts_[index + 1] - first));
    RETURN_IF_ERROR(
        files_[index]->Read(first - starts_[index], dst.first(here)));
    dst.remove_prefix(here);
    first += static_cast<int64_t>(here);
    ++index;
  }
  return absl::OkStatus();
}

absl::StatusOr<Sha256Digest> TokenStream::Digest() const {
  std::vector<FileContent> parts;
  parts.reserve(files_.size());
  for (const auto& file : files_) {
    parts.push_back(file->content());
  }
  return ContentDigest(parts);
}

}  // namespace accel::runtime
