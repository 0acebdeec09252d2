// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ones and positions of every integer type.
#include "runtime/data/filled_source.h"

#include <vector>

#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::testing::ElementsAre;
using Kind = SignatureField::Fill;

template <typename T>
std::vector<T> Fill(const SignatureField& field, Kind kind) {
  std::vector<T> values(field.sample_elements(), T{77});
  EXPECT_OK(
      FilledSource(field, kind)
          .Fill(3, absl::MakeSpan(reinterpret_cast<std::byte*>(values.data()),
                                  values.size() * sizeof(T))));
  return values;
}

TEST(FilledSourceTest, Ones) {
  EXPECT_THAT(Fill<int64_t>({"m", {2, 3}, DType::kI64}, Kind::kOnes),
              ElementsAre(1, 1, 1));
  EXPECT_THAT(Fill<uint8_t>({"m", {2, 2, 2}, DType::kBool}, Kind::kOnes),
              ElementsAre(1, 1, 1, 1));
}

TEST(FilledSourceTest, PositionsRunAlongTheLastAxis) {
  EXPECT_THAT(Fill<int32_t>({"p", {2, 2, 3}, DType::kI32}, Kind::kPositions),
              ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(FilledSourceTest, PositionsBeginWithZeroWhereTheRangeHasIt) {
  EXPECT_THAT(
      Fill<int64_t>({"p", {2, 4}, DType::kI64, -2, 9}, Kind::kPositions),
      ElementsAre(0, 1, 2, 3));
}

TEST(FilledSourceTest, PositionsStayInTheRangeOfTheField) {
  EXPECT_THAT(Fill<int64_t>({"p", {2, 5}, DType::kI64, 2, 4}, Kind::kPositions),
              ElementsAre(2, 3, 4, 2, 3));
}

}  // namespace
}  // namespace accel::runtime
