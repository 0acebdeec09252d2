// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Synthetic data are valid, repeatable and worth learning.
#include "runtime/data/synthetic_source.h"

#include <map>
#include <string>
#include <vector>

#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;
using ::testing::ElementsAre;

constexpr auto kInput = SignatureField::Role::kInput;
constexpr auto kTarget = SignatureField::Role::kTarget;

std::vector<SignatureField> LanguageModel() {
  return {{"ids", {4, 64}, DType::kI64, 0, 255, kInput},
          {"mask", {4, 64}, DType::kI64},
          {"positions", {4, 64}, DType::kI64, 0, 1023, kInput},
          {"labels", {4, 64}, DType::kI64, 0, 255, kTarget}};
}

template <typename T>
std::vector<T> Fill(const BoundSources& bound,
                    const std::vector<SignatureField>& signature, size_t field,
                    int64_t row) {
  std::vector<T> values(signature[field].sample_elements());
  EXPECT_OK(bound.sources[field]->Fill(
      row, absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                          values.size() * sizeof(T))));
  return values;
}

TEST(SyntheticSourceTest, LabelsAreTheSuccessorsOfTheTokens) {
  const auto signature = LanguageModel();
  ASSERT_OK_AND_ASSIGN(const auto bound, MakeSyntheticSources(signature, 1));
  const auto ids = Fill<int64_t>(bound, signature, 0, 17);
  const auto labels = Fill<int64_t>(bound, signature, 3, 17);
  EXPECT_EQ(std::vector<int64_t>(ids.begin() + 1, ids.end()),
            std::vector<int64_t>(labels.begin(), labels.end() - 1));
  EXPECT_EQ(Fill<int64_t>(bound, signature, 1, 17),
            std::vector<int64_t>(64, 1));
  EXPECT_THAT(bound.notes,
              ElementsAre("synthetic token chains", "ones", "positions",
                          "successors in the synthetic token chains"));
}

TEST(SyntheticSourceTest, LabelsThatTheModelShiftsAreTheTokens) {
  auto signature = LanguageModel();
  signature[3].fill = SignatureField::Fill::kTokens;
  ASSERT_OK_AND_ASSIGN(const auto bound, MakeSyntheticSources(signature, 1));
  EXPECT_EQ(Fill<int64_t>(bound, signature, 0, 17),
            Fill<int64_t>(bound, signature, 3, 17));
}

TEST(SyntheticSourceTest, TokensStayInRangeAndMostFollowFromTheOneBefore) {
  const auto signature = LanguageModel();
  ASSERT_OK_AND_ASSIGN(const auto bound, MakeSyntheticSources(signature, 1));
  std::map<std::pair<int64_t, int64_t>, int> pairs;
  std::map<int64_t, int> best;
  int total = 0;
  for (int64_t row = 0; row < 200; ++row) {
    const auto ids = Fill<int64_t>(bound, signature, 0, row);
    const auto labels = Fill<int64_t>(bound, signature, 3, row);
    for (size_t t = 0; t < ids.size(); ++t) {
      ASSERT_GE(ids[t], 0);
      ASSERT_LE(ids[t], 255);
      const int count = ++pairs[{ids[t], labels[t]}];
      best[ids[t]] = std::max(best[ids[t]], count);
      ++total;
    }
  }
  int predicted = 0;
  for (const auto& [token, count] : best) {
    predicted += count;
  }
  EXPECT_NEAR(static_cast<double>(predicted) / total, 7.0 / 8, 0.02);
}

TEST(SyntheticSourceTest, RowsDependOnSeedAndRowOnly) {
  const auto signature = LanguageModel();
  ASSERT_OK_AND_ASSIGN(const auto one, MakeSyntheticSources(signature, 1));
  ASSERT_OK_AND_ASSIGN(const auto again, MakeSyntheticSources(signature, 1));
  ASSERT_OK_AND_ASSIGN(const auto other, MakeSyntheticSources(signature, 2));
  EXPECT_EQ(Fill<int64_t>(one, signature, 0, 3),
            Fill<int64_t>(again, signature, 0, 3));
  EXPECT_NE(Fill<int64_t>(one, signature, 0, 3),
            Fill<int64_t>(one, signature, 0, 4));
  EXPECT_NE(Fill<int64_t>(one, signature, 0, 3),
            Fill<int64_t>(other, signature, 0, 3));
  EXPECT_EQ(one.identity, other.identity);
}

TEST(SyntheticSourceTest, ClassesFollowFromTheInputs) {
  const std::vector<SignatureField> signature = {
      {"x", {4, 16}, DType::kF32}, {"y", {4}, DType::kI64, 0, 3, kTarget}};
  ASSERT_OK_AND_ASSIGN(const auto bound, MakeSyntheticSources(signature, 1));
  int right = 0;
  for (int64_t row = 0; row < 1000; ++row) {
    const auto x = Fill<float>(bound, signature, 0, row);
    const auto y = Fill<int64_t>(bound, signature, 1, row);
    ASSERT_GE(y[0], 0);
    ASSERT_LE(y[0], 3);
    // Elements 0 and 8 are two noisy copies of what the class is cut from.
    const auto guess = static_cast<int64_t>((x[0] + x[8]) / 2 * 2 + 2);
    right += guess == y[0] ? 1 : 0;
  }
  EXPECT_GT(right, 750);
}

TEST(SyntheticSourceTest, ColumnsOfCategoriesStayInTheirRanges) {
  std::vector<SignatureField> signature = {
      {"x", {4, 3}, DType::kI64, 0, 8, kInput}};
  signature[0].ranges = {{0, 1}, {5, 8}, IntegerRange{}};
  signature[0].ranges_axis = 1;
  ASSERT_OK_AND_ASSIGN(const auto bound, MakeSyntheticSources(signature, 3));
  int64_t most = 0;
  for (int64_t row = 0; row < 100; ++row) {
    const auto x = Fill<int64_t>(bound, signature, 0, row);
    EXPECT_TRUE(x[0] >= 0 && x[0] <= 1) << x[0];
    EXPECT_TRUE(x[1] >= 5 && x[1] <= 8) << x[1];
    EXPECT_TRUE(x[2] >= 0 && x[2] < 64) << x[2];
    most = std::max(most, x[2]);
  }
  EXPECT_GT(most, 8);
}

TEST(SyntheticSourceTest, RegressionTargetsAreWhatTheInputsShow) {
  const std::vector<SignatureField> signature = {
      {"x", {4, 8}, DType::kF32}, {"y", {4, 2}, DType::kF64, 0, -1, kTarget}};
  ASSERT_OK_AND_ASSIGN(const auto bound, MakeSyntheticSources(signature, 1));
  const auto x = Fill<float>(bound, signature, 0, 5);
  const auto y = Fill<double>(bound, signature, 1, 5);
  EXPECT_NEAR(x[0], y[0], 0.25);
  EXPECT_NEAR(x[1], y[1], 0.25);
}

TEST(SyntheticSourceTest, FieldsThatNothingFitsAreNamedAllAtOnce) {
  const std::vector<SignatureField> signature = {
      {"x", {4, 8}, DType::kBF16}, {"y", {4}, DType::kI64, 0, -1, kTarget}};
  EXPECT_THAT(
      MakeSyntheticSources(signature, 1),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "no data for the plan:\n"
               "  - input 'x': no synthetic data for [4, 8] of bf16; give "
               "--data x=FILE.npy\n"
               "  - target 'y': no synthetic data for [4] of i64; give --data "
               "y=FILE.npy"));
}

}  // namespace
}  // namespace accel::runtime
