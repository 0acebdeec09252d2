// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engines of the double: which problems each computes, with which notes,
// workspace and knobs, and what the heuristics say of them. As in cuDNN, the
// fastest are those that not everybody wants: they round f32 operands, sum in
// another order at every run, or take a large workspace. And as there, the
// heuristics may name an engine whose plan is then not supported.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_ENGINES_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_ENGINES_H_

#include <memory>
#include <vector>

#include "test/cuda/double/dnn/problem.h"

namespace accel::cuda_double::dnn {

enum class OperandRounding { kNone, kTf32, kBfloat16 };

// How an engine sums: the summed dimension is divided into `pieces`, a piece
// into chunks.
struct Sums {
  OperandRounding rounding = OperandRounding::kNone;
  int64_t pieces = 1;
  int64_t chunk = 16;
  // Pieces are added in another order at every run.
  bool is_unordered = false;
  // Sums are rounded to f16 after each chunk.
  bool is_reduced = false;
};

struct EngineConfiguration {
  std::shared_ptr<const Problem> problem;
  int64_t index = 0;
  int64_t pieces = 0;  // what the knob says; 0: the engine has none
};

struct KnobRange {
  int type;
  int64_t minimum;
  int64_t maximum;
  int64_t stride;
};

// The capability of the device of the current context, in tenths: 8.0 is 80.
// 0: there is no such context.
int CurrentCapability();

int64_t EngineCount();
// A success, or the status and the reason for which an engine does not compute
// the problem. Requires: 0 <= index < EngineCount().
Status CheckEngine(const Problem& problem, int64_t index, const char** reason);
// As CheckEngine, of what is known only when a plan is made.
Status CheckPlan(const EngineConfiguration& configuration, const char** reason);

std::vector<int> NumericalNotes(int64_t index);
std::vector<int> BehaviorNotes(int64_t index);
std::vector<KnobRange> Knobs(int64_t index);
EngineConfiguration DefaultConfiguration(std::shared_ptr<const Problem> problem,
                                         int64_t index);
int64_t WorkspaceBytes(const EngineConfiguration& configuration);
Sums SumsOf(const EngineConfiguration& configuration);

// The engines that compute the problem, the best first. Requires: `mode` is one
// of kHeurInstant, kHeurA, kHeurB, kHeurFallback.
std::vector<int64_t> RankEngines(const Problem& problem, int mode);

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_ENGINES_H_
