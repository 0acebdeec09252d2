// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The five steps of a compilation.
#include "compiler/Driver.h"

#include "compiler/CheckReport.h"
#include "compiler/DependencyFile.h"
#include "compiler/Diagnostics.h"
#include "compiler/ErrorCodes.h"
#include "compiler/EstimateReport.h"
#include "compiler/GlobalBatch.h"
#include "compiler/Pipeline.h"
#include "compiler/PlanWriter.h"
#include "compiler/RegisterAll.h"
#include "compiler/Remarks.h"
#include "compiler/Summary.h"
#include "compiler/ThreadStart.h"
#include "compiler/TimeReport.h"
#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/ImportOnnx.h"
#include "passes/ErrorCodes.h"
#include "passes/Lower/LowerPipeline.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/output_files.h"
#include "runtime/io/posix_vfs.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"

#include <chrono>

using namespace mlir;

namespace accel {
namespace {

/// The dialects that a compilation may meet.
DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerAllAccelDialects(registry);
  return registry;
}

class Compilation {
public:
  Compilation(const CompilerOptions &options, llvm::raw_ostream &output,
              llvm::raw_ostream &messages)
      : options(options), output(output), messages(messages),
        wantedThreads(
            llvm::hardware_concurrency(options.threads).compute_thread_count()),
        startedThreads(wantedThreads > 1 ? countStartableThreads(wantedThreads)
                                         : 1),
        threads(llvm::hardware_concurrency(std::max(startedThreads, 1U))),
        context(makeRegistry(), MLIRContext::Threading::DISABLED),
        diagnostics(context, messages, options.model, options.diagnostics,
                    options.check ? &problems : nullptr) {
    // An op's text says nothing to a user; its place in the model does.
    context.printOpOnDiagnostic(false);
    if (startedThreads > 1) {
      startThreads(threads);
      context.setThreadPool(threads);
    }
    timing.setEnabled(options.timeReport);
    timing.setDisplayMode(DefaultTimingManager::DisplayMode::Tree);
    timing.setOutput(createOutputStrategy(
        options.jsonTimeReport ? DefaultTimingManager::OutputFormat::Json
                               : DefaultTimingManager::OutputFormat::Text,
        timesStream));
    time = timing.getRootScope();
  }

  ExitCode run() {
    if (startedThreads < wantedThreads) {
      diagnostics.printWarning(
          "--threads: expected to start " + llvm::Twine(wantedThreads) +
          " threads, got " + llvm::Twine(startedThreads) +
          "; the plan is the same, it takes longer (ulimit -v, ulimit -u and a "
          "container's limit of processes bound them)");
    }
    ExitCode code = checkOutputs();
    if (code == ExitCode::Ok) {
      code = options.check ? check() : makeOutput();
    }
    if (options.diagnostics.format == DiagnosticsStyle::Format::Sarif) {
      // As everything that --check finds, its log goes to standard output.
      diagnostics.getLog().print(options.check ? output : messages,
                                 static_cast<int>(code));
    }
    if (options.timeReport) {
      printTimes();
    }
    return code;
  }

private:
  ExitCode makeOutput();
  /// Before anything is written, so that nothing is lost.
  ExitCode checkOutputs();
  ExitCode checkData();
  /// Finds what keeps the model from training, and prints it.
  ExitCode check();
  ExitCode importModel();
  ExitCode runPhases();
  ExitCode beginFile();
  ExitCode lower();
  ExitCode write();
  ExitCode writeDependencies();
  ExitCode report();
  void printTimes();
  ExitCode estimate();
  LogicalResult printReport(const TrainingEstimate &estimate);

  ModuleOp getModule() { return *model.module; }
  ExitCode dump(ModuleOp module, Phase phase);
  ExitCode failPhase(Phase phase);
  PlanWriterOptions makeWriterOptions() const;

  bool writesOutput() const {
    return !options.output.empty() && !options.estimate && !options.check;
  }

