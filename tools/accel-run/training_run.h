// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of accel-run from the plan's file to the last line printed.
#ifndef ACCEL_TOOLS_ACCEL_RUN_TRAINING_RUN_H_
#define ACCEL_TOOLS_ACCEL_RUN_TRAINING_RUN_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/base/logger.h"
#include "runtime/checkpoint/model_weights.h"
#include "runtime/data/dataset.h"
#include "runtime/device/create_device.h"
#include "runtime/device/tuned_products.h"
#include "runtime/executor/executor.h"
#include "runtime/executor/trace_recorder.h"
#include "runtime/launch/failure_note.h"
#include "runtime/launch/rank_group.h"
#include "runtime/plan/plan.h"
#include "runtime/report/console.h"
#include "runtime/report/metrics_writer.h"
#include "runtime/report/progress_line.h"
#include "runtime/report/run_directory.h"
#include "runtime/report/run_summary.h"
#include "runtime/report/time_report.h"
#include "tools/accel-run/exit_code.h"
#include "tools/accel-run/export_model.h"
#include "tools/accel-run/hyperparameters.h"
#include "tools/accel-run/options.h"
#include "tools/accel-run/run_checkpoints.h"
#include "tools/accel-run/run_evaluation.h"

namespace accel::tools {

// How long a run waits for lines to be written while none is: for a disk that
// does not answer, or for who reads what it prints.
std::chrono::nanoseconds LinePatience(const RunOptions& options);

// What a run gets from outside.
struct RunEnvironment {
  runtime::Vfs& vfs;
  runtime::Console& console;      // what people read
  const runtime::Logger& logger;  // warnings and errors
  // The signal that asks to stop; 0: none. Asked by any thread.
  std::function<int()> stop_requested = [] { return 0; };
  // This process is one rank of several; nothing: it is all of them.
  std::optional<runtime::RankEnvironment> rank = std::nullopt;
  // Of another rank than 0, for what rank 0 cannot say: its own failure.
  const runtime::Logger* failures = nullptr;
  // With --time-report: began with the process.
  runtime::TimeReport* times = nullptr;
  // A folder with Python's packages; empty: none.
  std::string python_environment = {};
  // Told of the failure that ends the run; false: the run itself says what.
  std::function<bool(const runtime::FailureNote& note, ExitCode code)>
      say_failure = nullptr;
};

class TrainingRun {
 public:
  // Borrows: both.
  TrainingRun(const RunOptions& options, const RunEnvironment& environment);
  ~TrainingRun();

  // All stages in order; the first error is logged and ends the run. Whatever
  // can be checked before step 0 is.
  // With kOk, stop_signal() may say that it was stopped before.
  ExitCode Run();
  // What ended the run, of this rank or another.
  int stop_signal() const { return stop_signal_; }

 private:
  struct Stage {
    absl::Status (TrainingRun::*run)();
    ExitCode failure;  // unless the error knows better
    absl::string_view name;
  };

  ExitCode RunStages(absl::Span<const Stage> stages);
  ExitCode RunTuning();           // --tune
  ExitCode RunChecks();           // --check
  ExitCode RunEvaluationAlone();  // --evaluate
  // Last of all, so that a disk that does not answer costs nothing else: an
  // error if steps are not in the metrics.
  absl::Status CloseMetrics();
  absl::Status JoinRanks();
  absl::Status OpenPlan();
  absl::Status ReadTuned();
  absl::Status CheckFiles();
  absl::Status OpenData();
  absl::Status ResolveHyperparameters();
  absl::Status CompareRanks();
  absl::Status FindCheckpoint();
  // What --weights names, unless a checkpoint was found.
  absl::Status FindWeights();
  // Whether the data have samples for it, once it is known where it begins.
  absl::Status CheckRunOfData();
  // What CreateExecutor and OpenRunDirectory would say, of --check.
  absl::Status CheckMemory();
  absl::Status CheckRunDirectory();
  absl::Status MeasureRoofline();
  // Memory for --checkpoint-async; with --check only whether it is there.
  absl::Status ReserveCopy();
  absl::Status CreateExecutor();
  absl::StatusOr<std::unique_ptr<runtime::Executor>> MakeExecutor(
      const runtime::ExecutorOptions& options);
  std::function<void(const planpb::Instruction&)> BeforeInstruction();
  absl::Status StartMetrics();
  absl::Status OpenRunDirectory();
  // To ranks that wait for this one, whose disk is slow.
  void ShowProgress() const;
  absl::Status Initialize();
  absl::Status InitializeWith(const runtime::SafetensorsSet& weights);
  // So that no rank begins with others than the rest.
  void AddWeightsFacts(runtime::RankFacts& facts) const;
  // By the first rank, as an information.
  void SayOnce(absl::string_view text) const;
  // Tells other ranks which function this one begins.
  void NoteBegin(planpb::FunctionRole role, int64_t step);
  absl::Status Train();
  absl::Status Finish();
  // --tune: measures, and writes PLAN.tuned.
  absl::Status Tune();
  absl::StatusOr<runtime::TunedProducts> MeasureProducts();
  bool WantsTrace() const;
  void MakeTrace();
  absl::Status WriteTrace();
  // What has gone on since the last call was `part`.
  void NoteTime(absl::string_view part);
  void PrintTimes(int64_t first_step_ns);
  // What is asked for of the trained model, as far as ranks that are processes
  // read it `together`, or the first one alone.
  absl::Status Export(bool together);

