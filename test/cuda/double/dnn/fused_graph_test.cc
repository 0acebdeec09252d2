// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: which operations form one, what is virtual between them, and what a
// bias, a ReLU and a residual behind a convolution give.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "test/cuda/double/dnn/convolution_case.h"

namespace accel::cuda_double::dnn {
namespace {

constexpr int64_t kBias = 4, kSum = 5, kScale = 6, kScaled = 7, kOut = 8;

std::unique_ptr<Object> MakePointwise(int mode) {
  auto pointwise = std::make_unique<Object>(kPointwiseDescriptor);
  pointwise->Set(kPointwiseMode, kTypePointwiseMode, mode);
  pointwise->Set(kPointwiseMathPrec, kTypeDataType, kFloat);
  return pointwise;
}

// conv -> + bias -> * scale -> relu, of NHWC.
class FusedGraph : public testing::Test {
 protected:
  FusedGraph() {
    Shape bias = PackedShape(kFloat, {1, 8, 1, 1}, true);
    Shape one = PackedShape(kFloat, {1, 1, 1, 1}, true);
    Shape wide = test_.y();
    convolution_ = MakeConvolution(test_);
    Add(kX, test_.x());
    Add(kW, test_.w());
    Add(kY, wide, {.is_virtual = true});
    Add(kBias, bias);
    Add(kSum, wide, {.is_virtual = true});
    Add(kScale, one, {.alignment = 4, .is_by_value = true});
    Add(kScaled, wide, {.is_virtual = true});
    Add(kOut, wide);
  }

  void Add(int64_t uid, const Shape& shape, const TensorOptions& options = {}) {
    tensors_[uid] = MakeTensor(uid, shape, options);
  }

  std::unique_ptr<Object> Convolve() {
    auto operation = MakeOperation(test_, *convolution_, *tensors_[kX],
                                   *tensors_[kW], *tensors_[kY]);
    EXPECT_EQ(operation->Finalize(), kSuccess) << LastError();
    return operation;
  }

  std::unique_ptr<Object> Step(int mode, int64_t x, int64_t b, int64_t y) {
    pointwise_.push_back(MakePointwise(mode));
    EXPECT_EQ(pointwise_.back()->Finalize(), kSuccess);
    auto operation = std::make_unique<Object>(kOperationPointwiseDescriptor);
    operation->SetObject(kPwDescriptor, *pointwise_.back());
    operation->SetObject(kPwX, *tensors_[x]);
    if (b != 0) {
      operation->SetObject(kPwB, *tensors_[b]);
    }
    operation->SetObject(kPwY, *tensors_[y]);
    EXPECT_EQ(operation->Finalize(), kSuccess) << LastError();
    return operation;
  }

  void MakeAll() {
    operations_.push_back(Convolve());
    operations_.push_back(Step(kPointwiseAdd, kY, kBias, kSum));
    operations_.push_back(Step(kPointwiseMul, kSum, kScale, kScaled));
    operations_.push_back(Step(kPointwiseReluFwd, kScaled, 0, kOut));
  }

  std::unique_ptr<Object> GraphOf() {
    std::vector<const Object*> operations;
    for (const auto& operation : operations_) {
      operations.push_back(operation.get());
    }
    return MakeGraph(operations);
  }

  Objects Find(const Object& graph, int mode) {
    Object heuristic(kEngineHeurDescriptor);
    heuristic.SetObject(kHeurOperationGraph, graph);
    heuristic.Set(kHeurMode, kTypeHeurMode, mode);
    EXPECT_EQ(heuristic.Finalize(), kSuccess);
    return heuristic.GetObjects(kHeurResults, kEngineCfgDescriptor);
  }

