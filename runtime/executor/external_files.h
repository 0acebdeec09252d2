// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files beside a plan that its `load` instructions read: found, measured and
// hashed before anything is allocated.
#ifndef ACCEL_RUNTIME_EXECUTOR_EXTERNAL_FILES_H_
#define ACCEL_RUNTIME_EXECUTOR_EXTERNAL_FILES_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/plan.h"

namespace accel::runtime {

class ExternalFiles {
 public:
  // All files that the manifest lists; every fault is in the one error.
  // Borrows: the vfs.
  static absl::StatusOr<ExternalFiles> Open(Vfs& vfs, const Plan& plan);

  // Requires: index < the manifest's external_files.
  absl::Status Read(uint32_t index, uint64_t offset,
                    absl::Span<std::byte> dst) const {
    return files_[index]->ReadAt(offset, dst);
  }

 private:
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_EXTERNAL_FILES_H_
