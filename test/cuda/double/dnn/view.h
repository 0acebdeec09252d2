// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of a tensor in memory, by sample, channel and place; of a
// filter, by filter, channel of its group and tap.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_VIEW_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_VIEW_H_

#include <array>
#include <cstddef>
#include <vector>

#include "test/cuda/double/blas/byte_ranges.h"
#include "test/cuda/double/blas/elements.h"
#include "test/cuda/double/dnn/problem.h"

namespace accel::cuda_double::dnn {

class View {
 public:
  View(const Tensor& tensor, std::byte* at);

  float Load(int64_t n, int64_t c, const Geometry::Space& place) const {
    return blas::LoadElement(type_, Address(n, c, place));
  }
  void Store(int64_t n, int64_t c, const Geometry::Space& place,
             float value) const {
    blas::StoreElement(type_, value, Address(n, c, place));
  }
  std::byte* Address(int64_t n, int64_t c, const Geometry::Space& place) const {
    return at_ + n * steps_[0] + c * steps_[1] + place[0] * steps_[2] +
           place[1] * steps_[3] + place[2] * steps_[4];
  }
  int type() const { return type_; }

 private:
  std::byte* at_;
  int type_;  // a cudaDataType
  // In bytes; 0 in a dimension of 1, which so is broadcast.
  std::array<int64_t, 5> steps_{};
};

// The bytes of a tensor, exactly: what lies between its lines is another's.
blas::ByteRanges BytesOf(const Tensor& tensor, const std::byte* at);

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_VIEW_H_
