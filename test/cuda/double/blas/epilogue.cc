// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/epilogue.h"

#include <cmath>
#include <numbers>

#include "test/cuda/double/blas/refusals.h"

namespace accel::cuda_double::blas {
namespace {

constexpr double kCubic = 0.044715;

double Slope() { return std::sqrt(2 / std::numbers::pi); }

double TanhOfGelu(double x) {
  return std::tanh(Slope() * (x + kCubic * x * x * x));
}

bool IsKnown(uint32_t epilogue) {
  switch (epilogue) {
    case cuda::kEpilogueDefault:
    case cuda::kEpilogueBias:
    case cuda::kEpilogueGelu:
    case cuda::kEpilogueGeluBias:
    case cuda::kEpilogueGeluAux:
    case cuda::kEpilogueGeluAuxBias:
    case cuda::kEpilogueDgelu:
      return true;
    default:
      return false;
  }
}

cuda::BlasStatus CheckAux(Problem* problem) {
  const Desc& desc = problem->desc;
  const Layout& d = problem->layouts[kD];
  // The documents measure its lines by rows, and say nothing of other orders.
  if (d.order != kOrderColumns) {
    return Unsupported("the double has an auxiliary matrix only by columns");
  }
  if (IsFp8(d.type)) {
    return Unsupported("the double has no auxiliary matrix beside a D of fp8");
  }
  if (desc.aux_type != -1 && desc.aux_type != d.type) {
    return Invalid("the auxiliary matrix has the type of D");
  }
  if (desc.aux_leading_dimension < problem->m ||
      desc.aux_leading_dimension % 8 != 0) {
    return Invalid(
        "the auxiliary matrix' leading dimension is a multiple of 8 and no "
        "less than the rows of D");
  }
  if (desc.aux_batch_stride < 0 || desc.aux_batch_stride % 8 != 0) {
    return Invalid("the auxiliary matrix' stride is a multiple of 8");
  }
  if (WritesAux(desc.epilogue) && problem->batches > 1 &&
      desc.aux_batch_stride == 0) {
    return Invalid("the batches of the auxiliary matrix lie on each other");
  }
  problem->aux = {d.type,
                  d.rows,
                  d.columns,
                  desc.aux_leading_dimension,
                  kOrderColumns,
                  d.batch_count,
                  desc.aux_batch_stride};
  return cuda::kBlasSuccess;
}

}  // namespace

bool HasBias(uint32_t epilogue) {
  return epilogue == cuda::kEpilogueBias ||
         epilogue == cuda::kEpilogueGeluBias ||
         epilogue == cuda::kEpilogueGeluAuxBias;
}

bool AppliesGelu(uint32_t epilogue) {
  return (epilogue & cuda::kEpilogueGelu) != 0;
}

bool WritesAux(uint32_t epilogue) {
  return epilogue == cuda::kEpilogueGeluAux ||
         epilogue == cuda::kEpilogueGeluAuxBias;
}

bool ReadsAux(uint32_t epilogue) { return epilogue == cuda::kEpilogueDgelu; }

cuda::BlasStatus CheckEpilogue(Problem* problem) {
  const uint32_t epilogue = problem->desc.epilogue;
  if (!IsKnown(epilogue)) {
    return Unsupported("the double has no such epilogue");
  }
  if (AppliesGelu(epilogue) && HasBias(epilogue) &&
      problem->layouts[kD].order == kOrderRows) {
    return Unsupported("GELU and a bias need a D that is stored by columns");
  }
  return HasAux(epilogue) ? CheckAux(problem) : cuda::kBlasSuccess;
}

float Gelu(float x) { return float(0.5 * x * (1 + TanhOfGelu(x))); }

float GeluDerivative(float x) {
  const double t = TanhOfGelu(x);
  const double inner = Slope() * (1 + 3 * kCubic * double(x) * x);
  return float(0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner);
}

}  // namespace accel::cuda_double::blas
