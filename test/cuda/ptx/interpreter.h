// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a kernel of a PTX module on the CPU, block by block. Every thread has a
// program counter of its own and runs until it waits for others (the rules of
// sm_70 and newer) or its turn ends; the seed decides whose turn is next. A
// result that depends on the seed is a fault of the kernel.
//
// What is an error, apart from what PTX forbids anyway:
//   - an access outside the ranges, across two of them, or to a .shared or
//     .local byte that belongs to no variable;
//   - an access that is not aligned to its full width, vectors included;
//   - a read of a global, shared, local or .param byte that holds no value;
//   - a write to a read-only range; an ld.global.nc of a byte that the same
//     launch writes;
//   - two accesses to a shared or global byte by two threads, one of which
//     writes and not both of which are atomic, that no barrier orders. Only
//     bar.sync, barrier.sync and bar.warp.sync order accesses. Neither an
//     atomic nor a fence does, so that a kernel whose blocks hand data to each
//     other through a flag is refused. A shuffle orders nothing either;
//   - a barrier, shuffle or vote for which a thread that must arrive waits
//     elsewhere or, where the mask of a warp names it, has exited; threads of a
//     warp that arrive at different instructions of one aligned barrier; a
//     shuffle that reads a thread that does not take part; an mma that not all
//     32 threads of a warp execute;
//   - a division of an integer by zero;
//   - an atomic on a floating-point number: its result depends on the order of
//     the threads, which the product forbids;
//   - a launch that a driver would refuse: a block that is not .reqntid or has
//     more than 1024 threads, more than 48 KiB of static shared memory, a
//     wrong number or size of arguments.
//
// Blocks run one after the other. A kernel in which a block waits for another
// one meets the limit of instructions.
//
// An add or a mul that names no rounding mode is rounded to nearest. ptxas may
// contract two of them into an fma, which the interpreter never does.
//
// Registers begin with bits that depend on the seed. Variables of a module
// have their initial values at the beginning of every launch.
//
// Units:   instructions are those of threads: a warp's instruction counts 32.
// Errors:  kInvalidArgument: the launch does not fit the kernel.
//          kFailedPrecondition: the kernel broke a rule above; the message
//          names the kernel, the line with its text, the block and the thread.
//          kDeadlineExceeded: the limit of instructions.
// Threads: Run may be called from several threads with different memories.
#ifndef ACCEL_TEST_CUDA_PTX_INTERPRETER_H_
#define ACCEL_TEST_CUDA_PTX_INTERPRETER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "test/cuda/ptx/memory.h"
#include "test/cuda/ptx/module.h"

namespace accel::ptx {

struct Launch {
  Dim3 grid = {};
  Dim3 block = {};
  uint32_t dynamic_shared_bytes = 0;
  // The bytes of every argument, in the order of the kernel's parameters.
  std::vector<std::vector<std::byte>> arguments;

  // Appends an argument: a pointer into the memory, a number or a struct.
  template <typename T>
  Launch& Add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return AddBytes(&value, sizeof(T));
  }
  Launch& AddBytes(const void* data, size_t bytes) {
    std::vector<std::byte> argument(bytes);
    std::memcpy(argument.data(), data, bytes);
    arguments.push_back(std::move(argument));
    return *this;
  }
  // Appends all of a kernel's arguments the way cuLaunchKernel takes them.
  Launch& AddAll(const Kernel& kernel, void* const* values) {
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      AddBytes(values[i], kernel.parameters[i].size_bytes);
    }
    return *this;
  }
};

// How ex2.approx, rcp.approx and their like are computed.
enum class Approximation {
  kCorrectlyRounded,
  // Each result moves by up to the documented maximum error. How far depends
  // on the seed, the instruction and its operand, as it does on a device.
  kPerturbed,
};

struct Statistics {
  uint64_t instructions = 0;
  uint64_t barriers = 0;  // completed, of blocks
};

struct Options {
  // Permutes the order of blocks, warps and threads and the length of their
  // turns; 0 is the natural order.
  uint64_t seed = 0;
  uint64_t instruction_limit = 1'000'000'000;
  Approximation approximation = Approximation::kCorrectlyRounded;
  Statistics* statistics = nullptr;  // Borrows: filled in if it is not null.
};

// The body of a GoogleTest has a Run of its own and must write ptx::Run.
absl::Status Run(const Kernel& kernel, const Launch& launch,
                 GlobalMemory& memory, const Options& options = {});

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_INTERPRETER_H_