  // Checkpoints. `steps`: so many are done.
  void MakeCheckpoints(const std::string& run_directory);
  absl::Status CheckResumed();
  absl::Status Restore();
  bool SavesCheckpoints() const {
    return checkpoints_ != nullptr && options_.checkpoint_every.IsSet();
  }
  runtime::CheckpointManifest ManifestOf(int64_t steps) const;
  absl::Status SaveCheckpoint(runtime::CheckpointManifest manifest);
  // And waits for it.
  absl::Status SaveNow(runtime::CheckpointManifest manifest);
  absl::Status NoteScalars();
  // In `folder`, for one.
  absl::Status CheckRoomForCheckpoint(const std::string& folder) const;
  void SaveBeforeHalt();
  absl::Status SaveIfDue(int64_t steps);
  absl::Status SaveLast(int64_t steps);
  // Evaluation. `steps`: so many are done.
  absl::Status OpenEvaluation();
  absl::StatusOr<runtime::EvaluationMetrics> Measure(int64_t steps);
  // Asked to stop meanwhile, the run is stopped there.
  absl::Status EvaluateIfDue(int64_t steps);
  absl::Status EvaluateMissed();
  void AddEvaluationFacts(runtime::RankFacts& facts) const;
  // Null: none are wanted.
  const runtime::Dataset* EvaluationData() const {
    return evaluation_ == nullptr ? nullptr : &evaluation_->dataset();
  }
  // What is trained on; with --evaluate, what is measured.
  const runtime::Dataset& Data() const {
    return dataset_ == nullptr ? evaluation_->dataset() : *dataset_;
  }
  // --evaluate: trains nothing, and writes nothing.
  absl::Status OpenEvaluationAlone();
  absl::Status FindEvaluated();
  absl::Status InitializeEvaluated();
  // --eval-ema: whether averages may be measured, and the state with them.
  absl::Status CheckEvaluatedAverages() const;
  absl::Status RestoreAverages();
  absl::Status EvaluateAlone();

  // Samples of the run that have been taken.
  int64_t SamplesAfter(int64_t steps) const;

