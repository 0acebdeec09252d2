// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver itself, its devices and their primary contexts.
#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "test/cuda/double/driver/driver.h"
#include "test/cuda/double/driver/entries.h"

namespace {

using accel::cuda_double::Call;
using accel::cuda_double::Device;
using accel::cuda_double::Needs;

constexpr int kMultiprocessors = 4;

struct Attribute {
  int attribute;
  int value;
};

// The same for all devices; numbers of CUdevice_attribute.
constexpr Attribute kAttributes[] = {
    {1, 1024},        // threads of a block
    {2, 1024},        // its x
    {3, 1024},        // its y
    {4, 64},          // its z
    {5, 0x7fffffff},  // x of a grid
    {6, 65535},       // its y
    {7, 65535},       // its z
    {8, 49152},       // bytes of shared memory of a block
    {10, 32},         // threads of a warp
    {kAttributeMultiprocessorCount, kMultiprocessors},
    {19, 1},  // host memory can be mapped
    {31, 1},  // kernels run concurrently
    {kAttributePciDeviceId, 0},
    {kAttributeL2CacheBytes, 1 << 16},
    {40, 2},  // copies at a time
    {41, 1},  // unified addresses
    {50, 0},  // PCI domain
};

// The device, or null after a call that must return call.result.
Device* Find(Call& call, DeviceOrdinal ordinal) {
  if (call.result != kSuccess) {
    return nullptr;
  }
  auto& devices = call.driver().devices;
  if (ordinal < 0 || static_cast<size_t>(ordinal) >= devices.size()) {
    call.result = kErrorInvalidDevice;
    return nullptr;
  }
  return devices[static_cast<size_t>(ordinal)].get();
}

}  // namespace

Result cuInit(unsigned flags) {
  const Call call("cuInit", Needs::kNothing);
  if (call.result != kSuccess) {
    return call.result;
  }
  if (flags != 0) {
    return kErrorInvalidValue;
  }
  if (call.driver().devices.empty()) {
    return kErrorNoDevice;
  }
  call.driver().is_initialised = true;
  return kSuccess;
}

Result cuDriverGetVersion(int* version) {
  const Call call("cuDriverGetVersion", Needs::kNothing);
  if (call.result != kSuccess) {
    return call.result;
  }
  if (version == nullptr) {
    return kErrorInvalidValue;
  }
  *version = call.driver().configuration.driver_version;
  return kSuccess;
}

Result cuDeviceGetCount(int* count) {
  const Call call("cuDeviceGetCount", Needs::kInit);
  if (call.result != kSuccess) {
    return call.result;
  }
  if (count == nullptr) {
    return kErrorInvalidValue;
  }
  *count = static_cast<int>(call.driver().devices.size());
  return kSuccess;
}

Result cuDeviceGet(DeviceOrdinal* device, int ordinal) {
  Call call("cuDeviceGet", Needs::kInit);
  if (Find(call, ordinal) == nullptr) {
    return call.result;
  }
  if (device == nullptr) {
    return kErrorInvalidValue;
  }
  *device = ordinal;
  return kSuccess;
}

Result cuDeviceGetName(char* name, int size, DeviceOrdinal ordinal) {
  Call call("cuDeviceGetName", Needs::kInit);
  const Device* device = Find(call, ordinal);
  if (device == nullptr) {
    return call.result;
  }
  if (name == nullptr || size <= 0) {
    return kErrorInvalidValue;
  }
  const std::string text =
      absl::StrCat("Accel double of a GPU ", device->capability.major, ".",
                   device->capability.minor);
  std::strncpy(name, text.c_str(), static_cast<size_t>(size));
  name[size - 1] = 0;
  return kSuccess;
}

Result cuDeviceGetUuid_v2(Uuid* uuid, DeviceOrdinal ordinal) {
  Call call("cuDeviceGetUuid_v2", Needs::kInit);
  if (Find(call, ordinal) == nullptr) {
    return call.result;
  }
  if (uuid == nullptr) {
    return kErrorInvalidValue;
  }
  std::memcpy(uuid->bytes, "accel-double-gpu", sizeof(uuid->bytes));
  uuid->bytes[15] = static_cast<char>(ordinal);
  return kSuccess;
}

Result cuDeviceGetAttribute(int* value, int attribute, DeviceOrdinal ordinal) {
  Call call("cuDeviceGetAttribute", Needs::kInit);
  const Device* device = Find(call, ordinal);
  if (device == nullptr) {
    return call.result;
  }
  if (value == nullptr) {
    return kErrorInvalidValue;
  }
  const auto found = std::find_if(
      std::begin(kAttributes), std::end(kAttributes),
      [&](const Attribute& a) { return a.attribute == attribute; });
  if (attribute == kAttributePciBusId) {
    *value = ordinal + 1;
  } else if (attribute == kAttributeComputeCapabilityMajor) {
    *value = device->capability.major;
  } else if (attribute == kAttributeComputeCapabilityMinor) {
    *value = device->capability.minor;
  } else if (found != std::end(kAttributes)) {
    *value = found->value;
  } else {
    return kErrorInvalidValue;
  }
  return kSuccess;
}

Result cuDeviceTotalMem_v2(size_t* bytes, DeviceOrdinal ordinal) {
  Call call("cuDeviceTotalMem_v2", Needs::kInit);
  if (Find(call, ordinal) == nullptr) {
    return call.result;
  }
  if (bytes == nullptr) {
    return kErrorInvalidValue;
  }
  *bytes = call.driver().configuration.memory_bytes;
  return kSuccess;
}

Result cuDevicePrimaryCtxRetain(Context* context, DeviceOrdinal ordinal) {
  Call call("cuDevicePrimaryCtxRetain", Needs::kInit);
  Device* device = Find(call, ordinal);
  if (device == nullptr) {
    return call.result;
  }
  if (context == nullptr) {
    return kErrorInvalidValue;
  }
  if (device->retains++ == 0) {
    device->context =
        call.driver().contexts.Add(std::make_shared<Device*>(device));
  }
  *context = device->context;
  return kSuccess;
}

Result cuDevicePrimaryCtxRelease_v2(DeviceOrdinal ordinal) {
  Call call("cuDevicePrimaryCtxRelease_v2", Needs::kInit);
  Device* device = Find(call, ordinal);
  if (device == nullptr) {
    return call.result;
  }
  if (device->retains == 0) {
    return kErrorInvalidContext;
  }
  if (--device->retains == 0) {
    call.driver().EndContext(*device);
  }
  return kSuccess;
}

Result cuCtxSetCurrent(Context context) {
  const Call call("cuCtxSetCurrent", Needs::kInit);
  if (call.result != kSuccess) {
    return call.result;
  }
  if (context != nullptr && call.driver().DeviceOf(context) == nullptr) {
    return kErrorInvalidContext;
  }
  accel::cuda_double::SetCurrentContext(context);
  return kSuccess;
}
