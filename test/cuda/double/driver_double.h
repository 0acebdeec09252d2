// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of doubles begin with whose work is on the driver's streams: the
// driver as a program opens it, a context, a stream, and device memory.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_DOUBLE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_DOUBLE_H_

#include <cstddef>
#include <vector>

#include "runtime/device/cuda/abi/driver.h"

namespace accel::cuda_double {

namespace cuda = ::accel::runtime::cuda;

// Ends the test program, naming it and `what`, unless it `holds`.
void Require(bool holds, const char* what);

void* OpenLibrary(const char* name);
void* FindFunction(void* library, const char* name);

template <typename F>
void Load(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(FindFunction(library, name));
}

struct DriverDouble {
  cuda::DriverFunctions driver;
  cuda::StreamHandle stream = nullptr;
};

// Opened, with every symbol, and nothing called.
DriverDouble OpenDriver();
// With a current context and a stream.
DriverDouble StartDriverDouble();
// The same, once in a process.
const DriverDouble& TheDriver();

// Wait until a stream, or that of TheDriver, has done its work.
void Finish(cuda::StreamHandle stream);
void Finish();

using Bytes = std::vector<std::byte>;

class DeviceBuffer {
 public:
  explicit DeviceBuffer(size_t bytes);
  explicit DeviceBuffer(const Bytes& content);
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void* at(size_t offset = 0) const;
  void Upload(const Bytes& content);
  Bytes Download() const;

 private:
  size_t bytes_;
  cuda::DevicePointer pointer_ = 0;
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_DOUBLE_H_
