// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is wrong with a call by itself is refused before anybody else hears of
// it, and a description says all that ranks must agree on.
#include "runtime/comm/collective_call.h"

#include <vector>

#include "runtime/plan/schema/plan.pb.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOk;
using ::accel::testing::StatusIs;
using planpb::Collective;
using ::testing::HasSubstr;

class ValidateCallTest : public ::testing::Test {
 protected:
  ValidateCallTest() : bytes_(4096) {
    call_.kind = Collective::KIND_ALL_GATHER;
    call_.elements = 10;
    call_.granule = 4;
    // Rank 1 of 2 owns elements 8 and 9.
    call_.input = absl::MakeSpan(bytes_.data(), 8);
    call_.output = absl::MakeSpan(bytes_.data() + 1024, 40);
  }
  absl::Status Validate() {
    ShardCut cut(2);
    return ValidateCall(call_, /*rank=*/1, /*ranks=*/2, cut);
  }
  void Reduce(DType dtype) {
    call_.kind = Collective::KIND_ALL_REDUCE;
    call_.reduction = Collective::REDUCTION_SUM;
    call_.dtype = dtype;
    call_.input = absl::MakeSpan(bytes_.data(), 10 * call_.width());
    call_.output = absl::MakeSpan(bytes_.data() + 1024, 10 * call_.width());
  }

  std::vector<std::byte> bytes_;
  CollectiveCall call_;
};

TEST_F(ValidateCallTest, TakesWhatThisRankOwns) {
  EXPECT_THAT(Validate(), IsOk());
}

TEST_F(ValidateCallTest, RefusesOtherSizes) {
  call_.input = absl::MakeSpan(bytes_.data(), 20);
  EXPECT_THAT(Validate(), StatusIs(absl::StatusCode::kInvalidArgument,
                                   "the input has 20 bytes, expected 8"));
  call_.input = absl::MakeSpan(bytes_.data(), 8);
  call_.output = absl::MakeSpan(bytes_.data() + 1024, 36);
  EXPECT_THAT(Validate(), StatusIs(absl::StatusCode::kInvalidArgument,
                                   "the output has 36 bytes, expected 40"));
}

TEST_F(ValidateCallTest, TakesOverlapOnlyInPlace) {
  call_.input = absl::MakeSpan(bytes_.data() + 1024 + 32, 8);
  EXPECT_THAT(Validate(), IsOk());
  call_.input = absl::MakeSpan(bytes_.data() + 1024 + 28, 8);
  EXPECT_THAT(Validate(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "input and output overlap without being in place"));
}

TEST_F(ValidateCallTest, ReducesF32F64AndI64) {
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kI64}) {
    Reduce(dtype);
    EXPECT_THAT(Validate(), IsOk()) << DTypeName(dtype);
  }
}

TEST_F(ValidateCallTest, SaysWhichTypesAreNotReduced) {
  Reduce(DType::kBF16);
  EXPECT_THAT(Validate(),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "no reduction over ranks of bf16; there are those of "
                       "f32, f64 and i64"));
  Reduce(DType::kF16);
  EXPECT_THAT(Validate(),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "no reduction over ranks of f16; there are those of "
                       "f32, f64 and i64"));
}

TEST_F(ValidateCallTest, RefusesAReductionThatTheKindDoesNotHave) {
  call_.reduction = Collective::REDUCTION_SUM;
  EXPECT_THAT(Validate(), StatusIs(absl::StatusCode::kInvalidArgument,
                                   "all_gather reduces nothing, got 'sum'"));
  Reduce(DType::kF32);
  call_.reduction = Collective::REDUCTION_NONE;
  EXPECT_THAT(Validate(), StatusIs(absl::StatusCode::kInvalidArgument,
                                   "all_reduce expects the reduction sum, max "
                                   "or min, got 'none'"));
}

TEST_F(ValidateCallTest, RefusesKindsThatNoCommunicatorHas) {
  call_.kind = Collective::KIND_PERMUTE;
  EXPECT_THAT(Validate(),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "no collective 'permute'; there are all_gather, "
                       "reduce_scatter, all_reduce, broadcast and barrier"));
}

TEST_F(ValidateCallTest, RefusesARootThatIsNoRank) {
  call_.root = 2;
  EXPECT_THAT(Validate(), StatusIs(absl::StatusCode::kInvalidArgument,
                                   "root 2 is none of the 2 ranks"));
}

TEST_F(ValidateCallTest, RefusesSizesBeyond64Bits) {
  call_.elements = uint64_t{1} << 62;
  EXPECT_THAT(Validate(), StatusIs(absl::StatusCode::kInvalidArgument,
                                   "the tensor's size exceeds 64 bits"));
  call_.granule = 0;
  EXPECT_THAT(Validate(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "a shard has granule 0, expected at least 1"));
}

TEST(DescriptionTest, SaysAllThatRanksAgreeOn) {
  CollectiveCall call;
  call.kind = Collective::KIND_REDUCE_SCATTER;
  call.reduction = Collective::REDUCTION_SUM;
  call.elements = 1000;
  call.granule = 128;
  call.sequence = 7;
  call.name = "block3.decayed.gradient";
  EXPECT_EQ(DescriptionText(Describe(call)),
            "block3.decayed.gradient (reduce_scatter, sum, f32, 1000 elements, "
            "granule 128, sequence 7)");
  EXPECT_EQ(DescriptionText(DescribeAllocation("slot 0", 4096)),
            "slot 0 (allocation of 4096 shared bytes)");
}

TEST(DescriptionTest, DiffersWhereCallsDo) {
  CollectiveCall call;
  call.name = "a";
  const CallDescription original = Describe(call);
  EXPECT_TRUE(original == Describe(call));
  const auto differs = [&](auto change) {
    CollectiveCall other = call;
    change(other);
    return !(original == Describe(other));
  };
  EXPECT_TRUE(
      differs([](CollectiveCall& c) { c.kind = Collective::KIND_BROADCAST; }));
  EXPECT_TRUE(differs([](CollectiveCall& c) { c.dtype = DType::kF64; }));
  EXPECT_TRUE(differs([](CollectiveCall& c) { c.elements = 1; }));
  EXPECT_TRUE(differs([](CollectiveCall& c) { c.granule = 2; }));
  EXPECT_TRUE(differs([](CollectiveCall& c) { c.root = 1; }));
  EXPECT_TRUE(differs([](CollectiveCall& c) { c.sequence = 1; }));
  EXPECT_TRUE(differs([](CollectiveCall& c) { c.name = "b"; }));
  EXPECT_TRUE(differs(
      [](CollectiveCall& c) { c.reduction = Collective::REDUCTION_MAX; }));
}

TEST(DescriptionTest, CutsALongNameOff) {
  CollectiveCall call;
  const std::string name(200, 'x');
  call.name = name;
  EXPECT_THAT(DescriptionText(Describe(call)),
              HasSubstr(std::string(95, 'x') + " (barrier"));
}

}  // namespace
}  // namespace accel::runtime
