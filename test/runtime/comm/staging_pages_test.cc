// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What StagingNeed plans for a group, against the pages that its memory really
// takes, as the kernel counts them.
#include <sys/stat.h>

#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/comm/group_region.h"
#include "runtime/comm/shm_group.h"
#include "runtime/plan/memory/staging.h"
#include "test/runtime/status_matchers.h"

namespace accel::runtime {
namespace {

using ::accel::testing::IsOk;
using planpb::Collective;

constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kGranule = 128;

struct PagesCase {
  Collective::Kind kind;
  uint64_t elements;  // f32
  uint32_t ranks;
};

uint64_t AllocatedBytes(const FileDescriptor& memory) {
  struct stat status = {};
  EXPECT_EQ(fstat(memory.get(), &status), 0);
  return static_cast<uint64_t>(status.st_blocks) * 512;
}

planpb::Instruction InstructionOf(const PagesCase& c) {
  planpb::Instruction instruction;
  Collective* collective = instruction.mutable_collective();
  collective->set_kind(c.kind);
  collective->set_dtype(planpb::ELEMENT_F32);
  collective->add_axes(planpb::AXIS_FSDP);
  collective->mutable_shard()->set_elements(c.elements);
  collective->mutable_shard()->set_granule(kGranule);
  collective->mutable_shard()->add_axes(planpb::AXIS_FSDP);
  return instruction;
}

uint64_t PlannedBytes(const PagesCase& c) {
  RankBinding binding;
  binding.degrees[planpb::AXIS_FSDP - 1] = c.ranks;
  StagingNeed need(binding);
  EXPECT_THAT(need.Add(planpb::Manifest(), {InstructionOf(c)}), IsOk());
  return need.BytesOfHost();
}

// Runs the collective twice on one rank.
absl::Status RunRank(const FileDescriptor& memory, const PagesCase& c,
                     uint32_t rank) {
  ASSIGN_OR_RETURN(FileDescriptor own, memory.Duplicate());
  ASSIGN_OR_RETURN(const auto communicator,
                   JoinShmGroup(std::move(own), rank, c.ranks, {}));
  ShardCut cut(c.ranks);
  RETURN_IF_ERROR(cut.Set(c.elements, kGranule));
  const uint64_t owned = cut.Of(rank).size();
  const bool gathers = c.kind == Collective::KIND_ALL_GATHER;
  const bool scatters = c.kind == Collective::KIND_REDUCE_SCATTER;
  const std::vector<float> input(gathers ? owned : c.elements, 1.0F);
  std::vector<float> output(scatters ? owned : c.elements);
  CollectiveCall call;
  call.kind = c.kind;
  call.reduction = scatters || c.kind == Collective::KIND_ALL_REDUCE
                       ? Collective::REDUCTION_SUM
                       : Collective::REDUCTION_NONE;
  call.elements = c.elements;
  call.granule = kGranule;
  call.name = "pages";
  if (c.kind != Collective::KIND_BROADCAST || rank == 0) {
    call.input = absl::MakeConstSpan(
        reinterpret_cast<const std::byte*>(input.data()), input.size() * 4);
  }
  call.output = absl::MakeSpan(reinterpret_cast<std::byte*>(output.data()),
                               output.size() * 4);
  RETURN_IF_ERROR(communicator->Run(call));
  return communicator->Run(call);
}

class StagingPagesTest : public ::testing::TestWithParam<PagesCase> {};

TEST_P(StagingPagesTest, AreThosePlanned) {
  const PagesCase& c = GetParam();
  auto memory = CreateShmGroup(c.ranks, {});
  ASSERT_THAT(memory, IsOk());
  std::vector<absl::Status> results(c.ranks);
  {
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < c.ranks; ++rank) {
      threads.emplace_back(
          [&, rank] { results[rank] = RunRank(*memory, c, rank); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
  for (const absl::Status& result : results) {
    EXPECT_THAT(result, IsOk());
  }
  // The header and the ranks' blocks, and a page for either end of each part.
  const uint64_t blocks =
      kPageBytes + (c.ranks * sizeof(RankBlock) + kPageBytes);
  const uint64_t ends =
      kStagingSlots * c.ranks * (uint64_t{c.ranks} + 1) * kPageBytes;
  const uint64_t planned = PlannedBytes(c);
  EXPECT_LE(AllocatedBytes(*memory), planned + blocks + ends);
  EXPECT_GE(AllocatedBytes(*memory) + ends, planned);
}

constexpr uint64_t kSlotElements = kStagingSlotBytes / 4;

INSTANTIATE_TEST_SUITE_P(
    Kinds, StagingPagesTest, ::testing::ValuesIn([] {
      std::vector<PagesCase> cases;
      for (const auto kind :
           {Collective::KIND_ALL_GATHER, Collective::KIND_REDUCE_SCATTER,
            Collective::KIND_ALL_REDUCE, Collective::KIND_BROADCAST}) {
        for (const uint64_t elements :
             {kSlotElements / 4, kSlotElements + kSlotElements / 2,
              3 * kSlotElements + 1000}) {
          for (const uint32_t ranks : {2U, 3U}) {
            cases.push_back({kind, elements, ranks});
          }
        }
      }
      return cases;
    }()),
    [](const ::testing::TestParamInfo<PagesCase>& info) {
      return absl::StrCat(CollectiveKindName(info.param.kind), "_",
                          info.param.elements, "_on_", info.param.ranks);
    });

}  // namespace
}  // namespace accel::runtime
