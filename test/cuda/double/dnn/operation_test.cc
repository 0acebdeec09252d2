// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors, convolutions and operations that contradict themselves.
#include <gtest/gtest.h>

#include <functional>

#include "test/cuda/double/dnn/convolution_case.h"

namespace accel::cuda_double::dnn {
namespace {

struct TensorFields {
  int type = kFloat;
  std::vector<int64_t> dims = {2, 8, 4, 4};
  std::vector<int64_t> strides = {128, 16, 4, 1};
  int64_t alignment = 16;
};

Status StatusOf(const TensorFields& fields,
                const std::function<void(Object&)>& change = {}) {
  Object tensor(kTensorDescriptor);
  tensor.SetInt64(kTensorUniqueId, {1});
  tensor.Set(kTensorDataType, kTypeDataType, fields.type);
  tensor.SetInt64(kTensorByteAlignment, {fields.alignment});
  tensor.SetInt64(kTensorDimensions, fields.dims);
  tensor.SetInt64(kTensorStrides, fields.strides);
  if (change) {
    change(tensor);
  }
  return tensor.Finalize();
}

TEST(TensorTest, HasPositiveDimensionsAndStrides) {
  EXPECT_EQ(StatusOf({}), kSuccess);
  EXPECT_EQ(StatusOf({.dims = {2, 0, 4, 4}}), kBadParam);
  EXPECT_EQ(StatusOf({.strides = {128, 16, 0, 1}}), kBadParam);
  EXPECT_EQ(StatusOf({.strides = {128, -16, 4, 1}}), kBadParam);
  EXPECT_EQ(StatusOf({.strides = {128, 16, 4}}), kBadParam);
}

TEST(TensorTest, IsAlignedToItsElements) {
  EXPECT_EQ(StatusOf({.alignment = 4}), kSuccess);
  EXPECT_EQ(StatusOf({.alignment = 2}), kBadParam);
  EXPECT_EQ(StatusOf({.type = kHalf, .alignment = 2}), kSuccess);
  EXPECT_EQ(StatusOf({.alignment = 0}), kBadParam);
}

TEST(TensorTest, IsOfATypeAndAFormThatTheDoubleHas) {
  EXPECT_EQ(StatusOf({.type = kDouble, .alignment = 8}), kNotSupportedDataType);
  EXPECT_EQ(
      StatusOf(
          {}, [](Object& tensor) { tensor.SetInt64(kTensorVectorCount, {4}); }),
      kNotSupportedLayout);
  EXPECT_EQ(
      StatusOf(
          {}, [](Object& tensor) { tensor.SetInt64(kTensorVectorCount, {1}); }),
      kSuccess);
  EXPECT_EQ(StatusOf({},
                     [](Object& tensor) {
                       tensor.Set(kTensorReorderingMode, kTypeReorderingMode,
                                  1);
                     }),
            kNotSupportedLayout);
  EXPECT_EQ(
      StatusOf({},
               [](Object& tensor) { tensor.SetBool(kTensorIsByValue, true); }),
      kNotSupportedShape)
      << "a value is one element";
}

Status ConvolutionStatus(const std::function<void(Object&)>& change) {
  Object convolution(kConvolutionDescriptor);
  convolution.Set(kConvCompType, kTypeDataType, kFloat);
  convolution.Set(kConvMode, kTypeConvolutionMode, kCrossCorrelation);
  convolution.SetInt64(kConvSpatialDims, {2});
  convolution.SetInt64(kConvDilations, {1, 1});
  convolution.SetInt64(kConvFilterStrides, {1, 1});
  convolution.SetInt64(kConvPrePaddings, {0, 0});
  convolution.SetInt64(kConvPostPaddings, {0, 0});
  change(convolution);
  return convolution.Finalize();
}

TEST(ConvolutionDescriptorTest, HasAsManyNumbersAsSpatialDimensions) {
  EXPECT_EQ(ConvolutionStatus([](Object&) {}), kSuccess);
  for (int name : {kConvDilations, kConvFilterStrides, kConvPrePaddings,
                   kConvPostPaddings}) {
    EXPECT_EQ(ConvolutionStatus([&](Object& convolution) {
                convolution.SetInt64(name, {1, 1, 1});
              }),
              kBadParam);
    EXPECT_EQ(ConvolutionStatus([&](Object& convolution) {
                convolution.SetInt64(name, {1, -1});
              }),
              kBadParam);
  }
  for (int name : {kConvDilations, kConvFilterStrides}) {
    EXPECT_EQ(ConvolutionStatus([&](Object& convolution) {
                convolution.SetInt64(name, {1, 0});
              }),
              kBadParam);
  }
}

struct Shapes {
  Shape x, w, y;
};

Status OperationStatus(const Case& test,
                       const std::function<void(Shapes&)>& change) {
  Shapes shapes{test.x(), test.w(), test.y()};
  change(shapes);
  auto convolution = MakeConvolution(test);
  auto x = MakeTensor(kX, shapes.x);
  auto w = MakeTensor(kW, shapes.w);
  auto y = MakeTensor(kY, shapes.y);
  return MakeOperation(test, *convolution, *x, *w, *y)->Finalize();
}

TEST(OperationTest, ShapesAreThoseOfAConvolution) {
  for (Way way : {Way::kForward, Way::kData, Way::kFilter}) {
    const Case test{.way = way};
    EXPECT_EQ(OperationStatus(test, [](Shapes&) {}), kSuccess);
    EXPECT_EQ(OperationStatus(test, [](Shapes& s) { s.y.dims[2] += 1; }),
              kBadParamShapeMismatch);
    EXPECT_EQ(OperationStatus(test, [](Shapes& s) { s.y.dims[0] = 1; }),
              kBadParamShapeMismatch);
    EXPECT_EQ(OperationStatus(test, [](Shapes& s) { s.y.dims[1] = 4; }),
              kBadParamShapeMismatch);
    EXPECT_EQ(OperationStatus(test, [](Shapes& s) { s.x.dims[1] = 12; }),
              kBadParamShapeMismatch)
        << "of 8 channels each group";
    EXPECT_EQ(OperationStatus(test, [](Shapes& s) { s.x.dims[1] = 24; }),
              kBadParamShapeMismatch)
        << "8 filters of 3 groups";
    EXPECT_EQ(OperationStatus(test, [](Shapes& s) { s.w.dims[2] = 20; }),
              kBadParamShapeMismatch)
        << "the filter is larger than the padded image";
  }
}

TEST(OperationTest, TensorsHaveTwoDimensionsMore) {
  const Case test;
  const auto grow = [](Shape& shape) {
    shape.dims.push_back(1);
    shape.strides.push_back(1);
  };
  EXPECT_EQ(OperationStatus(test,
                            [&](Shapes& s) {
                              for (Shape* shape : {&s.x, &s.w, &s.y}) {
                                grow(*shape);
                                grow(*shape);
                              }
                            }),
            kBadParam);
  EXPECT_EQ(OperationStatus(test,
                            [&](Shapes& s) {
                              grow(s.x);
                              grow(s.w);
                              grow(s.y);
                            }),
            kNotSupportedShape)
      << "cuDNN has a form with a dimension for groups, the double has not";
}

Status PointwiseStatus(const std::function<void(Object&)>& change) {
  Object pointwise(kPointwiseDescriptor);
  pointwise.Set(kPointwiseMode, kTypePointwiseMode, kPointwiseAdd);
  pointwise.Set(kPointwiseMathPrec, kTypeDataType, kFloat);
  pointwise.Finalize();
  const Shape shape = Case{}.y();
  auto x = MakeTensor(11, shape);
  auto y = MakeTensor(12, shape);
  Object operation(kOperationPointwiseDescriptor);
  operation.SetObject(kPwDescriptor, pointwise);
  operation.SetObject(kPwX, *x);
  operation.SetObject(kPwY, *y);
  change(operation);
  return operation.Finalize();
}

TEST(OperationTest, APointwiseOperationHasItsOperands) {
  EXPECT_EQ(PointwiseStatus([](Object&) {}), kBadParam) << "of two inputs";
  for (const auto& [dims, status] :
       std::vector<std::pair<std::vector<int64_t>, Status>>{
           {{1, 8, 1, 1}, kSuccess},
           {{1, 1, 1, 1}, kSuccess},
           {{2, 8, 7, 6}, kSuccess},
           {{1, 4, 1, 1}, kBadParamShapeMismatch},
           {{8, 1, 1}, kBadParamShapeMismatch}}) {
    auto b = MakeTensor(
        13, Shape{kFloat, dims, std::vector<int64_t>(dims.size(), 1)});
    EXPECT_EQ(PointwiseStatus(
                  [&](Object& operation) { operation.SetObject(kPwB, *b); }),
              status);
  }
  Object other(kPointwiseDescriptor);
  other.Set(kPointwiseMode, kTypePointwiseMode, 4);
  other.Set(kPointwiseMathPrec, kTypeDataType, kFloat);
  EXPECT_EQ(other.Finalize(), kNotSupported) << "a square root";
}

}  // namespace
}  // namespace accel::cuda_double::dnn
