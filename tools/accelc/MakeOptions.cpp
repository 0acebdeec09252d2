// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All mistakes are reported at once.
#include "tools/accelc/MakeOptions.h"

#include "compiler/AdapterFolder.h"
#include "compiler/BoundInputs.h"
#include "compiler/ErrorCatalogue.h"
#include "runtime/report/console.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

namespace accel {
namespace {

class OptionsMaker {
public:
  explicit OptionsMaker(const CommandLine &line) : line(line) {}

  std::optional<CompilerOptions> make() {
    makeRequest();
    makeFrontend();
    makeUpdate();
    makeMessages();
    makeInference();
    options.written = line.written;
    return isGood ? std::optional(options) : std::nullopt;
  }

private:
  void makeRequest() {
    options.model = line.model;
    options.output = line.output;
    options.parameterFile = line.params;
    options.compileTo = findPhase(line.compileTo);
    options.emits = line.emit == "ptx"    ? EmittedCode::Ptx
                    : line.emit == "sass" ? EmittedCode::Sass
                                          : EmittedCode::None;
    options.tools.keepsPtx = options.emits == EmittedCode::Ptx;
    options.dumpPhases = line.dumpPhases;
    for (const std::string &name : line.remarks) {
      options.remarks.push_back(*findPhase(name));
    }
    options.estimate = line.estimate;
    options.timeReport = !line.timeReport.empty();
    options.jsonTimeReport = line.timeReport == "json";
    options.dependencyFile = line.dependencyFile;
    options.otherInputs = line.optionFiles;
    options.otherInputs.push_back(
        llvm::sys::fs::getMainExecutable("accelc", nullptr));
    options.json = line.json;
    options.check = line.check;
    options.frontend.keepsGoing = line.check;
    options.threads = line.threads;
    options.accumulate.globalBatch = line.globalBatch;
    options.accumulate.evaluates = line.eval == "on";
    options.maxRanks = line.maxRanks;
    options.target = line.target;
    options.tools.cudaPath = line.cudaPath;
    options.tools.ptxasSeconds = line.ptxasTimeout;
    options.memoryLimit = line.memoryLimit;
    options.accumulate.skipsNonFinite = line.onNonFinite == "skip";
    options.hasExternalWeights = line.weights == "external";
    if (options.hasExternalWeights && !line.init.empty()) {
      complain("--weights=external: expected the file's weights, got --init=" +
               line.init +
               ", with which there are none; leave one of the two "
               "out");
    }
    makePrecision();
    options.differentiate.lossScale = line.fp16 ? line.lossScale : "";
    options.shard.mode = line.fsdp        ? dist::ShardingMode::FSDP
                         : line.zero == 0 ? dist::ShardingMode::Plain
                         : line.zero == 1 ? dist::ShardingMode::Zero1
                                          : dist::ShardingMode::Zero2;
  }

  void makePrecision() {
    PrecisionOptions &precision = options.precision;
    precision.precision = line.bf16 || !line.fp8.recipe.empty() ? "bf16"
                          : line.fp16                           ? "f16"
                                                                : "f32";
    precision.residual = line.residualDtype;
    precision.fp8 = line.fp8;
    precision.tf32 = line.tf32;
    precision.rules = line.precisionRules;
  }

  void makeMessages() {
    using Format = DiagnosticsStyle::Format;
    using runtime::ColorMode;
    DiagnosticsStyle &style = options.diagnostics;
    style.format = line.diagnosticsFormat == "json"    ? Format::Json
                   : line.diagnosticsFormat == "sarif" ? Format::Sarif
                                                       : Format::Text;
    style.quiet = line.quiet;
    style.warningsAsErrors = line.warningsAsErrors;
    auto traits = runtime::TerminalTraits::OfDescriptor(
        STDERR_FILENO, line.color == "always"  ? ColorMode::kAlways
                       : line.color == "never" ? ColorMode::kNever
                                               : ColorMode::kAuto);
    style.color = traits.color;
    style.width = traits.is_terminal ? std::max(0, traits.width()) : 0;
    for (const std::string &name : line.ignoredWarnings) {
      const ErrorInfo *info = findErrorInfo(name);
      if (info && isWarning(info->code)) {
        style.ignored.push_back(info->code);
      } else {
        complain("--ignore-warning (-Wno-CODE): expected the code of a warning "
                 "such as W0401, got '" +
                 name + "'; accelc --explain all lists them");
      }
    }
  }

