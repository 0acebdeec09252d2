// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of weights that a plan refers to: found and measured before anything is
// allocated, hashed as they are read.
#ifndef ACCEL_RUNTIME_EXECUTOR_EXTERNAL_FILES_H_
#define ACCEL_RUNTIME_EXECUTOR_EXTERNAL_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

// Threads: const member functions may be called from any thread.
class ExternalFiles {
 public:
  ExternalFiles() = default;

  // All files that the manifest lists, with paths relative to `folder`, or to
  // the plan's folder if that is empty; every fault is in the one error.
  // Borrows: the vfs and the plan.
  static absl::StatusOr<ExternalFiles> Open(Vfs& vfs, const Plan& plan,
                                            const std::string& folder);

  // The bytes of chunk `chunk` of file `index`, which have the hash that the
  // plan names; else DataLoss.
  // Requires: both exist, and dst.size() is ChunkBytes(index, chunk).
  absl::Status ReadChunk(uint32_t index, uint64_t chunk,
                         absl::Span<std::byte> dst) const;
  // Less than a chunk at the file's end.
  uint64_t ChunkBytes(uint32_t index, uint64_t chunk) const;
  // OutOfRange unless bytes [offset, offset + size) lie in the file.
  absl::Status CheckRange(uint32_t index, uint64_t offset, uint64_t size) const;

 private:
  struct OpenFile {
    std::unique_ptr<File> file;
    const planpb::ExternalFile* expected;
  };

  std::vector<OpenFile> files_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_EXTERNAL_FILES_H_
