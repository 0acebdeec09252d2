// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What finalized descriptors mean: tensors, operations, and the problem that an
// operation graph is.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_PROBLEM_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_PROBLEM_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "test/cuda/double/dnn/abi.h"

namespace accel::cuda_double::dnn {

struct Tensor {
  int64_t uid = 0;
  int type = kFloat;
  int64_t alignment = 0;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
  bool is_virtual = false;
  bool is_by_value = false;  // its pointer is one to host memory

  bool operator==(const Tensor&) const = default;
  int64_t elements() const;
};

struct Convolution {
  int compute_type = kFloat;
  int mode = kCrossCorrelation;
  int64_t spatial_dims = 0;
  std::vector<int64_t> dilations, strides, pre_paddings, post_paddings;

  bool operator==(const Convolution&) const = default;
};

struct Pointwise {
  int mode = kPointwiseAdd;
  int math_type = kFloat;
  double lower_clip = 0;
  double upper_clip = std::numeric_limits<float>::max();
  double lower_clip_slope = 0;

  bool has_two_inputs() const {
    return mode == kPointwiseAdd || mode == kPointwiseMul;
  }
};

enum class Direction { kForward, kBackwardData, kBackwardFilter };

// y = alpha conv(x, w) + beta y, or the gradient of x or w in its place.
struct ConvolutionOperation {
  Direction direction = Direction::kForward;
  Convolution convolution;
  Tensor x, w, y;
  double alpha = 1;
  double beta = 0;

  const Tensor& output() const;
};

// y = op(alpha1 x), or op(alpha1 x, alpha2 b).
struct PointwiseOperation {
  Pointwise pointwise;
  Tensor x, y;
  std::optional<Tensor> b;
  double alpha1 = 1;
  double alpha2 = 1;
};

// Where the elements are: an image has up to three spatial dimensions, and the
// missing ones are 1.
struct Geometry {
  using Space = std::array<int64_t, 3>;

  int64_t batches, groups;
  int64_t channels, filters;  // of a group
  Space image, taps, response;
  Space strides, dilations, paddings;
};

// A convolution, and what is done to the result of a forward one.
struct Problem {
  ConvolutionOperation convolution;
  std::vector<PointwiseOperation> epilogue;

  const Tensor& output() const {
    return epilogue.empty() ? convolution.output() : epilogue.back().y;
  }
  // All with a pointer of their own, the output last.
  std::vector<Tensor> bound_tensors() const;
};

// 0 for a type that no supported operation has.
int64_t ElementBytes(int type);
// The same type as a cudaDataType. Requires: ElementBytes(type) != 0.
int CudaType(int type);

Geometry GeometryOf(const ConvolutionOperation& operation);

// The text that says what is wrong with the shapes of a convolution; empty if
// they fit.
std::string CheckShapes(const ConvolutionOperation& operation);

enum class Layout { kOther, kChannelsFirst, kChannelsLast };
// What packed strides say. Both if a dimension of 1 makes them equal.
bool HasLayout(const Tensor& tensor, Layout layout);

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_PROBLEM_H_
