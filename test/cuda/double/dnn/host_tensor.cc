// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/host_tensor.h"

#include <cmath>
#include <cstring>
#include <random>

#include "test/cuda/double/host_floats.h"

namespace accel::cuda_double::dnn {
namespace {

FloatFormat FormatOf(int type) {
  return type == kHalf       ? FloatFormat{5, 10}
         : type == kBfloat16 ? FloatFormat{8, 7}
                             : FloatFormat{8, 23};
}

}  // namespace

size_t BytesOfType(int type) { return BytesOf(FormatOf(type)); }

double RoundoffOf(int type) { return cuda_double::RoundoffOf(FormatOf(type)); }

double Decode(int type, const std::byte* at) {
  return cuda_double::Decode(FormatOf(type), at);
}

void Encode(int type, double value, std::byte* at) {
  cuda_double::Encode(FormatOf(type), value, at);
}

Shape PackedShape(int type, std::vector<int64_t> dims, bool channels_last) {
  Shape shape{type, dims, std::vector<int64_t>(dims.size())};
  int64_t stride = 1;
  const auto put = [&](size_t d) {
    shape.strides[d] = stride;
    stride *= dims[d];
  };
  if (channels_last) {
    put(1);
  }
  for (size_t d = dims.size() - 1; d > 1; --d) {
    put(d);
  }
  if (!channels_last) {
    put(1);
  }
  put(0);
  return shape;
}

HostTensor::HostTensor(const Shape& shape) : shape_(shape) {
  size_t count = 1;
  for (int64_t dim : shape.dims) {
    count *= static_cast<size_t>(dim);
  }
  values_.assign(count, 0);
}

void HostTensor::SetRandom(unsigned seed) {
  std::mt19937 random(seed);
  for (double& value : values_) {
    value = double(int(random() % 31) - 15) / 8;
  }
}

void HostTensor::SetRandomFloats(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  for (double& value : values_) {
    value = distribution(random);
  }
}

size_t HostTensor::Flat(const std::vector<int64_t>& index) const {
  size_t flat = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    flat = flat * static_cast<size_t>(shape_.dims[d]) +
           static_cast<size_t>(index[d]);
  }
  return flat;
}

double& HostTensor::at(const std::vector<int64_t>& index) {
  return values_[Flat(index)];
}

double HostTensor::at(const std::vector<int64_t>& index) const {
  return values_[Flat(index)];
}

std::vector<size_t> HostTensor::Offsets() const {
  std::vector<size_t> offsets;
  ForEach(shape_.dims, [&](const std::vector<int64_t>& index) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      offset += index[d] * shape_.strides[d];
    }
    offsets.push_back(static_cast<size_t>(offset) * BytesOfType(shape_.type));
  });
  return offsets;
}

Bytes HostTensor::ToBytes(int fill) const {
  const std::vector<size_t> offsets = Offsets();
  size_t last = 0;
  for (size_t offset : offsets) {
    last = std::max(last, offset);
  }
  Bytes bytes(last + BytesOfType(shape_.type), std::byte(fill));
  for (size_t i = 0; i < values_.size(); ++i) {
    Encode(shape_.type, values_[i], bytes.data() + offsets[i]);
  }
  return bytes;
}

void HostTensor::FromBytes(const Bytes& bytes) {
  const std::vector<size_t> offsets = Offsets();
  for (size_t i = 0; i < values_.size(); ++i) {
    values_[i] = Decode(shape_.type, bytes.data() + offsets[i]);
  }
}

}  // namespace accel::cuda_double::dnn
