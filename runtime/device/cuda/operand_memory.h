// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory in which products are executed to be measured: their operands, which
// hold random numbers, and what goes over the cache between two calls.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_OPERAND_MEMORY_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_OPERAND_MEMORY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "runtime/device/cuda/pinned_memory.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime::cuda {

// Everything is enqueued on a stream of its own.
//
// Threads: one at a time.
class OperandMemory {
 public:
  // Of so many bytes of operands. ResourceExhausted if they do not fit.
  // Borrows: the GPU. Requires: its context is current.
  static absl::StatusOr<std::unique_ptr<OperandMemory>> Create(const Gpu& gpu,
                                                               uint64_t bytes);
  ~OperandMemory();
  OperandMemory(const OperandMemory&) = delete;
  OperandMemory& operator=(const OperandMemory&) = delete;

  // What operands in these ranges take here.
  static uint64_t BytesFor(absl::Span<const ByteRange> ranges);

  // Puts the operands of a launch of `product` into this memory, in the place
  // of the last one's, as aligned as in their ranges. Factors get random
  // numbers of their type, everything else is 1.
  // Requires: BytesFor(ranges) is at most what there is.
  absl::Status Place(const planpb::Product& product,
                     absl::Span<const ByteRange> ranges);
  absl::Span<const DevicePointer> operands() const { return operands_; }

  // Goes over as much memory as the cache holds.
  absl::Status FillCache() const;

  StreamHandle stream() const { return stream_; }

 private:
  explicit OperandMemory(const Gpu& gpu) : gpu_(gpu) {}

  absl::Status Allocate(uint64_t bytes);
  absl::Status MakeNumbers();
  absl::Status FillFactor(const planpb::Product::Factor& factor,
                          absl::Span<const ByteRange> ranges) const;

  const Gpu& gpu_;
  StreamHandle stream_ = nullptr;
  DevicePointer base_ = 0;
  DevicePointer cache_ = 0;
  uint64_t cache_bytes_ = 0;
  PinnedMemory numbers_;  // a block for each kind of number
  std::vector<DevicePointer> operands_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_OPERAND_MEMORY_H_
