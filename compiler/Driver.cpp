// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The five steps of a compilation.
#include "compiler/Driver.h"

#include "compiler/Diagnostics.h"
#include "compiler/EstimateReport.h"
#include "compiler/Pipeline.h"
#include "compiler/PlanWriter.h"
#include "compiler/RegisterAll.h"
#include "compiler/Summary.h"
#include "dialects/Diagnostics/ErrorCodes.h"
#include "frontends/onnx/ImportOnnx.h"
#include "passes/Lower/LowerPipeline.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
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
      : options(options), output(output),
        threads(llvm::hardware_concurrency(options.threads)),
        context(makeRegistry(), MLIRContext::Threading::DISABLED),
        diagnostics(context, messages, options.model,
                    {options.quiet, options.jsonDiagnostics,
                     options.check ? &problems : nullptr}) {
    // An op's text says nothing to a user; its place in the model does.
    context.printOpOnDiagnostic(false);
    if (threads.getMaxConcurrency() > 1) {
      context.setThreadPool(threads);
    }
    timing.setEnabled(options.timeReport);
    timing.setDisplayMode(DefaultTimingManager::DisplayMode::Tree);
    timing.setOutput(createOutputStrategy(
        DefaultTimingManager::OutputFormat::Text, messages));
    time = timing.getRootScope();
  }

  ExitCode run() {
    if (options.check) {
      return check();
    }
    ExitCode code = importModel();
    if (code == ExitCode::Ok) {
      code = runPhases();
    }
    if (code != ExitCode::Ok || options.compileTo) {
      return code;
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
    return code == ExitCode::Ok ? report() : code;
  }

private:
  /// Finds what keeps the model from training, and prints it.
  ExitCode check();
  void printCheck();
  ExitCode importModel();
  ExitCode runPhases();
  LogicalResult checkGlobalBatch();
  ExitCode beginFile();
  ExitCode lower();
  ExitCode write();
  ExitCode report();
  ExitCode estimate();
  LogicalResult printReport(const TrainingEstimate &estimate);

  ModuleOp getModule() { return *model.module; }
  ExitCode dump(ModuleOp module, Phase phase);
  ExitCode failPhase(Phase phase);
  PlanWriterOptions makeWriterOptions() const;

  const CompilerOptions &options;
  llvm::raw_ostream &output;
  llvm::DefaultThreadPool threads;
  MLIRContext context;
  Problems problems; ///< of a check
  DiagnosticPrinter diagnostics;
  onnx::ImportedModel model;
  LoweredCode code;
  std::unique_ptr<PlanFile> file;
  std::optional<MemoryFit> fit; ///< where there is a limit
  DefaultTimingManager timing;  ///< prints when it goes
  TimingScope time;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};

ExitCode exitCodeOf(onnx::ImportFailure reason) {
  switch (reason) {
  case onnx::ImportFailure::File:
    return ExitCode::InputOutput;
  case onnx::ImportFailure::Unsupported:
    return ExitCode::Unsupported;
  case onnx::ImportFailure::Model:
    return ExitCode::CompileError;
  }
  llvm_unreachable("not a reason");
}

ExitCode Compilation::check() {
  ExitCode code = importModel();
  if (code == ExitCode::Ok) {
    code = runPhases();
  }
  if (code == ExitCode::Ok && options.memoryLimit > 0) {
    code = lower();
    code = code == ExitCode::Ok ? estimate() : code;
  }
  if (code != ExitCode::Internal) {
    printCheck();
  }
  return code;
}

void Compilation::printCheck() {
  bool trains = problems.empty();
  if (options.jsonDiagnostics) {
    llvm::json::Object object{{"model", options.model},
                              {"trains", trains},
                              {"problems", problems.toJson()}};
    output << llvm::formatv("{0:2}", llvm::json::Value(std::move(object)))
           << "\n";
  } else if (trains) {
    ModelFacts facts = readFacts(getModule());
    output << options.model
           << ": nothing keeps it from training: " << facts.objective << ", "
           << facts.parameters.tensors << " parameters";
    if (facts.frozen.tensors > 0) {
      output << ", of which " << facts.frozen.tensors << " are frozen";
    }
    output << ", microbatches of " << facts.batch << "\n";
  } else {
    problems.print(output, options.model);
  }
}

/// What an error is about that does not say it itself.
std::optional<ErrorCode> defaultCodeOf(Phase phase) {
  switch (phase) {
  case Phase::Import:
    return ErrorCode::InvalidNode;
  case Phase::Differentiate:
    return ErrorCode::NotTrainable;
  default:
    return std::nullopt;
  }
}

