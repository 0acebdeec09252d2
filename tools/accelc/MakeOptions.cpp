// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All mistakes are reported at once.
#include "tools/accelc/MakeOptions.h"

#include "llvm/Support/raw_ostream.h"

namespace accel {
namespace {

class OptionsMaker {
public:
  explicit OptionsMaker(const CommandLine &line) : line(line) {}

  std::optional<CompilerOptions> make() {
    makeRequest();
    makeFrontend();
    makeUpdate();
    options.written = line.written;
    return isGood ? std::optional(options) : std::nullopt;
  }

private:
  void makeRequest() {
    options.model = line.model;
    options.output = line.output;
    options.compileTo = findPhase(line.compileTo);
    options.dumpPhases = line.dumpPhases;
    options.estimate = line.estimate;
    options.timeReport = line.timeReport;
    options.json = line.json;
    options.quiet = line.quiet;
    options.check = line.check;
    options.frontend.keepsGoing = line.check;
    options.jsonDiagnostics = line.diagnosticsFormat == "json";
    options.threads = line.threads;
    options.globalBatch = line.globalBatch;
    options.maxRanks = line.maxRanks;
    options.memoryLimit = line.memoryLimit;
    options.shard.mode = line.fsdp        ? "fsdp"
                         : line.zero == 0 ? "plain"
                                          : "zero" + std::to_string(line.zero);
  }

  void makeFrontend() {
    for (const std::string &text : line.dimensions) {
      if (auto dimension = take(onnx::parseDimension(text))) {
        addDimension(*dimension);
      }
    }
    if (!line.init.empty()) {
      options.frontend.init = take(onnx::InitPolicy::parse(line.init));
    }
    if (auto dropout = take(onnx::DropoutPolicy::parse(line.dropout))) {
      options.frontend.dropout = *dropout;
    }
    options.import.dropout = line.dropout;
    options.differentiate.objective = line.objective;
    options.differentiate.lossWeight = line.lossWeight;
    options.differentiate.trainingRules = line.trainingRules;
    for (const std::string &text : line.paddingRows) {
      if (auto row = take(onnx::parsePaddingRow(text))) {
        addPaddingRow(*row);
      }
    }
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
    update.schedule = line.schedule;
    update.lr = line.lr;
    update.minLr = line.minLr;
    update.beta1 = line.beta1;
    update.beta2 = line.beta2;
    update.eps = line.eps;
    update.weightDecay = line.weightDecay;
    update.momentum = line.momentum;
    update.clipNorm = line.clipNorm;
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
