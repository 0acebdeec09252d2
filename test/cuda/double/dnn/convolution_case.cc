// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/dnn/convolution_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace accel::cuda_double::dnn {
namespace {

std::vector<int64_t> Joined(std::vector<int64_t> front,
                            const std::vector<int64_t>& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

void Ok(Status status) { ASSERT_EQ(status, kSuccess) << LastError(); }

}  // namespace

std::vector<int64_t> Case::response() const {
  std::vector<int64_t> extents;
  for (size_t d = 0; d < image.size(); ++d) {
    const int64_t reach = dilations[d] * (taps[d] - 1) + 1;
    extents.push_back((image[d] + pre[d] + post[d] - reach) / strides[d] + 1);
  }
  return extents;
}

Shape Case::x() const {
  return PackedShape(type, Joined({batches, groups * channels}, image),
                     channels_last);
}
Shape Case::w() const {
  return PackedShape(type, Joined({groups * filters, channels}, taps),
                     channels_last);
}
Shape Case::y() const {
  return PackedShape(type, Joined({batches, groups * filters}, response()),
                     channels_last);
}

Numbers::Numbers(const Case& test, bool all_bits)
    : x(test.x()), w(test.w()), y(test.y()) {
  unsigned seed = 1;
  for (HostTensor* tensor : {&x, &w, &y}) {
    all_bits ? tensor->SetRandomFloats(seed++) : tensor->SetRandom(seed++);
  }
}

const HostTensor& Numbers::result(Way way) const {
  return way == Way::kForward ? y : way == Way::kData ? x : w;
}

Expected Reference(const Case& test, const Numbers& numbers) {
  HostTensor sums(numbers.result(test.way).shape());
  HostTensor magnitudes(sums.shape());
  const std::vector<int64_t> space =
      Joined({test.batches, test.groups, test.filters, test.channels},
             Joined(test.response(), test.taps));
  const size_t d_count = test.image.size();
  ForEach(space, [&](const std::vector<int64_t>& at) {
    std::vector<int64_t> x = {at[0], at[1] * test.channels + at[3]};
    std::vector<int64_t> w = {at[1] * test.filters + at[2], at[3]};
    std::vector<int64_t> y = {at[0], w[0]};
    for (size_t d = 0; d < d_count; ++d) {
      const int64_t q = at[4 + d];
      const int64_t tap = at[4 + d_count + d];
      const int64_t place =
          q * test.strides[d] - test.pre[d] + tap * test.dilations[d];
      if (place < 0 || place >= test.image[d]) {
        return;
      }
      x.push_back(place);
      w.push_back(test.mode == kCrossCorrelation ? tap
                                                 : test.taps[d] - 1 - tap);
      y.push_back(q);
    }
    const double a = test.way == Way::kData ? numbers.y.at(y) : numbers.x.at(x);
    const double b =
        test.way == Way::kFilter ? numbers.y.at(y) : numbers.w.at(w);
    const auto& to = test.way == Way::kForward ? y
                     : test.way == Way::kData  ? x
                                               : w;
    sums.at(to) += a * b;
    magnitudes.at(to) += std::fabs(a * b);
  });
  Expected expected{sums.values(), magnitudes.values()};
  const std::vector<double>& old = numbers.result(test.way).values();
  for (size_t i = 0; i < old.size(); ++i) {
    expected.values[i] = test.alpha * sums.values()[i] + test.beta * old[i];
    expected.magnitudes[i] = std::fabs(test.alpha) * magnitudes.values()[i] +
                             std::fabs(test.beta * old[i]);
  }
  return expected;
}

std::unique_ptr<Object> MakeTensor(int64_t uid, const Shape& shape,
                                   const TensorOptions& options) {
  auto tensor = std::make_unique<Object>(kTensorDescriptor);
  Ok(tensor->SetInt64(kTensorUniqueId, {uid}));
  Ok(tensor->Set(kTensorDataType, kTypeDataType, shape.type));
  Ok(tensor->SetInt64(kTensorByteAlignment, {options.alignment}));
  Ok(tensor->SetInt64(kTensorDimensions, shape.dims));
  Ok(tensor->SetInt64(kTensorStrides, shape.strides));
  Ok(tensor->SetBool(kTensorIsVirtual, options.is_virtual));
  Ok(tensor->SetBool(kTensorIsByValue, options.is_by_value));
  Ok(tensor->Finalize());
  return tensor;
}

std::unique_ptr<Object> MakeConvolution(const Case& test) {
  auto convolution = std::make_unique<Object>(kConvolutionDescriptor);
  Ok(convolution->Set(kConvCompType, kTypeDataType, kFloat));
  Ok(convolution->Set(kConvMode, kTypeConvolutionMode, test.mode));
  Ok(convolution->SetInt64(kConvSpatialDims, {int64_t(test.image.size())}));
  Ok(convolution->SetInt64(kConvDilations, test.dilations));
  Ok(convolution->SetInt64(kConvFilterStrides, test.strides));
  Ok(convolution->SetInt64(kConvPrePaddings, test.pre));
  Ok(convolution->SetInt64(kConvPostPaddings, test.post));
  Ok(convolution->Finalize());
  return convolution;
}

std::unique_ptr<Object> MakeOperation(const Case& test,
                                      const Object& convolution,
                                      const Object& x, const Object& w,
                                      const Object& y) {
  constexpr int kKinds[] = {kOperationForwardDescriptor,
                            kOperationBackwardDataDescriptor,
                            kOperationBackwardFilterDescriptor};
  // alpha, beta, convolution, x, w, y
  constexpr int kNames[][6] = {
      {kForwardAlpha, kForwardBeta, kForwardConvDesc, kForwardX, kForwardW,
       kForwardY},
      {kBwdDataAlpha, kBwdDataBeta, kBwdDataConvDesc, kBwdDataDx, kBwdDataW,
       kBwdDataDy},
      {kBwdFilterAlpha, kBwdFilterBeta, kBwdFilterConvDesc, kBwdFilterX,
       kBwdFilterDw, kBwdFilterDy}};
  const int way = static_cast<int>(test.way);
  const int* names = kNames[way];
  auto operation = std::make_unique<Object>(kKinds[way]);
  Ok(operation->SetReal(names[0], test.alpha));
  Ok(operation->SetReal(names[1], test.beta));
  Ok(operation->SetObject(names[2], convolution));
  Ok(operation->SetObject(names[3], x));
  Ok(operation->SetObject(names[4], w));
  Ok(operation->SetObject(names[5], y));
  return operation;
}

std::unique_ptr<Object> MakeGraph(
    const std::vector<const Object*>& operations) {
  auto graph = std::make_unique<Object>(kOperationGraphDescriptor);
  Ok(graph->SetHandle(kGraphHandle, TheDoubles().handle));
  Ok(graph->SetObjects(kGraphOps, operations));
  return graph;
}

Graph::Graph(const Case& test)
    : x_(MakeTensor(kX, test.x(), {.alignment = test.alignment})),
      w_(MakeTensor(kW, test.w(), {.alignment = test.alignment})),
      y_(MakeTensor(kY, test.y(), {.alignment = test.alignment})),
      convolution_(MakeConvolution(test)),
      operation_(MakeOperation(test, *convolution_, *x_, *w_, *y_)) {
  Ok(operation_->Finalize());
  graph_ = MakeGraph({operation_.get()});
  Ok(graph_->Finalize());
}

Objects Graph::Find(int mode) const {
  Object heuristic(kEngineHeurDescriptor);
  Ok(heuristic.SetObject(kHeurOperationGraph, *graph_));
  Ok(heuristic.Set(kHeurMode, kTypeHeurMode, mode));
  Ok(heuristic.Finalize());
  return heuristic.GetObjects(kHeurResults, kEngineCfgDescriptor);
}

std::unique_ptr<Object> Graph::Configure(int64_t index, Status* status) {
  engines_.push_back(std::make_unique<Object>(kEngineDescriptor));
  Object& engine = *engines_.back();
  Ok(engine.SetObject(kEngineOperationGraph, *graph_));
  Ok(engine.SetInt64(kEngineGlobalIndex, {index}));
  *status = engine.Finalize();
  if (*status != kSuccess) {
    return nullptr;
  }
  auto configuration = std::make_unique<Object>(kEngineCfgDescriptor);
  Ok(configuration->SetObject(kCfgEngine, engine));
  Ok(configuration->Finalize());
  return configuration;
}

std::unique_ptr<Object> MakePlan(const Object& configuration, Status* status) {
  auto plan = std::make_unique<Object>(kExecutionPlanDescriptor);
  Ok(plan->SetHandle(kPlanHandle, TheDoubles().handle));
  Ok(plan->SetObject(kPlanEngineConfig, configuration));
  *status = plan->Finalize();
  return *status == kSuccess ? std::move(plan) : nullptr;
}

int64_t EngineOf(const Object& configuration) {
  return configuration.GetObjects(kCfgEngine, kEngineDescriptor)
      .at(0)
      ->GetInt64(kEngineGlobalIndex);
}

std::vector<int> NotesOf(const Object& configuration) {
  return configuration.GetObjects(kCfgEngine, kEngineDescriptor)
      .at(0)
      ->Get<int>(kEngineNumericalNote, kTypeNumericalNote);
}

bool HasNote(const Object& configuration, int note) {
  const std::vector<int> notes = NotesOf(configuration);
  return std::find(notes.begin(), notes.end(), note) != notes.end();
}

Status Pack(Object& pack, const std::vector<int64_t>& uids,
            const std::vector<void*>& pointers, void* workspace) {
  Ok(pack.SetInt64(kPackUniqueIds, uids));
  Ok(pack.Set(kPackDataPointers, kTypeVoidPtr, pointers));
  Ok(pack.Set(kPackWorkspace, kTypeVoidPtr, std::vector<void*>{workspace}));
  return pack.Finalize();
}

CaseRun::CaseRun(const Case& test, const Numbers& numbers)
    : result_(numbers.result(test.way)),
      before_(result_.ToBytes()),
      output_(test.way == Way::kForward ? kY
              : test.way == Way::kData  ? kX
                                        : kW) {
  const HostTensor* tensors[] = {&numbers.x, &numbers.w, &numbers.y};
  for (int i = 0; i < 3; ++i) {
    buffers_[i] = std::make_unique<DeviceBuffer>(tensors[i]->ToBytes());
  }
}

Bytes CaseRun::Execute(const Object& plan) {
  buffer(output_).Upload(before_);
  const auto bytes = size_t(plan.GetInt64(kPlanWorkspaceSize));
  DeviceBuffer workspace(std::max<size_t>(bytes, 16));
  Object pack(kVariantPackDescriptor);
  Ok(Pack(pack, {kX, kW, kY}, {pointer(kX), pointer(kW), pointer(kY)},
          workspace.at()));
  Ok(Dnn().cudnnBackendExecute(TheDoubles().handle, plan.get(), pack.get()));
  Finish();
  return buffer(output_).Download();
}

std::vector<double> CaseRun::Values(const Object& plan) {
  result_.FromBytes(Execute(plan));
  return result_.values();
}

}  // namespace accel::cuda_double::dnn
