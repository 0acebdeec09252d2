// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A collective allocates nothing: it runs inside of a step.
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/comm/communicator.h"
#include "test/runtime/comm/allocation_count.h"
#include "test/runtime/comm/rank_runner.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::AllocationsOfThisThread;
using ::accel::testing::Backend;
using ::accel::testing::IsOk;
using planpb::Collective;

absl::Status RunCallsOfEveryKind(Communicator& comm,
                                 std::vector<std::byte>& whole) {
  CollectiveCall call;
  call.name = "a name longer than what a short string could hold by itself";
  RETURN_IF_ERROR(comm.Run(call));
  call.elements = whole.size() / sizeof(float);
  call.input = whole;
  call.output = absl::MakeSpan(whole);
  call.kind = Collective::KIND_BROADCAST;
  RETURN_IF_ERROR(comm.Run(call));
  call.kind = Collective::KIND_ALL_REDUCE;
  call.reduction = Collective::REDUCTION_SUM;
  RETURN_IF_ERROR(comm.Run(call));
  call.kind = Collective::KIND_REDUCE_SCATTER;
  const size_t part = whole.size() / comm.ranks();
  const auto mine = absl::MakeSpan(whole).subspan(part * comm.rank(), part);
  call.output = mine;
  RETURN_IF_ERROR(comm.Run(call));
  call.kind = Collective::KIND_ALL_GATHER;
  call.reduction = Collective::REDUCTION_NONE;
  call.input = mine;
  call.output = absl::MakeSpan(whole);
  return comm.Run(call);
}

class AllocationTest : public ::testing::TestWithParam<Backend> {};

TEST_P(AllocationTest, ACallAllocatesNothing) {
  CommunicatorOptions options;
  options.chunk_bytes = 4096;
  EXPECT_THAT(::accel::testing::RunRanks(
                  GetParam(), 2,
                  [](Communicator& comm) -> absl::Status {
                    std::vector<std::byte> whole(40000);
                    // The first look at a peer may open its pidfd.
                    RETURN_IF_ERROR(RunCallsOfEveryKind(comm, whole));
                    const size_t before = AllocationsOfThisThread();
                    RETURN_IF_ERROR(RunCallsOfEveryKind(comm, whole));
                    const size_t count = AllocationsOfThisThread() - before;
                    return count == 0 ? absl::OkStatus()
                                      : absl::InternalError(absl::StrCat(
                                            count, " allocations"));
                  },
                  options),
              ::testing::Each(IsOk()));
}

INSTANTIATE_TEST_SUITE_P(All, AllocationTest,
                         ::testing::Values(Backend::kThreads, Backend::kShm),
                         ::accel::testing::BackendName);

}  // namespace
}  // namespace accel::runtime
