// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy, in memory of the host, of what a process writes of the state: it can
// be written while steps change the state itself.
#ifndef ACCEL_RUNTIME_CHECKPOINT_STATE_COPY_H_
#define ACCEL_RUNTIME_CHECKPOINT_STATE_COPY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/checkpoint/state_file.h"

namespace accel::runtime {

// Threads: none may read while one takes.
class StateCopy {
 public:
  // Room for so many bytes, every page of which is touched now: memory that is
  // missing is missing before the first step, not at a checkpoint.
  explicit StateCopy(uint64_t bytes) : bytes_(bytes) {}
  StateCopy(const StateCopy&) = delete;
  StateCopy& operator=(const StateCopy&) = delete;

  uint64_t size() const { return bytes_.size(); }

  // Copies what `read` gives of the parts, in place of what was there.
  // Borrows: the parts' tensors, as long as they are read. Internal if there is
  // no room for them.
  absl::Status Take(const std::vector<StatePart>& parts,
                    const StateReader& read);
  // A StateReader. Requires: it has been taken.
  absl::Status Read(const StatePart& part, uint64_t first,
                    absl::Span<std::byte> dst) const;

 private:
  std::vector<std::byte> bytes_;
  std::map<const StateTensor*, uint64_t> offsets_;  // of their parts
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_CHECKPOINT_STATE_COPY_H_