ExitCode Compilation::importModel() {
  TimingScope scope = time.nest("reading the model");
  diagnostics.setDefaultCode(ErrorCode::InvalidNode);
  onnx::ImportFailure reason = onnx::ImportFailure::Model;
  FailureOr<onnx::ImportedModel> imported =
      onnx::importOnnx(options.model, options.frontend, context, &reason);
  if (failed(imported)) {
    return exitCodeOf(reason);
  }
  model = std::move(*imported);
  diagnostics.print(model.notes);
  return ExitCode::Ok;
}

/// All phases that change the module in place.
ExitCode Compilation::runPhases() {
  Phase last = options.compileTo.value_or(Phase::Memory);
  for (const PhaseInfo &info : getPhases()) {
    if (info.phase > last) {
      break;
    }
    diagnostics.setDefaultCode(defaultCodeOf(info.phase));
    if (failed(
            runPhase(getModule(), info.phase, options, time.nest(info.name)))) {
      return failPhase(info.phase);
    }
    if (info.phase == Phase::Differentiate && failed(checkGlobalBatch())) {
      return ExitCode::CompileError;
    }
    if (ExitCode dumped = dump(getModule(), info.phase);
        dumped != ExitCode::Ok) {
      return dumped;
    }
  }
  if (options.compileTo) {
    StringRef path = options.output.empty() ? "-" : StringRef(options.output);
    bool written = succeeded(writeModule(getModule(), path));
    return written ? ExitCode::Ok : ExitCode::InputOutput;
  }
  return ExitCode::Ok;
}

/// What one rank cannot split into whole microbatches no number of ranks can.
LogicalResult Compilation::checkGlobalBatch() {
  auto objective =
      getModule()->getAttrOfType<DictionaryAttr>("accel.objective");
  auto batch = getModule()->getAttrOfType<IntegerAttr>("accel.batch");
  auto reason = objective ? objective.getAs<StringAttr>("whole_microbatches")
                          : StringAttr();
  if (!reason || !batch) {
    return success();
  }
  int64_t rest = options.globalBatch % batch.getInt();
  if (rest == 0) {
    return success();
  }
  int64_t below = options.globalBatch - rest;
  std::string smaller = below > 0 ? std::to_string(below) + " or " : "";
  return emitCodedError(getModule().getLoc(), ErrorCode::GlobalBatch)
         << "--global-batch: " << reason.getValue()
         << ", so those of a step must be a multiple of microbatch x ranks: "
            "with microbatches of "
         << batch.getInt() << " expected " << smaller << below + batch.getInt()
         << ", got " << options.globalBatch;
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
      lowerKernels(getModule(), getDefaultVariants(), time.nest("lower"));
  if (failed(lowered)) {
    return failPhase(Phase::Lower);
  }
  code = std::move(*lowered);
  return ExitCode::Ok;
}

ExitCode Compilation::beginFile() {
  FailureOr<std::unique_ptr<PlanFile>> begun =
      PlanFile::begin(context, options.output, model.weights,
                      /*onThread=*/context.isMultithreadingEnabled());
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
  file.reset();
  return succeeded(written) ? ExitCode::Ok : ExitCode::InputOutput;
}

ExitCode Compilation::report() {
  if (options.quiet) {
    return ExitCode::Ok;
  }
  uint64_t bytes = 0;
  if (std::error_code error = llvm::sys::fs::file_size(options.output, bytes)) {
    diagnostics.printError(options.output + ": " + error.message());
    return ExitCode::InputOutput;
  }
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  std::string memory = fit ? describeFit(*fit, options.maxRanks) : "";
  printSummary(readFacts(getModule()), options, memory, bytes, elapsed.count(),
               output);
  return ExitCode::Ok;
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
                           ErrorCode::MemoryLimit);
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
                succeeded(dumpPhase(module, phase, options.dumpPhases));
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
  writer.optimizer = options.accumulate.optimizer;
  writer.schedule = options.accumulate.schedule;
  writer.clips = options.accumulate.clipNorm > 0;
  writer.modelFile = llvm::sys::path::filename(options.model).str();
  writer.options = options.written;
  return writer;
}

} // namespace

ExitCode compile(const CompilerOptions &options, llvm::raw_ostream &output,
                 llvm::raw_ostream &messages) {
  return Compilation(options, output, messages).run();
}

} // namespace accel
