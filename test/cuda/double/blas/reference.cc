// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/reference.h"

#include <cmath>
#include <random>

#include "test/cuda/double/host_floats.h"

namespace accel::cuda_double::blas {
namespace {

FloatFormat FormatOf(int type) {
  switch (type) {
    case cuda::kR16F:
      return {5, 10};
    case cuda::kR16BF:
      return {8, 7};
    case cuda::kR8F_E4M3:
      return {4, 3};
    case cuda::kR8F_E5M2:
      return {5, 2};
    default:
      return {8, 23};
  }
}

double RoundToTf32(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

double SmallestNormalOf(int type) {
  return std::ldexp(1.0, 2 - (1 << (FormatOf(type).exponent_bits - 1)));
}

}  // namespace

size_t BytesOf(int type) { return cuda_double::BytesOf(FormatOf(type)); }

double RoundoffOf(int type) { return cuda_double::RoundoffOf(FormatOf(type)); }

double Decode(int type, const std::byte* at) {
  return cuda_double::Decode(FormatOf(type), at);
}

void Encode(int type, double value, std::byte* at) {
  cuda_double::Encode(FormatOf(type), value, at);
}

HostMatrix::HostMatrix(const MatrixSpec& spec, int fill) : spec_(spec) {
  const size_t last = Offset(spec.batches - 1, spec.rows - 1, spec.columns - 1);
  bytes_.assign(last + BytesOf(spec.type) + 64, std::byte(fill));
}

size_t HostMatrix::Offset(int64_t batch, int64_t row, int64_t column) const {
  const int64_t ld = spec_.leading_dimension;
  const int64_t in_matrix =
      spec_.order == 0 ? row + column * ld : row * ld + column;
  return (batch * spec_.stride + in_matrix) * BytesOf(spec_.type);
}

double HostMatrix::Get(int64_t batch, int64_t row, int64_t column) const {
  return Decode(spec_.type, bytes_.data() + Offset(batch, row, column));
}

void HostMatrix::Set(int64_t batch, int64_t row, int64_t column, double value) {
  Encode(spec_.type, value, bytes_.data() + Offset(batch, row, column));
}

void HostMatrix::SetAll(unsigned seed) {
  std::minstd_rand random(seed);
  // Multiples of the distance that numbers just below 1 have, so that the type
  // has each of them.
  const int bits = FormatOf(spec_.type).mantissa_bits;
  const int top = 1 << (bits + 1);
  std::uniform_int_distribution<int> pick(-top, top);
  for (int64_t batch = 0; batch < spec_.batches; ++batch) {
    for (int64_t row = 0; row < spec_.rows; ++row) {
      for (int64_t column = 0; column < spec_.columns; ++column) {
        Set(batch, row, column, std::ldexp(pick(random), -bits - 1));
      }
    }
  }
}

Expected Compute(const Operands& operands, int64_t batch, int64_t row,
                 int64_t column, int roundings) {
  const ProductSpec& spec = operands.spec;
  const int64_t k = spec.transpose_a ? spec.a.rows : spec.a.columns;
  const bool tf32 = spec.compute_type == cuda::kCompute32FFastTf32;
  double sum = 0;
  double magnitude = 0;
  for (int64_t i = 0; i < k; ++i) {
    double a = spec.transpose_a ? operands.a.Get(batch, i, row)
                                : operands.a.Get(batch, row, i);
    double b = spec.transpose_b ? operands.b.Get(batch, column, i)
                                : operands.b.Get(batch, i, column);
    if (tf32) {
      a = RoundToTf32(a);
      b = RoundToTf32(b);
    }
    sum += a * b;
    magnitude += std::fabs(a * b);
  }
  double value = operands.alpha * sum;
  magnitude *= std::fabs(operands.alpha);
  auto add = [&](double term) {
    value += term;
    magnitude += std::fabs(term);
  };
  if (operands.beta != 0) {
    add(operands.beta * operands.c.Get(batch, row, column));
  }
  if (!operands.bias.empty()) {
    add(operands.bias[row]);
  }
  // A chunk has at most 64 products, the tree above it few levels.
  const double sum_error = magnitude * 84 * std::ldexp(1.0, -24);
  // Below the normal numbers the distance of a type's numbers is the same.
  const double rounded =
      std::max((roundings > 1 ? magnitude : std::fabs(value)) + sum_error,
               SmallestNormalOf(spec.d.type));
  return {value, sum_error + roundings * rounded * RoundoffOf(spec.d.type)};
}

}  // namespace accel::cuda_double::blas
