// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream of token ids in a .bin file: nanoGPT's raw 16-bit words, llm.c's
// header with 16- or 32-bit words, raw 32-bit words on request.
#ifndef ACCEL_RUNTIME_DATA_TOKEN_FILE_H_
#define ACCEL_RUNTIME_DATA_TOKEN_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/data/content_digest.h"
#include "runtime/data/data_flag.h"
#include "runtime/data/pinned_file.h"

namespace accel::runtime {

// Borrows: the vfs.
// Threads: const member functions may be called from any thread.
class TokenFile {
 public:
  // Opens the file and learns its layout. Ids are not looked at yet.
  static absl::StatusOr<std::unique_ptr<TokenFile>> Open(
      Vfs& vfs, const std::string& path, TokenEncoding encoding);

  const std::string& path() const { return file_->path(); }
  int64_t size() const { return size_; }  // in tokens
  int width() const { return width_; }    // bytes per token, 2 or 4
  // "16-bit tokens", "16-bit tokens, llm.c header".
  std::string Layout() const;

  // From now on reading an id >= vocabulary is an error that names file,
  // position and byte offset.
  void SetVocabulary(int64_t vocabulary) { vocabulary_ = vocabulary; }
  // Reads all of it.
  absl::Status CheckWhole() const;

  // Tokens [first, first + dst.size()).
  absl::Status Read(int64_t first, absl::Span<uint32_t> dst) const;

  FileContent content() const { return {file_.get(), data_offset_}; }

 private:
  TokenFile(std::unique_ptr<PinnedFile> file, uint64_t data_offset, int width,
            int64_t size);

  absl::Status CheckIds(int64_t first, absl::Span<const uint32_t> ids) const;

  std::unique_ptr<PinnedFile> file_;
  uint64_t data_offset_;
  int width_;
  int64_t size_;
  int64_t vocabulary_ = 0;  // 0: not set
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_TOKEN_FILE_H_
