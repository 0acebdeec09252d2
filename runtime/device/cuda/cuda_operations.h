// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of one stream, which the driver queues.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CUDA_OPERATIONS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CUDA_OPERATIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/device/cuda/accumulation_flags.h"
#include "runtime/device/cuda/collectives/device_collectives.h"
#include "runtime/device/cuda/convolution_calls.h"
#include "runtime/device/cuda/cuda_code.h"
#include "runtime/device/cuda/cuda_memory.h"
#include "runtime/device/cuda/host_wait.h"
#include "runtime/device/cuda/pinned_memory.h"
#include "runtime/device/cuda/product_calls.h"
#include "runtime/device/operations.h"

namespace accel::runtime::cuda {

// What the streams of a rank share.
struct StreamContext {
  const Gpu& gpu;
  const CudaCode& code;
  const CudaMemory& memory;
  HostWait& wait;
  std::unique_ptr<DeviceCollectives> collectives;  // null for a rank alone
  // If the code calls their library.
  std::optional<ProductCalls> products;
  std::optional<ConvolutionCalls> convolutions;
  AccumulationFlags flags;
  UploadSlots uploads;
  Downloads downloads;
  // While a graph is launched: the next download is one that it makes.
  std::optional<uint64_t> repeated_download;
};

// Threads: one at a time for all that share a context.
class CudaOperations : public Operations {
 public:
  // Borrows: the context.
  CudaOperations(StreamContext& context, StreamHandle stream,
                 uint32_t most_arguments);
  absl::Status Launch(const KernelLaunch& launch) override;
  absl::Status Fill(const ByteRange& destination,
                    absl::string_view pattern) override;
  absl::Status Copy(const ByteRange& source,
                    const ByteRange& destination) override;
  absl::Status Collective(const CollectiveCall& call, const ByteRange& input,
                          const ByteRange& output) override;
  absl::Status Upload(
      const ByteRange& destination,
      absl::FunctionRef<absl::Status(absl::Span<std::byte>)> produce) override;
  absl::Status Download(const ByteRange& source,
                        absl::Span<std::byte> host) override;
  void ParallelFor(int64_t count,
                   absl::FunctionRef<void(int64_t)> task) override;

 private:
  const Driver& driver() const { return context_.gpu.driver(); }

  absl::Status LaunchCode(const CudaKernel& kernel, int64_t tiles);
  absl::Status LaunchCall(const KernelLaunch& launch);
  absl::Status FillWords(const ByteRange& destination,
                         absl::string_view pattern);

  StreamContext& context_;
  const StreamHandle stream_;
  // Of one launch: pointers, and the addresses of these and of the tiles.
  std::vector<DevicePointer> pointers_;
  std::vector<void*> parameters_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CUDA_OPERATIONS_H_
