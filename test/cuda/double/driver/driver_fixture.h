// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the double as a program would and calls it through its symbols. Every
// test loads the library anew, with an environment of its own.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_DRIVER_FIXTURE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_DRIVER_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/device/cuda/abi/driver.h"
#include "test/cuda/double/driver/enqueue.h"

namespace accel::cuda_double {

using namespace runtime::cuda;  // NOLINT

using Environment = std::map<std::string, std::string>;

// Kernels of one block. fill(p, n, v) writes v into n numbers of 32 bits;
// add(p, n, v) adds it; copy(to, from, n) copies them; poke(p) writes the
// number 1 at an address.
extern const char kKernels[];

class DriverTest : public ::testing::Test {
 protected:
  void TearDown() override { Close(); }

  // Loads the library and makes the context of GPU 0 the current one.
  void Open(Environment environment = {});
  // Loads the library and calls nothing.
  void Load(Environment environment = {});
  void Close();

  StreamHandle NewStream();
  EventHandle NewEvent(unsigned flags = kEventDefault);
  DevicePointer NewMemory(size_t bytes);
  // Memory of n numbers, all of which are `value`.
  DevicePointer NewNumbers(size_t n, uint32_t value = 0);
  template <typename T = uint32_t>
  T* NewPinned(size_t n, unsigned flags = 0) {
    void* pointer = nullptr;
    EXPECT_EQ(cu.cuMemHostAlloc(&pointer, n * sizeof(T), flags), kSuccess);
    return static_cast<T*>(pointer);
  }
  Function NewFunction(const std::string& kernel);
  // A stream's copy, kernel and so on, which must be accepted.
  Result Launch(Function function, StreamHandle stream,
                std::vector<void*> arguments, unsigned threads);
  Result Fill(StreamHandle stream, DevicePointer to, uint32_t n,
              uint32_t value);
  Result Add(StreamHandle stream, DevicePointer to, uint32_t n, uint32_t value);
  Result Copy(StreamHandle stream, DevicePointer to, DevicePointer from,
              uint32_t n);
  // Makes `to` wait for what `from` holds.
  void Order(StreamHandle from, StreamHandle to);

  // Queries until the answer is another one than kErrorNotReady.
  Result Wait(StreamHandle stream);
  Result WaitEvent(EventHandle event);
  // Reads numbers through a stream of its own.
  std::vector<uint32_t> Read(DevicePointer from, size_t n);

  // Instantiates and destroys a graph.
  GraphExec Instantiate(Graph graph);

  std::string ReportText() const { return TextOf(report_); }
  std::string LogText() const { return TextOf(log_); }

  DriverFunctions cu;
  decltype(&accel_double_enqueue) enqueue = nullptr;
  decltype(&accel_double_fails) fails = nullptr;
  Context context = nullptr;
  void* library = nullptr;

 private:
  static std::string TextOf(const std::string& path);

  std::map<std::string, Function> functions_;
  Module module_ = nullptr;
  std::string report_;
  std::string log_;
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_DRIVER_FIXTURE_H_
