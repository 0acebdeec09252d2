// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the products of a plan and where their operands lie, chooses algorithms
// and enqueues calls.
#include "runtime/device/cuda/product_calls.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/call_launches.h"
#include "runtime/plan/schema/element_type.h"

namespace accel::runtime::cuda {
namespace {

// cuBLASLt 13.1 refuses scales elsewhere than at multiples of this, which its
// documents do not say; plans have vectors of scales.
constexpr uint64_t kScaleAlignment = 16;
// The end of the workspace, for both scales of a product.
constexpr uint64_t kScaleBytes = 2 * kScaleAlignment;

bool HasScales(const planpb::Product& product) {
  return product.lhs().has_scale() || product.rhs().has_scale();
}

absl::string_view ActivationName(planpb::Product::Activation activation) {
  return activation == planpb::Product::ACTIVATION_GELU ? " and GELU"
         : activation == planpb::Product::ACTIVATION_GELU_GRADIENT
             ? " and the gradient of GELU"
             : "";
}

}  // namespace

std::string DescribeProduct(const planpb::Product& product) {
  return absl::StrCat(product.matrices(), " of ", product.rows(), "x",
                      product.columns(), " over ", product.depth(), ", ",
                      ElementTypeName(product.lhs().dtype()), " and ",
                      ElementTypeName(product.rhs().dtype()),
                      product.tf32() ? " as tf32" : "", " to ",
                      ElementTypeName(product.result().dtype()),
                      product.has_bias() ? " with a bias" : "",
                      ActivationName(product.activation()));
}

absl::StatusOr<ProductCalls> ProductCalls::Create(
    std::unique_ptr<CublasLt> library, const PlanView& plan, int variant,
    const MemoryLayout& layout, const TunedProducts* tuned) {
  ProductCalls calls(std::move(library));
  calls.FindCalls(plan.manifest(), variant);
  calls.FindAlignments(plan, layout);
  for (size_t kernel = 0; kernel < calls.calls_.size(); ++kernel) {
    Call& call = calls.calls_[kernel];
    if (call.product == nullptr) {
      continue;
    }
    const std::string& name =
        plan.manifest().kernels(static_cast<int>(kernel)).name();
    const std::string context = absl::StrCat(
        "kernel '", name, "' (", DescribeProduct(*call.product), ")");
    RETURN_IF_ERROR(Annotate(calls.Describe(call), context));
    RETURN_IF_ERROR(Annotate(tuned == nullptr
                                 ? calls.ChooseAlgorithm(call)
                                 : calls.UseTuned(*tuned, name, call),
                             context));
    calls.DescribeAlgorithm(call);
  }
  return calls;
}

ProductCalls::~ProductCalls() {
  for (const Call& call : calls_) {
    for (MatrixLayout layout : {call.a, call.b, call.d}) {
      if (layout != nullptr) {
        (*library_)->cublasLtMatrixLayoutDestroy(layout);
      }
    }
    if (call.desc != nullptr) {
      (*library_)->cublasLtMatmulDescDestroy(call.desc);
    }
  }
}

void ProductCalls::FindCalls(const planpb::Manifest& manifest, int variant) {
  for (const planpb::Kernel& kernel : manifest.kernels()) {
    const planpb::KernelEntry& entry = kernel.entries(variant);
    Call& call = calls_.emplace_back();
    if (entry.call().has_product()) {
      call.product = &entry.call().product();
      call.workspace_bytes = entry.call().workspace();
      if (HasScales(*call.product)) {
        call.workspace_bytes -= std::min(call.workspace_bytes, kScaleBytes);
      }
    }
    call.lhs_alignment = call.rhs_alignment = call.result_alignment =
        call.bias_alignment = call.kept_alignment = kAllocationAlignment;
  }
}

void ProductCalls::FindAlignments(const PlanView& plan,
                                  const MemoryLayout& layout) {
  ForEachLaunch(plan, layout, [&](uint32_t kernel, RangeOfOperand range) {
    Call& call = calls_[kernel];
    if (call.product == nullptr) {
      return;
    }
    const planpb::Product& product = *call.product;
    const auto worsen = [&](const auto& place, uint32_t& alignment) {
      alignment = WorseAlignment(alignment,
                                 range(place.operand()).begin + place.offset());
    };
    worsen(product.lhs(), call.lhs_alignment);
    worsen(product.rhs(), call.rhs_alignment);
    worsen(product.result(), call.result_alignment);
    if (product.has_bias()) {
      worsen(product.bias(), call.bias_alignment);
    }
    if (product.has_kept()) {
      worsen(product.kept(), call.kept_alignment);
    }
  });
}

// What an algorithm may need. In place sums are left out: atomic additions come
// in any order, and so have other bits each time.
absl::Status ProductCalls::SetPreference(const Call& call,
                                         MatmulPreference preference) const {
  const auto set = [&](int attribute, const auto& value) {
    return library_->Check((*library_)->cublasLtMatmulPreferenceSetAttribute(
                               preference, attribute, &value, sizeof value),
                           "cublasLtMatmulPreferenceSetAttribute");
  };
  RETURN_IF_ERROR(set(kPreferenceMaxWorkspaceBytes, call.workspace_bytes));
  RETURN_IF_ERROR(set(kPreferenceReductionSchemeMask, kReductionComputeType));
  RETURN_IF_ERROR(set(kPreferenceMinAlignmentABytes, call.rhs_alignment));
  RETURN_IF_ERROR(set(kPreferenceMinAlignmentBBytes, call.lhs_alignment));
  RETURN_IF_ERROR(set(kPreferenceMinAlignmentCBytes, call.result_alignment));
  return set(kPreferenceMinAlignmentDBytes, call.result_alignment);
}

// Up to `most` algorithms, those first that the library would choose. None
// where it offers none.
absl::StatusOr<std::vector<MatmulHeuristic>> ProductCalls::AskHeuristic(
    const Call& call, int most) const {
  MatmulPreference preference = nullptr;
  RETURN_IF_BLAS_ERROR(*library_, cublasLtMatmulPreferenceCreate, &preference);
  absl::Status status = SetPreference(call, preference);
  std::vector<MatmulHeuristic> results(static_cast<size_t>(most));
  int found = 0;
  if (status.ok()) {
    const BlasStatus searched = (*library_)->cublasLtMatmulAlgoGetHeuristic(
        library_->handle(), call.desc, call.a, call.b, call.d, call.d,
        preference, most, results.data(), &found);
    status = searched == kBlasNotSupported
                 ? absl::OkStatus()
                 : library_->Check(searched, "cublasLtMatmulAlgoGetHeuristic");
  }
  (*library_)->cublasLtMatmulPreferenceDestroy(preference);
  RETURN_IF_ERROR(status);
  results.resize(static_cast<size_t>(found));
  return results;
}

absl::Status ProductCalls::ChooseAlgorithm(Call& call) const {
  ASSIGN_OR_RETURN(const std::vector<MatmulHeuristic> results,
                   AskHeuristic(call, 1));
  if (results.empty()) {
    return absl::UnimplementedError(absl::StrCat(
        "cuBLASLt ", library_->Version(), " has no algorithm within ",
        FormatBytes(call.workspace_bytes),
        " of workspace for operands at multiples of ", call.lhs_alignment, ", ",
        call.rhs_alignment, " and ", call.result_alignment, " bytes"));
  }
  const MatmulHeuristic& best = results.front();
  RETURN_IF_ERROR(
      library_->Check(best.state, "cublasLtMatmulAlgoGetHeuristic"));
  if (best.workspace_bytes > call.workspace_bytes) {
    return absl::UnimplementedError(absl::StrCat(
        "cuBLASLt ", library_->Version(), " wants ",
        FormatBytes(best.workspace_bytes), " of workspace, the plan has ",
        FormatBytes(call.workspace_bytes)));
  }
  call.algo = best.algo;
  return absl::OkStatus();
}

// The numbers are the library's, and mean the same in one version of it.
void ProductCalls::DescribeAlgorithm(Call& call) const {
  struct Attribute {
    absl::string_view name;
    int number;
  };
  constexpr Attribute kAttributes[] = {{"algorithm", kAlgoId},
                                       {"tile", kAlgoTileId},
                                       {"stages", kAlgoStagesId},
                                       {"split", kAlgoSplitK},
                                       {"reduction", kAlgoReductionScheme}};
  call.algorithm = absl::StrCat("cuBLASLt ", library_->Version(),
                                call.product->tf32() ? ", tf32" : "");
  for (const Attribute& attribute : kAttributes) {
    int32_t value = 0;
    size_t written = 0;
    const BlasStatus status = (*library_)->cublasLtMatmulAlgoConfigGetAttribute(
        &call.algo, attribute.number, &value, sizeof value, &written);
    absl::StrAppend(&call.algorithm, ", ", attribute.name, " ",
                    status == kBlasSuccess ? absl::StrCat(value) : "unknown");
  }
}

std::map<std::string, std::string> ProductCalls::Algorithms(
    const PlanView& plan) const {
  std::map<std::string, std::string> algorithms;
  for (size_t kernel = 0; kernel < calls_.size(); ++kernel) {
    if (calls_[kernel].product != nullptr) {
      algorithms[plan.manifest().kernels(static_cast<int>(kernel)).name()] =
          calls_[kernel].algorithm;
    }
  }
  return algorithms;
}

absl::Status ProductCalls::SetScales(const Call& call,
                                     absl::Span<const DevicePointer> operands,
                                     StreamHandle stream) const {
  const planpb::Product& product = *call.product;
  DevicePointer aligned = operands.back() + call.workspace_bytes;
  for (const auto& [attribute, factor] :
       {std::pair(kDescAScalePointer, &product.rhs()),
        std::pair(kDescBScalePointer, &product.lhs())}) {
    DevicePointer scale =
        operands[factor->scale().operand()] + factor->scale().offset();
    if (factor->has_scale() && scale % kScaleAlignment != 0) {
      RETURN_IF_CUDA_ERROR(library_->gpu().driver(), cuMemcpyDtoDAsync_v2,
                           aligned, scale, sizeof(float), stream);
      scale = aligned;
    }
    RETURN_IF_ERROR(SetScale(call, attribute, *factor, scale));
    aligned += kScaleAlignment;
  }
  return absl::OkStatus();
}

absl::Status ProductCalls::Run(uint32_t kernel,
                               absl::Span<const DevicePointer> operands,
                               bool adds, StreamHandle stream) const {
  const Call& call = calls_[kernel];
  const planpb::Product& product = *call.product;
  const auto address = [&](const auto& place) {
    return operands[place.operand()] + place.offset();
  };
  RETURN_IF_ERROR(SetScales(call, operands, stream));
  RETURN_IF_ERROR(
      SetEpilogue(call, address(product.bias()), address(product.kept())));
  const auto at = [&](const planpb::Product::Factor& factor) {
    return reinterpret_cast<void*>(address(factor));
  };
  const float alpha = 1;
  const float beta = adds ? 1 : 0;
  void* const result = at(product.result());
  return library_->Check(
      (*library_)->cublasLtMatmul(
          library_->handle(), call.desc, &alpha, at(product.rhs()), call.a,
          at(product.lhs()), call.b, &beta, result, call.d, result, call.d,
          &call.algo, reinterpret_cast<void*>(operands.back()),
          call.workspace_bytes, stream),
      "cublasLtMatmul");
}

}  // namespace accel::runtime::cuda
