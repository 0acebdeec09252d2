// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on a CPU: each is done when its call returns.
#ifndef ACCEL_RUNTIME_DEVICE_CPU_CPU_OPERATIONS_H_
#define ACCEL_RUNTIME_DEVICE_CPU_CPU_OPERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/device/cpu/cpu_device.h"
#include "runtime/device/operations.h"

namespace accel::runtime {

// Allocates nothing after it has been made.
class CpuOperations : public Operations {
 public:
  // `pool` executes kernels; at most `most_arguments` pointers each.
  // `communicator`: null for a rank alone. Borrows: everything.
  CpuOperations(const CpuCode& code, const CpuMemory& memory,
                const ThreadPool& pool, Communicator* communicator,
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
  absl::Span<std::byte> Bytes(const ByteRange& range) const {
    return absl::MakeSpan(memory_.At(range), range.size());
  }

  const CpuCode& code_;
  const CpuMemory& memory_;
  const ThreadPool& pool_;
  Communicator* const communicator_;
  std::vector<void*> pointers_;  // per thread, those of one launch
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CPU_CPU_OPERATIONS_H_
