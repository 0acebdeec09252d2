// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes that collectives send, against their formulas.
#include "runtime/plan/sizes/collective_bytes.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/runtime/plan/sharded_plan.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using planpb::Collective;
using runtime::BytesSent;

TEST(CollectiveBytesTest, OneRankSendsNothing) {
  for (const auto kind :
       {Collective::KIND_ALL_GATHER, Collective::KIND_REDUCE_SCATTER,
        Collective::KIND_ALL_REDUCE, Collective::KIND_BROADCAST,
        Collective::KIND_BARRIER}) {
    EXPECT_THAT(BytesSent(TestCollective(kind, 10), FsdpBinding(0, 1)),
                IsOkAndHolds(0u));
  }
}

TEST(CollectiveBytesTest, RingsPassOnPartsAsLongAsTheLongest) {
  for (const auto kind :
       {Collective::KIND_ALL_GATHER, Collective::KIND_REDUCE_SCATTER}) {
    // L(2) = 8, L(3) = 4, L(1024) = 4.
    EXPECT_THAT(BytesSent(TestCollective(kind, 10), FsdpBinding(1, 2)),
                IsOkAndHolds(1u * 8 * 4));
    EXPECT_THAT(BytesSent(TestCollective(kind, 10), FsdpBinding(0, 3)),
                IsOkAndHolds(2u * 4 * 4));
    EXPECT_THAT(BytesSent(TestCollective(kind, 10), FsdpBinding(9, 1024)),
                IsOkAndHolds(1023u * 4 * 4));
    EXPECT_THAT(BytesSent(TestCollective(kind, 10, planpb::ELEMENT_BF16),
                          FsdpBinding(0, 3)),
                IsOkAndHolds(2u * 4 * 2));
  }
}

TEST(CollectiveBytesTest, AnAllReduceIsNotCutByTheGranule) {
  EXPECT_THAT(BytesSent(TestCollective(Collective::KIND_ALL_REDUCE, 10),
                        FsdpBinding(0, 3)),
              IsOkAndHolds(2u * 2 * 4 * 4));
  EXPECT_THAT(BytesSent(TestCollective(Collective::KIND_ALL_REDUCE, 1,
                                       planpb::ELEMENT_F64),
                        FsdpBinding(0, 4)),
              IsOkAndHolds(2u * 3 * 1 * 8));
}

TEST(CollectiveBytesTest, ABroadcastIsTheMeanOfItsRing) {
  EXPECT_THAT(BytesSent(TestCollective(Collective::KIND_BROADCAST, 10),
                        FsdpBinding(0, 3)),
              IsOkAndHolds(27u));  // 2 of 3 ranks send 40 bytes
  EXPECT_THAT(BytesSent(TestCollective(Collective::KIND_BARRIER, 10),
                        FsdpBinding(0, 3)),
              IsOkAndHolds(0u));
}

TEST(CollectiveBytesTest, OnlyRanksAlongItsAxesCount) {
  runtime::RankBinding binding = FsdpBinding(0, 3);
  binding.degrees[planpb::AXIS_REPLICA - 1] = 5;
  EXPECT_THAT(
      BytesSent(TestCollective(Collective::KIND_ALL_GATHER, 10), binding),
      IsOkAndHolds(2u * 4 * 4));
}

TEST(CollectiveBytesTest, WhatItCannotCountIsSaid) {
  EXPECT_THAT(
      BytesSent(TestCollective(Collective::KIND_SEND, 10), FsdpBinding(0, 3)),
      StatusIs(absl::StatusCode::kUnimplemented,
               "nobody knows what a 'send' sends"));
  EXPECT_THAT(
      BytesSent(TestCollective(Collective::KIND_ALL_GATHER, UINT64_MAX / 4),
                FsdpBinding(0, 3)),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "what a collective sends exceeds 64 bits"));
}

}  // namespace
}  // namespace accel::testing
