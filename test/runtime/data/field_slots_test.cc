// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each field is claimed once, and what is missing is named.
#include "runtime/data/field_slots.h"

#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::StatusIs;

class FieldSlotsTest : public ::testing::Test {
 protected:
  std::optional<size_t> Claim(const std::string& name) {
    return slots_.Claim(name, name + "=a.npy", errors_);
  }

  std::vector<SignatureField> signature_ = {{"x", {4, 2}, DType::kF32},
                                            {"y", {4}, DType::kI64}};
  FieldSlots slots_{signature_};
  ErrorList errors_;
};

TEST_F(FieldSlotsTest, ClaimsByName) {
  EXPECT_EQ(Claim("y"), 1);
  EXPECT_TRUE(errors_.empty());
}

TEST_F(FieldSlotsTest, ASecondClaimAndAnUnknownNameAreErrors) {
  EXPECT_EQ(Claim("y"), 1);
  EXPECT_EQ(Claim("y"), std::nullopt);
  EXPECT_EQ(Claim("z"), std::nullopt);
  EXPECT_THAT(errors_.ToStatus("bad"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "bad:\n"
                       "  - --data y=a.npy: input 'y' has data already; give "
                       "it either arrays or tokens\n"
                       "  - --data z=a.npy: expected the name of a field of "
                       "the plan, got 'z'; the plan has input 'x' ([4, 2] of "
                       "f32), input 'y' ([4] of i64)"));
}

TEST_F(FieldSlotsTest, UnclaimedFieldsAreMissing) {
  EXPECT_EQ(Claim("y"), 1);
  slots_.CheckComplete(1, errors_);
  EXPECT_THAT(errors_.ToStatus("bad"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "bad: input 'x': expected [4, 2] of f32, got no data; "
                       "add --data x=FILE.npy"));
}

}  // namespace
}  // namespace accel::runtime
