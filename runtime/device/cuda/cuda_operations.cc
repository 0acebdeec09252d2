// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels, calls, fills and copies.
#include "runtime/device/cuda/cuda_operations.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {
namespace {

constexpr uint64_t kWarp = 32;

bool IsZero(absl::string_view pattern) {
  return std::all_of(pattern.begin(), pattern.end(),
                     [](char c) { return c == 0; });
}

template <typename Number>
Number First(absl::string_view pattern) {
  Number number;
  std::memcpy(&number, pattern.data(), sizeof number);
  return number;
}

}  // namespace

CudaOperations::CudaOperations(StreamContext& context, StreamHandle stream,
                               uint32_t most_arguments)
    : context_(context), stream_(stream) {
  pointers_.reserve(most_arguments);
  parameters_.reserve(most_arguments + 2);
}

absl::Status CudaOperations::Launch(const KernelLaunch& launch) {
  pointers_.clear();
  for (const KernelArgument& argument : launch.arguments) {
    pointers_.push_back(context_.memory.At(argument.range));
  }
  const CudaKernel& kernel = context_.code.kernel(launch.kernel);
  return kernel.function == nullptr
             ? LaunchCall(launch)
             : LaunchCode(kernel,
                          static_cast<int64_t>(launch.TilesOf(kernel.tiles)));
}

absl::Status CudaOperations::LaunchCode(const CudaKernel& kernel,
                                        int64_t tiles) {
  // A rank may own nothing.
  if (tiles == 0) {
    return absl::OkStatus();
  }
  parameters_.clear();
  for (DevicePointer& pointer : pointers_) {
    parameters_.push_back(&pointer);
  }
  int64_t begin = 0;
  parameters_.push_back(&begin);
  parameters_.push_back(&tiles);
  const uint64_t warps = kernel.threads / kWarp;
  const auto blocks =
      static_cast<unsigned>(DivideUp(static_cast<uint64_t>(tiles), warps));
  RETURN_IF_CUDA_ERROR(driver(), cuLaunchKernel, kernel.function, blocks, 1, 1,
                       kernel.threads, 1, 1, 0, stream_, parameters_.data(),
                       nullptr);
  return absl::OkStatus();
}

absl::Status CudaOperations::LaunchCall(const KernelLaunch& launch) {
  if (launch.owned != launch.elements) {
    return absl::UnimplementedError("a library computes no part of a result");
  }
  const auto adds = [&](const auto& described) -> absl::StatusOr<bool> {
    return described.mode() == planpb::Product::RESULT_ADDED_IF
               ? context_.flags.Get(launch.arguments[described.flag()].range)
               : described.mode() == planpb::Product::RESULT_ADDED;
  };
  const planpb::Convolution* const convolution =
      context_.convolutions ? context_.convolutions->convolution(launch.kernel)
                            : nullptr;
  if (convolution != nullptr) {
    ASSIGN_OR_RETURN(const bool is_added, adds(*convolution));
    return context_.convolutions->Run(launch.kernel, pointers_, is_added,
                                      stream_);
  }
  ASSIGN_OR_RETURN(const bool is_added,
                   adds(context_.products->product(launch.kernel)));
  return context_.products->Run(launch.kernel, pointers_, is_added, stream_);
}

absl::Status CudaOperations::Fill(const ByteRange& destination,
                                  absl::string_view pattern) {
  context_.flags.NoteFill(destination, pattern);
  const DevicePointer to = context_.memory.At(destination);
  const uint64_t size = destination.size();
  if (size == 0) {
    return absl::OkStatus();
  }
  if (IsZero(pattern)) {
    RETURN_IF_CUDA_ERROR(driver(), cuMemsetD8Async, to, 0, size, stream_);
    return absl::OkStatus();
  }
  switch (pattern.size()) {
    case 1:
      RETURN_IF_CUDA_ERROR(driver(), cuMemsetD8Async, to,
                           First<unsigned char>(pattern), size, stream_);
      return absl::OkStatus();
    case 2:
      RETURN_IF_CUDA_ERROR(driver(), cuMemsetD16Async, to,
                           First<unsigned short>(pattern), size / 2, stream_);
      return absl::OkStatus();
    case 4:
      RETURN_IF_CUDA_ERROR(driver(), cuMemsetD32Async, to,
                           First<unsigned>(pattern), size / 4, stream_);
      return absl::OkStatus();
    default:
      return FillWords(destination, pattern);
  }
}

// The driver fills with at most four bytes at once: each word of the pattern is
// a column.
absl::Status CudaOperations::FillWords(const ByteRange& destination,
                                       absl::string_view pattern) {
  constexpr uint64_t kWord = 4;
  if (pattern.size() % kWord != 0) {
    return absl::UnimplementedError(absl::StrCat(
        "no fill with a pattern of ", pattern.size(), " bytes on GPUs"));
  }
  const DevicePointer to = context_.memory.At(destination);
  for (uint64_t at = 0; at < pattern.size(); at += kWord) {
    RETURN_IF_CUDA_ERROR(driver(), cuMemsetD2D32Async, to + at, pattern.size(),
                         First<unsigned>(pattern.substr(at)), 1,
                         destination.size() / pattern.size(), stream_);
  }
  return absl::OkStatus();
}

absl::Status CudaOperations::Copy(const ByteRange& source,
                                  const ByteRange& destination) {
  if (source.size() == 0) {
    return absl::OkStatus();
  }
  RETURN_IF_CUDA_ERROR(driver(), cuMemcpyDtoDAsync_v2,
                       context_.memory.At(destination),
                       context_.memory.At(source), source.size(), stream_);
  return absl::OkStatus();
}

absl::Status CudaOperations::Collective(const CollectiveCall& call,
                                        const ByteRange& input,
                                        const ByteRange& output) {
  const DeviceRange from = {context_.memory.At(input), input.size()};
  const DeviceRange to = {context_.memory.At(output), output.size()};
  if (context_.collectives != nullptr) {
    return context_.collectives->Run(call, from, to, stream_);
  }
  return from.begin == to.begin ? absl::OkStatus() : Copy(input, output);
}

absl::Status CudaOperations::Upload(
    const ByteRange& destination,
    absl::FunctionRef<absl::Status(absl::Span<std::byte>)> produce) {
  return context_.uploads.Upload(context_.memory.At(destination),
                                 destination.size(), stream_, produce,
                                 context_.wait);
}

absl::Status CudaOperations::Download(const ByteRange& source,
                                      absl::Span<std::byte> host) {
  if (context_.repeated_download) {
    context_.downloads.Repeat(*context_.repeated_download, host);
    return absl::OkStatus();
  }
  if (!context_.downloads.HasRoomFor(host.size())) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "no room for ", FormatBytes(host.size()), " more to the host"));
  }
  return context_.downloads.Add(context_.memory.At(source), host, stream_);
}

void CudaOperations::ParallelFor(int64_t count,
                                 absl::FunctionRef<void(int64_t)> task) {
  for (int64_t i = 0; i < count; ++i) {
    task(i);
  }
}

}  // namespace accel::runtime::cuda
