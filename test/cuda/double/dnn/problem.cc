// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/problem.h"

#include "runtime/device/cuda/abi/cublaslt.h"

namespace accel::cuda_double::dnn {
namespace {

std::string Text(int64_t number) { return std::to_string(number); }

// What is documented of one spatial dimension of the response.
int64_t ResponseExtent(const ConvolutionOperation& operation, int64_t d) {
  const Convolution& convolution = operation.convolution;
  const int64_t reach =
      (operation.w.dims[d + 2] - 1) * convolution.dilations[d] + 1;
  const int64_t padded = operation.x.dims[d + 2] + convolution.pre_paddings[d] +
                         convolution.post_paddings[d];
  return padded < reach ? 0 : (padded - reach) / convolution.strides[d] + 1;
}

std::string CheckChannels(const ConvolutionOperation& operation) {
  const int64_t x = operation.x.dims[1];
  const int64_t w = operation.w.dims[1];
  const int64_t filters = operation.w.dims[0];
  if (x % w != 0) {
    return "the " + Text(x) + " channels of the image are no multiple of the " +
           Text(w) + " of the filter";
  }
  if (filters % (x / w) != 0) {
    return "the " + Text(filters) + " filters are no multiple of the " +
           Text(x / w) + " groups";
  }
  if (filters != operation.y.dims[1]) {
    return "the response has " + Text(operation.y.dims[1]) +
           " channels, and there are " + Text(filters) + " filters";
  }
  return "";
}

}  // namespace

int64_t Tensor::elements() const {
  int64_t count = 1;
  for (int64_t dim : dims) {
    count *= dim;
  }
  return count;
}

const Tensor& ConvolutionOperation::output() const {
  switch (direction) {
    case Direction::kBackwardData:
      return x;
    case Direction::kBackwardFilter:
      return w;
    default:
      return y;
  }
}

std::vector<Tensor> Problem::bound_tensors() const {
  std::vector<Tensor> tensors;
  const ConvolutionOperation& op = convolution;
  for (const Tensor* tensor : {&op.x, &op.w, &op.y}) {
    if (tensor != &op.output()) {
      tensors.push_back(*tensor);
    }
  }
  for (const PointwiseOperation& step : epilogue) {
    if (step.b) {
      tensors.push_back(*step.b);
    }
  }
  tensors.push_back(output());
  return tensors;
}

int64_t ElementBytes(int type) {
  switch (type) {
    case kFloat:
      return 4;
    case kHalf:
    case kBfloat16:
      return 2;
    default:
      return 0;
  }
}

int CudaType(int type) {
  return type == kFloat  ? cuda::kR32F
         : type == kHalf ? cuda::kR16F
                         : cuda::kR16BF;
}

Geometry GeometryOf(const ConvolutionOperation& operation) {
  const Convolution& convolution = operation.convolution;
  Geometry geometry{};
  geometry.batches = operation.x.dims[0];
  geometry.channels = operation.w.dims[1];
  geometry.groups = operation.x.dims[1] / geometry.channels;
  geometry.filters = operation.w.dims[0] / geometry.groups;
  for (Geometry::Space* ones :
       {&geometry.image, &geometry.taps, &geometry.response, &geometry.strides,
        &geometry.dilations}) {
    ones->fill(1);
  }
  for (int64_t d = 0; d < convolution.spatial_dims; ++d) {
    const int64_t at = 3 - convolution.spatial_dims + d;
    geometry.image[at] = operation.x.dims[d + 2];
    geometry.taps[at] = operation.w.dims[d + 2];
    geometry.response[at] = operation.y.dims[d + 2];
    geometry.strides[at] = convolution.strides[d];
    geometry.dilations[at] = convolution.dilations[d];
    geometry.paddings[at] = convolution.pre_paddings[d];
  }
  return geometry;
}

std::string CheckShapes(const ConvolutionOperation& operation) {
  if (operation.x.dims[0] != operation.y.dims[0]) {
    return "image and response have " + Text(operation.x.dims[0]) + " and " +
           Text(operation.y.dims[0]) + " samples";
  }
  std::string wrong = CheckChannels(operation);
  for (int64_t d = 0; wrong.empty() && d < operation.convolution.spatial_dims;
       ++d) {
    const int64_t expected = ResponseExtent(operation, d);
    if (operation.y.dims[d + 2] != expected) {
      wrong = "spatial dimension " + Text(d) + " of the response is " +
              Text(operation.y.dims[d + 2]) + ", and the convolution gives " +
              Text(expected);
    }
  }
  return wrong;
}

bool HasLayout(const Tensor& tensor, Layout layout) {
  const size_t rank = tensor.dims.size();
  std::vector<size_t> order;  // from the innermost dimension outwards
  if (layout == Layout::kChannelsLast) {
    order.push_back(1);
  }
  for (size_t d = rank - 1; d >= 2; --d) {
    order.push_back(d);
  }
  if (layout == Layout::kChannelsFirst) {
    order.push_back(1);
  }
  order.push_back(0);
  int64_t stride = 1;
  for (size_t d : order) {
    if (tensor.dims[d] != 1 && tensor.strides[d] != stride) {
      return false;
    }
    stride *= tensor.dims[d];
  }
  return true;
}

}  // namespace accel::cuda_double::dnn
