// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver/kernel_task.h"

#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "test/cuda/ptx/block.h"
#include "test/cuda/ptx/hash.h"
#include "test/cuda/ptx/spaces.h"

namespace accel::cuda_double {
namespace {

using runtime::cuda::Result;

constexpr uint64_t kMaxThreads = 1024;
constexpr uint64_t kMaxGridYZ = 65535;
// More needs an attribute of the function that the double does not have.
constexpr uint64_t kMaxSharedBytes = 48 << 10;
constexpr uint64_t kPageBytes = 1024;

// The interpreter records for its own checks which bytes a launch has touched,
// but has no function that says so. An explicit instantiation may name private
// members, so that this file can read the record without a change there.
template <typename Tag, auto kMember>
struct Reveal {
  friend auto Revealed(Tag) { return kMember; }
};
struct RegionsTag {
  friend auto Revealed(RegionsTag);
};
template struct Reveal<RegionsTag, &ptx::GlobalSpace::regions_>;

bool IsRead(const ptx::Cell& cell) {
  return cell.read_non_coherent || cell.reads[0].block != 0 ||
         cell.reads[1].block != 0 || cell.atomics[0].block != 0 ||
         cell.atomics[1].block != 0;
}

// Adds a byte behind those that have been added in ascending order.
void AddByte(std::vector<Touched>& touched, uint64_t address, bool writes) {
  if (!touched.empty() && touched.back().writes == writes &&
      touched.back().begin + touched.back().bytes == address) {
    ++touched.back().bytes;
  } else {
    touched.push_back({address, 1, writes});
  }
}

// The bytes of the device's allocations that a launch has read and written. The
// module's own variables are new at every launch.
std::vector<Touched> TouchedBytes(ptx::GlobalSpace& space, Device& device) {
  std::vector<Touched> touched;
  for (const auto& region : space.*Revealed(RegionsTag{})) {
    if (device.memory->FindRange(region.range->begin) == nullptr) {
      continue;
    }
    for (size_t page = 0; page < region.pages.size(); ++page) {
      if (region.pages[page] == nullptr) {
        continue;
      }
      for (uint64_t k = 0; k < kPageBytes; ++k) {
        const ptx::Cell& cell = region.pages[page][k];
        if (cell.is_written || IsRead(cell)) {
          AddByte(touched, region.range->begin + page * kPageBytes + k,
                  cell.is_written);
        }
      }
    }
  }
  return touched;
}

Fault FaultOf(const absl::Status& status) {
  Fault fault;
  fault.text = std::string(status.message());
  if (absl::StrContains(fault.text, "is out of range") ||
      absl::StrContains(fault.text, "to the read-only")) {
    fault.code = runtime::cuda::kErrorIllegalAddress;
  } else if (absl::StrContains(fault.text, "misaligned access")) {
    fault.code = runtime::cuda::kErrorMisalignedAddress;
  }
  return fault;
}

Outcome Execute(Device& device, const ptx::Kernel& kernel,
                const ptx::Launch& launch, uint64_t seed) {
  ptx::Options options;
  options.seed = seed;
  ptx::GlobalSpace space(device.memory->global(), *kernel.program);
  ptx::Block block(kernel, launch, options, space);
  std::vector<uint32_t> order(launch.grid.Count());
  std::iota(order.begin(), order.end(), 0);
  ptx::Permute(order, seed);
  Outcome outcome;
  for (uint32_t number : order) {
    const absl::Status status = block.RunBlock(number);
    if (!status.ok()) {
      outcome.fault = FaultOf(status);
      return outcome;
    }
  }
  outcome.touched = TouchedBytes(space, device);
  return outcome;
}

// What .ptr .align promises of an argument.
std::optional<Fault> CheckPointers(const ptx::Kernel& kernel,
                                   const ptx::Launch& launch) {
  for (size_t k = 0; k < kernel.parameters.size(); ++k) {
    const ptx::Parameter& parameter = kernel.parameters[k];
    uint64_t address = 0;
    if (parameter.size_bytes == sizeof(address)) {
      std::memcpy(&address, launch.arguments[k].data(), sizeof(address));
    }
    if (address % parameter.pointee_alignment != 0) {
      return Fault{
          runtime::cuda::kErrorMisalignedAddress,
          absl::StrCat("argument ", k, ": expected a multiple of ",
                       parameter.pointee_alignment, ", got ", address)};
    }
  }
  return std::nullopt;
}

}  // namespace

Result CheckLaunch(const ptx::Kernel& kernel, const ptx::Launch& launch) {
  const ptx::Dim3& grid = launch.grid;
  const ptx::Dim3& block = launch.block;
  const uint64_t shared =
      uint64_t{kernel.static_shared_bytes} + launch.dynamic_shared_bytes;
  const bool fits =
      grid.Count() != 0 && block.Count() != 0 && grid.x <= 0x7fffffff &&
      grid.y <= kMaxGridYZ && grid.z <= kMaxGridYZ && block.x <= kMaxThreads &&
      block.y <= kMaxThreads && block.z <= 64 && block.Count() <= kMaxThreads &&
      shared <= kMaxSharedBytes &&
      (!kernel.required_block.has_value() || block == *kernel.required_block);
  if (!fits) {
    return runtime::cuda::kErrorInvalidValue;
  }
  if (kernel.maximum_block.has_value() &&
      block.Count() > kernel.maximum_block->Count()) {
    return runtime::cuda::kErrorLaunchOutOfResources;
  }
  return runtime::cuda::kSuccess;
}

SharedTask RunKernel(Device& device, const LoadedFunction& function,
                     ptx::Launch launch, std::function<uint64_t()> seed) {
  const ptx::Kernel& kernel = *function.kernel;
  Task task;
  task.name = absl::StrCat("kernel ", kernel.name);
  task.kernel = kernel.name;
  task.run = [&device, &kernel, module = function.module,
              launch = std::move(launch), seed = std::move(seed)] {
    Outcome outcome;
    if (module->is_unloaded) {
      outcome.fault = Fault{runtime::cuda::kErrorLaunchFailed,
                            "use after the end: its module has been unloaded"};
      return outcome;
    }
    outcome.fault = CheckPointers(kernel, launch);
    if (outcome.fault.has_value()) {
      return outcome;
    }
    return Execute(device, kernel, launch, seed());
  };
  return std::make_shared<const Task>(std::move(task));
}

}  // namespace accel::cuda_double