  const CompilerOptions &options;
  llvm::raw_ostream &output;
  llvm::raw_ostream &messages;
  std::unique_ptr<runtime::Vfs> vfs = runtime::MakePosixVfs();
  runtime::OutputFiles files{*vfs};
  unsigned wantedThreads, startedThreads;
  llvm::DefaultThreadPool threads;
  MLIRContext context;
  PhaseRemarks remarks{context, options.remarks};
  Problems problems; ///< of a check
  DiagnosticPrinter diagnostics;
  onnx::ImportedModel model;
  LoweredCode code;
  std::unique_ptr<PlanFile> file;
  uint64_t planBytes = 0;       ///< when it is written
  std::string weights;          ///< that it refers to, for people
  std::optional<MemoryFit> fit; ///< where there is a limit
  std::string times;
  llvm::raw_string_ostream timesStream{times};
  DefaultTimingManager timing;
  TimingScope time;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};

ExitCode Compilation::makeOutput() {
  ExitCode code = importModel();
  if (code == ExitCode::Ok) {
    code = runPhases();
  }
  if (code != ExitCode::Ok || options.compileTo) {
    return code == ExitCode::Ok ? writeDependencies() : code;
  }
  code = options.estimate ? ExitCode::Ok : beginFile();
  code = code == ExitCode::Ok ? lower() : code;
  if (code == ExitCode::Ok && (options.estimate || options.memoryLimit > 0)) {
    code = estimate();
  }
  if (code != ExitCode::Ok || options.estimate) {
    return code;
  }
  code = write();
  code = code == ExitCode::Ok ? writeDependencies() : code;
  return code == ExitCode::Ok ? report() : code;
}

/// What docs/diagnostics.md promises for each code.
ExitCode exitCodeOf(std::optional<ErrorCode> code) {
  return code ? getErrorInfo(*code).exit : ExitCode::CompileError;
}

ExitCode Compilation::checkOutputs() {
  absl::Status status = files.AddInput("model", options.model);
  if (writesOutput()) {
    status.Update(files.AddOutput("-o", options.output));
  }
  for (const std::string &path : options.otherInputs) {
    status.Update(files.AddInput("options", path));
  }
  if (!options.dependencyFile.empty()) {
    status.Update(files.AddOutput("-MF", options.dependencyFile));
  }
  // A folder that is still to be made holds nothing yet.
  if (!options.dumpPhases.empty() && vfs->Stat(options.dumpPhases).ok()) {
    for (const PhaseInfo &info : getPhases()) {
      status.Update(files.AddOutput(
          "--dump-phases", getDumpPath(info.phase, options.dumpPhases)));
    }
  }
  if (!status.ok()) {
    diagnostics.printError(std::string(status.message()));
    return ExitCode::InputOutput;
  }
  return ExitCode::Ok;
}

/// What the model names is known when it was read.
ExitCode Compilation::checkData() {
  absl::Status status;
  for (const std::string &path : model.dataFiles) {
    status.Update(files.AddInput("external data", path));
  }
  if (!status.ok()) {
    diagnostics.printError(std::string(status.message()));
    return ExitCode::InputOutput;
  }
  return ExitCode::Ok;
}

ExitCode Compilation::check() {
  ExitCode code = importModel();
  if (code == ExitCode::Ok) {
    code = runPhases();
  }
  if (code == ExitCode::Ok && options.memoryLimit > 0) {
    code = lower();
    code = code == ExitCode::Ok ? estimate() : code;
  } else if (code == ExitCode::Ok &&
             failed(checkKernels(getModule(), getVariants(getModule()),
                                 time.nest("lower")))) {
    code = failPhase(Phase::Lower);
  }
  if (code != ExitCode::Internal) {
    printCheck(problems, model.module.get(), options, output);
  }
  return code;
}

/// What an error is about that does not say it itself.
std::optional<ErrorCode> defaultCodeOf(Phase phase) {
  switch (phase) {
  case Phase::Import:
    return onnx::codes::InvalidNode;
  case Phase::Differentiate:
    return codes::NotTrainable;
  default:
    return std::nullopt;
  }
}

ExitCode Compilation::importModel() {
  TimingScope scope = time.nest("reading the model");
  diagnostics.setDefaultCode(onnx::codes::InvalidNode);
  FailureOr<onnx::ImportedModel> imported =
      onnx::importOnnx(options.model, options.frontend, context);
  if (failed(imported)) {
    return exitCodeOf(diagnostics.getFirstCode());
  }
  model = std::move(*imported);
  diagnostics.print(model.notes,
                    /*remarks=*/!options.check && !options.estimate);
  return checkData();
}

/// All phases that change the module in place.
ExitCode Compilation::runPhases() {
  if (failed(remarks.enable())) {
    return ExitCode::Internal;
  }
  Phase last = options.compileTo.value_or(Phase::Memory);
  for (const PhaseInfo &info : getPhases()) {
    if (info.phase > last) {
      break;
    }
    diagnostics.setDefaultCode(defaultCodeOf(info.phase));
    remarks.begin(info.phase);
    if (failed(
            runPhase(getModule(), info.phase, options, time.nest(info.name)))) {
      return failPhase(info.phase);
    }
    if (info.phase == Phase::Differentiate) {
      if (failed(checkGlobalBatch(getModule(), options.globalBatch))) {
        return ExitCode::CompileError;
      }
      if (std::optional<std::string> padding =
              describePadding(getModule(), options.globalBatch)) {
        diagnostics.printWarning(*padding, driver_codes::PaddedSteps);
      }
      // Warnings that are errors are all known now.
      if (diagnostics.getErrorCount() > 0) {
        return ExitCode::CompileError;
      }
    }
    if (ExitCode dumped = dump(getModule(), info.phase);
        dumped != ExitCode::Ok) {
      return dumped;
    }
  }
  if (options.compileTo && writesOutput()) {
    bool written = succeeded(writeModule(getModule(), *vfs, options.output));
    return written ? ExitCode::Ok : ExitCode::InputOutput;
  }
  if (options.compileTo) {
    getModule()->print(output);
    output << "\n";
  }
  return ExitCode::Ok;
}

/// Code goes beside the module, which stays as Memory left it; so what Lower
/// makes of it is shown on a copy.
ExitCode Compilation::lower() {
  if (!options.dumpPhases.empty()) {
    OwningOpRef<ModuleOp> copy = getModule().clone();
    if (failed(runPhase(*copy, Phase::Lower, options))) {
      return failPhase(Phase::Lower);
    }
    if (ExitCode dumped = dump(*copy, Phase::Lower); dumped != ExitCode::Ok) {
      return dumped;
    }
  }
  FailureOr<LoweredCode> lowered =
      lowerKernels(getModule(), getVariants(getModule()), time.nest("lower"));
  if (failed(lowered)) {
    return failPhase(Phase::Lower);
  }
  code = std::move(*lowered);
  return ExitCode::Ok;
}

ExitCode Compilation::beginFile() {
  FailureOr<std::unique_ptr<PlanFile>> begun =
      PlanFile::begin(context, *vfs, options.output, model.weights,
                      options.hasExternalWeights ? WeightStorage::External
                                                 : WeightStorage::Plan,
                      /*onThread=*/context.isMultithreadingEnabled() &&
                          countStartableThreads(1) == 1);
  if (failed(begun)) {
    return ExitCode::InputOutput;
  }
  file = std::move(*begun);
  return ExitCode::Ok;
}

ExitCode Compilation::write() {
  TimingScope scope = time.nest("writing the plan");
  LogicalResult written =
      writePlan(getModule(), code, model, makeWriterOptions(), *file);
  planBytes = file->getSize();
  weights = describeExternalFiles(file->getExternalFiles());
  file.reset();
  return succeeded(written) ? ExitCode::Ok : ExitCode::InputOutput;
}

/// Behind the output, so that it says nothing of one that is not there.
ExitCode Compilation::writeDependencies() {
  if (options.dependencyFile.empty()) {
    return ExitCode::Ok;
  }
  std::vector<std::string> files;
  if (options.model != onnx::standardInput) {
    files.push_back(options.model);
  }
  llvm::append_range(files, model.dataFiles);
  llvm::append_range(files, options.otherInputs);
  for (const std::string &file : files) {
    if (!canBeNamedInRule(file)) {
      diagnostics.printError(
          "-MD: expected names without line breaks, which no "
          "makefile can hold, got '" +
          file + "'");
      return ExitCode::InputOutput;
    }
  }
  absl::Status written = runtime::WriteFileAtomically(
      *vfs, options.dependencyFile, makeDependencyRule(options.output, files));
  if (!written.ok()) {
    diagnostics.printError(std::string(written.message()));
    return ExitCode::InputOutput;
  }
  return ExitCode::Ok;
}

ExitCode Compilation::report() {
  if (options.diagnostics.quiet) {
    return ExitCode::Ok;
  }
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  std::string memory = fit ? describeFit(*fit, options.maxRanks) : "";
  // Where standard output takes the plan, it takes nothing else.
  bool isTaken = runtime::IsStandardOutput(*vfs, options.output);
  printSummary(readFacts(getModule()), options, memory, weights, planBytes,
               elapsed.count(), isTaken ? messages : output);
  return ExitCode::Ok;
}

void Compilation::printTimes() {
  time.stop();
  timing.print();
  if (!options.jsonTimeReport) {
    messages << times;
    return;
  }
  llvm::Expected<llvm::json::Object> report = makeTimeReport(times);
  if (!report) {
    diagnostics.printError("--time-report: " +
                           llvm::toString(report.takeError()));
    return;
  }
  messages << llvm::json::Value(std::move(*report)) << "\n";
}

/// Prints what was asked for; fails where no number of ranks fits the limit.
ExitCode Compilation::estimate() {
  FailureOr<TrainingEstimate> training = TrainingEstimate::create(
      getModule(), code, model, makeWriterOptions(), options.shard.mode);
  if (failed(training)) {
    return failPhase(Phase::Lower);
  }
  if (options.memoryLimit > 0) {
    FailureOr<MemoryFit> found = findFit(*training, options.memoryLimit);
    if (failed(found)) {
      return failPhase(Phase::Lower);
    }
    fit = *found;
  }
  if (options.estimate && failed(printReport(*training))) {
    return failPhase(Phase::Lower);
  }
  if (fit && !fit->smallest) {
    diagnostics.printError(explainMisfit(*fit, *training),
                           driver_codes::MemoryLimit);
    return ExitCode::CompileError;
  }
  return ExitCode::Ok;
}

LogicalResult Compilation::printReport(const TrainingEstimate &estimate) {
  EstimateReport report{estimate, {}, fit};
  for (uint64_t ranks : getShownRankCounts(estimate.getMaxRanks())) {
    FailureOr<RankEstimate> rank = estimate.estimateRank(ranks);
    if (failed(rank)) {
      return failure();
    }
    report.ranks.push_back(*rank);
  }
  (options.json ? printEstimateAsJson : printEstimate)(report, output);
  return success();
}

ExitCode Compilation::dump(ModuleOp module, Phase phase) {
  bool dumped = options.dumpPhases.empty() ||
                succeeded(dumpPhase(module, *vfs, phase, options.dumpPhases));
  return dumped ? ExitCode::Ok : ExitCode::InputOutput;
}

/// What the phases from Fuse on refuse, the ones before should not have let
/// through.
ExitCode Compilation::failPhase(Phase phase) {
  if (diagnostics.getErrorCount() > 0 && phase < Phase::Fuse) {
    return ExitCode::CompileError;
  }
  diagnostics.printError(
      "internal error in phase " + getPhaseInfo(phase).name +
      ": this is a mistake of accelc; please report it with the module that "
      "--dump-phases=DIR writes before it");
  return ExitCode::Internal;
}

PlanWriterOptions Compilation::makeWriterOptions() const {
  PlanWriterOptions writer;
  writer.globalBatch = options.globalBatch;
  writer.maxRanks = options.maxRanks;
  writer.modelFile = options.model == onnx::standardInput
                         ? "model.onnx"
                         : llvm::sys::path::filename(options.model).str();
  writer.options = options.written;
  return writer;
}

} // namespace

ExitCode compile(const CompilerOptions &options, llvm::raw_ostream &output,
                 llvm::raw_ostream &messages) {
  return Compilation(options, output, messages).run();
}

} // namespace accel
