// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of accel-run, as a value.
#ifndef ACCEL_TOOLS_ACCEL_RUN_OPTIONS_H_
#define ACCEL_TOOLS_ACCEL_RUN_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/checkpoint/model_weights.h"
#include "runtime/report/console.h"
#include "tools/accel-run/run_checkpoints.h"

namespace accel::tools {

struct RunOptions {
  std::string plan;
  std::string weights_dir;
  std::string weights;  // a file, or an index of files; empty: the plan's own
  runtime::WeightsAllowance weights_allowance;
  std::vector<std::string> data;
  bool reset_attention = false;  // at the ends of documents
  std::optional<int64_t> steps;
  std::string run_dir;
  CheckpointInterval checkpoint_every;
  std::string checkpoint_every_text;  // as it was given
  int64_t keep = 3;                   // checkpoints
  bool checkpoint_async = false;      // written while training goes on
  int64_t keep_every = 0;             // of steps that are its multiples
  std::string resume;                 // auto, a folder, or nothing
  bool allow_data_change = false;
  bool check = false;        // all faults before step 0, and nothing else
  int64_t max_restarts = 0;  // without a new checkpoint in between
  std::vector<std::string> eval_data;
  int64_t eval_every = 0;  // steps; 0: only behind the last one
  bool evaluate = false;   // and nothing else
  bool eval_ema = false;   // averages in place of parameters
  // NAME=FILE; of a plan that answers.
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> set;  // NAME=VALUE
  std::optional<int64_t> global_batch;
  // After a step that is not finite: go on, or stop. Nothing: as the plan says.
  std::optional<bool> skip_nonfinite;
  int64_t seed = 0;
  bool shuffle = true;
  bool serial = false;
  int threads = 0;  // of each rank; 0: all cores, divided among the ranks
  int ranks_as_threads = 1;
  std::string device = "planned";    // or cpu
  std::string cuda_libs;             // folder of NVIDIA's libraries
  std::string collectives = "auto";  // or nccl, card, host
  std::string graphs = "auto";       // or off
  bool tune = false;                 // measures products, and does not train
  std::optional<uint32_t> ranks;     // as processes, started by this one
  std::string log_dir;               // of every rank's log
  double timeout_seconds = 30;
  std::string export_path;
  std::string export_ema;  // of averages
  std::string dump_gradients;
  std::string trace;
  int64_t trace_steps = 10;
  bool profile = false;
  bool time_report = false;
  bool quiet = false;
  runtime::ColorMode color = runtime::ColorMode::kAuto;
  // Pauses streams at random places, to test that nothing depends on timing.
  std::optional<uint64_t> jitter;
  // Makes every collective so much longer, so that a trace shows what goes on
  // meanwhile.
  int64_t delay_collectives_ms = 0;
};

// Whether the plan is to answer, once.
inline bool Infers(const RunOptions& options) {
  return !options.inputs.empty() || !options.outputs.empty();
}

// The options, or the exit status after help or a complaint was printed.
std::variant<RunOptions, int> ParseOptions(int argc, char** argv);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_OPTIONS_H_
