// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the algorithms of a plan's products, before anything of the plan
// runs.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_PRODUCT_TUNING_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_PRODUCT_TUNING_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/cuda/operand_memory.h"
#include "runtime/device/cuda/product_calls.h"
#include "runtime/device/device.h"

namespace accel::runtime::cuda {

// Each product is executed in memory of its own, which has room for the
// operands of the largest one: the plan's memory, which may fit only where
// ranks share it, is not needed. In front of each call a fill goes over the
// cache, as other instructions do in a step; meanwhile the host gets ahead, so
// that nothing waits for it between the events of a call.
//
// Threads: one at a time.
class ProductTuning {
 public:
  // Borrows: everything.
  ProductTuning(const Gpu& gpu, ProductCalls& products, const PlanView& plan,
                const MemoryLayout& layout, const TuningOptions& options);
  ~ProductTuning();
  ProductTuning(const ProductTuning&) = delete;
  ProductTuning& operator=(const ProductTuning&) = delete;

  // By the kernel's name. DeadlineExceeded, naming the kernel and the
  // algorithm, if one takes too long; then the GPU is given up.
  // Requires: called once, while the GPU's context is current.
  absl::StatusOr<std::map<std::string, TunedProduct>> Run();

 private:
  // A product, and where the operands of a launch of it lie.
  struct Work {
    uint32_t kernel = 0;
    std::vector<ByteRange> operands;
  };

  std::vector<Work> FindWork(const MemoryLayout& layout) const;
  absl::Status Prepare();
  absl::StatusOr<std::map<std::string, TunedProduct>> TuneAll();
  absl::StatusOr<TunedProduct> Tune(const Work& work);
  // The median of as many calls as take some milliseconds.
  absl::StatusOr<double> MeasureMicroseconds(uint32_t kernel);
  // Executes so many calls, one after the other, and returns what each took.
  absl::StatusOr<std::vector<double>> TimeCalls(uint32_t kernel, size_t count);
  absl::Status Enqueue(uint32_t kernel, EventHandle begin, EventHandle end);

  const Gpu& gpu_;
  ProductCalls& products_;
  const PlanView& plan_;
  const TuningOptions& options_;
  const std::vector<Work> work_;
  std::unique_ptr<OperandMemory> memory_;
  std::vector<EventHandle> events_;  // begin and end of each call
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_PRODUCT_TUNING_H_
