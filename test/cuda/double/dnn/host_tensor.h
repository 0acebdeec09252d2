// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in host memory as numbers, and the bytes that a device has of them.
// Nothing of it is shared with the double.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_HOST_TENSOR_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_HOST_TENSOR_H_

#include "test/cuda/double/dnn/dnn_fixture.h"

namespace accel::cuda_double::dnn {

size_t BytesOfType(int type);
// Half of the distance from 1 to the next number of the type.
double RoundoffOf(int type);
double Decode(int type, const std::byte* at);
// Of a number that the type has.
void Encode(int type, double value, std::byte* at);

struct Shape {
  int type = kFloat;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
};

// Packed: NCHW, or NHWC with channels in the second dimension of `dims`.
Shape PackedShape(int type, std::vector<int64_t> dims, bool channels_last);

class HostTensor {
 public:
  // Zeros.
  explicit HostTensor(const Shape& shape);

  // Multiples of 1/8 below 2, which every type has, of a seed.
  void SetRandom(unsigned seed);
  // Numbers of f32 with all bits of their mantissa.
  void SetRandomFloats(unsigned seed);

  double& at(const std::vector<int64_t>& index);
  double at(const std::vector<int64_t>& index) const;
  const Shape& shape() const { return shape_; }
  const std::vector<double>& values() const { return values_; }

  // What lies between the elements has that value in each byte.
  Bytes ToBytes(int fill = 0) const;
  void FromBytes(const Bytes& bytes);

 private:
  size_t Flat(const std::vector<int64_t>& index) const;
  // Where each element is, in bytes.
  std::vector<size_t> Offsets() const;

  Shape shape_;
  std::vector<double> values_;  // row-major
};

// Calls `visit` with every index of a space.
template <typename Visit>
void ForEach(const std::vector<int64_t>& dims, const Visit& visit) {
  std::vector<int64_t> index(dims.size(), 0);
  while (true) {
    visit(index);
    size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1]) {
      index[--d] = 0;
    }
    if (d == 0) {
      return;
    }
  }
}

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_HOST_TENSOR_H_
