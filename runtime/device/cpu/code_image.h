// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine code of a plan's variant, in memory and executable.
#ifndef ACCEL_RUNTIME_DEVICE_CPU_CODE_IMAGE_H_
#define ACCEL_RUNTIME_DEVICE_CPU_CODE_IMAGE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/device/cpu/cpu_memory.h"
#include "runtime/plan/container/container_reader.h"

namespace accel::runtime {

// Every kernel of a CPU plan.
using KernelFunction = void (*)(void* const* buffers, int64_t begin,
                                int64_t end);

// Owns: the mapping; kernels are called while the image lives.
class CodeImage {
 public:
  // A private copy: read, hashed where it lies, then made executable, so what
  // was hashed is what runs, whoever writes to the file. Never writable and
  // executable at once.
  // Requires: `section` is a section of the plan.
  static absl::StatusOr<CodeImage> Load(const ContainerReader& plan,
                                        uint32_t section);

  uint64_t size() const { return mapping_.size(); }
  // Requires: offset < size().
  KernelFunction At(uint64_t offset) const {
    return reinterpret_cast<KernelFunction>(mapping_.data() + offset);
  }

 private:
  explicit CodeImage(Mapping mapping) : mapping_(std::move(mapping)) {}

  Mapping mapping_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CPU_CODE_IMAGE_H_
