// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of elements are counted one by one.
#include "test/cuda/convolutions/gpu_convolution.h"

#include <atomic>
#include <chrono>
#include <string>

#include "runtime/base/deadline.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/posix_vfs.h"

namespace accel::testing {
namespace {

using planpb::Convolution;
using runtime::cuda::DevicePointer;
using Shape = std::vector<uint64_t>;

uint64_t CountOf(const Shape &shape) {
  uint64_t count = 1;
  for (uint64_t size : shape) {
    count *= size;
  }
  return count;
}

Shape Join(uint64_t first, const Shape &spatial, uint64_t last) {
  Shape shape = {first};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  shape.push_back(last);
  return shape;
}

Shape ImageShape(const ConvolutionShape &shape) {
  Shape reached;
  for (size_t i = 0; i < shape.places.size(); ++i) {
    reached.push_back((shape.places[i] - 1) * shape.strides[i] +
                      (shape.windows[i] - 1) * shape.dilations[i] + 1);
  }
  return Join(shape.samples, reached, shape.channels);
}

Shape WeightsShape(const ConvolutionShape &shape) {
  return Join(shape.filters, shape.windows, shape.channels);
}

Shape OutputShape(const ConvolutionShape &shape) {
  return Join(shape.samples, shape.places, shape.filters);
}

void SetTensor(Convolution::Strided &tensor, uint32_t operand,
               const Shape &shape) {
  tensor.set_operand(operand);
  tensor.set_dtype(planpb::ELEMENT_F32);
  for (size_t i = 0; i < shape.size(); ++i) {
    tensor.add_strides(CountOf(Shape(shape.begin() + i + 1, shape.end())));
  }
}

// Calls `visit` with each index, in row-major order.
template <typename Visit> void ForEach(const Shape &shape, Visit visit) {
  Shape index(shape.size(), 0);
  for (uint64_t i = 0; i < CountOf(shape); ++i) {
    uint64_t rest = i;
    for (size_t d = shape.size(); d-- > 0;) {
      index[d] = rest % shape[d];
      rest /= shape[d];
    }
    visit(i, index);
  }
}

uint64_t PlaceOf(const Shape &shape, const Shape &index) {
  uint64_t place = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    place = place * shape[d] + index[d];
  }
  return place;
}

// 11 bits of mantissa, so that a product has 22.
std::vector<float> Numbers(const Shape &shape, unsigned seed) {
  std::vector<float> numbers;
  unsigned state = seed;
  for (uint64_t i = 0; i < CountOf(shape); ++i) {
    state = state * 1664525U + 1013904223U;
    const int number = static_cast<int>(state >> 21) - 1024;
    numbers.push_back(static_cast<float>(2 * number + 1) / 2048);
  }
  return numbers;
}

} // namespace

absl::StatusOr<std::unique_ptr<ConvolutionGpu>> ConvolutionGpu::Open() {
  static const std::unique_ptr<runtime::Vfs> vfs = runtime::MakePosixVfs();
  const runtime::cuda::LibrarySearch libraries = {ACCEL_CUDA_DOUBLES, ""};
  auto made = std::make_unique<ConvolutionGpu>();
  ASSIGN_OR_RETURN(auto driver, runtime::cuda::Driver::Open(*vfs, libraries));
  ASSIGN_OR_RETURN(made->gpu_, runtime::cuda::Gpu::Open(
                                   std::move(driver), 0,
                                   std::make_shared<std::atomic<bool>>(false)));
  RETURN_IF_ERROR(made->gpu_->MakeCurrent());
  ASSIGN_OR_RETURN(made->library_,
                   runtime::cuda::Cudnn::Open(*vfs, libraries, *made->gpu_));
  RETURN_IF_CUDA_ERROR(made->gpu_->driver(), cuStreamCreate, &made->stream_,
                       runtime::cuda::kStreamNonBlocking);
  return made;
}

ConvolutionGpu::~ConvolutionGpu() {
  library_.reset();
  if (stream_ != nullptr) {
    gpu_->driver()->cuStreamDestroy_v2(stream_);
  }
}

