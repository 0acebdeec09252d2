// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of phases.
#include "compiler/Phases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cassert>

namespace accel {

llvm::ArrayRef<PhaseInfo> getPhases() {
  static constexpr PhaseInfo phases[] = {
      {Phase::Frontend, "frontend", "reads the ONNX file",
       "the accel dialect with the model's own names and parameters; every "
       "shape is static"},
      {Phase::Import, "import", "folds constants, recognises patterns",
       "attention, layer norm and GELU are one op each; no shape arithmetic "
       "is left"},
      {Phase::Differentiate, "differentiate",
       "attaches the loss, adds the gradients",
       "@microbatch adds every parameter's gradient and the sums of losses "
       "and targets"},
      {Phase::Precision, "precision", "decides the type of every product",
       "products read the type that was asked for; what kernels store for "
       "each other is rounded to it"},
      {Phase::Accumulate, "accumulate",
       "makes a step of microbatches and an update",
       "@step and @init are the whole program; the mean over the batch is "
       "exact"},
      {Phase::Shard, "shard", "lays out parameters and the optimizer's state",
       "every parameter lies in a segment of a bucket; the update is explicit "
       "arithmetic"},
      {Phase::Partition, "partition", "adds what ranks must exchange",
       "the program of one rank among any number; gradients and sums are "
       "reduced over them"},
      {Phase::Fuse, "fuse", "makes kernels over buffers",
       "the plan dialect: every value is a buffer, equal kernels are one"},
      {Phase::Schedule, "schedule", "assigns streams, inserts events",
       "any two accesses to the same bytes are ordered by streams and events"},
      {Phase::Memory, "memory", "places buffers in the arena",
       "every transient buffer has its offset, and no two that live together "
       "overlap"},
      {Phase::Lower, "lower", "writes the code of the kernels",
       "every kernel has code; with it the plan can be written"},
  };
  return phases;
}

const PhaseInfo &getPhaseInfo(Phase phase) {
  const PhaseInfo &info = getPhases()[static_cast<size_t>(phase)];
  assert(info.phase == phase && "the table is in the order of the enum");
  return info;
}

std::optional<Phase> findPhase(llvm::StringRef name) {
  for (const PhaseInfo &info : getPhases()) {
    if (info.name == name) {
      return info.phase;
    }
  }
  return std::nullopt;
}

std::string listPhaseNames() {
  return llvm::join(
      llvm::map_range(getPhases(),
                      [](const PhaseInfo &info) { return info.name; }),
      ", ");
}

} // namespace accel
