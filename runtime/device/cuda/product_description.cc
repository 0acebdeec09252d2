// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the library is told of a product. A matrix of rows is the transposed
// matrix of columns, which cuBLASLt is made for: it is asked for
// result^T = rhs^T lhs^T.
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/product_calls.h"
#include "runtime/plan/schema/element_type.h"

namespace accel::runtime::cuda {
namespace {

std::optional<int> ToCuda(planpb::ElementType type) {
  switch (type) {
    case planpb::ELEMENT_F32:
      return kR32F;
    case planpb::ELEMENT_BF16:
      return kR16BF;
    case planpb::ELEMENT_F16:
      return kR16F;
    case planpb::ELEMENT_F8E4M3:
      return kR8F_E4M3;
    case planpb::ELEMENT_F8E5M2:
      return kR8F_E5M2;
    default:
      return std::nullopt;
  }
}

uint32_t EpilogueOf(const planpb::Product& product) {
  const bool is_kept = product.has_kept();
  switch (product.activation()) {
    case planpb::Product::ACTIVATION_GELU:
      return product.has_bias()
                 ? (is_kept ? kEpilogueGeluAuxBias : kEpilogueGeluBias)
                 : (is_kept ? kEpilogueGeluAux : kEpilogueGelu);
    case planpb::Product::ACTIVATION_GELU_GRADIENT:
      return kEpilogueDgelu;
    default:
      return product.has_bias() ? kEpilogueBias : kEpilogueDefault;
  }
}

}  // namespace

absl::Status ProductCalls::SetAttribute(const Call& call, int attribute,
                                        const auto& value) const {
  return library_->Check((*library_)->cublasLtMatmulDescSetAttribute(
                             call.desc, attribute, &value, sizeof value),
                         "cublasLtMatmulDescSetAttribute");
}

// A description belongs to a kernel, and each launch has its own memory: the
// library copies the description when the call is enqueued.
absl::Status ProductCalls::SetScale(const Call& call, int attribute,
                                    const planpb::Product::Factor& factor,
                                    DevicePointer address) const {
  return factor.has_scale() ? SetAttribute(call, attribute, address)
                            : absl::OkStatus();
}

absl::Status ProductCalls::SetEpilogue(const Call& call, DevicePointer bias,
                                       DevicePointer kept) const {
  if (call.product->has_bias()) {
    RETURN_IF_ERROR(SetAttribute(call, kDescBiasPointer, bias));
  }
  return call.product->has_kept() ? SetAttribute(call, kDescAuxPointer, kept)
                                  : absl::OkStatus();
}

absl::Status ProductCalls::DescribeEpilogue(const Call& call) const {
  const planpb::Product& product = *call.product;
  RETURN_IF_ERROR(SetAttribute(call, kDescEpilogue, EpilogueOf(product)));
  const int32_t type = *ToCuda(product.result().dtype());
  if (product.has_bias()) {
    // A number for each of our columns is one for each row of result^T, which
    // is what the library adds.
    RETURN_IF_ERROR(SetAttribute(call, kDescBiasDataType, type));
  }
  if (product.has_kept()) {
    const auto columns = static_cast<int64_t>(product.columns());
    RETURN_IF_ERROR(SetAttribute(call, kDescAuxLd, columns));
    RETURN_IF_ERROR(SetAttribute(call, kDescAuxDataType, type));
  }
  // The library looks at how their places are aligned.
  return SetEpilogue(call, call.bias_alignment, call.kept_alignment);
}

absl::StatusOr<MatrixLayout> ProductCalls::MakeLayout(planpb::ElementType type,
                                                      uint64_t rows,
                                                      uint64_t columns,
                                                      uint64_t matrices) const {
  const std::optional<int> known = ToCuda(type);
  if (!known) {
    return absl::UnimplementedError(absl::StrCat(
        "cuBLASLt is not called for ", ElementTypeName(type), " yet"));
  }
  MatrixLayout layout = nullptr;
  RETURN_IF_BLAS_ERROR(*library_, cublasLtMatrixLayoutCreate, &layout, *known,
                       rows, columns, static_cast<int64_t>(rows));
  const auto count = static_cast<int32_t>(matrices);
  const auto stride = static_cast<int64_t>(rows * columns);
  const BlasStatus counted = (*library_)->cublasLtMatrixLayoutSetAttribute(
      layout, kLayoutBatchCount, &count, sizeof count);
  const BlasStatus strided = (*library_)->cublasLtMatrixLayoutSetAttribute(
      layout, kLayoutStridedBatchOffset, &stride, sizeof stride);
  if (counted != kBlasSuccess || strided != kBlasSuccess) {
    (*library_)->cublasLtMatrixLayoutDestroy(layout);
    return library_->Check(counted != kBlasSuccess ? counted : strided,
                           "cublasLtMatrixLayoutSetAttribute");
  }
  return layout;
}

absl::Status ProductCalls::Describe(Call& call) const {
  const planpb::Product& product = *call.product;
  RETURN_IF_BLAS_ERROR(*library_, cublasLtMatmulDescCreate, &call.desc,
                       product.tf32() ? kCompute32FFastTf32 : kCompute32F,
                       kR32F);
  const bool is_a_transposed = product.rhs().transposed();
  const bool is_b_transposed = product.lhs().transposed();
  for (const auto& [attribute, is_transposed] :
       {std::pair(kDescTransA, is_a_transposed),
        std::pair(kDescTransB, is_b_transposed)}) {
    const int32_t operation = is_transposed ? kOpT : kOpN;
    RETURN_IF_ERROR(SetAttribute(call, attribute, operation));
  }
  // The library is asked for an algorithm with scales before it is known where
  // they lie.
  const DevicePointer somewhere = kAllocationAlignment;
  RETURN_IF_ERROR(SetScale(call, kDescAScalePointer, product.rhs(), somewhere));
  RETURN_IF_ERROR(SetScale(call, kDescBScalePointer, product.lhs(), somewhere));
  const uint64_t m = product.rows(), n = product.columns(), k = product.depth(),
                 b = product.matrices();
  ASSIGN_OR_RETURN(call.a,
                   MakeLayout(product.rhs().dtype(), is_a_transposed ? k : n,
                              is_a_transposed ? n : k, b));
  ASSIGN_OR_RETURN(call.b,
                   MakeLayout(product.lhs().dtype(), is_b_transposed ? m : k,
                              is_b_transposed ? k : m, b));
  ASSIGN_OR_RETURN(call.d, MakeLayout(product.result().dtype(), n, m, b));
  return DescribeEpilogue(call);
}

}  // namespace accel::runtime::cuda
