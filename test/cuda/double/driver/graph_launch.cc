// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>

#include "absl/strings/str_cat.h"
#include "test/cuda/double/driver/capture.h"
#include "test/cuda/double/driver/device.h"

namespace accel::cuda_double {

std::shared_ptr<ExecutableGraph> Instantiate(
    std::shared_ptr<const CapturedGraph> graph, const std::string& name,
    Scheduler& scheduler) {
  auto executable = std::make_shared<ExecutableGraph>();
  // A node continues the branch of a node before it that nobody else continues.
  std::vector<size_t> tails;
  for (size_t node = 0; node < graph->nodes.size(); ++node) {
    size_t branch = tails.size();
    for (size_t other : graph->nodes[node].after) {
      if (tails[executable->branch_of[other]] == other) {
        branch = executable->branch_of[other];
      }
    }
    if (branch == tails.size()) {
      tails.push_back(node);
      executable->branches.push_back(scheduler.AddStream(
          *graph->device, absl::StrCat("branch ", branch, " of ", name)));
    }
    tails[branch] = node;
    executable->branch_of.push_back(branch);
  }
  executable->graph = std::move(graph);
  return executable;
}

void Launch(ExecutableGraph& executable, Stream& stream, Scheduler& scheduler,
            const Clock& host) {
  const auto begin = scheduler.Push(stream, nullptr, host);
  if (executable.end != nullptr) {
    begin->after.push_back(executable.end);
  }
  std::vector<std::shared_ptr<Operation>> operations;
  const std::vector<Node>& nodes = executable.graph->nodes;
  for (size_t k = 0; k < nodes.size(); ++k) {
    Stream& branch = *executable.branches[executable.branch_of[k]];
    operations.push_back(scheduler.Push(branch, nodes[k].task, host));
    operations[k]->after.push_back(begin);
    for (size_t other : nodes[k].after) {
      operations[k]->after.push_back(operations[other]);
    }
  }
  executable.end = scheduler.Push(stream, nullptr, host);
  executable.end->after = std::move(operations);
}

}  // namespace accel::cuda_double
