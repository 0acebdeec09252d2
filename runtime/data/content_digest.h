// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What identifies data: a digest of contents, one after the other, whatever the
// files are called, where they lie and when they were written.
#ifndef ACCEL_RUNTIME_DATA_CONTENT_DIGEST_H_
#define ACCEL_RUNTIME_DATA_CONTENT_DIGEST_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/base/sha256.h"
#include "runtime/data/pinned_file.h"

namespace accel::runtime {

// A file from `offset` on, where its content begins behind its header.
struct FileContent {
  const PinnedFile* file = nullptr;
  uint64_t offset = 0;

  uint64_t size() const {
    return file->size() - (offset < file->size() ? offset : file->size());
  }
};

// SHA-256 over the size of all contents together and then, up to
// kWholeCheckLimit, over all of it: how it is cut into files plays no part.
// Beyond that over evenly spread blocks of 4 KiB, 1024 of one file; of several
// files each one's size counts and its blocks, at least 4.
absl::StatusOr<Sha256Digest> ContentDigest(absl::Span<const FileContent> parts);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_CONTENT_DIGEST_H_
