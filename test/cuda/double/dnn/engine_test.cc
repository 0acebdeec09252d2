// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the notes of an engine say is what it does: rounding, short sums, other
// bits at every run; and its workspace and knobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "test/cuda/double/dnn/convolution_case.h"

namespace accel::cuda_double::dnn {
namespace {

Case CaseOf(Way way, int type, bool channels_last = false) {
  return {.way = way,
          .type = type,
          .channels_last = channels_last,
          .batches = 4,
          .channels = 16,
          .filters = 8};
}

// A plan of each configuration that is supported.
std::vector<std::pair<std::unique_ptr<Object>, std::unique_ptr<Object>>>
PlansOf(const Graph& graph) {
  std::vector<std::pair<std::unique_ptr<Object>, std::unique_ptr<Object>>>
      plans;
  for (auto& configuration : graph.Find()) {
    Status status = kSuccess;
    if (auto plan = MakePlan(*configuration, &status)) {
      plans.emplace_back(std::move(configuration), std::move(plan));
    }
  }
  return plans;
}

// The largest error in units of the sum of a result's magnitudes.
double ErrorOf(const std::vector<double>& values, const Expected& expected) {
  double error = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    error = std::max(error, std::fabs(values[i] - expected.values[i]) /
                                expected.magnitudes[i]);
  }
  return error;
}

TEST(EngineTest, OnlyThoseWithTheNoteChangeFromRunToRun) {
  for (Way way : {Way::kForward, Way::kData, Way::kFilter}) {
    for (int type : {kFloat, kBfloat16}) {
      const Case test = CaseOf(way, type);
      // Exact sums: the order alone would not be seen.
      for (bool all_bits : {false, true}) {
        if (all_bits && type != kFloat) {
          continue;
        }
        const Numbers numbers(test, all_bits);
        const Graph graph(test);
        CaseRun run(test, numbers);
        int nondeterministic = 0;
        for (const auto& [configuration, plan] : PlansOf(graph)) {
          SCOPED_TRACE(EngineOf(*configuration));
          const bool noted = HasNote(*configuration, kNoteNondeterministic);
          const Bytes first = run.Execute(*plan);
          EXPECT_EQ(run.Execute(*plan) != first, noted);
          EXPECT_EQ(run.Execute(*plan) != first, noted);
          nondeterministic += noted;
        }
        EXPECT_EQ(nondeterministic > 0, way != Way::kForward);
      }
    }
  }
}

TEST(EngineTest, TensorCoresRoundF32ToTf32AndConversionsToLess) {
  for (Way way : {Way::kForward, Way::kData, Way::kFilter}) {
    for (bool channels_last : {false, true}) {
      const Case test = CaseOf(way, kFloat, channels_last);
      const Numbers numbers(test, /*all_bits=*/true);
      const Expected expected = Reference(test, numbers);
      const Graph graph(test);
      CaseRun run(test, numbers);
      int exact = 0, rounded = 0, converted = 0;
      for (const auto& [configuration, plan] : PlansOf(graph)) {
        SCOPED_TRACE(EngineOf(*configuration));
        const double error = ErrorOf(run.Values(*plan), expected);
        if (HasNote(*configuration, kNoteDownConvertInputs)) {
          EXPECT_GT(error, 2e-4);
          EXPECT_LT(error, 4e-3);
          ++converted;
        } else if (HasNote(*configuration, kNoteTensorCore)) {
          EXPECT_GT(error, 2e-5);
          EXPECT_LT(error, 5e-4);
          ++rounded;
        } else {
          EXPECT_LT(error, 5e-7);
          ++exact;
        }
      }
      EXPECT_GT(exact, 0);
      EXPECT_GT(rounded, 0);
      EXPECT_GT(converted, 0);
    }
  }
}

TEST(EngineTest, TheOverrideForbidsTf32) {
  const Case test = CaseOf(Way::kForward, kFloat, true);
  const Numbers numbers(test, /*all_bits=*/true);
  Graph graph(test);
  CaseRun run(test, numbers);
  Status status = kSuccess;
  const auto configuration = graph.Configure(1, &status);
  ASSERT_NE(configuration, nullptr);
  ASSERT_TRUE(HasNote(*configuration, kNoteTensorCore));
  const auto plan = MakePlan(*configuration, &status);
  ASSERT_NE(plan, nullptr);
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  EXPECT_LT(ErrorOf(run.Values(*plan), Reference(test, numbers)), 5e-7);
  unsetenv("NVIDIA_TF32_OVERRIDE");
  EXPECT_GT(ErrorOf(run.Values(*plan), Reference(test, numbers)), 2e-5);
}

TEST(EngineTest, ShortSumsLoseMore) {
  const Case test = CaseOf(Way::kFilter, kHalf);
  const Numbers numbers(test);
  const Expected expected = Reference(test, numbers);
  const Graph graph(test);
  CaseRun run(test, numbers);
  std::map<bool, double> errors;
  for (const auto& [configuration, plan] : PlansOf(graph)) {
    double& error =
        errors[HasNote(*configuration, kNoteReducedPrecisionReduction)];
    error = std::max(error, ErrorOf(run.Values(*plan), expected));
  }
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_GT(errors[true], 1.2 * errors[false]);
}

TEST(EngineTest, EnginesDifferInTheirBits) {
  const Case test = CaseOf(Way::kData, kFloat);
  const Numbers numbers(test, /*all_bits=*/true);
  const Graph graph(test);
  CaseRun run(test, numbers);
  std::set<Bytes> results;
  for (const auto& [configuration, plan] : PlansOf(graph)) {
    results.insert(run.Execute(*plan));
  }
  EXPECT_GT(results.size(), 4u);
}

TEST(EngineTest, AllOfTheWorkspaceIsWrittenAndNothingBehind) {
  std::set<int64_t> sizes;
  for (bool channels_last : {false, true}) {
    const Case test = CaseOf(Way::kData, kFloat, channels_last);
    const Numbers numbers(test);
    const Graph graph(test);
    CaseRun run(test, numbers);
    for (const auto& [configuration, plan] : PlansOf(graph)) {
      SCOPED_TRACE(EngineOf(*configuration));
      const int64_t claimed = plan->GetInt64(kPlanWorkspaceSize);
      EXPECT_EQ(configuration->GetInt64(kCfgWorkspaceSize), claimed);
      sizes.insert(claimed);
      const auto size = static_cast<size_t>(claimed);
      DeviceBuffer workspace(Bytes(size + 512, std::byte{0x11}));
      Object pack(kVariantPackDescriptor);
      ASSERT_EQ(Pack(pack, {kX, kW, kY},
                     {run.pointer(kX), run.pointer(kW), run.pointer(kY)},
                     workspace.at()),
                kSuccess);
      ASSERT_EQ(Dnn().cudnnBackendExecute(TheDoubles().handle, plan->get(),
                                          pack.get()),
                kSuccess);
      const Bytes after = workspace.Download();
      EXPECT_EQ(std::count(after.begin(), after.end(), std::byte{0xff}),
                claimed);
      EXPECT_EQ(
          std::count(after.begin() + claimed, after.end(), std::byte{0x11}),
          512);
    }
  }
  EXPECT_TRUE(sizes.contains(0));
  EXPECT_GE(*sizes.rbegin(), int64_t{32} << 20);
}

TEST(EngineTest, AKnobChangesSumsAndWorkspace) {
  const Case test = CaseOf(Way::kFilter, kFloat);
  Graph graph(test);
  const Numbers numbers(test, /*all_bits=*/true);
  CaseRun run(test, numbers);
  Object engine(kEngineDescriptor);
  engine.SetObject(kEngineOperationGraph, graph.graph());
  engine.SetInt64(kEngineGlobalIndex, {4});
  ASSERT_EQ(engine.Finalize(), kSuccess);
  const Objects knobs = engine.GetObjects(kEngineKnobInfo, kKnobInfoDescriptor);
  ASSERT_EQ(knobs.size(), 1u);
  EXPECT_EQ(knobs[0]->Get<int>(kKnobInfoType, kTypeKnobType),
            std::vector<int>{kKnobSplitKSlc});
  const int64_t minimum = knobs[0]->GetInt64(kKnobInfoMinimum);
  const int64_t maximum = knobs[0]->GetInt64(kKnobInfoMaximum);
  EXPECT_EQ(knobs[0]->GetInt64(kKnobInfoStride), 1);
  std::set<Bytes> results;
  std::set<int64_t> sizes;
  for (int64_t value = minimum - 1; value <= maximum + 1; ++value) {
    Object choice(kKnobChoiceDescriptor);
    choice.Set(kKnobChoiceType, kTypeKnobType, kKnobSplitKSlc);
    choice.SetInt64(kKnobChoiceValue, {value});
    ASSERT_EQ(choice.Finalize(), kSuccess);
    Object configuration(kEngineCfgDescriptor);
    configuration.SetObject(kCfgEngine, engine);
    configuration.SetObject(kCfgKnobChoices, choice);
    if (value < minimum || value > maximum) {
      EXPECT_EQ(configuration.Finalize(), kNotSupported);
      continue;
    }
    ASSERT_EQ(configuration.Finalize(), kSuccess);
    Status status = kSuccess;
    const auto plan = MakePlan(configuration, &status);
    ASSERT_NE(plan, nullptr);
    results.insert(run.Execute(*plan));
    sizes.insert(plan->GetInt64(kPlanWorkspaceSize));
  }
  EXPECT_EQ(sizes.size(), size_t(maximum - minimum + 1));
  EXPECT_GT(results.size(), 3u);
}

TEST(EngineTest, AnEngineSaysWhatItDoesNotCompute) {
  Status status = kSuccess;
  Graph forward(CaseOf(Way::kForward, kFloat));
  EXPECT_EQ(forward.Configure(4, &status), nullptr);
  EXPECT_EQ(status, kNotSupportedGraphPattern);
  EXPECT_EQ(forward.Configure(1, &status), nullptr);
  EXPECT_EQ(status, kNotSupportedLayout);
  EXPECT_EQ(forward.Configure(8, &status), nullptr);
  EXPECT_EQ(status, kNotSupportedDataType);
  EXPECT_EQ(forward.Configure(-1, &status), nullptr);
  EXPECT_EQ(status, kNotSupported);
  EXPECT_EQ(forward.Configure(forward.graph().GetInt64(kGraphEngineGlobalCount),
                              &status),
            nullptr);
  EXPECT_EQ(status, kNotSupported);
  Case test = CaseOf(Way::kForward, kFloat, true);
  test.alignment = 4;
  EXPECT_EQ(Graph(test).Configure(1, &status), nullptr);
  EXPECT_EQ(status, kNotSupportedLayout) << "pointers are promised less";
  test.alignment = 16;
  test.channels = 6;
  EXPECT_EQ(Graph(test).Configure(1, &status), nullptr);
  EXPECT_EQ(status, kNotSupportedLayout) << "channels of 24 bytes";
  test.channels = 8;
  test.post = {2, 2};
  EXPECT_EQ(Graph(test).Configure(1, &status), nullptr);
  EXPECT_EQ(status, kNotSupportedPadding);
}

// The doubles read the environment once: each case needs a process of its own.
[[noreturn]] void PrintEngines(const char* capability) {
  setenv("ACCEL_DOUBLE_CAPABILITY", capability, 1);
  for (int type : {kFloat, kHalf}) {
    std::set<int64_t> engines;
    const Graph graph(CaseOf(Way::kForward, type, true));
    for (const auto& configuration : graph.Find()) {
      engines.insert(EngineOf(*configuration));
    }
    std::string text;
    for (int64_t engine : engines) {
      text += " " + std::to_string(engine);
    }
    std::fprintf(stderr, "type %d:%s. ", type, text.c_str());
  }
  std::_Exit(0);
}

TEST(EngineDeathTest, TensorCoresAreThoseOfTheDevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(PrintEngines("6.1"), testing::ExitedWithCode(0),
              "type 0: 0 3. type 2: 0 3. ");
  EXPECT_EXIT(PrintEngines("7.0"), testing::ExitedWithCode(0),
              "type 0: 0 3. type 2: 0 1 3 8 9. ");
  EXPECT_EXIT(PrintEngines("8.0"), testing::ExitedWithCode(0),
              "type 0: 0 1 3 7 9. type 2: 0 1 3 8 9. ");
}

}  // namespace
}  // namespace accel::cuda_double::dnn
