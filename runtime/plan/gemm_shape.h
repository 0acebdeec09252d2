// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on the specification of a matrix product: is it sound, and which
// bytes do its operands span.
#ifndef ACCEL_RUNTIME_PLAN_GEMM_SHAPE_H_
#define ACCEL_RUNTIME_PLAN_GEMM_SHAPE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "runtime/plan/plan.pb.h"

namespace accel::runtime {

enum class GemmOperand { kA, kB, kC };

absl::Status ValidateGemm(const planpb::Gemm& gemm);

// Bytes from the first to behind the last element that the operand touches.
// Requires: ValidateGemm accepted it.
uint64_t OperandSpan(const planpb::Gemm& gemm, GemmOperand operand);

// Products of the batch.
uint64_t GemmProducts(const planpb::Gemm& gemm);

// 2 m n k times the batch.
uint64_t GemmFlops(const planpb::Gemm& gemm);

// Rows and columns of an operand.
struct MatrixShape {
  uint64_t rows = 0;
  uint64_t columns = 0;
};
MatrixShape OperandShape(const planpb::Gemm& gemm, GemmOperand operand);
const planpb::Matrix& OperandMatrix(const planpb::Gemm& gemm,
                                    GemmOperand operand);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_GEMM_SHAPE_H_
