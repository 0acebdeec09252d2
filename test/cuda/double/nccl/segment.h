// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that the ranks of a communicator share, whether they are threads
// or processes: who has joined, and what each rank contributes to a collective.
//
// It is an anonymous file, which every rank finds through /proc and the unique
// id: process and descriptor of whoever made the id. It ends with the last
// process that holds it, however that process ends, and leaves nothing behind.
// As with NCCL, the process that made the id must live until all have joined.
//
// Threads: all of it may be used from every thread.
#ifndef ACCEL_TEST_CUDA_DOUBLE_NCCL_SEGMENT_H_
#define ACCEL_TEST_CUDA_DOUBLE_NCCL_SEGMENT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/device/cuda/abi/nccl.h"

namespace accel::cuda_double::nccl {

constexpr int kMaxRanks = 64;

struct Member {
  enum State : int { kAbsent, kJoining, kJoined, kFinalised, kGone };

  std::atomic<int> state;
  // Of the process, GPU and library; valid from kJoined on.
  int process;
  int gpu;
  int version;
  // The position of the last collective that the rank has begun, from 1. Its
  // contribution can be read until the rank begins the next but one.
  std::atomic<uint64_t> begun;
};

struct Header {
  uint64_t nonce;
  std::atomic<int> ranks;  // 0 until the first rank joins
  Member members[kMaxRanks];
};

class Segment {
 public:
  // Makes a segment and writes its id; false if the system refuses.
  static bool Create(runtime::cuda::NcclUniqueId* id);
  // The segment of an id, or null if there is none any more.
  static std::shared_ptr<Segment> Open(const runtime::cuda::NcclUniqueId& id);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  Header& header() { return *header_; }
  // All ranks have opened it: a process that made the id need not hold it.
  void ForgetId();

  // A rank's contribution to the collective at a position.
  void Write(int rank, uint64_t position, uint64_t offset, const void* from,
             size_t bytes);
  void Read(int rank, uint64_t position, uint64_t offset, void* to,
            size_t bytes) const;

 private:
  Segment(int descriptor, Header* header)
      : descriptor_(descriptor), header_(header) {}

  int descriptor_;
  Header* header_;
};

}  // namespace accel::cuda_double::nccl

#endif  // ACCEL_TEST_CUDA_DOUBLE_NCCL_SEGMENT_H_
