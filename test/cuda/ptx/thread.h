// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread of a block while it runs, and how instructions read and write its
// registers. A register holds its value in its low bits, the others are zero.
#ifndef ACCEL_TEST_CUDA_PTX_THREAD_H_
#define ACCEL_TEST_CUDA_PTX_THREAD_H_

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "test/cuda/ptx/program.h"

namespace accel::ptx {

class Block;

enum class State : uint8_t {
  kReady,
  kAtBarrier,      // of the block
  kAtWarpBarrier,  // for other threads of its warp: shuffles and votes, too
  kExited,
  kFaulty,
};

// What of every thread of its block a thread knows to have happened.
using Clock = std::vector<uint32_t>;

struct Frame {
  const Function* function = nullptr;
  uint32_t pc = 0;        // of the instruction after the call
  size_t base = 0;        // of its registers in Thread::stack
  size_t local_base = 0;  // of its variables in Thread::local
  const Instruction* call = nullptr;
};

// One byte of .local memory.
enum class ByteState : uint8_t { kNoVariable, kUnwritten, kWritten };

struct Thread {
  uint64_t* registers = nullptr;
  const Instruction* code = nullptr;
  uint32_t pc = 0;
  State state = State::kReady;
  bool negate_wait = false;

  uint32_t index = 0;  // in the block
  uint32_t laneid = 0;
  uint32_t warp = 0;
  Dim3 tid;
  Block* block = nullptr;
  const Function* function = nullptr;

  // What the thread waits for.
  const Instruction* wait = nullptr;
  uint32_t wait_mask = 0;
  uint32_t barrier = 0;

  uint32_t time = 1;  // counts the thread's own synchronisations
  std::shared_ptr<const Clock> seen;

  // The .param memory of the current frame.
  uint8_t* params = nullptr;
  uint8_t* params_written = nullptr;

  std::vector<Frame> frames;
  std::vector<uint64_t> stack;
  std::vector<uint8_t> local;
  std::vector<ByteState> local_state;

  // Stops the thread and its launch. The first fault of a launch wins.
  void Fault(absl::string_view message);
};

template <typename T>
T Get(const Thread& thread, uint32_t slot) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(thread.registers[slot]));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(thread.registers[slot]);
  } else {
    return static_cast<T>(thread.registers[slot]);
  }
}

template <typename T>
void Put(Thread& thread, uint32_t slot, T value) {
  if constexpr (std::is_same_v<T, float>) {
    thread.registers[slot] = std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    thread.registers[slot] = std::bit_cast<uint64_t>(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    thread.registers[slot] = value ? 1 : 0;
  } else {
    thread.registers[slot] = static_cast<std::make_unsigned_t<T>>(value);
  }
}

inline bool GetPredicate(const Thread& thread, uint32_t slot, bool negated) {
  return ((thread.registers[slot] & 1) != 0) != negated;
}

// `value`, whose lowest `from` bits count, extended by its sign.
inline int64_t SignExtend(uint64_t value, int from) {
  return static_cast<int64_t>(value << (64 - from)) >> (64 - from);
}
inline uint64_t LowBits(uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_THREAD_H_
