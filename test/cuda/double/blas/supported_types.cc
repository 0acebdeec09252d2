// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of cuBLASLt's tables of supported types whose compute type is
// CUBLAS_COMPUTE_32F or CUBLAS_COMPUTE_32F_FAST_TF32 and whose scale type is
// CUDA_R_32F, and what the documents require of products of fp8 and of TF32.
#include "test/cuda/double/blas/problem.h"
#include "test/cuda/double/blas/refusals.h"

namespace accel::cuda_double::blas {
namespace {

struct Row {
  int c, d, bias;
};

constexpr int kF32 = cuda::kR32F;
constexpr int kF16 = cuda::kR16F;
constexpr int kBf16 = cuda::kR16BF;
constexpr int kE4m3 = cuda::kR8F_E4M3;
constexpr int kE5m2 = cuda::kR8F_E5M2;

constexpr Row kRowsOfF32[] = {{kF32, kF32, kF32}};
constexpr Row kRowsOfF16[] = {{kF16, kF16, kF16}, {kF32, kF32, kF32}};
constexpr Row kRowsOfBf16[] = {{kBf16, kBf16, kBf16}, {kF32, kF32, kF32}};
// The last two are there only if an operand is e5m2.
constexpr Row kRowsOfFp8[] = {
    {kBf16, kBf16, kBf16}, {kF16, kF16, kF16},  {kF32, kF32, kBf16},
    {kBf16, kE4m3, kBf16}, {kF16, kE4m3, kF16}, {kBf16, kE5m2, kBf16},
    {kF16, kE5m2, kF16},
};

template <size_t count>
const Row* FindRow(const Row (&rows)[count], int c, int d) {
  for (const Row& row : rows) {
    if (row.c == c && row.d == d) {
      return &row;
    }
  }
  return nullptr;
}

const Row* FindRow(int a, int b, int c, int d) {
  if (IsFp8(a) && IsFp8(b)) {
    const bool only_e4m3 = a == kE4m3 && b == kE4m3;
    const bool only_e5m2 = a == kE5m2 && b == kE5m2;
    return only_e5m2 || (only_e4m3 && d == kE5m2) ? nullptr
                                                  : FindRow(kRowsOfFp8, c, d);
  }
  if (a != b) {
    return nullptr;
  }
  switch (a) {
    case kF32:
      return FindRow(kRowsOfF32, c, d);
    case kF16:
      return FindRow(kRowsOfF16, c, d);
    case kBf16:
      return FindRow(kRowsOfBf16, c, d);
    default:
      return nullptr;
  }
}

// Ada, Hopper and Blackwell's GeForce, as documented.
bool NeedsTnForFp8(Capability capability) {
  return capability.major <= 9 || capability.major == 12;
}

cuda::BlasStatus CheckFp8(const Problem& problem) {
  if (problem.capability < Capability{8, 9}) {
    return Unsupported("fp8 needs a compute capability of 8.9");
  }
  if (NeedsTnForFp8(problem.capability) &&
      (problem.desc.trans_a != cuda::kOpT ||
       problem.desc.trans_b != cuda::kOpN)) {
    return Unsupported("a product of fp8 has A transposed and B not");
  }
  if (problem.m % 16 != 0 || problem.n % 16 != 0 || problem.k % 16 != 0) {
    return Unsupported(
        "the dimensions of a product of fp8 are multiples of 16");
  }
  for (const Layout& layout : problem.layouts) {
    if (layout.order != kOrderColumns) {
      return Unsupported(
          "the matrices of a product of fp8 are stored by columns");
    }
  }
  return cuda::kBlasSuccess;
}

}  // namespace

cuda::BlasStatus CheckTypes(Problem* problem) {
  const auto& [a, b, c, d] = problem->layouts;
  const Desc& desc = problem->desc;
  if (desc.scale_type != cuda::kR32F) {
    return Unsupported("the scale type is f32");
  }
  const bool tf32 = desc.compute_type == cuda::kCompute32FFastTf32;
  if (!tf32 && desc.compute_type != cuda::kCompute32F) {
    return Unsupported("the compute type is 32F or 32F_FAST_TF32");
  }
  const Row* row = FindRow(a.type, b.type, c.type, d.type);
  if (row == nullptr || (tf32 && a.type != cuda::kR32F)) {
    return Unsupported("the table of types has no such row");
  }
  if (desc.bias_type != -1 && desc.bias_type != row->bias) {
    return Unsupported("the table of types has another type of the bias");
  }
  if (tf32 && problem->capability < Capability{8, 0}) {
    return Unsupported("TF32 needs a compute capability of 8.0");
  }
  if (!IsFp8(a.type) && (desc.a_scale != nullptr || desc.b_scale != nullptr)) {
    return Invalid("only operands of fp8 have a scale");
  }
  problem->bias_type = row->bias;
  return IsFp8(a.type) ? CheckFp8(*problem) : cuda::kBlasSuccess;
}

}  // namespace accel::cuda_double::blas
