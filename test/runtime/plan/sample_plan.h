// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A complete small plan, made by hand: linear regression y = x w, trained with
// plain gradient descent, two streams, double-buffered inputs. Its machine code
// jumps to functions of the test program, so it runs in the process that made
// it.
//
//   init   load w and the frozen table, fill the scalars
//   step   zero gradient and sums
//          fetch 0                                   (communication)
//          repeat:  fetch i + 1                      (communication)
//                   prediction = x w
//                   residual, loss_sum, count
//                   scaled = residual * 2 * 2^-1     (takes prediction's bytes)
//                   gradient += x' scaled
//          finish: loss, tokens, scale, lr, grad_norm
//          update: w -= lr * scale * gradient
//          metrics                                   (communication)
#ifndef ACCEL_TEST_RUNTIME_PLAN_SAMPLE_PLAN_H_
#define ACCEL_TEST_RUNTIME_PLAN_SAMPLE_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::testing {

inline constexpr int kFeatures = 3;    // length of w
inline constexpr int kMicrobatch = 2;  // rows of x
inline constexpr int kGlobalBatch = 6;

// Positions that tests refer to.
enum SampleStream : uint32_t { kCompute, kCommunication };
enum SampleSection : uint32_t {
  kInitInstructions,
  kStepInstructions,
  kCode,
  kWeights,
  kConstants,
  kText,
  kExportModel,
  kExportGraph,
};

struct SampleSectionBytes {
  std::string name;
  planpb::SectionKind kind;
  std::string bytes;
};

struct SamplePlan {
  planpb::Manifest manifest;
  std::vector<std::vector<planpb::Instruction>> functions;  // init, step
  std::vector<SampleSectionBytes> sections;  // those of instructions are empty

  std::vector<planpb::Instruction>& step() { return functions[1]; }
  planpb::Function& step_function() { return *manifest.mutable_functions(1); }
  // The instruction of that name in `step`.
  planpb::Instruction& Step(const std::string& name);
  planpb::Buffer& Buffer(const std::string& name);
  uint32_t BufferIndex(const std::string& name) const;
};

SamplePlan MakeSamplePlan();

// The plan as its reader sees it, without a file.
absl::StatusOr<runtime::PlanView> ViewOf(const SamplePlan& plan);

// Writes the plan's file.
absl::Status WriteSamplePlan(runtime::Vfs& vfs, const SamplePlan& plan,
                             const std::string& path);

// What the plan computes, written down once more.
struct SampleStep {
  double loss = 0;
  double tokens = 0;
  double grad_norm = 0;
  std::vector<float> gradient;  // of the mean loss
};
// One step on samples (x, t), w changed in place. `rows` have kFeatures values.
SampleStep ReferenceStep(const std::vector<std::vector<float>>& rows,
                         const std::vector<float>& targets, double lr,
                         std::vector<float>& w);

inline const std::vector<float> kInitialWeights = {0.5f, -0.25f, 0.125f};
// [2, 4]; the file holds its transpose.
inline const std::vector<float> kFrozenTable = {0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_PLAN_SAMPLE_PLAN_H_
