// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of several faults is the first, and that all ranks agree on it.
#include "runtime/executor/nonfinite_fault.h"

#include "gtest/gtest.h"
#include "runtime/base/status_macros.h"
#include "test/runtime/comm/rank_runner.h"
#include "test/runtime/status_matchers.h"

namespace accel::testing {
namespace {

using runtime::Communicator;
using runtime::NonFiniteFault;
using runtime::ReplayReport;

NonFiniteFault FaultAt(int64_t microbatch, uint64_t instruction,
                       uint64_t rank) {
  NonFiniteFault fault;
  fault.kind = NonFiniteFault::kInstruction;
  fault.microbatch = microbatch;
  fault.instruction = instruction;
  fault.rank = rank;
  return fault;
}

TEST(NonFiniteFaultTest, MicrobatchesThenProgramOrderThenRanks) {
  const NonFiniteFault first = FaultAt(1, 7, 1);
  EXPECT_FALSE(first.IsBefore(first));
  EXPECT_TRUE(first.IsBefore(FaultAt(2, 3, 0)));
  EXPECT_TRUE(first.IsBefore(FaultAt(1, 8, 0)));
  EXPECT_TRUE(first.IsBefore(FaultAt(1, 7, 2)));
  EXPECT_TRUE(first.IsBefore(FaultAt(NonFiniteFault::kBehindLoop, 1, 0)));
  EXPECT_FALSE(first.IsBefore(FaultAt(-1, 9, 3)));
  EXPECT_TRUE(first.IsBefore(NonFiniteFault()));
  EXPECT_FALSE(NonFiniteFault().IsBefore(first));
}

class AgreementTest : public ::testing::TestWithParam<Backend> {};

TEST_P(AgreementTest, AllRanksHaveTheFirstFault) {
  const auto statuses =
      RunRanks(GetParam(), 3, [](Communicator& comm) -> absl::Status {
        ReplayReport own;
        if (comm.rank() != 0) {
          own.first = FaultAt(0, 9 - comm.rank(), comm.rank());
        }
        own.largest_gradient = comm.rank() == 1 ? 5 : 2;
        own.largest_place.element = comm.rank();
        ASSIGN_OR_RETURN(const ReplayReport agreed,
                         runtime::AgreeOnReport(&comm, own));
        return agreed.first.rank == 2 && agreed.first.instruction == 7 &&
                       agreed.largest_gradient == 5 &&
                       agreed.largest_place.element == 1
                   ? absl::OkStatus()
                   : absl::InternalError("another report");
      });
  for (const absl::Status& status : statuses) {
    EXPECT_OK(status);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, AgreementTest,
                         ::testing::Values(Backend::kThreads, Backend::kShm),
                         BackendName);

}  // namespace
}  // namespace accel::testing
