// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory in which each rank leaves what it does, so that others can say it when
// it is dead.
#ifndef ACCEL_RUNTIME_LAUNCH_PROGRESS_BOARD_H_
#define ACCEL_RUNTIME_LAUNCH_PROGRESS_BOARD_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "runtime/io/shared_memory.h"

namespace accel::runtime {

// Threads: everything may be called from any thread of any process; a rank
// writes its own place only.
class ProgressBoard {
 public:
  static constexpr int kStreams = 4;  // those of a plan beyond it are not shown

  struct Position {
    // Of the plan; nothing: no function has begun.
    std::optional<uint32_t> function;
    int64_t step = 0;
    // Per stream, the instruction that began last.
    std::array<std::optional<uint32_t>, kStreams> instructions;
  };

  // A memfd for so many ranks, all of them loading.
  static absl::StatusOr<FileDescriptor> CreateMemory(uint32_t ranks);
  // InvalidArgument if it is too small.
  static absl::StatusOr<ProgressBoard> Open(const FileDescriptor& memory,
                                            uint32_t ranks);

  // A function of the plan, of at most 255, on the data of step `step`: no
  // instruction has begun.
  void Begin(uint32_t rank, uint32_t function, int64_t step);
  void Note(uint32_t rank, uint32_t stream, uint32_t instruction);
  Position Of(uint32_t rank) const;
  // The most memory that the rank's process has had so far; 0 until it says so.
  void NotePeak(uint32_t rank, uint64_t bytes);
  uint64_t PeakOf(uint32_t rank) const;

 private:
  struct Place;

  explicit ProgressBoard(SharedMapping mapping)
      : mapping_(std::move(mapping)) {}
  Place& place(uint32_t rank) const;

  SharedMapping mapping_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_PROGRESS_BOARD_H_
