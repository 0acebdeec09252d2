// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver/device.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace accel::cuda_double {
namespace {

std::string Verb(const Touched& access) {
  return absl::StrFormat("it %s bytes [0x%x, 0x%x)",
                         access.writes ? "writes" : "reads", access.begin,
                         access.begin + access.bytes);
}

}  // namespace

std::optional<Fault> CheckRange(Device& device, const Touched& access) {
  const ptx::GlobalMemory::Range* range =
      device.memory->FindRange(access.begin);
  if (range != nullptr && range->Holds(access.begin, access.bytes)) {
    return std::nullopt;
  }
  const std::string where =
      range == nullptr
          ? absl::StrCat("which begin in no allocation of GPU ", device.number)
          : absl::StrFormat("which leave %s of %d bytes at offset %d",
                            range->name, range->size_bytes,
                            access.begin - range->begin);
  return Fault{runtime::cuda::kErrorIllegalAddress,
               absl::StrCat("out of range: ", Verb(access), ", ", where)};
}

std::optional<Fault> CheckAccess(Device& device, const Touched& access) {
  std::optional<Fault> fault = CheckRange(device, access);
  if (fault.has_value()) {
    return fault;
  }
  ptx::GlobalMemory::Range* range = device.memory->FindRange(access.begin);
  const uint64_t offset = access.begin - range->begin;
  const auto first = range->written.begin() + static_cast<ptrdiff_t>(offset);
  const auto last = first + static_cast<ptrdiff_t>(access.bytes);
  if (access.writes) {
    std::fill(first, last, 1);
    return std::nullopt;
  }
  const auto hole = std::find(first, last, 0);
  if (hole == last) {
    return std::nullopt;
  }
  return Fault{
      runtime::cuda::kErrorLaunchFailed,
      absl::StrFormat("uninitialised: %s at offset %d of %s of %d "
                      "bytes, and nobody has written the byte at "
                      "offset %d",
                      Verb(access), offset, range->name, range->size_bytes,
                      hole - range->written.begin())};
}

void Scramble(Device& device, const Touched& access) {
  const ptx::GlobalMemory::Range* range =
      device.memory->FindRange(access.begin);
  std::fill_n(range->data() + (access.begin - range->begin), access.bytes,
              std::byte{0xff});
}

std::optional<Fault> CheckRedZones(const Device& device) {
  for (const auto& [begin, block] : device.memory->blocks().all()) {
    if (!block->RedZonesHold()) {
      return Fault{runtime::cuda::kErrorIllegalAddress,
                   absl::StrFormat("out of range: somebody wrote beside %s of "
                                   "%d bytes at 0x%x",
                                   block->name(), block->bytes(), begin)};
    }
  }
  return std::nullopt;
}

}  // namespace accel::cuda_double
