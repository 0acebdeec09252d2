// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The five steps of a compilation.
#include "compiler/Driver.h"

#include "compiler/AdapterFolder.h"
#include "compiler/BoundInputs.h"
#include "compiler/CheckReport.h"
#include "compiler/CompilationFiles.h"
#include "compiler/CompilerThreads.h"
#include "compiler/ErrorCodes.h"
#include "compiler/EstimateReport.h"
#include "compiler/OtherBatches.h"
#include "compiler/PhaseRunner.h"
#include "compiler/Pipeline.h"
#include "compiler/PlanOutput.h"
#include "compiler/RegisterAll.h"
#include "compiler/SavedParameters.h"
#include "compiler/Summary.h"
#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/ImportOnnx.h"
#include "passes/Lower/Cuda/Disassembler.h"
#include "passes/Lower/Cuda/Ptxas.h"
#include "passes/Target/TargetNames.h"
#include "runtime/io/output_target.h"
#include "runtime/io/posix_vfs.h"

#include "mlir/IR/DialectRegistry.h"

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
        threads(options.threads),
        context(makeRegistry(), MLIRContext::Threading::DISABLED),
        diagnostics(context, messages, options.model, options.diagnostics,
                    options.check ? &problems : nullptr),
        times(options.timeReport, options.jsonTimeReport) {
    // An op's text says nothing to a user; its place in the model does.
    context.printOpOnDiagnostic(false);
    threads.attachTo(context);
  }

  ExitCode run();

private:
  ExitCode makeOutput();
  ExitCode checkTools();
  /// Finds what keeps the model from training, and prints it.
  ExitCode check();
  ExitCode readImportFiles(onnx::ImportOptions &frontend);
  ExitCode importModel();
  ExitCode readAdapters();
  ExitCode writeIr();
  ExitCode writeCode();
  llvm::Expected<std::string> findCode() const;
  ExitCode fail(const llvm::Twine &what, llvm::Error error);
  ExitCode makePlan();
  /// Prints what was asked for; fails where no number of ranks fits the limit.
  ExitCode estimate();
  ExitCode report();
  ExitCode printFault(const absl::Status &status);

  ModuleOp getModule() { return *model.module; }

  CompilerOptions options; ///< with what a folder of adapters adds
  llvm::raw_ostream &output;
  llvm::raw_ostream &messages;
  std::unique_ptr<runtime::Vfs> vfs = runtime::MakePosixVfs();
  CompilationFiles files{options, *vfs};
  CompilerThreads threads;
  MLIRContext context;
  Problems problems; ///< of a check
  DiagnosticPrinter diagnostics;
  CompilationTimes times;
  PhaseRunner phases{options, context, {*vfs, diagnostics, times}};
  onnx::ImportedModel model;
  LoweredCode code;
  PlanOutput plan{options, *vfs, model};
  std::optional<MemoryFit> fit; ///< where there is a limit
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};

ExitCode Compilation::run() {
  if (std::optional<std::string> shortage = threads.describeShortage()) {
    diagnostics.printWarning(*shortage);
  }
  ExitCode result = printFault(files.checkOptions());
  if (result == ExitCode::Ok) {
    result = options.check ? check() : makeOutput();
  }
  if (options.diagnostics.format == DiagnosticsStyle::Format::Sarif) {
    // As everything that --check finds, its log goes to standard output.
    diagnostics.getLog().print(options.check ? output : messages,
                               static_cast<int>(result));
  }
  if (llvm::Error error = times.print(messages)) {
    diagnostics.printError("--time-report: " +
                           llvm::toString(std::move(error)));
  }
  return result;
}

/// What code needs besides accelc is missed before the model is read.
ExitCode Compilation::checkTools() {
  // A wrong list is complained about by whoever makes the target of it.
  auto variants = parseVariants(options.target, [](const llvm::Twine &) {});
  if (options.compileTo || options.tools.keepsPtx ||
      llvm::none_of(variants, isCubin)) {
    return ExitCode::Ok;
  }
  llvm::Expected<Ptxas> ptxas = Ptxas::find(options.tools.cudaPath);
  if (!ptxas) {
    return fail("--target=" + options.target, ptxas.takeError());
  }
  if (options.emits == EmittedCode::Sass) {
    if (llvm::Error error = findDisassembler(options.tools.cudaPath)) {
      return fail("--emit=sass", std::move(error));
    }
  }
  return ExitCode::Ok;
}

