// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of a run.
#include "tools/accel-run/training_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/wall_clock.h"
#include "runtime/executor/parameters.h"
#include "runtime/executor/rank_threads.h"
#include "runtime/executor/step_driver.h"
#include "runtime/executor/trace_recorder.h"
#include "runtime/export/averages.h"
#include "runtime/report/peak_memory.h"
#include "tools/accel-run/inference_run.h"
#include "tools/accel-run/run_files.h"
#include "tools/accel-run/stream_jitter.h"

namespace accel::tools {
namespace {

// What a rank takes while it runs, besides its plan: stacks of streams, and
// pages of code and libraries that are touched first then. Measured: 0.4 to
// 0.7 MB. planned_peak.py holds the sum to what the kernel says.
constexpr uint64_t kRunningBytes = uint64_t{512} << 10;

runtime::CollectivesChoice CollectivesOf(absl::string_view name) {
  using Choice = runtime::CollectivesChoice;
  return name == "nccl"   ? Choice::kNccl
         : name == "card" ? Choice::kCard
         : name == "host" ? Choice::kHost
                          : Choice::kAuto;
}

// Borrows: the plan.
runtime::RankGroup::Words WordsOf(const runtime::PlanView& plan) {
  runtime::RankGroup::Words words;
  words.function = [&plan](uint32_t function, int64_t step) {
    const runtime::FunctionView& view = plan.functions()[function];
    return view.role() == planpb::FUNCTION_INITIALIZE ? "during initialization"
           : view.role() == planpb::FUNCTION_STEP
               ? absl::StrCat("in step ", step + 1)
               : absl::StrCat("in '", view.name(), "' of step ", step + 1);
  };
  words.instruction = [&plan](uint32_t function, uint32_t instruction) {
    const runtime::FunctionView& view = plan.functions()[function];
    return plan.Describe(view, view.instructions()[instruction]);
  };
  return words;
}

}  // namespace

std::chrono::nanoseconds LinePatience(const RunOptions& options) {
  constexpr double kMostSeconds = 10;
  return std::chrono::nanoseconds(static_cast<int64_t>(
      std::min(kMostSeconds, options.timeout_seconds) * 1e9));
}

TrainingRun::TrainingRun(const RunOptions& options,
                         const RunEnvironment& environment)
    : options_(options), environment_(environment) {}

TrainingRun::~TrainingRun() {
  if (group_ != nullptr) {
    // Its monitor lives longer than the plan.
    group_->SetWords({});
  }
}

std::chrono::nanoseconds TrainingRun::Timeout() const {
  return std::chrono::nanoseconds(
      static_cast<int64_t>(options_.timeout_seconds * 1e9));
}

ExitCode TrainingRun::Run() {
  constexpr Stage kStages[] = {
      {&TrainingRun::JoinRanks, ExitCode::kCommunication, "joining the ranks"},
      {&TrainingRun::OpenPlan, ExitCode::kInputOutput,
       "reading and hashing the plan"},
      {&TrainingRun::CheckFiles, ExitCode::kCommandLine,
       "checking what will be written"},
      {&TrainingRun::ReadTuned, ExitCode::kInputOutput,
       "reading the tuned products"},
      {&TrainingRun::OpenData, ExitCode::kData, "reading the data"},
      {&TrainingRun::ResolveHyperparameters, ExitCode::kCommandLine,
       "hyperparameters"},
      {&TrainingRun::CompareRanks, ExitCode::kCommandLine,
       "comparing the ranks"},
      {&TrainingRun::FindCheckpoint, ExitCode::kInputOutput,
       "finding a checkpoint"},
      {&TrainingRun::FindWeights, ExitCode::kInputOutput,
       "finding the weights"},
      {&TrainingRun::CheckRunOfData, ExitCode::kData,
       "comparing the run with its data"},
      {&TrainingRun::MeasureRoofline, ExitCode::kInternal,
       "measuring the roofline"},
      {&TrainingRun::ReserveCopy, ExitCode::kMemory,
       "reserving memory for checkpoints"},
      {&TrainingRun::CreateExecutor, ExitCode::kInputOutput,
       "starting the streams"},
      {&TrainingRun::StartMetrics, ExitCode::kMemory,
       "starting the thread that writes metrics"},
      {&TrainingRun::OpenRunDirectory, ExitCode::kInputOutput,
       "making the run directory"},
      {&TrainingRun::Initialize, ExitCode::kInputOutput,
       "initial weights and state"},
      {&TrainingRun::Train, ExitCode::kInputOutput, "training"},
      {&TrainingRun::Finish, ExitCode::kInputOutput, "finishing"},
  };
  ExitCode code = options_.tune       ? RunTuning()
                  : options_.check    ? RunChecks()
                  : options_.evaluate ? RunEvaluationAlone()
                                      : RunStages(kStages);
  const absl::Status metrics = CloseMetrics();
  if (!metrics.ok()) {
    environment_.logger.Log(runtime::LogLevel::kError, metrics.message());
    code = code == ExitCode::kOk ? ExitCode::kInputOutput : code;
  }
  return code;
}

absl::Status TrainingRun::CloseMetrics() {
  if (metrics_ == nullptr) {
    return absl::OkStatus();
  }
  const absl::Status status = metrics_->Close(LinePatience(options_));
  return status.ok() ? status
                     : absl::UnavailableError(absl::StrCat(
                           status.message(),
                           "; nothing else of the run is lost. Make room in '",
                           directory_ == nullptr ? "" : directory_->path(),
                           "', mend its disk, or choose another --run-dir"));
}

ExitCode TrainingRun::RunStages(absl::Span<const Stage> stages) {
  for (const Stage& stage : stages) {
    const absl::Status status = (this->*stage.run)();
    if (!status.ok()) {
      return Fail(status, stage);
    }
    NoteTime(stage.name);
  }
  return ExitCode::kOk;
}

absl::Status TrainingRun::JoinRanks() {
  if (!environment_.rank) {
    return absl::OkStatus();
  }
  runtime::RendezvousOptions options;
  options.environment = *environment_.rank;
  options.version = ACCEL_VERSION;
  options.timeout = Timeout();
  options.stop_requested = [this] {
    return environment_.stop_requested() != 0;
  };
  auto group = runtime::RankGroup::Join(environment_.vfs, options);
  if (absl::IsResourceExhausted(group.status())) {
    return WithExitCode(group.status(), ExitCode::kMemory);
  }
  RETURN_IF_ERROR(group.status());
  group_ = *std::move(group);
  return absl::OkStatus();
}

uint32_t TrainingRun::processes() const {
  return options_.check      ? options_.ranks.value_or(1)
         : group_ == nullptr ? 1
                             : group_->ranks();
}

int TrainingRun::ranks() const {
  return static_cast<int>(processes()) * options_.ranks_as_threads;
}

absl::Status TrainingRun::CheckRankCount() const {
  const uint64_t most = plan_->manifest().max_ranks();
  if (static_cast<uint64_t>(ranks()) <= most) {
    return absl::OkStatus();
  }
  return WithExitCode(
      absl::InvalidArgumentError(absl::StrCat(
          "'", options_.plan, "': expected between 1 and ", most,
          " ranks, which the plan was compiled for, got ", ranks(),
          "; compile it again for more, accelc --max-ranks=", ranks())),
      ExitCode::kCommandLine);
}

absl::Status TrainingRun::OpenPlan() {
  // `init` loads all weights: half a second for each GB and hash.
  ASSIGN_OR_RETURN(plan_, runtime::Plan::Open(environment_.vfs, options_.plan,
                                              runtime::WeightCheck::kWhenRead));
  if (plan_->view().FindFunction(planpb::FUNCTION_STEP) == nullptr) {
    return WithExitCode(absl::FailedPreconditionError(absl::StrCat(
                            "'", options_.plan,
                            "' answers and does not train; ask it: accel-run ",
                            options_.plan, DescribeInputs(plan_->manifest()))),
                        ExitCode::kCommandLine);
  }
  RETURN_IF_ERROR(CheckRankCount());
  if (group_ != nullptr) {
    group_->SetWords(WordsOf(plan_->view()));
  }
  const runtime::DeviceOptions device_options = MakeDeviceOptions();
  RETURN_IF_ERROR(CheckGpuOptions(device_options.kind));
  auto device = runtime::CreateDevice(environment_.vfs, device_options);
  if (absl::IsResourceExhausted(device.status())) {
    return WithExitCode(device.status(), ExitCode::kMemory);
  }
  RETURN_IF_ERROR(runtime::Annotate(device.status(),
                                    absl::StrCat("'", options_.plan, "'")));
  device_ = *std::move(device);
  if (plan_->manifest().kernels().empty()) {
    return absl::OkStatus();
  }
  return runtime::Annotate(device_->ChooseVariant(plan_->view()).status(),
                           absl::StrCat("'", options_.plan, "'"));
}

absl::Status TrainingRun::CheckCollectives() const {
  const bool share = options_.ranks_as_threads > 1;
  if (options_.collectives == "card" && !share) {
    return WithExitCode(
        absl::InvalidArgumentError(
            "--collectives=card is for ranks that share a GPU as threads "
            "(--ranks-as-threads); leave it out for processes"),
        ExitCode::kCommandLine);
  }
  if (options_.collectives == "nccl" && share) {
    return WithExitCode(
        absl::InvalidArgumentError(
            "--collectives=nccl needs a GPU for each rank, and ranks that are "
            "threads share one; start processes (-n N)"),
        ExitCode::kCommandLine);
  }
  return absl::OkStatus();
}

// An option that would do nothing is a mistake.
absl::Status TrainingRun::CheckGpuOptions(planpb::DeviceKind device) const {
  RETURN_IF_ERROR(CheckTuning(device));
  if (device == planpb::DEVICE_CUDA) {
    return CheckCollectives();
  }
  for (const auto& [name, value] :
       {std::pair("--collectives", options_.collectives),
        std::pair("--graphs", options_.graphs)}) {
    if (value != "auto") {
      return WithExitCode(
          absl::InvalidArgumentError(absl::StrCat(
              name, "=", value,
              " is for GPUs, and this run executes the plan on CPUs; leave it "
              "out")),
          ExitCode::kCommandLine);
    }
  }
  return absl::OkStatus();
}

runtime::DeviceOptions TrainingRun::MakeDeviceOptions() const {
  runtime::DeviceOptions options;
  options.kind = runtime::ChooseDevice(plan_->view(),
                                       options_.device == "cpu"
                                           ? runtime::DeviceChoice::kCpu
                                           : runtime::DeviceChoice::kPlanned);
  options.threads = options_.threads;
  options.ranks = ranks();
  options.ranks_on_gpu = options_.ranks_as_threads;
  options.collectives = CollectivesOf(options_.collectives);
  options.gpu_is_abandoned = gpu_is_abandoned_;
  options.cuda_libs = options_.cuda_libs;
  options.python_environment = environment_.python_environment;
  if (group_ != nullptr) {
    options.gpu = static_cast<int>(group_->rank());
  }
  if (group_ != nullptr || options_.check) {
    // Now: until they have been compared, no rank takes any.
    options.available_memory = [this,
                                memory = runtime::ReadShareOfMemory(
                                    environment_.vfs, ranks())](runtime::Vfs&) {
      runtime::AvailableMemory left = memory;
      left.bytes -= std::min(left.bytes, copy_bytes_);
      return left;
    };
  }
  return options;
}

absl::Status TrainingRun::CheckFiles() {
  if (!IsFirst()) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(
      CheckRunFiles(environment_.vfs, options_, processes(), plan_.get()));
  if (!options_.export_path.empty()) {
    RETURN_IF_ERROR(
        CheckExport(environment_.vfs, *plan_, options_.export_path));
  }
  if (!options_.export_ema.empty()) {
    RETURN_IF_ERROR(
        CheckAverageExport(environment_.vfs, *plan_, options_.export_ema));
  }
  if (!options_.dump_gradients.empty()) {
    RETURN_IF_ERROR(
        CheckGradients(environment_.vfs, *plan_, options_.dump_gradients));
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::ResolveHyperparameters() {
  ASSIGN_OR_RETURN(settings_,
                   ResolveSettings(plan_->manifest(), options_.set, steps_));
  return absl::OkStatus();
}

absl::StatusOr<runtime::RankFacts> TrainingRun::Facts() const {
  runtime::RankFacts facts = {
      {"accel-run", ACCEL_VERSION},
      {"plan sha256", runtime::ToHex(plan_->root())},
      {"data sha256", Data().identity()},
      {"--seed", absl::StrCat(options_.seed)},
      {"--steps", absl::StrCat(steps_)},
      {"--global-batch", absl::StrCat(global_batch_)},
      {"--shuffle", options_.shuffle ? "on" : "off"},
      {"--serial", options_.serial ? "on" : "off"},
      {"--trace", options_.trace.empty() ? "off" : "on"},
      {"--graphs", options_.graphs},
      {"--collectives", options_.collectives},
      {"tuned products", tuned_ ? tuned_->sha256 : "none"},
      {"--on-nonfinite", SkipsNonFinite() ? "skip" : "halt"},
      {"--timeout", absl::StrCat(options_.timeout_seconds)},
      {"--resume", options_.resume},
      {"--checkpoint-every", options_.checkpoint_every_text},
      {"--checkpoint-async", options_.checkpoint_async ? "on" : "off"},
      {"--threads", absl::StrCat(device_->threads())},
      {"device", device_->Describe()}};
  if (!plan_->manifest().kernels().empty()) {
    ASSIGN_OR_RETURN(const int variant, device_->ChooseVariant(plan_->view()));
    facts.push_back({"code", plan_->manifest().variants(variant).name()});
  }
  AddWeightsFacts(facts);
  // What all ranks read together they must all want.
  if (ReadTogether("master")) {
    facts.push_back({"--export", options_.export_path});
  }
  if (ReadTogether(runtime::kAverageSlot)) {
    facts.push_back({"--export-ema", options_.export_ema});
  }
  if (ReadTogether("gradient")) {
    facts.push_back({"--dump-gradients", options_.dump_gradients});
  }
  for (const Setting& setting : settings_) {
    facts.push_back({absl::StrCat("--set ", setting.name),
                     runtime::FormatRoundTrip(setting.value)});
  }
  return facts;
}

absl::Status TrainingRun::CompareRanks() {
  if (group_ == nullptr) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(runtime::RankFacts facts, Facts());
  AddEvaluationFacts(facts);
  const absl::Status status = group_->Compare(facts);
  all_know_ = absl::IsFailedPrecondition(status);
  return status;
}

absl::Status TrainingRun::CreateExecutor() {
  ASSIGN_OR_RETURN(const auto resident,
                   runtime::ReadResidentMemory(environment_.vfs));
  resident_before_ = resident.now_bytes;
  runtime::ExecutorOptions options;
  options.binding.threads = static_cast<uint64_t>(device_->threads());
  if (group_ != nullptr) {
    options.binding =
        runtime::RankBinding::OfRun(plan_->manifest(), group_->rank(),
                                    group_->ranks(), options.binding.threads);
    options.communicator = &group_->communicator();
  }
  options.global_batch = global_batch_;
  options.origin = origin_;
  options.evaluation = EvaluationData();
  options.seed = options_.seed;
  options.weights_dir = options_.weights_dir;
  options.serial = options_.serial;
  // The rank whose instructions are timed has no graphs, and ranks capture
  // collectives together or not at all.
  options.graphs = options_.graphs != "off" && !options_.profile;
  options.tuned = tuned_ ? &*tuned_ : nullptr;
  options.timeout = Timeout();
  options.collective_delay =
      std::chrono::milliseconds(options_.delay_collectives_ms);
  options.before_instruction = BeforeInstruction();
  options.wants_end = [this] { return environment_.stop_requested() != 0; };
  if (WantsTrace()) {
    MakeTrace();
    options.trace = trace_.get();
  }
  if (environment_.times != nullptr) {
    options.part_done = [this](absl::string_view part) { NoteTime(part); };
  }
  auto executor = MakeExecutor(options);
  if (absl::IsResourceExhausted(executor.status())) {
    return WithExitCode(executor.status(), ExitCode::kMemory);
  }
  if (absl::IsFailedPrecondition(executor.status())) {
    return WithExitCode(executor.status(), ExitCode::kVerification);
  }
  RETURN_IF_ERROR(executor.status());
  executor_ = *std::move(executor);
  if (trace_ != nullptr) {
    trace_->Reserve(plan_->view()
                        .FindFunction(planpb::FUNCTION_STEP)
                        ->instructions()
                        .size() *
                    static_cast<uint64_t>(executor_->iterations()));
  }
  return absl::OkStatus();
}

std::function<void(const planpb::Instruction&)>
TrainingRun::BeforeInstruction() {
  std::function<void(const planpb::Instruction&)> jitter;
  if (options_.jitter) {
    jitter = MakeStreamJitter(*options_.jitter);
  }
  if (group_ == nullptr) {
    return jitter;
  }
  return
      [jitter, group = group_.get()](const planpb::Instruction& instruction) {
        group->NoteInstruction(instruction.stream(), instruction.id());
        if (jitter) {
          jitter(instruction);
        }
      };
}

absl::StatusOr<std::unique_ptr<runtime::Executor>> TrainingRun::MakeExecutor(
    const runtime::ExecutorOptions& options) {
  if (options_.ranks_as_threads == 1) {
    return runtime::StepDriver::Create(environment_.vfs, *plan_, *device_,
                                       Data(), options);
  }
  runtime::RankThreadsOptions ranks;
  ranks.ranks = options_.ranks_as_threads;
  ranks.threads_per_rank = device_->threads();
  ranks.executor = options;
  ranks.create_device = [this](runtime::Vfs& vfs,
                               const runtime::DeviceOptions& given) {
    runtime::DeviceOptions own = MakeDeviceOptions();
    own.threads = given.threads;
    own.available_memory = given.available_memory;
    return runtime::CreateDevice(vfs, own);
  };
  return runtime::RankThreads::Create(environment_.vfs, *plan_, Data(), ranks);
}

absl::Status TrainingRun::StartMetrics() {
  if (!IsFirst()) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(
      metrics_,
      runtime::MetricsWriter::Start(
          environment_.vfs,
          [logger = &environment_.logger](const absl::Status& status) {
            logger->Log(runtime::LogLevel::kWarning,
                        absl::StrCat("metrics: ", status.message(),
                                     "; training goes on, and what is not "
                                     "written is tried again"));
          }));
  return absl::OkStatus();
}

absl::Status TrainingRun::OpenRunDirectory() {
  if (!IsFirst()) {
    return absl::OkStatus();
  }
  runtime::RunDirectoryOptions options;
  options.path = options_.run_dir;
  options.plan_path = options_.plan;
  options.resumes = !options_.resume.empty();
  ASSIGN_OR_RETURN(directory_,
                   runtime::RunDirectory::Open(environment_.vfs, options));
  ShowProgress();
  const int64_t started_ns = runtime::WallTimeNs();
  const std::string id = MakeRunId(started_ns);
  RETURN_IF_ERROR(WriteRecord(id, started_ns));
  ShowProgress();
  if (!options_.resume.empty()) {
    RETURN_IF_ERROR(runtime::KeepMetrics(
        environment_.vfs, directory_->metrics_path(), origin_.step));
    ShowProgress();
  }
  if (checkpoints_ == nullptr && options_.checkpoint_every.IsSet()) {
    MakeCheckpoints(directory_->path());
  }
  RETURN_IF_ERROR(CheckRoomForCheckpoint(directory_->path()));
  return metrics_->Open(directory_->metrics_path(), id);
}

void TrainingRun::ShowProgress() const {
  if (group_ != nullptr) {
    group_->communicator().ReportProgress();
  }
}

std::optional<uint64_t> TrainingRun::PlannedPeakBytes() const {
  if (MakeDeviceOptions().kind != planpb::DEVICE_CPU) {
    return std::nullopt;
  }
  // What the process took before, libraries and code, is not the plan's doing.
  return executor_->PlannedBytes() + resident_before_ +
         kRunningBytes * static_cast<uint64_t>(options_.ranks_as_threads);
}

void TrainingRun::NoteBegin(planpb::FunctionRole role, int64_t step) {
  if (group_ != nullptr) {
    const runtime::PlanView& plan = plan_->view();
    group_->Begin(plan.IndexOf(*plan.FindFunction(role)), step);
  }
}

absl::Status TrainingRun::Export(bool together) {
  if (!options_.export_path.empty() && ReadTogether("master") == together) {
    RETURN_IF_ERROR(ExportModel(environment_.vfs, *plan_, *executor_,
                                options_.export_path, Role()));
    summary_.AddRow("model", options_.export_path);
  }
  if (!options_.export_ema.empty() &&
      ReadTogether(runtime::kAverageSlot) == together) {
    RETURN_IF_ERROR(ExportAverages(environment_.vfs, *plan_, *executor_,
                                   options_.export_ema, Role()));
    summary_.AddRow("averages", options_.export_ema);
  }
  return absl::OkStatus();
}

absl::Status TrainingRun::Finish() {
  // First what no later run can write.
  if (IsFirst()) {
    RETURN_IF_ERROR(Export(/*together=*/false));
  }
  RETURN_IF_ERROR(WriteTrace());
  if (!IsFirst()) {
    return absl::OkStatus();
  }
  if (!options_.dump_gradients.empty()) {
    summary_.AddRow("gradients of step 1", options_.dump_gradients);
  }
  ASSIGN_OR_RETURN(const uint64_t peak, WorstPeak());
  summary_.SetPlannedPeak(PlannedPeakBytes().value_or(0));
  summary_.SetMeasuredPeak(peak);
  summary_.AddRow("metrics", directory_->metrics_path());
  std::string table = summary_.Table();
  while (!table.empty() && table.back() == '\n') {
    table.pop_back();
  }
  Print(absl::StrCat("\n", table));
  return absl::OkStatus();
}

}  // namespace accel::tools