absl::StatusOr<ConvolutionGpu::Tensors>
ConvolutionGpu::Run(const runtime::cuda::ConvolutionEngine &engine,
                    Tensors tensors, uint64_t workspace_bytes) {
  const runtime::cuda::Driver &driver = gpu_->driver();
  std::vector<float> *const hosts[] = {&tensors.image, &tensors.weights,
                                       &tensors.output};
  DevicePointer addresses[4] = {};
  for (int i = 0; i < 3; ++i) {
    const size_t bytes = hosts[i]->size() * sizeof(float);
    RETURN_IF_CUDA_ERROR(driver, cuMemAlloc_v2, &addresses[i], bytes);
    RETURN_IF_CUDA_ERROR(driver, cuMemcpyHtoDAsync_v2, addresses[i],
                         hosts[i]->data(), bytes, stream_);
  }
  RETURN_IF_CUDA_ERROR(driver, cuMemAlloc_v2, &addresses[3],
                       workspace_bytes + 1);
  const auto at = [&](int i) { return reinterpret_cast<void *>(addresses[i]); };
  RETURN_IF_ERROR(engine.Enqueue({at(0), at(1), at(2)}, at(3), stream_));
  for (int i = 0; i < 3; ++i) {
    RETURN_IF_CUDA_ERROR(driver, cuMemcpyDtoHAsync_v2, hosts[i]->data(),
                         addresses[i], hosts[i]->size() * sizeof(float),
                         stream_);
  }
  RETURN_IF_ERROR(PollUntil(
      runtime::Deadline::After(std::chrono::seconds(20)),
      [] { return std::string("the GPU"); },
      [&] { return driver.IsDone(stream_); }));
  for (DevicePointer address : addresses) {
    RETURN_IF_CUDA_ERROR(driver, cuMemFree_v2, address);
  }
  return tensors;
}

planpb::Convolution MakeConvolution(Convolution::Direction direction,
                                    const ConvolutionShape &shape) {
  Convolution made;
  made.set_direction(direction);
  made.set_samples(shape.samples);
  made.set_channels(shape.channels);
  made.set_filters(shape.filters);
  made.mutable_places()->Add(shape.places.begin(), shape.places.end());
  made.mutable_windows()->Add(shape.windows.begin(), shape.windows.end());
  made.mutable_strides()->Add(shape.strides.begin(), shape.strides.end());
  made.mutable_dilations()->Add(shape.dilations.begin(), shape.dilations.end());
  SetTensor(*made.mutable_image(), 0, ImageShape(shape));
  SetTensor(*made.mutable_weights(), 1, WeightsShape(shape));
  SetTensor(*made.mutable_output(), 2, OutputShape(shape));
  made.set_mode(planpb::Product::RESULT_STORED);
  return made;
}

ConvolutionGpu::Tensors MakeTensors(const ConvolutionShape &shape) {
  return {Numbers(ImageShape(shape), 1), Numbers(WeightsShape(shape), 2),
          Numbers(OutputShape(shape), 3)};
}

void AddByLoops(Convolution::Direction direction, const ConvolutionShape &shape,
                ConvolutionGpu::Tensors &tensors) {
  const bool is_forward = direction == Convolution::DIRECTION_FORWARD;
  std::vector<float> &result = is_forward ? tensors.output : tensors.weights;
  std::vector<double> sums(result.begin(), result.end());
  const Shape image = ImageShape(shape);
  ForEach(OutputShape(shape), [&](uint64_t output, const Shape &place) {
    ForEach(WeightsShape(shape), [&](uint64_t weight, const Shape &element) {
      if (element.front() != place.back()) {
        return;
      }
      Shape seen = {place.front()};
      for (size_t i = 0; i < shape.places.size(); ++i) {
        seen.push_back(place[i + 1] * shape.strides[i] +
                       element[i + 1] * shape.dilations[i]);
      }
      seen.push_back(element.back());
      const double x = tensors.image[PlaceOf(image, seen)];
      sums[is_forward ? output : weight] +=
          x * (is_forward ? tensors.weights[weight] : tensors.output[output]);
    });
  });
  result.assign(sums.begin(), sums.end());
}

} // namespace accel::testing
