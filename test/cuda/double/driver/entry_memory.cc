// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of devices and pinned memory of the host.
#include "absl/strings/str_cat.h"
#include "test/cuda/double/driver/driver.h"
#include "test/cuda/double/driver/entries.h"

namespace {

using namespace accel::cuda_double;  // NOLINT

// Flags of cuMemHostAlloc: portable, mapped, write-combined.
constexpr unsigned kHostFlags = 7;

}  // namespace

Result cuMemGetInfo_v2(size_t* free, size_t* total) {
  const Call call("cuMemGetInfo_v2", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  if (free == nullptr || total == nullptr) {
    return kErrorInvalidValue;
  }
  *free = call.device->memory->free_bytes();
  *total = call.device->memory->capacity();
  return kSuccess;
}

Result cuMemAlloc_v2(DevicePointer* pointer, size_t bytes) {
  Call call("cuMemAlloc_v2", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  if (pointer == nullptr || bytes == 0) {
    return kErrorInvalidValue;
  }
  if (const Result unsafe = call.CheckUnsafe(); unsafe != kSuccess) {
    return unsafe;
  }
  return call.device->memory->Allocate(bytes, pointer);
}

Result cuMemFree_v2(DevicePointer pointer) {
  Call call("cuMemFree_v2", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  Device& device = *call.device;
  const Block* block = device.memory->Find(pointer);
  if (block == nullptr || block->begin() != pointer) {
    call.driver().Report(absl::StrCat("cuMemFree: 0x", absl::Hex(pointer),
                                      block == nullptr
                                          ? " is in no allocation of GPU "
                                          : " is inside an allocation of GPU ",
                                      device.number));
    return kErrorInvalidValue;
  }
  Result result = call.CheckUnsafe();
  if (result == kSuccess) {
    result = call.driver().Synchronise(device);
  }
  if (result != kSuccess) {
    return result;
  }
  if (const auto fault = CheckRedZones(device); fault.has_value()) {
    return call.driver().Break(device, *fault);
  }
  // Another thread may have freed it while a host function ran.
  block = device.memory->Find(pointer);
  if (block == nullptr) {
    return kErrorInvalidValue;
  }
  call.driver().history.Forget(pointer, block->bytes());
  device.memory->Free(pointer);
  return kSuccess;
}

Result cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  Call call("cuMemHostAlloc", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  if (pointer == nullptr || bytes == 0 || (flags & ~kHostFlags) != 0) {
    return kErrorInvalidValue;
  }
  if (const Result unsafe = call.CheckUnsafe(); unsafe != kSuccess) {
    return unsafe;
  }
  const bool is_mapped = (flags & kHostAllocDeviceMap) != 0;
  const Block* block = call.driver().host.Allocate(bytes, is_mapped);
  if (block == nullptr) {
    return kErrorOutOfMemory;
  }
  for (const auto& device : call.driver().devices) {
    if (is_mapped) {
      device->memory->AddMapped(*block);
    }
  }
  *pointer = reinterpret_cast<void*>(block->begin());
  return kSuccess;
}

Result cuMemFreeHost(void* pointer) {
  Call call("cuMemFreeHost", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  Driver& driver = call.driver();
  const Block* block = driver.host.Find(pointer);
  if (block == nullptr ||
      block->begin() != reinterpret_cast<uint64_t>(pointer)) {
    driver.Report("cuMemFreeHost: the pointer is not what cuMemHostAlloc gave");
    return kErrorInvalidValue;
  }
  if (const Result unsafe = call.CheckUnsafe(); unsafe != kSuccess) {
    return unsafe;
  }
  for (Device* device : driver.DevicesInUse()) {
    if (device->broken == kSuccess) {
      driver.Synchronise(*device);
    }
  }
  block = driver.host.Find(pointer);
  if (call.device->broken != kSuccess || block == nullptr) {
    return block == nullptr ? kErrorInvalidValue : call.device->broken;
  }
  if (!block->RedZonesHold()) {
    return driver.Break(
        *call.device,
        {kErrorIllegalAddress,
         absl::StrCat("out of range: somebody wrote beside ", block->name(),
                      " of ", block->bytes(), " bytes")});
  }
  for (const auto& device : driver.devices) {
    device->memory->RemoveMapped(*block);
  }
  driver.history.Forget(block->begin(), block->bytes());
  driver.host.Free(pointer);
  return kSuccess;
}

Result cuMemHostGetDevicePointer_v2(DevicePointer* device, void* host,
                                    unsigned flags) {
  const Call call("cuMemHostGetDevicePointer_v2", Needs::kContext);
  if (call.result != kSuccess) {
    return call.result;
  }
  const Block* block = call.driver().host.Find(host);
  if (device == nullptr || flags != 0 || block == nullptr ||
      !call.driver().host.IsMapped(*block)) {
    return kErrorInvalidValue;
  }
  *device = reinterpret_cast<uint64_t>(host);
  return kSuccess;
}
