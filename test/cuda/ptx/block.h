// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One block of a launch while it runs: its threads, whose turn it is, and where
// they wait for each other.
#ifndef ACCEL_TEST_CUDA_PTX_BLOCK_H_
#define ACCEL_TEST_CUDA_PTX_BLOCK_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "test/cuda/ptx/interpreter.h"
#include "test/cuda/ptx/program.h"
#include "test/cuda/ptx/spaces.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {

inline constexpr uint32_t kWarpSize = 32;
inline constexpr uint32_t kBarriers = 16;

class Block {
 public:
  // Borrows: everything.
  Block(const Kernel& kernel, const Launch& launch, const Options& options,
        GlobalSpace& global);

  // Runs one block; `number` counts the grid's blocks from 0.
  absl::Status RunBlock(uint64_t number);
  uint64_t instructions() const { return instructions_; }
  uint64_t barriers() const { return completed_barriers_; }

  // --- for instructions ---
  const Options& options() const { return options_; }
  const Program& program() const { return *kernel_.program; }
  // Null after a fault.
  uint8_t* Access(Thread& thread, Space space, const Request& request);
  void Call(Thread& thread, const Instruction& call);
  void Return(Thread& thread);
  void Exit(Thread& thread);
  // The thread waits at barrier `id`; `expected` is how many threads it is
  // for, 0 for all of the block.
  void WaitAtBarrier(Thread& thread, const Instruction& where, uint32_t id,
                     uint32_t expected);
  // The thread only announces that it has been there.
  void ArriveAtBarrier(Thread& thread, const Instruction& where, uint32_t id,
                       uint32_t expected);
  // The thread waits for the others that the mask names.
  void WaitInWarp(Thread& thread, const Instruction& where, uint32_t mask);
  void Fault(const Thread& thread, const Instruction& where,
             absl::string_view message);
  std::string NameOf(const Epoch& epoch) const;

 private:
  struct Barrier {
    std::vector<Thread*> waiting;
    std::vector<Thread*> arrived;
    // What the threads that did not wait had done when they arrived.
    std::vector<Clock> arrived_clocks;
    uint32_t expected = 0;
  };

  // --- block_frames.cc ---
  void PrepareImages(const GlobalSpace& global);
  std::vector<uint64_t> ImageOf(const Function& function,
                                const GlobalSpace& global) const;
  void PushFrame(Thread& thread, const Function& function);
  void PlaceVariables(Thread& thread, const Function& function,
                      size_t local_base);
  void EnterFrame(Thread& thread);
  uint64_t ValueOf(const Thread& thread, Special special) const;
  void StartThread(Thread& thread, uint32_t index);

  // --- block.cc ---
  void RunTurns();
  uint64_t RunTurn(Thread& thread, uint64_t turn);
  std::vector<Thread*> ReadyThreads(uint64_t pass);
  void ReportHang();

  // --- block_waiting.cc ---
  bool JoinBarrier(Thread& thread, const Instruction& where, uint32_t id,
                   uint32_t expected, Barrier** joined);
  void CompleteIfAllArrived(Barrier& barrier);
  bool CheckAligned(const Barrier& barrier);
  void SynchroniseClocks(absl::Span<Thread* const> threads,
                         absl::Span<const Clock> others);
  void CompleteWarp(Thread& thread);
  bool FindParticipants(Thread& thread, std::vector<Thread*>& participants);
  Thread* ThreadOfWarp(uint32_t warp, uint32_t laneid);

  const Kernel& kernel_;
  const Launch& launch_;
  const Options& options_;
  GlobalSpace& global_;
  SharedSpace shared_;
  std::map<const Function*, std::vector<uint64_t>> images_;

  uint64_t number_ = 0;
  Dim3 position_;
  std::vector<Thread> threads_;
  uint32_t alive_ = 0;
  std::array<Barrier, kBarriers> barriers_;
  std::shared_ptr<const Clock> start_clock_;
  absl::Status status_;
  uint64_t instructions_ = 0;
  uint64_t completed_barriers_ = 0;
};

// Does what the threads of a warp, all of which wait at it, do together:
// shuffles, votes, reductions and products of matrices. Returns false after a
// fault.
bool DoTogether(Block& block, absl::Span<Thread* const> threads);
// The products.
bool MultiplyTogether(Block& block, absl::Span<Thread* const> threads);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_BLOCK_H_
