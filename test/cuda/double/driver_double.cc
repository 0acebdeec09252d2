// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver_double.h"

#include <dlfcn.h>
#include <errno.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace accel::cuda_double {
namespace {

const cuda::DriverFunctions& Driver() { return TheDriver().driver; }

}  // namespace

void Require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "%s: failed: %s\n", program_invocation_short_name,
                 what);
    std::abort();
  }
}

void* OpenLibrary(const char* name) {
  const std::string path = std::string(ACCEL_CUDA_DOUBLES "/") + name;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  Require(library != nullptr, library == nullptr ? dlerror() : "");
  return library;
}

void* FindFunction(void* library, const char* name) {
  void* function = dlsym(library, name);
  Require(function != nullptr, name);
  return function;
}

DriverDouble OpenDriver() {
  DriverDouble opened;
  void* library = OpenLibrary("libcuda.so.1");
#define ACCEL_TEST_LOAD(name, ...) Load(library, #name, opened.driver.name);
  ACCEL_CUDA_DRIVER_FUNCTIONS(ACCEL_TEST_LOAD)
#undef ACCEL_TEST_LOAD
  return opened;
}

DriverDouble StartDriverDouble() {
  DriverDouble opened = OpenDriver();
  const cuda::DriverFunctions& driver = opened.driver;
  cuda::DeviceOrdinal device = 0;
  cuda::Context context = nullptr;
  Require(driver.cuInit(0) == 0, "cuInit");
  Require(driver.cuDeviceGet(&device, 0) == 0, "cuDeviceGet");
  Require(driver.cuDevicePrimaryCtxRetain(&context, device) == 0,
          "cuDevicePrimaryCtxRetain");
  Require(driver.cuCtxSetCurrent(context) == 0, "cuCtxSetCurrent");
  Require(driver.cuStreamCreate(&opened.stream, cuda::kStreamNonBlocking) == 0,
          "cuStreamCreate");
  return opened;
}

const DriverDouble& TheDriver() {
  static const DriverDouble& opened = *new DriverDouble(StartDriverDouble());
  return opened;
}

void Finish(cuda::StreamHandle stream) {
  cuda::Result result = cuda::kErrorNotReady;
  while ((result = Driver().cuStreamQuery(stream)) == cuda::kErrorNotReady) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  Require(result == cuda::kSuccess, "cuStreamQuery");
}

void Finish() { Finish(TheDriver().stream); }

DeviceBuffer::DeviceBuffer(size_t bytes) : bytes_(bytes) {
  Require(Driver().cuMemAlloc_v2(&pointer_, bytes) == 0, "cuMemAlloc");
}

DeviceBuffer::DeviceBuffer(const Bytes& content)
    : DeviceBuffer(content.size()) {
  Upload(content);
}

DeviceBuffer::~DeviceBuffer() {
  Require(Driver().cuMemFree_v2(pointer_) == 0, "cuMemFree");
}

void* DeviceBuffer::at(size_t offset) const {
  return reinterpret_cast<void*>(pointer_ + offset);
}

void DeviceBuffer::Upload(const Bytes& content) {
  Require(content.size() == bytes_, "the size of an upload");
  Require(Driver().cuMemcpyHtoDAsync_v2(pointer_, content.data(), bytes_,
                                        TheDriver().stream) == 0,
          "cuMemcpyHtoDAsync");
  Finish();
}

Bytes DeviceBuffer::Download() const {
  Bytes content(bytes_);
  Require(Driver().cuMemcpyDtoHAsync_v2(content.data(), pointer_, bytes_,
                                        TheDriver().stream) == 0,
          "cuMemcpyDtoHAsync");
  Finish();
  return content;
}

}  // namespace accel::cuda_double
