// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One cache line per rank; numbers are shifted so that zero means nothing.
#include "runtime/launch/progress_board.h"

#include <atomic>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {

constexpr uint64_t kFunctions = 256;

struct alignas(64) ProgressBoard::Place {
  // step * kFunctions + function + 1: both change at once.
  std::atomic<uint64_t> function_and_step;
  std::array<std::atomic<uint32_t>, kStreams> instructions_plus_one;
  std::atomic<uint64_t> peak_bytes;
};

absl::StatusOr<FileDescriptor> ProgressBoard::CreateMemory(uint32_t ranks) {
  return CreateSharedMemory("accel-board", ranks * sizeof(Place));
}

absl::StatusOr<ProgressBoard> ProgressBoard::Open(const FileDescriptor& memory,
                                                  uint32_t ranks) {
  ASSIGN_OR_RETURN(const uint64_t size, SharedMemorySize(memory));
  if (size < ranks * sizeof(Place)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ranks' board: expected ", ranks * sizeof(Place),
                     " bytes, got ", size));
  }
  ASSIGN_OR_RETURN(SharedMapping mapping,
                   SharedMapping::Map(memory, 0, ranks * sizeof(Place)));
  return ProgressBoard(std::move(mapping));
}

ProgressBoard::Place& ProgressBoard::place(uint32_t rank) const {
  return reinterpret_cast<Place*>(mapping_.bytes().data())[rank];
}

void ProgressBoard::Begin(uint32_t rank, uint32_t function, int64_t step) {
  for (std::atomic<uint32_t>& stream : place(rank).instructions_plus_one) {
    stream.store(0, std::memory_order_relaxed);
  }
  place(rank).function_and_step.store(
      static_cast<uint64_t>(step) * kFunctions + function + 1,
      std::memory_order_relaxed);
}

void ProgressBoard::Note(uint32_t rank, uint32_t stream, uint32_t instruction) {
  if (stream < kStreams) {
    place(rank).instructions_plus_one[stream].store(instruction + 1,
                                                    std::memory_order_relaxed);
  }
}

void ProgressBoard::NotePeak(uint32_t rank, uint64_t bytes) {
  place(rank).peak_bytes.store(bytes, std::memory_order_relaxed);
}

uint64_t ProgressBoard::PeakOf(uint32_t rank) const {
  return place(rank).peak_bytes.load(std::memory_order_relaxed);
}

ProgressBoard::Position ProgressBoard::Of(uint32_t rank) const {
  Position position;
  const uint64_t word =
      place(rank).function_and_step.load(std::memory_order_relaxed);
  if (word != 0) {
    position.function = static_cast<uint32_t>((word - 1) % kFunctions);
    position.step = static_cast<int64_t>((word - 1) / kFunctions);
  }
  for (int stream = 0; stream < kStreams; ++stream) {
    const uint32_t shifted = place(rank).instructions_plus_one[stream].load(
        std::memory_order_relaxed);
    if (shifted != 0) {
      position.instructions[stream] = shifted - 1;
    }
  }
  return position;
}

}  // namespace accel::runtime
