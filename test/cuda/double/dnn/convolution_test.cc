// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every engine gives the convolution and its gradients, within what its notes
// allow, and a plan that is not supported is no result.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "test/cuda/double/dnn/convolution_case.h"

namespace accel::cuda_double::dnn {
namespace {

std::vector<Case> Shapes() {
  return {
      {.name = "Padded"},
      {.name = "Strided", .image = {8, 9}, .strides = {2, 3}},
      {.name = "Dilated",
       .image = {9, 8},
       .dilations = {2, 1},
       .pre = {2, 0},
       .post = {2, 0}},
      {.name = "OneTap", .taps = {1, 1}, .pre = {0, 0}, .post = {0, 0}},
      {.name = "WithHoles",
       .image = {8, 8},
       .taps = {2, 2},
       .strides = {3, 3},
       .pre = {0, 0},
       .post = {0, 0}},
      {.name = "Groups", .groups = 3, .channels = 4, .filters = 8},
      {.name = "Depthwise", .groups = 12, .channels = 1, .filters = 1},
      {.name = "OddChannels", .channels = 3, .filters = 37},
      {.name = "Line",
       .image = {1, 17},
       .taps = {1, 5},
       .strides = {1, 2},
       .pre = {0, 2},
       .post = {0, 2}},
      {.name = "Space",
       .batches = 1,
       .channels = 4,
       .filters = 8,
       .image = {4, 5, 3},
       .taps = {3, 2, 3},
       .strides = {1, 2, 1},
       .dilations = {1, 1, 1},
       .pre = {1, 0, 1},
       .post = {1, 0, 1}},
      {.name = "MorePaddingBehind", .pre = {0, 1}, .post = {2, 1}},
      {.name = "TurnedAround", .taps = {3, 2}, .mode = kConvolutionMode},
      {.name = "Scaled", .alpha = 0.5},
      {.name = "Added", .alpha = 2, .beta = -1.5},
  };
}

// In all directions, types and layouts.
std::vector<Case> VariantsOf(const Case& shape) {
  std::vector<Case> cases;
  for (Way way : {Way::kForward, Way::kData, Way::kFilter}) {
    for (int type : {kFloat, kHalf, kBfloat16}) {
      for (bool channels_last : {false, true}) {
        cases.push_back(shape);
        cases.back().way = way;
        cases.back().type = type;
        cases.back().channels_last = channels_last;
      }
    }
  }
  return cases;
}

std::string TextOf(const Case& test) {
  constexpr const char* kWays[] = {"forward", "data", "filter"};
  return std::string(test.name) + ", " + kWays[int(test.way)] + ", type " +
         std::to_string(test.type) + (test.channels_last ? ", NHWC" : ", NCHW");
}

// The numbers are exact in every type, and so are their products in f32.
double Bound(const Case& test, const Object& configuration, double value,
             double magnitude) {
  const bool short_sums =
      HasNote(configuration, kNoteReducedPrecisionReduction);
  // One in the last place more.
  const double ulps = HasNote(configuration, kNoteNondeterministic) ? 3.1 : 1.1;
  return magnitude * (short_sums ? 0.01 : 1e-6) +
         std::fabs(value) * ulps * RoundoffOf(test.type) + 1e-6;
}

// Returns how many plans there were.
int CompareAll(const Case& test) {
  const Numbers numbers(test);
  const Expected expected = Reference(test, numbers);
  const Graph graph(test);
  CaseRun run(test, numbers);
  int plans = 0;
  for (const auto& configuration : graph.Find()) {
    SCOPED_TRACE(TextOf(test) + ", engine " +
                 std::to_string(EngineOf(*configuration)));
    Status status = kSuccess;
    const auto plan = MakePlan(*configuration, &status);
    if (plan == nullptr) {
      EXPECT_EQ(status, kNotSupportedShape);
      continue;
    }
    ++plans;
    const std::vector<double> values = run.Values(*plan);
    for (size_t i = 0; i < values.size(); ++i) {
      const double bound = Bound(test, *configuration, expected.values[i],
                                 expected.magnitudes[i]);
      if (!(std::fabs(values[i] - expected.values[i]) <= bound)) {
        ADD_FAILURE() << "element " << i << ": " << values[i] << " and "
                      << expected.values[i];
        break;
      }
    }
  }
  return plans;
}

class ConvolutionTest : public testing::TestWithParam<Case> {};

TEST_P(ConvolutionTest, EachEngineGivesTheLoops) {
  for (const Case& test : VariantsOf(GetParam())) {
    EXPECT_GT(CompareAll(test), 0) << TextOf(test);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConvolutionTest, testing::ValuesIn(Shapes()),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

TEST(ConvolutionCoverage, EveryEngineHasACase) {
  std::set<int64_t> engines;
  for (const Case& test : VariantsOf(Case{})) {
    const Graph graph(test);
    for (const auto& configuration : graph.Find()) {
      engines.insert(EngineOf(*configuration));
    }
  }
  const Graph graph(Case{});
  EXPECT_EQ(int64_t(engines.size()),
            graph.graph().GetInt64(kGraphEngineGlobalCount));
}

// Tensors with gaps, which belong to others.
TEST(ConvolutionLayout, StridesMayBeAnything) {
  Case test;
  const Numbers packed(test);
  Numbers spread(test);
  for (HostTensor* tensor : {&spread.x, &spread.w, &spread.y}) {
    Shape shape = tensor->shape();
    int64_t stride = 1;
    for (size_t d : {2, 0, 3, 1}) {  // no order that has a name
      shape.strides[d] = stride;
      stride *= shape.dims[d] + 1;
    }
    HostTensor other(shape);
    ForEach(shape.dims, [&](const std::vector<int64_t>& index) {
      other.at(index) = tensor->at(index);
    });
    *tensor = other;
  }
  auto convolution = MakeConvolution(test);
  auto x = MakeTensor(kX, spread.x.shape());
  auto w = MakeTensor(kW, spread.w.shape());
  auto y = MakeTensor(kY, spread.y.shape());
  auto operation = MakeOperation(test, *convolution, *x, *w, *y);
  ASSERT_EQ(operation->Finalize(), kSuccess);
  auto graph = MakeGraph({operation.get()});
  ASSERT_EQ(graph->Finalize(), kSuccess);
  Object heuristic(kEngineHeurDescriptor);
  heuristic.SetObject(kHeurOperationGraph, *graph);
  heuristic.Set(kHeurMode, kTypeHeurMode, kHeurA);
  ASSERT_EQ(heuristic.Finalize(), kSuccess);
  const Objects found =
      heuristic.GetObjects(kHeurResults, kEngineCfgDescriptor);
  ASSERT_EQ(found.size(), 1u) << "the others want packed tensors";
  Status status = kSuccess;
  const auto plan = MakePlan(*found[0], &status);
  ASSERT_NE(plan, nullptr);
  CaseRun run(test, spread);
  const std::vector<double> values = run.Values(*plan);
  const Expected expected = Reference(test, packed);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], expected.values[i], 1e-4);
  }
  // Zeros before, and zeros after.
  const Bytes bytes = run.buffer(kY).Download();
  HostTensor again(spread.y.shape());
  again.FromBytes(bytes);
  EXPECT_EQ(again.ToBytes(), bytes) << "a gap was written";
}

}  // namespace
}  // namespace accel::cuda_double::dnn
