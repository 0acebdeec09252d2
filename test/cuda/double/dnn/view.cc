// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/view.h"

#include <algorithm>

namespace accel::cuda_double::dnn {

View::View(const Tensor& tensor, std::byte* at)
    : at_(at), type_(CudaType(tensor.type)) {
  const size_t rank = tensor.dims.size();
  for (size_t d = 0; d < rank; ++d) {
    const size_t to = d < 2 ? d : d + 5 - rank;
    steps_[to] =
        tensor.dims[d] == 1 ? 0 : tensor.strides[d] * ElementBytes(tensor.type);
  }
}

blas::ByteRanges BytesOf(const Tensor& tensor, const std::byte* at) {
  struct Dimension {
    int64_t stride, extent;
  };
  std::vector<Dimension> dimensions;
  for (size_t d = 0; d < tensor.dims.size(); ++d) {
    if (tensor.dims[d] != 1) {
      dimensions.push_back({tensor.strides[d], tensor.dims[d]});
    }
  }
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension& a, const Dimension& b) {
              return a.stride < b.stride;
            });
  // The innermost dimensions are one line as long as they are packed.
  int64_t line = 1;
  size_t d = 0;
  for (; d < dimensions.size() && dimensions[d].stride == line; ++d) {
    line *= dimensions[d].extent;
  }
  std::vector<int64_t> offsets = {0};
  for (; d < dimensions.size(); ++d) {
    std::vector<int64_t> more;
    for (int64_t i = 0; i < dimensions[d].extent; ++i) {
      for (int64_t offset : offsets) {
        more.push_back(offset + i * dimensions[d].stride);
      }
    }
    offsets = std::move(more);
  }
  const int64_t bytes = ElementBytes(tensor.type);
  const auto begin = reinterpret_cast<uint64_t>(at);
  std::vector<blas::ByteRange> ranges;
  for (int64_t offset : offsets) {
    const uint64_t from = begin + static_cast<uint64_t>(offset * bytes);
    ranges.push_back({from, from + static_cast<uint64_t>(line * bytes)});
  }
  return blas::ByteRanges(std::move(ranges));
}

}  // namespace accel::cuda_double::dnn