  void makeFrontend() {
    for (const std::string &text : line.dimensions) {
      // Plans that answer may compute with nothing.
      int64_t least = line.inference ? 0 : 1;
      if (auto dimension = take(onnx::parseDimension(text, least))) {
        addDimension(*dimension);
      }
    }
    if (!line.init.empty()) {
      options.frontend.init = take(onnx::InitPolicy::parse(line.init));
    }
    if (auto dropout = take(onnx::DropoutPolicy::parse(line.dropout))) {
      options.frontend.dropout = *dropout;
    }
    if (auto batchNorm = take(onnx::parseBatchNorm(line.batchNorm))) {
      options.frontend.batchNorm = *batchNorm;
      options.differentiate.synchronizesBatchNorm =
          *batchNorm == onnx::BatchNormPolicy::Synchronized;
    }
    options.import.dropout = line.dropout;
    options.differentiate.objective = line.objective;
    options.differentiate.lossWeight = line.lossWeight;
    options.differentiate.predictsSparsely = line.sparsePrediction;
    options.differentiate.trainingRules = line.trainingRules;
    makeAdapters();
    for (const std::string &text : line.paddingRows) {
      if (auto row = take(onnx::parsePaddingRow(text))) {
        addPaddingRow(*row);
      }
    }
  }

  void makeInference() {
    for (const std::string &text : line.bindings) {
      if (auto binding = take(parseBinding(text))) {
        options.bindings.push_back(*binding);
      }
    }
    if (line.inference) {
      options.makeInference();
    }
  }

  /// Of a model with adapters these train; what other rules say comes behind.
  void makeAdapters() {
    if (line.lora.empty()) {
      return;
    }
    if (llvm::StringRef(line.lora).contains('=')) {
      if (auto adapters = take(AdapterOptions::parse(line.lora))) {
        options.import.adapters = *adapters;
      }
    } else {
      options.adapterFolder = line.lora;
      llvm::append_range(options.otherInputs, listAdapterFiles(line.lora));
    }
    std::vector<std::string> &rules = options.differentiate.trainingRules;
    rules.insert(rules.begin(), kAdapterTrainingRule.str());
  }

  void addDimension(const std::pair<std::string, int64_t> &dimension) {
    auto [known, isNew] = options.frontend.dimensions.insert(dimension);
    if (!isNew && known->second != dimension.second) {
      complain("--dim " + dimension.first + ": expected one size, got " +
               std::to_string(known->second) + " and " +
               std::to_string(dimension.second));
    }
  }

  void
  addPaddingRow(const std::pair<std::string, std::optional<int64_t>> &padding) {
    auto [known, isNew] = options.frontend.paddingRows.insert(padding);
    if (!isNew && known->second != padding.second) {
      complain("--padding-row " + padding.first +
               ": expected one row, got several");
    }
  }

  void makeUpdate() {
    AccumulateOptions &update = options.accumulate;
    update.optimizer = line.optimizer;
    update.numbers = line.optimizerNumbers;
    update.schedule = line.schedule;
    update.lr = line.lr;
    update.minLr = line.minLr;
    update.weightDecay = line.weightDecay;
    update.clipNorm = line.clipNorm;
    update.groups = line.groups;
    update.layerDecay = line.layerDecay;
    update.decay = line.decay;
    update.ema = line.ema;
    update.warmupSteps = static_cast<double>(line.warmupSteps);
    update.decaySteps = static_cast<double>(line.decaySteps);
    update.scheduleSteps = static_cast<double>(line.scheduleSteps);
  }

  template <typename T> std::optional<T> take(llvm::Expected<T> value) {
    if (!value) {
      complain(llvm::toString(value.takeError()));
      return std::nullopt;
    }
    return *value;
  }

  void complain(const std::string &text) {
    llvm::errs() << "error: " << text << "\n";
    isGood = false;
  }

  const CommandLine &line;
  CompilerOptions options;
  bool isGood = true;
};

} // namespace

std::optional<CompilerOptions> makeOptions(const CommandLine &line) {
  return OptionsMaker(line).make();
}

} // namespace accel
