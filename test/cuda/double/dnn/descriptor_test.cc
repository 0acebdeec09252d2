// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of descriptors and attributes that are the same for every kind.
#include <gtest/gtest.h>

#include "test/cuda/double/dnn/convolution_case.h"

namespace accel::cuda_double::dnn {
namespace {

constexpr int kMatmulDescriptor = 18;

// Set as CUDNN wants a tensor, but for one attribute.
std::unique_ptr<Object> TensorWithout(int name) {
  auto tensor = std::make_unique<Object>(kTensorDescriptor);
  const auto set = [&](int attribute, std::vector<int64_t> values) {
    if (attribute != name) {
      EXPECT_EQ(tensor->SetInt64(attribute, values), kSuccess);
    }
  };
  set(kTensorUniqueId, {1});
  set(kTensorByteAlignment, {16});
  set(kTensorDimensions, {2, 8, 4, 4});
  set(kTensorStrides, {128, 16, 4, 1});
  if (name != kTensorDataType) {
    EXPECT_EQ(tensor->Set(kTensorDataType, kTypeDataType, kFloat), kSuccess);
  }
  return tensor;
}

TEST(DescriptorTest, IsOfAKindThatThereIs) {
  BackendDescriptor descriptor = nullptr;
  EXPECT_EQ(Dnn().cudnnBackendCreateDescriptor(kMatmulDescriptor, &descriptor),
            kNotSupported);
  EXPECT_EQ(Dnn().cudnnBackendCreateDescriptor(1000, &descriptor),
            kNotSupported);
  EXPECT_EQ(Dnn().cudnnBackendCreateDescriptor(kTensorDescriptor, nullptr),
            kBadParamNullPointer);
}

TEST(DescriptorTest, IsSetBeforeAndAskedAfterItIsFinalized) {
  auto tensor = TensorWithout(-1);
  int64_t value = 0, count = 0;
  EXPECT_EQ(Dnn().cudnnBackendGetAttribute(tensor->get(), kTensorUniqueId,
                                           kTypeInt64, 1, &count, &value),
            kNotInitialized);
  EXPECT_EQ(tensor->Finalize(), kSuccess);
  EXPECT_EQ(tensor->SetInt64(kTensorUniqueId, {2}), kNotInitialized);
  EXPECT_EQ(Dnn().cudnnBackendGetAttribute(tensor->get(), kTensorUniqueId,
                                           kTypeInt64, 1, &count, &value),
            kSuccess);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(tensor->Finalize(), kBadParam) << "it is already";
}

TEST(DescriptorTest, LaterValuesReplaceEarlierOnes) {
  auto tensor = TensorWithout(-1);
  EXPECT_EQ(tensor->SetInt64(kTensorUniqueId, {7}), kSuccess);
  EXPECT_EQ(tensor->Finalize(), kSuccess);
  EXPECT_EQ(tensor->GetInt64(kTensorUniqueId), 7);
}

TEST(DescriptorTest, EveryRequiredAttributeIsRequired) {
  for (int name : {kTensorUniqueId, kTensorByteAlignment, kTensorDimensions,
                   kTensorStrides, kTensorDataType}) {
    auto tensor = TensorWithout(name);
    EXPECT_EQ(tensor->Finalize(), kBadParam) << name;
    EXPECT_NE(LastError().find("is required and not set"), std::string::npos);
  }
  for (int kind :
       {kPointwiseDescriptor, kConvolutionDescriptor, kEngineDescriptor,
        kEngineCfgDescriptor, kEngineHeurDescriptor, kExecutionPlanDescriptor,
        kKnobChoiceDescriptor, kOperationForwardDescriptor,
        kOperationBackwardFilterDescriptor, kOperationBackwardDataDescriptor,
        kOperationPointwiseDescriptor, kOperationGraphDescriptor,
        kVariantPackDescriptor}) {
    EXPECT_EQ(Object(kind).Finalize(), kBadParam) << kind;
  }
  EXPECT_EQ(Object(kKnobInfoDescriptor).Finalize(), kNotSupported)
      << "it only comes from an engine";
}

TEST(DescriptorTest, AnAttributeHasOneTypeAndCount) {
  Object tensor(kTensorDescriptor);
  EXPECT_EQ(tensor.SetInt64(kConvSpatialDims, {2}), kBadParam);
  EXPECT_EQ(tensor.SetInt64(kTensorDataType, {0}), kBadParamAttributeType);
  EXPECT_EQ(tensor.Set(kTensorUniqueId, 23, 5), kBadParamAttributeType);
  EXPECT_EQ(tensor.SetInt64(kTensorUniqueId, {1, 2}), kBadParam);
  EXPECT_EQ(tensor.SetInt64(kTensorUniqueId, {}), kBadParam);
  EXPECT_EQ(tensor.SetInt64(kTensorDimensions, std::vector<int64_t>(9, 1)),
            kBadParam);
  EXPECT_EQ(tensor.Set(kTensorDataType, kTypeDataType, 24), kBadParam);
  EXPECT_EQ(tensor.Set(kTensorDataType, kTypeDataType, -1), kBadParam);
  EXPECT_EQ(Dnn().cudnnBackendSetAttribute(tensor.get(), kTensorUniqueId,
                                           kTypeInt64, 1, nullptr),
            kBadParamNullPointer);
  Object convolution(kConvolutionDescriptor);
  EXPECT_EQ(convolution.Set(kConvMode, kTypeConvolutionMode, 2), kBadParam);
  // A factor may be a float or a double.
  Object operation(kOperationForwardDescriptor);
  EXPECT_EQ(operation.Set(kForwardAlpha, kTypeFloat, std::vector<float>{1}),
            kSuccess);
  EXPECT_EQ(operation.SetReal(kForwardAlpha, 1), kSuccess);
  EXPECT_EQ(operation.SetInt64(kForwardAlpha, {1}), kBadParamAttributeType);
}

TEST(DescriptorTest, WhatIsReadOnlyIsNotSet) {
  EXPECT_EQ(
      Object(kOperationGraphDescriptor).SetInt64(kGraphEngineGlobalCount, {3}),
      kBadParam);
  EXPECT_EQ(Object(kExecutionPlanDescriptor).SetInt64(kPlanWorkspaceSize, {0}),
            kBadParam);
  EXPECT_EQ(Object(kEngineDescriptor)
                .Set(kEngineNumericalNote, kTypeNumericalNote, 0),
            kBadParam);
  EXPECT_EQ(Object(kKnobInfoDescriptor).SetInt64(kKnobInfoMaximum, {3}),
            kBadParam);
}

TEST(DescriptorTest, WhatItRefersToIsFinalAndOfTheRightKind) {
  const Case test;
  auto convolution = MakeConvolution(test);
  auto x = MakeTensor(kX, test.x());
  auto w = MakeTensor(kW, test.w());
  auto y = MakeTensor(kY, test.y());
  auto operation = MakeOperation(test, *convolution, *x, *w, *y);
  EXPECT_EQ(operation->SetObject(kForwardX, *convolution),
            kBadParamDescriptorType);
  EXPECT_EQ(operation->SetObject(kForwardConvDesc, *x),
            kBadParamDescriptorType);
  auto open = TensorWithout(-1);
  EXPECT_EQ(operation->SetObject(kForwardX, *open), kSuccess);
  EXPECT_EQ(operation->Finalize(), kBadParamNotFinalized);
  EXPECT_EQ(operation->SetObject(kForwardX, *x), kSuccess);
  w->Destroy();
  EXPECT_EQ(operation->Finalize(), kBadParam);
  EXPECT_NE(LastError().find("TENSOR_DESCRIPTOR that was destroyed"),
            std::string::npos);
}

TEST(DescriptorTest, AGraphNeedsTheTensorsOfItsOperations) {
  const Case test;
  auto convolution = MakeConvolution(test);
  auto x = MakeTensor(kX, test.x());
  auto w = MakeTensor(kW, test.w());
  auto y = MakeTensor(kY, test.y());
  auto operation = MakeOperation(test, *convolution, *x, *w, *y);
  ASSERT_EQ(operation->Finalize(), kSuccess);
  auto graph = MakeGraph({operation.get()});
  x->Destroy();
  EXPECT_EQ(graph->Finalize(), kBadParam);
}

TEST(DescriptorTest, AQuestionSaysHowManyElementsThereAre) {
  auto tensor = TensorWithout(-1);
  ASSERT_EQ(tensor->Finalize(), kSuccess);
  std::vector<int64_t> values(4, -1);
  int64_t count = 0;
  const auto get = [&](int name, int type, int64_t requested, void* at) {
    return Dnn().cudnnBackendGetAttribute(tensor->get(), name, type, requested,
                                          &count, at);
  };
  EXPECT_EQ(get(kTensorDimensions, kTypeInt64, 2, values.data()), kSuccess);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(values, (std::vector<int64_t>{2, 8, -1, -1}));
  EXPECT_EQ(get(kTensorDimensions, kTypeInt64, 1, nullptr),
            kBadParamNullPointer);
  EXPECT_EQ(get(kTensorDimensions, kTypeDouble, 4, values.data()),
            kBadParamAttributeType);
  EXPECT_EQ(get(kPlanWorkspaceSize, kTypeInt64, 1, values.data()), kBadParam);
  EXPECT_EQ(tensor->Get<char>(kTensorIsVirtual, kTypeBoolean),
            std::vector<char>{0})
      << "the documented default";
  EXPECT_EQ(get(kTensorVectorCount, kTypeInt64, 1, values.data()), kSuccess);
  EXPECT_EQ(count, 0) << "nobody set it";
}

TEST(DescriptorTest, IsGoneWhenItIsDestroyed) {
  BackendDescriptor descriptor = nullptr;
  ASSERT_EQ(Dnn().cudnnBackendCreateDescriptor(kTensorDescriptor, &descriptor),
            kSuccess);
  EXPECT_EQ(Dnn().cudnnBackendDestroyDescriptor(descriptor), kSuccess);
  EXPECT_EQ(Dnn().cudnnBackendDestroyDescriptor(descriptor), kBadParam);
  EXPECT_EQ(Dnn().cudnnBackendFinalize(descriptor), kBadParam);
  EXPECT_EQ(Dnn().cudnnBackendFinalize(nullptr), kBadParamNullPointer);
}

TEST(DescriptorTest, InitializingMakesItNew) {
  auto tensor = TensorWithout(-1);
  ASSERT_EQ(tensor->Finalize(), kSuccess);
  EXPECT_EQ(Dnn().cudnnBackendInitialize(tensor->get()), kSuccess);
  EXPECT_EQ(tensor->SetInt64(kTensorUniqueId, {2}), kSuccess);
  EXPECT_EQ(tensor->Finalize(), kBadParam) << "the other attributes are gone";
}

}  // namespace
}  // namespace accel::cuda_double::dnn
