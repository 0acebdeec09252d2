// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a file of tokens as accel-run reads it.
#ifndef ACCEL_TOOLS_ACCEL_DATA_TOKEN_WRITER_H_
#define ACCEL_TOOLS_ACCEL_DATA_TOKEN_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/io/atomic_file.h"

namespace accel::tools {

// Tokens of a vocabulary of up to 65,536 are 16-bit words without a header, as
// nanoGPT has them; others 32-bit words behind llm.c's header, which says so.
// The file appears with Commit(), complete, or not at all.
//
// Borrows: the vfs.
class TokenWriter {
 public:
  static absl::StatusOr<std::unique_ptr<TokenWriter>> Create(
      runtime::Vfs& vfs, const std::string& path, int64_t vocabulary);

  int width() const { return width_; }  // bytes of a token
  uint64_t count() const { return count_; }

  // An id outside the vocabulary is an error: none is ever cut to its width.
  absl::Status Append(absl::Span<const uint32_t> ids);
  absl::Status Commit();

 private:
  TokenWriter(std::string path, int64_t vocabulary,
              std::unique_ptr<runtime::AtomicFile> file);

  absl::Status Flush();

  std::string path_;
  int64_t vocabulary_;
  int width_;
  uint64_t count_ = 0;
  std::unique_ptr<runtime::AtomicFile> file_;
  std::vector<std::byte> buffer_;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_TOKEN_WRITER_H_
