// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices on the host and the product of them in double precision, with the
// error that a product in f32 may have.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_REFERENCE_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_REFERENCE_H_

#include <cstddef>
#include <vector>

#include "test/cuda/double/blas/blas_fixture.h"

namespace accel::cuda_double::blas {

double Decode(int type, const std::byte* at);
void Encode(int type, double value, std::byte* at);
size_t BytesOf(int type);
// Half of the distance of 1 and the number after it.
double RoundoffOf(int type);

class HostMatrix {
 public:
  // Every byte is `fill`, which is no element until it is set.
  HostMatrix(const MatrixSpec& spec, int fill);

  double Get(int64_t batch, int64_t row, int64_t column) const;
  void Set(int64_t batch, int64_t row, int64_t column, double value);
  // Numbers in [-1, 1] that the type has, another for each seed.
  void SetAll(unsigned seed);

  const MatrixSpec& spec() const { return spec_; }
  std::vector<std::byte>& bytes() { return bytes_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  size_t Offset(int64_t batch, int64_t row, int64_t column) const;

  MatrixSpec spec_;
  std::vector<std::byte> bytes_;
};

struct Expected {
  double value;
  double error;  // of the sum in f32 and of the rounding to D's type
};

struct Operands {
  const ProductSpec& spec;
  const HostMatrix& a;
  const HostMatrix& b;
  const HostMatrix& c;
  const std::vector<double>& bias;
  float alpha;
  float beta;
};

// `roundings`: how often an element of D is rounded to its type.
Expected Compute(const Operands& operands, int64_t batch, int64_t row,
                 int64_t column, int roundings);

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_REFERENCE_H_
