// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages carry what failed, why, and every fault at once.
#include "runtime/base/errors.h"

#include <cerrno>

#include "absl/strings/cord.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOk;
using ::accel::testing::StatusIs;

TEST(ErrorsTest, ErrnoErrorTellsWhatAndWhy) {
  EXPECT_THAT(ErrnoError(ENOENT, "cannot open 'a.bin'"),
              StatusIs(absl::StatusCode::kNotFound,
                       "cannot open 'a.bin': No such file or directory"));
  EXPECT_THAT(ErrnoError(ENOSPC, "cannot write 'b'"),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "cannot write 'b': No space left on device"));
}

TEST(ErrorsTest, AnnotateKeepsTheCodeAndLeavesOkAlone) {
  EXPECT_THAT(Annotate(absl::DataLossError("torn"), "'x'"),
              StatusIs(absl::StatusCode::kDataLoss, "'x': torn"));
  EXPECT_THAT(Annotate(absl::OkStatus(), "'x'"), IsOk());
}

TEST(ErrorsTest, AnnotateKeepsPayloads) {
  absl::Status status = absl::DataLossError("torn");
  status.SetPayload("accel/data", absl::Cord("x"));
  EXPECT_EQ(Annotate(status, "'x'").GetPayload("accel/data"), "x");
}

TEST(ErrorsTest, AnEmptyListIsOk) {
  ErrorList errors;
  errors.Add(absl::OkStatus());
  EXPECT_TRUE(errors.empty());
  EXPECT_THAT(errors.ToStatus("nothing"), IsOk());
}

TEST(ErrorsTest, OneFaultTakesOneLineAndSeveralTakeOneEach) {
  ErrorList errors;
  errors.Add("first");
  EXPECT_THAT(errors.ToStatus("bad"),
              StatusIs(absl::StatusCode::kInvalidArgument, "bad: first"));
  errors.Add(absl::NotFoundError("second"));
  EXPECT_EQ(errors.size(), 2);
  EXPECT_THAT(errors.ToStatus("bad"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "bad:\n  - first\n  - second"));
}

}  // namespace
}  // namespace accel::runtime
