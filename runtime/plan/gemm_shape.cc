// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and spans of matrix products.
#include "runtime/plan/gemm_shape.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/element_type.h"
#include "runtime/plan/size_expr.h"

namespace accel::runtime {
namespace {

// oneDNN takes tensors of up to 12 dimensions.
constexpr int kMaxBatchDimensions = 10;
// Keeps every product of two sizes and sum of offsets within 63 bits.
constexpr uint64_t kMaxDimension = uint64_t{1} << 31;

std::optional<uint64_t> Span(const planpb::Gemm& gemm, GemmOperand operand) {
  const planpb::Matrix& matrix = OperandMatrix(gemm, operand);
  const MatrixShape shape = OperandShape(gemm, operand);
  std::optional<uint64_t> last = 0;
  const auto add = [&last](uint64_t size, uint64_t stride) {
    const auto step = CheckedMultiply(size - 1, stride);
    if (last) {
      last = step ? CheckedAdd(*last, *step) : step;
    }
  };
  add(shape.rows, matrix.row_stride());
  add(shape.columns, matrix.column_stride());
  for (int i = 0; i < gemm.batch_size(); ++i) {
    add(gemm.batch(i), matrix.batch_strides(i));
  }
  if (!last) {
    return std::nullopt;
  }
  const auto elements = CheckedAdd(*last, 1);
  if (!elements) {
    return std::nullopt;
  }
  const auto bits = CheckedMultiply(*elements, ElementBits(matrix.dtype()));
  if (!bits) {
    return std::nullopt;
  }
  return *bits / 8 + (*bits % 8 != 0 ? 1 : 0);
}

absl::Status ValidateMatrix(const planpb::Gemm& gemm, GemmOperand operand) {
  const planpb::Matrix& matrix = OperandMatrix(gemm, operand);
  const MatrixShape shape = OperandShape(gemm, operand);
  if (ElementBits(matrix.dtype()) == 0) {
    return absl::UnimplementedError("unknown element type");
  }
  if (matrix.batch_strides_size() != gemm.batch_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", gemm.batch_size(), " batch strides, got ",
                     matrix.batch_strides_size()));
  }
  const bool rows_step = shape.rows > 1 && matrix.row_stride() != 1;
  const bool columns_step = shape.columns > 1 && matrix.column_stride() != 1;
  if (rows_step && columns_step) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected stride 1 along rows or columns, got ",
                     matrix.row_stride(), " and ", matrix.column_stride()));
  }
  if ((shape.rows > 1 && matrix.row_stride() == 0) ||
      (shape.columns > 1 && matrix.column_stride() == 0)) {
    return absl::InvalidArgumentError("a stride of 0 within a matrix");
  }
  const auto span = Span(gemm, operand);
  if (!span || *span > static_cast<uint64_t>(INT64_MAX)) {
    return absl::InvalidArgumentError("it spans more than 63 bits can address");
  }
  return absl::OkStatus();
}

}  // namespace

const planpb::Matrix& OperandMatrix(const planpb::Gemm& gemm,
                                    GemmOperand operand) {
  switch (operand) {
    case GemmOperand::kA:
      return gemm.a();
    case GemmOperand::kB:
      return gemm.b();
    case GemmOperand::kC:
      break;
  }
  return gemm.c();
}

MatrixShape OperandShape(const planpb::Gemm& gemm, GemmOperand operand) {
  switch (operand) {
    case GemmOperand::kA:
      return {gemm.m(), gemm.k()};
    case GemmOperand::kB:
      return {gemm.k(), gemm.n()};
    case GemmOperand::kC:
      break;
  }
  return {gemm.m(), gemm.n()};
}

absl::Status ValidateGemm(const planpb::Gemm& gemm) {
  std::optional<uint64_t> volume = 2;
  const auto check = [&volume](absl::string_view name, uint64_t size) {
    if (size == 0 || size > kMaxDimension) {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected ", name, " between 1 and ", kMaxDimension, ", got ", size));
    }
    if (volume) {
      volume = CheckedMultiply(*volume, size);
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(check("m", gemm.m()));
  RETURN_IF_ERROR(check("n", gemm.n()));
  RETURN_IF_ERROR(check("k", gemm.k()));
  if (gemm.batch_size() > kMaxBatchDimensions) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected at most ", kMaxBatchDimensions,
                     " batch dimensions, got ", gemm.batch_size()));
  }
  for (const uint64_t size : gemm.batch()) {
    RETURN_IF_ERROR(check("a batch size", size));
  }
  if (!volume) {
    return absl::InvalidArgumentError("its operations exceed 64 bits");
  }
  if (gemm.beta() != 0.0f && gemm.beta() != 1.0f) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected beta 0 or 1, got ", gemm.beta()));
  }
  RETURN_IF_ERROR(Annotate(ValidateMatrix(gemm, GemmOperand::kA), "A"));
  RETURN_IF_ERROR(Annotate(ValidateMatrix(gemm, GemmOperand::kB), "B"));
  RETURN_IF_ERROR(Annotate(ValidateMatrix(gemm, GemmOperand::kC), "C"));
  for (int i = 0; i < gemm.batch_size(); ++i) {
    if (gemm.batch(i) > 1 && gemm.c().batch_strides(i) == 0) {
      return absl::InvalidArgumentError(
          "C: a batch stride of 0 writes one matrix many times");
    }
  }
  return absl::OkStatus();
}

uint64_t OperandSpan(const planpb::Gemm& gemm, GemmOperand operand) {
  return Span(gemm, operand).value_or(UINT64_MAX);
}

uint64_t GemmProducts(const planpb::Gemm& gemm) {
  uint64_t products = 1;
  for (const uint64_t size : gemm.batch()) {
    products *= size;
  }
  return products;
}

uint64_t GemmFlops(const planpb::Gemm& gemm) {
  return 2 * gemm.m() * gemm.n() * gemm.k() * GemmProducts(gemm);
}

}  // namespace accel::runtime
