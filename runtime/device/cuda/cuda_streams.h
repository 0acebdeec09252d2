// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan's streams as CUDA streams.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CUDA_STREAMS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CUDA_STREAMS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/cuda/cuda_operations.h"
#include "runtime/device/cuda/pending_instructions.h"
#include "runtime/device/cuda/plan_events.h"
#include "runtime/device/cuda/step_graphs.h"
#include "runtime/device/device.h"

namespace accel::runtime::cuda {

// What a rank's streams call beside the driver.
struct CudaLibraries {
  // Null where the code calls none.
  std::unique_ptr<CublasLt> products;
  std::unique_ptr<Cudnn> convolutions;
  // Null for a rank alone. Its waits are those of the streams.
  std::function<absl::StatusOr<std::unique_ptr<DeviceCollectives>>(HostWait&)>
      make_collectives;
};

// The thread that enqueues runs ahead of the GPU, which begins at once. Whole
// functions are CUDA graphs from their second run on, if the options say so.
//
// After an error of its own, or a deadline, the GPU is given up: nothing of it
// is freed.
class CudaStreams : public StreamGroup, private HostWait {
 public:
  // Instructions that may be under way, at least; enqueueing more synchronizes.
  static constexpr size_t kQueueLength = 4096;

  // Borrows: everything but the libraries.
  static absl::StatusOr<std::unique_ptr<CudaStreams>> Create(
      Gpu& gpu, const PlanView& plan, const CudaCode& code, CudaMemory& memory,
      CudaLibraries libraries, StreamClient& client,
      const StreamOptions& options);
  ~CudaStreams() override;

  Stream& stream(uint32_t index) override { return streams_[index]; }
  void Reset() override { events_.Reset(); }
  absl::Status EnqueueFunction(const FunctionView& function,
                               uint64_t repetitions, bool has_run) override;
  absl::Status Synchronize(absl::FunctionRef<std::string()> owner) override;
  bool TellsDataWait() const override { return true; }
  bool IsOutOfWork() const override;
  std::string Describe() const override;
  std::map<std::string, std::string> LibraryCalls() const override;

 private:
  class CudaStream : public Stream {
   public:
    CudaStream(CudaStreams& group, uint32_t index)
        : group_(group), index_(index) {}
    absl::Status Enqueue(const Instance& instance) override {
      return group_.EnqueueOne(instance);
    }
    absl::Status Record(uint32_t event) override;
    absl::Status WaitFor(uint32_t event, uint64_t count,
                         const Instance& waiter) override;

   private:
    CudaStreams& group_;
    const uint32_t index_;
  };

  CudaStreams(Gpu& gpu, const PlanView& plan, const CudaCode& code,
              CudaMemory& memory, StreamClient& client,
              const StreamOptions& options);

  absl::Status MakeContext(CudaLibraries libraries);
  absl::Status MakeStreams();
  absl::Status WaitUntil(
      absl::FunctionRef<std::string()> owner,
      absl::FunctionRef<absl::StatusOr<bool>()> ready) override;

  bool UsesGraphs() const;
  absl::Status EnqueueOne(const Instance& instance);
  absl::Status MakeRoom(size_t instructions);
  absl::Status WaitForRoom(uint32_t stream);
  absl::Status Issue(const Instance& instance);
  // Whether all work is done.
  absl::StatusOr<bool> IsIdle() const;
  absl::Status CheckOthers() const;
  absl::Status Fail(const absl::Status& status);
  // After an error, until the GPU has ended what it has, or is given up.
  void Drain();

  Gpu& gpu_;
  const PlanView& plan_;
  StreamClient& client_;
  const StreamOptions options_;
  StreamContext context_;
  std::vector<StreamHandle> handles_;       // per stream
  StreamHandle launches_ = nullptr;         // of graphs
  std::vector<CudaStream> streams_;         // per stream
  std::vector<CudaOperations> operations_;  // likewise
  PlanEvents events_;
  PendingInstructions pending_;
  // Of each function that has been captured.
  std::map<const FunctionView*, std::unique_ptr<StepGraphs>> graphs_;
  absl::Status failure_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CUDA_STREAMS_H_
