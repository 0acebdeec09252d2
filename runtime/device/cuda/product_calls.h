// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan's products as calls of cuBLASLt, whose algorithms are chosen before
// anything runs.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_PRODUCT_CALLS_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_PRODUCT_CALLS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/device/cuda/cublaslt.h"
#include "runtime/device/tuned_products.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/plan.h"

namespace accel::runtime::cuda {

// "4 of 128x108 over 36, bf16 and bf16 to f32"; of f32 "f32 and f32 as tf32"
std::string DescribeProduct(const planpb::Product& product);

// Threads: one at a time.
class ProductCalls {
 public:
  // Unimplemented, naming the kernel, where cuBLASLt has no algorithm within
  // the planned workspace.
  // Algorithms fit the places of all launches, in memory whose beginning is
  // aligned as the driver's allocations are.
  // `tuned`, unless null, says which they are: DataLoss or Unimplemented, with
  // its path, if the library refuses one of them for this layout.
  // Borrows: the plan. Requires: the library's context is current.
  static absl::StatusOr<ProductCalls> Create(
      std::unique_ptr<CublasLt> library, const PlanView& plan, int variant,
      const MemoryLayout& layout, const TunedProducts* tuned = nullptr);

  ~ProductCalls();
  ProductCalls(ProductCalls&&) noexcept = default;
  ProductCalls& operator=(ProductCalls&&) = delete;

  // How the result of `kernel`, a product, is stored.
  const planpb::Product& product(uint32_t kernel) const {
    return *calls_[kernel].product;
  }

  // The algorithm of each product, by the kernel's name.
  std::map<std::string, std::string> Algorithms(const PlanView& plan) const;

  // Enqueues the call for `kernel`, whose operands these are. `adds`: to what
  // is in the result's memory.
  absl::Status Run(uint32_t kernel, absl::Span<const DevicePointer> operands,
                   bool adds, StreamHandle stream) const;

  // For who measures (product_tuning.h, product_algorithms.cc).
  const CublasLt& library() const { return *library_; }
  bool IsProduct(uint32_t kernel) const {
    return calls_[kernel].product != nullptr;
  }
  // Up to `most` algorithms within the planned workspace, in the order in which
  // the library would choose them; of these the ones that it does not refuse.
  absl::StatusOr<std::vector<MatmulAlgo>> FindCandidates(uint32_t kernel,
                                                         int most) const;
  // From now on Run uses this algorithm.
  void Use(uint32_t kernel, const MatmulAlgo& algorithm);
  // As PLAN.tuned keeps it, but for the times.
  TunedProduct Describe(uint32_t kernel) const;

 private:
  struct Call {
    const planpb::Product* product = nullptr;
    MatmulDesc desc = nullptr;
    MatrixLayout a = nullptr, b = nullptr, d = nullptr;
    MatmulAlgo algo = {};
    std::string algorithm;  // for people: "algorithm 21, tile 15, ..."
    uint64_t workspace_bytes = 0;
    // Of each factor, the largest power of two that divides all its addresses.
    uint32_t lhs_alignment = 0, rhs_alignment = 0, result_alignment = 0;
    uint32_t bias_alignment = 0, kept_alignment = 0;
  };

  explicit ProductCalls(std::unique_ptr<CublasLt> library)
      : library_(std::move(library)) {}

  void FindCalls(const planpb::Manifest& manifest, int variant);
  void FindAlignments(const PlanView& plan, const MemoryLayout& layout);
  absl::Status Describe(Call& call) const;
  absl::StatusOr<MatrixLayout> MakeLayout(planpb::ElementType type,
                                          uint64_t rows, uint64_t columns,
                                          uint64_t matrices) const;
  absl::Status SetPreference(const Call& call,
                             MatmulPreference preference) const;
  absl::StatusOr<std::vector<MatmulHeuristic>> AskHeuristic(const Call& call,
                                                            int most) const;
  absl::Status ChooseAlgorithm(Call& call) const;
  absl::StatusOr<bool> IsSupported(const Call& call,
                                   const MatmulAlgo& algorithm) const;
  absl::Status UseTuned(const TunedProducts& tuned, const std::string& kernel,
                        Call& call) const;
  void DescribeAlgorithm(Call& call) const;
  // Scales lie where the library takes them: there, or copied to the end of the
  // workspace.
  absl::Status SetScales(const Call& call,
                         absl::Span<const DevicePointer> operands,
                         StreamHandle stream) const;
  absl::Status SetScale(const Call& call, int attribute,
                        const planpb::Product::Factor& factor,
                        DevicePointer address) const;
  absl::Status SetAttribute(const Call& call, int attribute,
                            const auto& value) const;
  absl::Status DescribeEpilogue(const Call& call) const;
  // Where the bias and what an activation is applied to lie, of those that have
  // them.
  absl::Status SetEpilogue(const Call& call, DevicePointer bias,
                           DevicePointer kept) const;

  std::unique_ptr<CublasLt> library_;
  std::vector<Call> calls_;  // per kernel; without a product for other kernels
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_PRODUCT_CALLS_H_