ExitCode Compilation::fail(const llvm::Twine &what, llvm::Error error) {
  diagnostics.printError(
      (what + ": " + llvm::toString(std::move(error))).str());
  return ExitCode::CompileError;
}

ExitCode Compilation::makeOutput() {
  ExitCode result = checkTools();
  result = result == ExitCode::Ok ? importModel() : result;
  result = result == ExitCode::Ok ? phases.run(getModule()) : result;
  if (result != ExitCode::Ok) {
    return result;
  }
  bool isText = options.compileTo || options.emits != EmittedCode::None;
  if (options.compileTo) {
    result = writeIr();
  } else if (options.emits != EmittedCode::None) {
    result = writeCode();
  } else if (options.estimate) {
    result = phases.lower(getModule(), code);
    return result == ExitCode::Ok ? estimate() : result;
  } else {
    result = makePlan();
  }
  if (result == ExitCode::Ok) {
    result = printFault(files.writeDependencies(model.dataFiles));
  }
  return result == ExitCode::Ok && !isText ? report() : result;
}

ExitCode Compilation::check() {
  ExitCode result = importModel();
  result = result == ExitCode::Ok ? phases.run(getModule()) : result;
  if (result == ExitCode::Ok && options.memoryLimit > 0) {
    result = phases.lower(getModule(), code);
    result = result == ExitCode::Ok ? estimate() : result;
  } else if (result == ExitCode::Ok) {
    result = phases.checkLower(getModule());
  }
  if (result != ExitCode::Internal) {
    printCheck(problems, model.module.get(), options, output);
  }
  return result;
}

/// Reads the files besides the model that the importer needs.
ExitCode Compilation::readImportFiles(onnx::ImportOptions &frontend) {
  for (const InputBinding &binding : options.bindings) {
    absl::StatusOr<onnx::BoundTensor> bound = readBoundTensor(*vfs, binding);
    if (!bound.ok()) {
      return printFault(bound.status());
    }
    frontend.bound.push_back(*std::move(bound));
  }
  if (options.parameterFile.empty()) {
    return ExitCode::Ok;
  }
  absl::StatusOr<onnx::SavedParameters> saved =
      readSavedParameters(*vfs, options.parameterFile);
  if (!saved.ok()) {
    diagnostics.printError("--params: " + std::string(saved.status().message()),
                           driver_codes::ParameterFile);
    return ExitCode::InputOutput;
  }
  frontend.saved = *std::move(saved);
  return ExitCode::Ok;
}

ExitCode Compilation::importModel() {
  TimingScope scope = times.begin("reading the model");
  diagnostics.setDefaultCode(onnx::codes::InvalidNode);
  onnx::ImportOptions frontend = options.frontend;
  if (ExitCode read = readImportFiles(frontend); read != ExitCode::Ok) {
    return read;
  }
  FailureOr<onnx::ImportedModel> imported =
      onnx::importOnnx(options.model, frontend, context);
  if (failed(imported)) {
    // What docs/diagnostics.md promises for the code.
    std::optional<ErrorCode> first = diagnostics.getFirstCode();
    return first ? getErrorInfo(*first).exit : ExitCode::CompileError;
  }
  model = std::move(*imported);
  diagnostics.print(model.notes,
                    /*remarks=*/!options.check && !options.estimate);
  ExitCode result = printFault(files.checkData(model.dataFiles));
  result = result == ExitCode::Ok ? readAdapters() : result;
  if (result == ExitCode::Ok && !model.otherBatches.empty()) {
    recordOtherBatches(getModule(), model.otherBatches, options);
    model.otherBatches.clear();
  }
  return result;
}

