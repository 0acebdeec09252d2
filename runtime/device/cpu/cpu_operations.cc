// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic and copies on the threads of a pool.
#include "runtime/device/cpu/cpu_operations.h"

#include <cstring>

#include "runtime/device/cpu/subnormal_flush.h"

namespace accel::runtime {
namespace {

// Bytes that one thread fills or copies at least.
constexpr int64_t kBlock = int64_t{1} << 16;

}  // namespace

CpuOperations::CpuOperations(const CpuCode& code, const CpuMemory& memory,
                             const ThreadPool& pool, Communicator* communicator,
                             uint32_t most_arguments)
    : code_(code),
      memory_(memory),
      pool_(pool),
      communicator_(communicator),
      pointers_(size_t{most_arguments} * pool.threads()) {}

absl::Status CpuOperations::Launch(const KernelLaunch& launch) {
  const size_t arity = launch.arguments.size();
  for (size_t i = 0; i < arity; ++i) {
    const KernelArgument& argument = launch.arguments[i];
    std::byte* const pointer = memory_.At(argument.range);
    for (int thread = 0; thread < pool_.threads(); ++thread) {
      pointers_[thread * arity + i] = pointer + thread * argument.thread_stride;
    }
  }
  const CpuKernel& kernel = code_.kernel(launch.kernel);
  pool_.ParallelFor(0, static_cast<int64_t>(launch.TilesOf(kernel.tiles)),
                    kernel.grain, [&](int thread, int64_t first, int64_t last) {
                      const SubnormalFlush flush(kernel.flushes_subnormals);
                      kernel.function(&pointers_[thread * arity], first, last);
                    });
  return absl::OkStatus();
}

absl::Status CpuOperations::Fill(const ByteRange& destination,
                                 absl::string_view pattern) {
  const absl::Span<std::byte> dst = Bytes(destination);
  const auto size = static_cast<int64_t>(dst.size());
  if (pattern.empty()) {
    pool_.ParallelFor(0, size, kBlock, [&](int, int64_t begin, int64_t end) {
      std::memset(&dst[begin], 0, end - begin);
    });
    return absl::OkStatus();
  }
  const auto width = static_cast<int64_t>(pattern.size());
  pool_.ParallelFor(0, size / width, kBlock,
                    [&](int, int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) {
                        std::memcpy(&dst[i * width], pattern.data(), width);
                      }
                    });
  return absl::OkStatus();
}

absl::Status CpuOperations::Copy(const ByteRange& source,
                                 const ByteRange& destination) {
  const absl::Span<std::byte> from = Bytes(source);
  const absl::Span<std::byte> to = Bytes(destination);
  pool_.ParallelFor(0, static_cast<int64_t>(from.size()), kBlock,
                    [&](int, int64_t begin, int64_t end) {
                      std::memcpy(&to[begin], &from[begin], end - begin);
                    });
  return absl::OkStatus();
}

absl::Status CpuOperations::Collective(const CollectiveCall& call,
                                       const ByteRange& input,
                                       const ByteRange& output) {
  CollectiveCall own = call;
  own.input = Bytes(input);
  own.output = Bytes(output);
  if (communicator_ != nullptr) {
    return communicator_->Run(own);
  }
  if (own.output.data() != own.input.data()) {
    std::memcpy(own.output.data(), own.input.data(), own.output.size());
  }
  return absl::OkStatus();
}

absl::Status CpuOperations::Upload(
    const ByteRange& destination,
    absl::FunctionRef<absl::Status(absl::Span<std::byte>)> produce) {
  return produce(Bytes(destination));
}

absl::Status CpuOperations::Download(const ByteRange& source,
                                     absl::Span<std::byte> host) {
  return memory_.Read(source, host);
}

void CpuOperations::ParallelFor(int64_t count,
                                absl::FunctionRef<void(int64_t)> task) {
  pool_.ParallelFor(0, count, 1, [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      task(i);
    }
  });
}

}  // namespace accel::runtime
