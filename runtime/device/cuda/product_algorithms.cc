// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithms of products that somebody has measured, or is about to.
#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/call_launches.h"
#include "runtime/device/cuda/product_calls.h"

namespace accel::runtime::cuda {
namespace {

bool IsAligned(uint32_t offered, uint32_t promised) {
  return offered % promised == 0;
}

}  // namespace

// The library says so by a refusal; what else it says is an error.
absl::StatusOr<bool> ProductCalls::IsSupported(
    const Call& call, const MatmulAlgo& algorithm) const {
  MatmulHeuristic found = {};
  const BlasStatus status = (*library_)->cublasLtMatmulAlgoCheck(
      library_->handle(), call.desc, call.a, call.b, call.d, call.d, &algorithm,
      &found);
  if (status == kBlasNotSupported || status == kBlasInvalidValue ||
      status == kBlasArchMismatch) {
    return false;
  }
  RETURN_IF_ERROR(library_->Check(status, "cublasLtMatmulAlgoCheck"));
  return found.workspace_bytes <= call.workspace_bytes;
}

absl::StatusOr<std::vector<MatmulAlgo>> ProductCalls::FindCandidates(
    uint32_t kernel, int most) const {
  Call call = calls_[kernel];
  // Another layout, of more ranks for instance, may move operands, and has this
  // alignment still.
  for (uint32_t* alignment :
       {&call.lhs_alignment, &call.rhs_alignment, &call.result_alignment}) {
    *alignment = std::min(*alignment, kWidestLoad);
  }
  ASSIGN_OR_RETURN(const std::vector<MatmulHeuristic> results,
                   AskHeuristic(call, most));
  std::vector<MatmulAlgo> candidates;
  for (const MatmulHeuristic& result : results) {
    if (result.state != kBlasSuccess) {
      continue;
    }
    ASSIGN_OR_RETURN(const bool is_supported, IsSupported(call, result.algo));
    if (is_supported) {
      candidates.push_back(result.algo);
    }
  }
  return candidates;
}

void ProductCalls::Use(uint32_t kernel, const MatmulAlgo& algorithm) {
  calls_[kernel].algo = algorithm;
  DescribeAlgorithm(calls_[kernel]);
}

TunedProduct ProductCalls::Describe(uint32_t kernel) const {
  const Call& call = calls_[kernel];
  TunedProduct described;
  described.sizes = DescribeProduct(*call.product);
  static_assert(sizeof call.algo.data == sizeof described.algorithm);
  std::copy(std::begin(call.algo.data), std::end(call.algo.data),
            described.algorithm.begin());
  described.description = call.algorithm;
  described.lhs_alignment = std::min(call.lhs_alignment, kWidestLoad);
  described.rhs_alignment = std::min(call.rhs_alignment, kWidestLoad);
  described.result_alignment = std::min(call.result_alignment, kWidestLoad);
  return described;
}

absl::Status ProductCalls::UseTuned(const TunedProducts& tuned,
                                    const std::string& kernel,
                                    Call& call) const {
  const auto found = tuned.products.find(kernel);
  if (found == tuned.products.end()) {
    return AnnotateTuned(
        tuned, absl::DataLossError("expected its algorithm, got none"));
  }
  const TunedProduct& product = found->second;
  if (!IsAligned(call.lhs_alignment, product.lhs_alignment) ||
      !IsAligned(call.rhs_alignment, product.rhs_alignment) ||
      !IsAligned(call.result_alignment, product.result_alignment)) {
    return AnnotateTuned(
        tuned, absl::UnimplementedError(absl::StrCat(
                   "expected an algorithm for operands at multiples of ",
                   call.lhs_alignment, ", ", call.rhs_alignment, " and ",
                   call.result_alignment,
                   " bytes, as they lie on so many ranks, got "
                   "one for ",
                   product.lhs_alignment, ", ", product.rhs_alignment, " and ",
                   product.result_alignment)));
  }
  std::copy(product.algorithm.begin(), product.algorithm.end(),
            std::begin(call.algo.data));
  ASSIGN_OR_RETURN(const bool is_supported, IsSupported(call, call.algo));
  return is_supported
             ? absl::OkStatus()
             : AnnotateTuned(tuned,
                             absl::UnimplementedError(absl::StrCat(
                                 "expected an algorithm that cuBLASLt ",
                                 library_->Version(), " has for it within ",
                                 FormatBytes(call.workspace_bytes),
                                 " of workspace, got one that it refuses")));
}

}  // namespace accel::runtime::cuda