ExitCode Compilation::readAdapters() {
  if (options.adapterFolder.empty()) {
    return ExitCode::Ok;
  }
  llvm::Expected<AdapterOptions> adapters =
      readAdapterFolder(*vfs, options.adapterFolder, context, model.weights);
  if (!adapters) {
    diagnostics.printError(llvm::toString(adapters.takeError()),
                           driver_codes::AdapterFolder);
    return ExitCode::InputOutput;
  }
  options.import.adapters = std::move(*adapters);
  return ExitCode::Ok;
}

ExitCode Compilation::writeIr() {
  if (files.writesOutput()) {
    bool written = succeeded(writeModule(getModule(), *vfs, options.output));
    return written ? ExitCode::Ok : ExitCode::InputOutput;
  }
  getModule()->print(output);
  output << "\n";
  return ExitCode::Ok;
}

/// Requires: the target has such a variant.
llvm::Expected<std::string> Compilation::findCode() const {
  bool isSass = options.emits == EmittedCode::Sass;
  auto variant = llvm::find_if(code.variants, [&](const VariantCode &each) {
    return isSass ? isCubin(each.variant.name)
                  : each.variant.device == plan::DeviceKind::Cuda;
  });
  const CodeImage &image = variant->image;
  return isSass ? disassembleCubin(image, options.tools.cudaPath)
                : std::string(image.code.begin(), image.code.end());
}

ExitCode Compilation::writeCode() {
  if (ExitCode lowered = phases.lower(getModule(), code);
      lowered != ExitCode::Ok) {
    return lowered;
  }
  llvm::Expected<std::string> text = findCode();
  if (!text) {
    return fail("--emit", text.takeError());
  }
  if (!files.writesOutput()) {
    output << *text;
    return ExitCode::Ok;
  }
  return printFault(runtime::WriteFileAtomically(*vfs, options.output, *text));
}

/// The file begins with the weights, which are written while code is generated.
ExitCode Compilation::makePlan() {
  if (failed(plan.begin(getModule()))) {
    return ExitCode::InputOutput;
  }
  ExitCode result = phases.lower(getModule(), code);
  if (result == ExitCode::Ok && options.memoryLimit > 0) {
    result = estimate();
  }
  if (result != ExitCode::Ok) {
    return result;
  }
  TimingScope scope = times.begin("writing the plan");
  bool written = succeeded(plan.finish(getModule(), code));
  return written ? ExitCode::Ok : ExitCode::InputOutput;
}

ExitCode Compilation::estimate() {
  FailureOr<TrainingEstimate> training = TrainingEstimate::create(
      getModule(), code, model, makeWriterOptions(options), options.shard.mode);
  if (failed(training)) {
    return phases.fail(Phase::Lower);
  }
  if (options.memoryLimit > 0) {
    FailureOr<MemoryFit> found = findFit(*training, options.memoryLimit);
    if (failed(found)) {
      return phases.fail(Phase::Lower);
    }
    fit = *found;
  }
  if (options.estimate) {
    FailureOr<EstimateReport> report = makeEstimateReport(*training, fit);
    if (failed(report)) {
      return phases.fail(Phase::Lower);
    }
    (options.json ? printEstimateAsJson : printEstimate)(*report, output);
  }
  if (fit && !fit->smallest) {
    diagnostics.printError(explainMisfit(*fit, *training),
                           driver_codes::MemoryLimit);
    return ExitCode::CompileError;
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
  printSummary(readFacts(getModule()), options, memory,
               plan.getReferredWeights(), plan.getBytes(), elapsed.count(),
               isTaken ? messages : output);
  return ExitCode::Ok;
}

/// Of a file.
ExitCode Compilation::printFault(const absl::Status &status) {
  if (status.ok()) {
    return ExitCode::Ok;
  }
  diagnostics.printError(std::string(status.message()));
  return ExitCode::InputOutput;
}

} // namespace

ExitCode compile(const CompilerOptions &options, llvm::raw_ostream &output,
                 llvm::raw_ostream &messages) {
  return Compilation(options, output, messages).run();
}

} // namespace accel
