// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of device memory that an operand has, exactly: what lies between
// its lines and batches is not its own and may be another's.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_BYTE_RANGES_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_BYTE_RANGES_H_

#include <cstdint>
#include <vector>

#include "test/cuda/double/blas/descriptors.h"

namespace accel::cuda_double::blas {

struct ByteRange {
  uint64_t begin;
  uint64_t end;
};

// Sorted, disjoint and not adjacent.
class ByteRanges {
 public:
  ByteRanges() = default;
  ByteRanges(const void* begin, uint64_t bytes);
  ByteRanges(const Layout& layout, const void* begin);
  // In any order, and none of them empty.
  explicit ByteRanges(std::vector<ByteRange> ranges);

  const std::vector<ByteRange>& ranges() const { return ranges_; }
  // Whether two elements share a byte.
  bool overlaps_itself() const { return overlaps_itself_; }
  bool Overlaps(const ByteRanges& other) const;

 private:
  void Merge();

  std::vector<ByteRange> ranges_;
  bool overlaps_itself_ = false;
};

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_BYTE_RANGES_H_
