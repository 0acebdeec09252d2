// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which accesses to a byte no barrier orders. A thread's clock says how much of
// every other thread of its block has happened before; blocks are never
// ordered. A cell remembers of its byte the last write, and two reads and two
// atomic accesses, which suffice: of three accesses that nothing orders, any
// writer meets at least one that is neither its own nor before it. Only where
// threads wait in groups smaller than a block may a third access be forgotten,
// and then accesses of different warps are kept.
#ifndef ACCEL_TEST_CUDA_PTX_RACES_H_
#define ACCEL_TEST_CUDA_PTX_RACES_H_

#include <cstdint>

#include "test/cuda/ptx/thread.h"

namespace accel::ptx {

inline constexpr int kIndexBits = 10;  // a block has at most 1024 threads
inline constexpr uint32_t kMaxTime = (1u << (32 - kIndexBits)) - 1;

// An access: by whom, and when by the thread's own count.
struct Epoch {
  uint32_t block = 0;  // from 1; 0: nobody
  uint32_t stamp = 0;

  uint32_t Index() const { return stamp & ((1u << kIndexBits) - 1); }
  uint32_t Time() const { return stamp >> kIndexBits; }
};

struct Cell {
  Epoch write;
  Epoch reads[2];
  Epoch atomics[2];
  // For ld.global.nc, to which no order matters.
  bool read_non_coherent = false;
  bool is_written = false;
};

// Who accesses now.
struct Actor {
  Epoch epoch;
  const Clock* seen = nullptr;
  // Cells of shared memory outlive a block; what an earlier block left in them
  // counts for nothing.
  bool is_shared = false;

  static Actor Of(const Thread& thread, uint32_t block, bool is_shared) {
    return {{block, thread.index | thread.time << kIndexBits},
            thread.seen.get(),
            is_shared};
  }
};

enum class AccessKind : uint8_t { kRead, kWrite, kAtomic };

// What an access conflicts with.
struct Conflict {
  Epoch other;
  const char* what = nullptr;  // "write"; null: there is no conflict
};

// Checks an access against the cell and records it.
Conflict RecordAccess(Cell& cell, const Actor& actor, AccessKind kind,
                      Order order);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_RACES_H_
