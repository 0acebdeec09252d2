// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/plan_json.h"

#include <bit>
#include <cinttypes>
#include <cstdio>
#include <sstream>

#include "test/cuda/double/dnn/entry_points.h"
#include "test/cuda/double/dnn/refusals.h"

namespace accel::cuda_double::dnn {
namespace {

// Numbers one after the other, written or read by the same functions, so that
// both agree about their order.
class Writer {
 public:
  void Number(int64_t& number) { numbers_.push_back(number); }
  const std::vector<int64_t>& numbers() const { return numbers_; }

 private:
  std::vector<int64_t> numbers_;
};

// Gives 0 behind the end. The checksum has excluded that.
class Reader {
 public:
  explicit Reader(std::vector<int64_t> numbers)
      : numbers_(std::move(numbers)) {}
  void Number(int64_t& number) {
    number = at_ < numbers_.size() ? numbers_[at_] : 0;
    ++at_;
  }

 private:
  std::vector<int64_t> numbers_;
  size_t at_ = 0;
};

template <typename Archive, typename T>
void Small(Archive& archive, T& value) {
  auto number = static_cast<int64_t>(value);
  archive.Number(number);
  value = static_cast<T>(number);
}

template <typename Archive>
void Real(Archive& archive, double& value) {
  auto number = std::bit_cast<int64_t>(value);
  archive.Number(number);
  value = std::bit_cast<double>(number);
}

template <typename Archive>
void Several(Archive& archive, std::vector<int64_t>& values) {
  auto count = static_cast<int64_t>(values.size());
  archive.Number(count);
  values.resize(static_cast<size_t>(count));
  for (int64_t& value : values) {
    archive.Number(value);
  }
}

template <typename Archive>
void Visit(Archive& archive, Tensor& tensor) {
  archive.Number(tensor.uid);
  Small(archive, tensor.type);
  archive.Number(tensor.alignment);
  Several(archive, tensor.dims);
  Several(archive, tensor.strides);
  Small(archive, tensor.is_virtual);
  Small(archive, tensor.is_by_value);
}

template <typename Archive>
void Visit(Archive& archive, ConvolutionOperation& operation) {
  Small(archive, operation.direction);
  Convolution& convolution = operation.convolution;
  Small(archive, convolution.compute_type);
  Small(archive, convolution.mode);
  archive.Number(convolution.spatial_dims);
  Several(archive, convolution.dilations);
  Several(archive, convolution.strides);
  Several(archive, convolution.pre_paddings);
  Several(archive, convolution.post_paddings);
  Visit(archive, operation.x);
  Visit(archive, operation.w);
  Visit(archive, operation.y);
  Real(archive, operation.alpha);
  Real(archive, operation.beta);
}

template <typename Archive>
void Visit(Archive& archive, PointwiseOperation& operation) {
  Pointwise& pointwise = operation.pointwise;
  Small(archive, pointwise.mode);
  Small(archive, pointwise.math_type);
  Real(archive, pointwise.lower_clip);
  Real(archive, pointwise.upper_clip);
  Real(archive, pointwise.lower_clip_slope);
  Visit(archive, operation.x);
  Visit(archive, operation.y);
  Real(archive, operation.alpha1);
  Real(archive, operation.alpha2);
  bool has_b = operation.b.has_value();
  Small(archive, has_b);
  if (has_b) {
    Tensor b = operation.b.value_or(Tensor());
    Visit(archive, b);
    operation.b = b;
  }
}

template <typename Archive>
void Visit(Archive& archive, EngineConfiguration& configuration,
           Problem& problem) {
  archive.Number(configuration.index);
  archive.Number(configuration.pieces);
  Visit(archive, problem.convolution);
  auto steps = static_cast<int64_t>(problem.epilogue.size());
  archive.Number(steps);
  problem.epilogue.resize(static_cast<size_t>(steps));
  for (PointwiseOperation& step : problem.epilogue) {
    Visit(archive, step);
  }
}

// FNV-1a.
uint64_t Checksum(const std::vector<int64_t>& numbers) {
  uint64_t hash = 0xcbf29ce484222325;
  for (int64_t number : numbers) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash ^= (static_cast<uint64_t>(number) >> shift) & 0xff;
      hash *= 0x100000001b3;
    }
  }
  return hash;
}

constexpr char kFormat[] =
    "{\"cudnn_version\":%zu,\"capability\":%d,\"checksum\":%" PRIu64
    ",\"plan\":[%n";

bool ReadNumbers(const std::string& text, size_t at,
                 std::vector<int64_t>* numbers) {
  std::istringstream stream(text.substr(at));
  for (int64_t number = 0; stream >> number;) {
    numbers->push_back(number);
    if (char next = 0; !(stream >> next) || next != ',') {
      std::string rest;
      stream >> rest;
      return next == ']' && rest == "}";
    }
  }
  return false;
}

}  // namespace

std::string WritePlan(const EngineConfiguration& configuration) {
  Writer writer;
  EngineConfiguration copy = configuration;
  Problem problem = *configuration.problem;
  Visit(writer, copy, problem);
  std::ostringstream text;
  text << "{\"cudnn_version\":" << kVersion
       << ",\"capability\":" << CurrentCapability()
       << ",\"checksum\":" << Checksum(writer.numbers()) << ",\"plan\":[";
  const char* comma = "";
  for (int64_t number : writer.numbers()) {
    text << comma << number;
    comma = ",";
  }
  text << "]}";
  return text.str();
}

Status ReadPlan(const std::string& text, EngineConfiguration* configuration) {
  size_t version = 0;
  int capability = 0;
  uint64_t checksum = 0;
  int length = 0;
  std::vector<int64_t> numbers;
  if (std::sscanf(text.c_str(), kFormat, &version, &capability, &checksum,
                  &length) != 3 ||
      length == 0) {
    return Bad("the JSON is none of a plan");
  }
  if (version != kVersion) {
    return Refuse(kSerializationVersionMismatch,
                  "the plan is of another version");
  }
  if (!ReadNumbers(text, static_cast<size_t>(length), &numbers) ||
      checksum != Checksum(numbers)) {
    return Bad("the JSON is none of a plan");
  }
  if (capability != CurrentCapability()) {
    return Refuse(kNotSupportedArchMismatch, "the plan is of another device");
  }
  Reader reader(std::move(numbers));
  auto problem = std::make_shared<Problem>();
  Visit(reader, *configuration, *problem);
  configuration->problem = std::move(problem);
  return kSuccess;
}

}  // namespace accel::cuda_double::dnn
