// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RETURN_IF_ERROR and ASSIGN_OR_RETURN stop at the first error and only there.
#include "runtime/base/status_macros.h"

#include <memory>

#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOk;
using ::accel::testing::IsOkAndHolds;
using ::accel::testing::StatusIs;

absl::Status Twice(const absl::Status& first, const absl::Status& second) {
  RETURN_IF_ERROR(first);
  RETURN_IF_ERROR(second);
  return absl::OkStatus();
}

absl::StatusOr<int> Sum(const absl::StatusOr<int>& a,
                        const absl::StatusOr<int>& b) {
  ASSIGN_OR_RETURN(const int left, a);
  ASSIGN_OR_RETURN(const int right, b);
  return left + right;
}

absl::StatusOr<std::unique_ptr<int>> Pass(
    absl::StatusOr<std::unique_ptr<int>> in) {
  ASSIGN_OR_RETURN(std::unique_ptr<int> value, std::move(in));
  return value;
}

TEST(StatusMacrosTest, ReturnIfErrorGivesTheFirstError) {
  EXPECT_THAT(Twice(absl::OkStatus(), absl::OkStatus()), IsOk());
  EXPECT_THAT(Twice(absl::NotFoundError("a"), absl::InternalError("b")),
              StatusIs(absl::StatusCode::kNotFound, "a"));
  EXPECT_THAT(Twice(absl::OkStatus(), absl::InternalError("b")),
              StatusIs(absl::StatusCode::kInternal, "b"));
}

TEST(StatusMacrosTest, AssignOrReturnAssignsOrReturns) {
  EXPECT_THAT(Sum(1, 2), IsOkAndHolds(3));
  EXPECT_THAT(Sum(1, absl::OutOfRangeError("far")),
              StatusIs(absl::StatusCode::kOutOfRange, "far"));
}

TEST(StatusMacrosTest, AssignOrReturnMoves) {
  EXPECT_THAT(Pass(std::make_unique<int>(5)),
              IsOkAndHolds(::testing::Pointee(5)));
}

}  // namespace
}  // namespace accel::runtime
