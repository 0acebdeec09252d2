// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream of token ids in a .bin file: nanoGPT's raw 16-bit words, llm.c's
// header with 16- or 32-bit words, raw 32-bit words on request, and integers of
// any type that an index beside the file describes.
#ifndef ACCEL_RUNTIME_DATA_TOKEN_FILE_H_
#define ACCEL_RUNTIME_DATA_TOKEN_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/data/content_digest.h"
#include "runtime/data/data_flag.h"
#include "runtime/data/pinned_file.h"
#include "runtime/data/token_layout.h"

namespace accel::runtime {

// Borrows: the vfs.
// Threads: const member functions may be called from any thread.
class TokenFile {
 public:
  // Opens the file and learns its layout; of a name that ends with .idx, reads
  // and checks that index, and opens the .bin file beside it. Ids are not
  // looked at yet.
  static absl::StatusOr<std::unique_ptr<TokenFile>> Open(
      Vfs& vfs, const std::string& path, TokenEncoding encoding);

  const std::string& path() const { return file_->path(); }  // of the tokens
  int64_t size() const { return size_; }                     // in tokens
  int width() const { return layout_.width(); }              // bytes per token
  // TokenLayout::Describe.
  std::string Layout() const { return layout_.Describe(); }
  // Of an index: how many documents it counts.
  std::optional<int64_t> documents() const { return layout_.documents; }

  // From now on reading an id >= vocabulary is an error that names file,
  // position and byte offset. Until then one that is negative or has more than
  // 32 bits is.
  void SetVocabulary(int64_t vocabulary);
  // Reads all of it.
  absl::Status CheckWhole() const;

  // Tokens [first, first + dst.size()).
  absl::Status Read(int64_t first, absl::Span<uint32_t> dst) const;

  FileContent content() const { return {file_.get(), layout_.data_offset}; }

 private:
  TokenFile(std::unique_ptr<PinnedFile> file, TokenLayout layout, int64_t size);

  uint64_t OffsetOf(int64_t token) const;
  absl::Status ReadWide(int64_t first, absl::Span<uint32_t> dst) const;
  absl::Status CheckIds(int64_t first, absl::Span<const uint32_t> ids) const;
  absl::Status RefuseId(int64_t position, int64_t id) const;

  std::unique_ptr<PinnedFile> file_;
  TokenLayout layout_;
  int64_t size_;
  int64_t limit_ = 0;  // ids are below
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_TOKEN_FILE_H_
