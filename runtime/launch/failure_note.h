// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a rank leaves its launcher about its failure, in memory that outlives
// it.
#ifndef ACCEL_RUNTIME_LAUNCH_FAILURE_NOTE_H_
#define ACCEL_RUNTIME_LAUNCH_FAILURE_NOTE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/io/shared_memory.h"

namespace accel::runtime {

struct FailureNote {
  std::string what;   // the error's message
  std::string where;  // "training, step 94 of 1000"
  std::string run_directory;
  int64_t since_ns = 0;  // the time of day
  // There were weights already: a run that has begun, and can go on.
  bool has_begun = false;
};

// Memory without a note. Owns: the descriptor, which is closed on exec.
absl::StatusOr<FileDescriptor> CreateNoteMemory();
// Into memory that is inherited as `descriptor`, which is closed. Once.
absl::Status WriteNote(int descriptor, const FailureNote& note);
// Nothing if none was written, or not to its end.
std::optional<FailureNote> ReadNote(const FileDescriptor& memory);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_FAILURE_NOTE_H_
