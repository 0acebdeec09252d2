// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What copies, memsets and the like do when their turn comes. Kernels are in
// kernel_task.h.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_TASKS_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_TASKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/device/cuda/abi/driver.h"
#include "test/cuda/double/driver/device.h"
#include "test/cuda/double/driver/enqueue.h"
#include "test/cuda/double/driver/memory.h"
#include "test/cuda/double/driver/task.h"

namespace accel::cuda_double {

// From pinned memory, which is read when the copy is executed, or from pageable
// memory, which is read now.
SharedTask CopyToDevice(Device& device, const HostMemory& host, uint64_t to,
                        const void* from, size_t bytes);
SharedTask CopyToHost(Device& device, const HostMemory& host, void* to,
                      uint64_t from, size_t bytes);
SharedTask CopyOnDevice(Device& device, uint64_t to, uint64_t from,
                        size_t bytes);
// Writes a value of `width` bytes `count` times.
SharedTask Memset(Device& device, uint64_t to, uint32_t value, size_t width,
                  size_t count);
// Sets the first `width` numbers of every row; `pitch` is the distance of two
// rows in bytes.
SharedTask MemsetRows(Device& device, uint64_t to, uint64_t pitch,
                      uint32_t value, size_t width, size_t height);
// The bytes that it writes.
std::vector<Touched> Rows(uint64_t to, uint64_t pitch, size_t width,
                          size_t height);
SharedTask WriteValue(Device& device, const HostMemory& host, uint64_t to,
                      uint32_t value);
SharedTask CallHost(runtime::cuda::HostFunction function, void* data);
// The accesses may be to the memory of these devices.
SharedTask RunWork(std::vector<Device*> devices, const Work& work);

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_TASKS_H_
