// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the heuristics name, in which order, and how a caller gets it.
#include <gtest/gtest.h>

#include "test/cuda/double/dnn/convolution_case.h"

namespace accel::cuda_double::dnn {
namespace {

std::vector<int64_t> EnginesOf(const Graph& graph, int mode) {
  std::vector<int64_t> engines;
  for (const auto& configuration : graph.Find(mode)) {
    engines.push_back(EngineOf(*configuration));
  }
  return engines;
}

Case LargeCase(Way way, int type) {
  return {.way = way,
          .type = type,
          .channels = 16,
          .filters = 16,
          .image = {16, 16}};
}

TEST(HeuristicTest, TheFastestAreThoseThatNotEverybodyWants) {
  const Graph filter(LargeCase(Way::kFilter, kFloat));
  const Objects found = filter.Find();
  ASSERT_GT(found.size(), 4u);
  EXPECT_TRUE(HasNote(*found[0], kNoteDownConvertInputs));
  EXPECT_TRUE(HasNote(*found[1], kNoteNondeterministic));
  EXPECT_TRUE(HasNote(*found[2], kNoteTensorCore));
  const Graph half(LargeCase(Way::kData, kHalf));
  EXPECT_TRUE(HasNote(*half.Find()[0], kNoteReducedPrecisionReduction));
}

TEST(HeuristicTest, AFallbackComputesEverything) {
  for (Way way : {Way::kForward, Way::kData, Way::kFilter}) {
    const Graph graph(LargeCase(way, kFloat));
    const Objects found = graph.Find(kHeurFallback);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(NotesOf(*found[0]).empty());
    EXPECT_EQ(found[0]->GetInt64(kCfgWorkspaceSize), 0);
  }
}

TEST(HeuristicTest, InstantIsAAndBDiffers) {
  const Graph graph(Case{.way = Way::kData, .channels = 2, .filters = 2});
  EXPECT_EQ(EnginesOf(graph, kHeurInstant), EnginesOf(graph, kHeurA));
  EXPECT_NE(EnginesOf(graph, kHeurB), EnginesOf(graph, kHeurA));
  Object heuristic(kEngineHeurDescriptor);
  EXPECT_EQ(heuristic.Set(kHeurMode, kTypeHeurMode, 4), kBadParam);
}

// A caller that takes the first engine without asking further fails.
TEST(HeuristicTest, APlanMayNotBeSupportedAfterAll) {
  const Graph graph(Case{.channels = 3, .filters = 16});
  int refused = 0;
  for (const auto& configuration : graph.Find()) {
    Status status = kSuccess;
    if (MakePlan(*configuration, &status) == nullptr) {
      EXPECT_EQ(status, kNotSupportedShape);
      ++refused;
    }
  }
  EXPECT_EQ(refused, 1);
}

class ResultsTest : public testing::Test {
 protected:
  ResultsTest() {
    heuristic_.SetObject(kHeurOperationGraph, graph_.graph());
    heuristic_.Set(kHeurMode, kTypeHeurMode, kHeurA);
    EXPECT_EQ(heuristic_.Finalize(), kSuccess);
  }

  Status Get(const std::vector<BackendDescriptor>& places, int64_t* count) {
    auto copy = places;
    return Dnn().cudnnBackendGetAttribute(
        heuristic_.get(), kHeurResults, kTypeBackendDescriptor,
        int64_t(copy.size()), count, copy.data());
  }

  const Graph graph_{LargeCase(Way::kForward, kFloat)};
  Object heuristic_{kEngineHeurDescriptor};
};

TEST_F(ResultsTest, AreWrittenToDescriptorsOfTheCaller) {
  Object first(kEngineCfgDescriptor), second(kEngineCfgDescriptor);
  int64_t count = 0;
  EXPECT_EQ(Get({first.get()}, &count), kSuccess);
  EXPECT_GT(count, 1);
  EXPECT_EQ(Get({first.get(), second.get()}, &count), kBadParam)
      << "the first is used";
  EXPECT_EQ(Get({second.get()}, &count), kSuccess);
  EXPECT_EQ(EngineOf(first), EngineOf(second));
  Object engine(kEngineDescriptor);
  EXPECT_EQ(Get({engine.get()}, &count), kBadParamDescriptorType);
  EXPECT_EQ(Get({nullptr}, &count), kBadParam);
}

TEST(HeuristicTest, NeedsItsGraph) {
  auto graph = std::make_unique<Graph>(LargeCase(Way::kForward, kFloat));
  const Objects found = graph->Find();
  Status status = kSuccess;
  ASSERT_NE(MakePlan(*found[0], &status), nullptr);
  graph.reset();
  EXPECT_EQ(MakePlan(*found[0], &status), nullptr);
  EXPECT_EQ(status, kBadParam);
}

}  // namespace
}  // namespace accel::cuda_double::dnn
