// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function's streams side by side: what may run at the same time stands in
// one row, with the gathered buckets that are alive then.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_SCHEDULE_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_SCHEDULE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/plan/cost/gathered_buckets.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::tools {

// Instructions of one stream that run in one piece: only the first one waits
// for other streams, only the last one is waited for. (In a fold of
// collectives, whose signals count when all of them are done, any of them.)
struct ScheduleItem {
  std::vector<const planpb::Instruction*> instructions;
  std::vector<uint32_t> buckets;  // that they work for, without repetition
  std::vector<planpb::Wait> waits;
  std::vector<uint32_t> signals;
  uint64_t flops = 0;
  uint32_t section = 0;
  bool repeated = false;
};

struct ScheduleRow {
  // Counts the stretches of the function that are in one repeat or in none.
  uint32_t section = 0;
  bool repeated = false;  // once per microbatch
  // Index of the item that begins in this row, per stream of the plan.
  std::vector<std::optional<size_t>> items;
  std::vector<std::string> gathered;  // buckets alive in this row, sorted
};

struct Schedule {
  std::vector<std::vector<ScheduleItem>> streams;  // of the plan
  std::vector<ScheduleRow> rows;
  // Per instruction, in program order and the first iteration.
  std::vector<std::vector<uint32_t>> buckets;      // that it works for
  std::vector<std::vector<std::string>> gathered;  // that are alive
  runtime::GatheredPeak peak;
};

// `fold`: consecutive kernels of one bucket and phase, and collectives of one
// kind and bucket, are one item; otherwise each instruction is one.
//
// Each stream begins its next item in the first row in which all that it waits
// for has been signalled in rows above; a microbatch begins and ends for all
// streams together. So rows are one timing of many, in which all items are
// equally long.
absl::StatusOr<Schedule> MakeSchedule(const runtime::PlanView& plan,
                                      const runtime::FunctionView& function,
                                      const runtime::MemoryLayout& layout,
                                      bool fold);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_SCHEDULE_H_
