// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/interpreter.h"

#include <cstring>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/block.h"
#include "test/cuda/ptx/hash.h"
#include "test/cuda/ptx/spaces.h"

namespace accel::ptx {
namespace {

constexpr uint64_t kMaxThreads = 1024;
constexpr uint32_t kMaxStaticSharedBytes = 48 << 10;
constexpr uint32_t kMaxSharedBytes = 227 << 10;
constexpr uint32_t kMaxGridYZ = 65535;

absl::Status Refuse(const Kernel& kernel, absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("kernel '", kernel.name, "': ", message));
}

absl::Status CheckArguments(const Kernel& kernel, const Launch& launch) {
  if (launch.arguments.size() != kernel.parameters.size()) {
    return Refuse(kernel,
                  absl::StrCat("expected ", kernel.parameters.size(),
                               " arguments, got ", launch.arguments.size()));
  }
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    const Parameter& parameter = kernel.parameters[k];
    const std::vector<std::byte>& argument = launch.arguments[k];
    if (argument.size() != parameter.size_bytes) {
      return Refuse(kernel, absl::StrCat("argument ", k, ": expected ",
                                         parameter.size_bytes, " bytes, got ",
                                         argument.size()));
    }
    uint64_t address = 0;
    if (parameter.pointee_alignment > 1 && argument.size() == 8) {
      std::memcpy(&address, argument.data(), 8);
    }
    if (address % parameter.pointee_alignment != 0) {
      return Refuse(kernel, absl::StrCat("argument ", k,
                                         ": expected an address that "
                                         "is a multiple of ",
                                         parameter.pointee_alignment,
                                         ", got 0x", absl::Hex(address)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckBlock(const Kernel& kernel, const Dim3& block) {
  if (block.Count() == 0 || block.Count() > kMaxThreads || block.z > 64) {
    return Refuse(kernel, absl::StrCat("expected a block of 1 to 1024 threads, "
                                       "got ",
                                       NameOf(block)));
  }
  if (kernel.required_block.has_value() && block != *kernel.required_block) {
    return Refuse(kernel, absl::StrCat("expected the block of .reqntid ",
                                       NameOf(*kernel.required_block), ", got ",
                                       NameOf(block)));
  }
  if (kernel.maximum_block.has_value() &&
      block.Count() > kernel.maximum_block->Count()) {
    return Refuse(
        kernel,
        absl::StrCat("expected at most the block of .maxntid ",
                     NameOf(*kernel.maximum_block), ", got ", NameOf(block)));
  }
  return absl::OkStatus();
}

absl::Status CheckLaunch(const Kernel& kernel, const Launch& launch) {
  absl::Status status = CheckArguments(kernel, launch);
  if (status.ok()) {
    status = CheckBlock(kernel, launch.block);
  }
  if (!status.ok()) {
    return status;
  }
  const Dim3& grid = launch.grid;
  if (grid.Count() == 0 || grid.Count() >= 0xffffffff || grid.x > 0x7fffffff ||
      grid.y > kMaxGridYZ || grid.z > kMaxGridYZ) {
    return Refuse(kernel, absl::StrCat("a grid of ", NameOf(grid),
                                       " blocks does not exist"));
  }
  if (kernel.static_shared_bytes > kMaxStaticSharedBytes) {
    return Refuse(kernel,
                  absl::StrCat("expected at most ", kMaxStaticSharedBytes,
                               " bytes of static shared memory, got ",
                               kernel.static_shared_bytes));
  }
  const uint64_t shared =
      uint64_t{kernel.static_shared_bytes} + launch.dynamic_shared_bytes;
  if (shared > kMaxSharedBytes) {
    return Refuse(kernel,
                  absl::StrCat("expected at most ", kMaxSharedBytes,
                               " bytes of shared memory, got ", shared));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Run(const Kernel& kernel, const Launch& launch,
                 GlobalMemory& memory, const Options& options) {
  absl::Status status = CheckLaunch(kernel, launch);
  if (!status.ok()) {
    return status;
  }
  GlobalSpace global(memory, *kernel.program);
  Block block(kernel, launch, options, global);
  std::vector<uint32_t> order(launch.grid.Count());
  std::iota(order.begin(), order.end(), 0);
  if (options.seed != 0) {
    Permute(order, options.seed);
  }
  for (size_t k = 0; k < order.size() && status.ok(); ++k) {
    status = block.RunBlock(order[k]);
  }
  if (options.statistics != nullptr) {
    options.statistics->instructions = block.instructions();
    options.statistics->barriers = block.barriers();
  }
  return status;
}

}  // namespace accel::ptx
