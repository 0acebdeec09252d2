// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One stream of token ids in one or several files: where a file ends the next
// one goes on, in the middle of a sample, too.
#ifndef ACCEL_RUNTIME_DATA_TOKEN_STREAM_H_
#define ACCEL_RUNTIME_DATA_TOKEN_STREAM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/data/token_file.h"

namespace accel::runtime {

// Borrows: the vfs.
// Threads: const member functions may be called from any thread.
class TokenStream {
 public:
  // All files have one layout, or the error names two that differ.
  // Requires: there is a file.
  static absl::StatusOr<std::unique_ptr<TokenStream>> Open(
      Vfs& vfs, absl::Span<const TokenPath> paths);

  int64_t size() const { return starts_.back(); }  // in tokens
  int width() const { return files_[0]->width(); }
  // "'a.bin'", "'a.bin' to 'c.bin' (3 files)".
  std::string Name() const;
  std::string Layout() const { return files_[0]->Layout(); }
  // Of files with an index: how many documents they count together.
  std::optional<int64_t> documents() const;

  // From now on an id >= vocabulary is an error that names file, position and
  // byte offset. Streams up to kWholeCheckLimit are checked whole here.
  absl::Status SetVocabulary(int64_t vocabulary);

  // Tokens [first, first + dst.size()). Allocates nothing unless it fails.
  // Requires: they lie inside the stream.
  absl::Status Read(int64_t first, absl::Span<uint32_t> dst) const;

  absl::StatusOr<Sha256Digest> Digest() const;

 private:
  explicit TokenStream(std::vector<std::unique_ptr<TokenFile>> files);

  std::vector<std::unique_ptr<TokenFile>> files_;
  std::vector<int64_t> starts_;  // of each file, and the end
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_TOKEN_STREAM_H_