  ExitCode Fail(const absl::Status& status, const Stage& stage);
  runtime::FailureNote NoteOf(const absl::Status& shown,
                              const Stage& stage) const;
  absl::Status NameRank(const absl::Status& status) const;
  // Whether another rank than 0 shall say why it failed; `group`: what ended
  // all ranks, if it was not this one.
  bool IsOursToShow(const absl::Status& group) const;
  absl::Status CheckRankCount() const;
  runtime::DeviceOptions MakeDeviceOptions() const;
  absl::Status CheckGpuOptions(planpb::DeviceKind device) const;
  absl::Status CheckCollectives() const;
  absl::Status CheckTuning(planpb::DeviceKind device) const;
  std::chrono::nanoseconds Timeout() const;
  absl::StatusOr<runtime::RankFacts> Facts() const;
  absl::StatusOr<bool> ShallStop();
  // Whether ranks that are processes hold parts of that slot, so that they read
  // it together.
  bool ReadTogether(absl::string_view slot) const;
  ExportRole Role() const {
    return IsFirst() ? ExportRole::kWriter : ExportRole::kGiver;
  }
  absl::Status TrainSteps();
  // How often all samples have been taken after so many steps; NaN: there is no
  // end of synthetic data.
  double EpochAfter(int64_t steps) const;
  std::string StopText() const;
  absl::Status TrainStep(int64_t step);
  absl::StatusOr<std::vector<double>> RunOneStep(int64_t step);
  double MetricOf(const std::vector<double>& values,
                  absl::string_view name) const;
  bool SkipsNonFinite() const;
  // Whether code computes with the numbers of FP8 without units for them.
  bool EmulatesFp8() const;
  bool IsFinite(const runtime::StepMetrics& metrics,
                const std::vector<double>& values) const;
  // After a step that was not finite, and has changed no weight: an error, or
  // nothing if the run goes on.
  absl::Status HandleNonFinite(const runtime::StepMetrics& metrics);
  // All ranks end because of the same step: exports the weights before it, if
  // asked to, and lets nobody die of another's end.
  void EndTogether();
  void KeepLastGood();
  // Of this start of the program: 16 digits that no other one has.
  std::string MakeRunId(int64_t started_ns) const;
  absl::Status WriteRecord(const std::string& id, int64_t started_ns);
  // Of this process; nothing where the plan's memory is a GPU's.
  std::optional<uint64_t> PlannedPeakBytes() const;
  // Of this process, or of the rank whose process has had most so far.
  absl::StatusOr<uint64_t> WorstPeak();
  void PrintHeader();
  void PrintMachine();                 // the plan, and what executes it
  void Print(absl::string_view text);  // nothing with --quiet
  uint32_t processes() const;          // of --check those that a run would have
  int ranks() const;
  std::string RanksText() const;
  // The rank that writes files.
  bool IsFirst() const {
    return !environment_.rank || environment_.rank->rank == 0;
  }

  const RunOptions& options_;
  const RunEnvironment& environment_;
  std::unique_ptr<runtime::RankGroup> group_;  // absent: no other process
  // All ranks fail with the same, so none needs to tell the others.
  bool all_know_ = false;
  int stop_signal_ = 0;
  std::optional<int64_t> stopped_after_;  // steps
  bool has_begun_ = false;                // initial weights are there
  int64_t step_in_progress_ = 0;          // from 1; 0: none yet
  int64_t skipped_steps_ = 0;
  // The cause of a step that was not finite has been named.
  bool named_cause_ = false;
  // The step behind so many was not finite; the weights are those before it,
  // and finite.
  std::optional<int64_t> halted_after_;
  // Counters and scales before the step in progress, which it changes even if
  // it is not finite; kept where a checkpoint of them may be wanted.
  std::vector<runtime::CheckpointScalar> scalars_before_;
  std::unique_ptr<runtime::Plan> plan_;
  std::unique_ptr<runtime::Device> device_;
  // By one of the ranks of this process.
  const std::shared_ptr<std::atomic<bool>> gpu_is_abandoned_ =
      std::make_shared<std::atomic<bool>>(false);
  // Of PLAN.tuned, if it is there and the plan is executed on a GPU.
  std::optional<runtime::TunedProducts> tuned_;
  std::unique_ptr<runtime::Dataset> dataset_;  // null with --evaluate
  std::unique_ptr<RunEvaluation> evaluation_;  // null: none is wanted
  std::optional<runtime::EvaluationMetrics> last_evaluation_;
  std::vector<Setting> settings_;
  int64_t global_batch_ = 0;
  int64_t steps_ = 0;
  std::unique_ptr<RunCheckpoints> checkpoints_;  // null: none are wanted
  std::shared_ptr<runtime::StateCopy> copy_;     // null: steps wait for saves
  uint64_t copy_bytes_ = 0;
  std::unique_ptr<runtime::Checkpoint> resumed_;  // null: from the beginning
  // Null: the plan's own, or a checkpoint's. Its tensors that are parameters.
  std::unique_ptr<runtime::SafetensorsSet> weights_;
  int64_t loaded_tensors_ = 0;
  runtime::SampleOrigin origin_;
  uint64_t resident_before_ = 0;  // bytes, before the plan's memory
  std::optional<runtime::Roofline> roofline_;      // with --profile
  std::unique_ptr<runtime::TraceRecorder> trace_;  // null: none is wanted
  std::unique_ptr<runtime::Executor> executor_;
  std::unique_ptr<runtime::RunDirectory> directory_;
  std::shared_ptr<runtime::MetricsWriter> metrics_;
  std::unique_ptr<runtime::ProgressLine> progress_;
  runtime::RunSummary summary_;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_TRAINING_RUN_H_