  Case test_{.channels_last = true};
  std::unique_ptr<Object> convolution_;
  std::map<int64_t, std::unique_ptr<Object>> tensors_;
  Objects pointwise_, operations_;
};

TEST_F(FusedGraph, GivesWhatItsOperationsGive) {
  MakeAll();
  auto graph = GraphOf();
  ASSERT_EQ(graph->Finalize(), kSuccess) << LastError();
  const Objects found = Find(*graph, kHeurA);
  ASSERT_EQ(found.size(), 1u) << "only the compiled engine fuses";
  EXPECT_TRUE(Find(*graph, kHeurFallback).empty());
  const auto engine = found[0]->GetObjects(kCfgEngine, kEngineDescriptor);
  EXPECT_EQ(engine[0]->Get<int>(kEngineBehaviorNote, kTypeBehaviorNote),
            std::vector<int>{kBehaviorRuntimeCompilation});
  Status status = kSuccess;
  const auto plan = MakePlan(*found[0], &status);
  ASSERT_NE(plan, nullptr);

  const Numbers numbers(test_);
  HostTensor bias(PackedShape(kFloat, {1, 8, 1, 1}, true));
  bias.SetRandom(9);
  DeviceBuffer x(numbers.x.ToBytes()), w(numbers.w.ToBytes());
  DeviceBuffer b(bias.ToBytes()), out(numbers.y.ToBytes());
  float scale = 0.5;
  Object pack(kVariantPackDescriptor);
  ASSERT_EQ(Pack(pack, {kX, kW, kBias, kScale, kOut},
                 {x.at(), w.at(), b.at(), &scale, out.at()}, nullptr),
            kSuccess);
  ASSERT_EQ(
      Dnn().cudnnBackendExecute(TheDoubles().handle, plan->get(), pack.get()),
      kSuccess)
      << LastError();
  scale = 100;  // The caller's again.
  HostTensor result(test_.y());
  result.FromBytes(out.Download());
  const Expected expected = Reference(test_, numbers);
  HostTensor sums(test_.y());
  size_t i = 0;
  ForEach(sums.shape().dims, [&](const std::vector<int64_t>& at) {
    const double sum = expected.values[i++] + bias.at({0, at[1], 0, 0});
    ASSERT_NEAR(result.at(at), std::max(0.0, 0.5 * sum), 1e-4);
  });
}

TEST_F(FusedGraph, WhatIsBetweenIsVirtual) {
  Add(kSum, test_.y());
  MakeAll();
  EXPECT_EQ(GraphOf()->Finalize(), kNotSupportedGraphPattern);
  EXPECT_NE(LastError().find("tensor 5 is between two operations"),
            std::string::npos);
}

TEST_F(FusedGraph, WhatIsOutsideIsNotVirtual) {
  Add(kOut, test_.y(), {.is_virtual = true});
  MakeAll();
  EXPECT_EQ(GraphOf()->Finalize(), kBadParam);
  Add(kOut, test_.y());
  Add(kBias, PackedShape(kFloat, {1, 8, 1, 1}, true), {.is_virtual = true});
  operations_.clear();
  MakeAll();
  EXPECT_EQ(GraphOf()->Finalize(), kBadParam);
}

TEST_F(FusedGraph, OperationsFollowEachOther) {
  MakeAll();
  std::swap(operations_[1], operations_[2]);
  EXPECT_EQ(GraphOf()->Finalize(), kNotSupportedGraphPattern);
  std::swap(operations_[1], operations_[2]);
  std::rotate(operations_.begin(), operations_.begin() + 1, operations_.end());
  EXPECT_EQ(GraphOf()->Finalize(), kNotSupportedGraphPattern)
      << "the convolution is the first";
}

TEST_F(FusedGraph, OnlyAForwardConvolutionIsFollowed) {
  test_.way = Way::kData;
  Add(kX, test_.x(), {.is_virtual = true});
  Add(kY, test_.y());
  operations_.push_back(Convolve());
  Add(kOut, test_.x());
  operations_.push_back(Step(kPointwiseReluFwd, kX, 0, kOut));
  EXPECT_EQ(GraphOf()->Finalize(), kNotSupportedGraphPattern);
}

TEST_F(FusedGraph, UniqueIdsAreUnique) {
  tensors_[kBias] = MakeTensor(kX, PackedShape(kFloat, {1, 8, 1, 1}, true));
  MakeAll();
  EXPECT_EQ(GraphOf()->Finalize(), kBadParamDuplicatedEntries);
}

TEST_F(FusedGraph, HasAHandle) {
  MakeAll();
  auto graph = GraphOf();
  graph->SetHandle(kGraphHandle, nullptr);
  EXPECT_EQ(graph->Finalize(), kBadParam);
  graph->SetHandle(kGraphHandle, TheDoubles().handle);
  EXPECT_EQ(graph->Finalize(), kSuccess) << "a refused one may be mended";
}

// A line is a plane with a dimension of 1, as Line in convolution_test has it.
TEST(GraphTest, HasNoLines) {
  Case test{.image = {17},
            .taps = {3},
            .strides = {1},
            .dilations = {1},
            .pre = {1},
            .post = {1}};
  auto convolution = MakeConvolution(test);
  auto x = MakeTensor(kX, test.x());
  auto w = MakeTensor(kW, test.w());
  auto y = MakeTensor(kY, test.y());
  auto operation = MakeOperation(test, *convolution, *x, *w, *y);
  ASSERT_EQ(operation->Finalize(), kSuccess);
  EXPECT_EQ(MakeGraph({operation.get()})->Finalize(), kNotSupportedShape);
}

TEST(GraphTest, OperandsHaveOneType) {
  const Case test;
  auto convolution = MakeConvolution(test);
  auto x = MakeTensor(kX, test.x());
  Shape half = test.w();
  half.type = kHalf;
  auto w = MakeTensor(kW, half);
  auto y = MakeTensor(kY, test.y());
  auto operation = MakeOperation(test, *convolution, *x, *w, *y);
  ASSERT_EQ(operation->Finalize(), kSuccess);
  EXPECT_EQ(MakeGraph({operation.get()})->Finalize(), kNotSupportedDataType);
}

}  // namespace
}  // namespace accel::cuda_double::dnn
