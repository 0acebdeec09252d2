// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One small function per line of the summary.
#include "compiler/Summary.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;

namespace accel {
namespace {

std::string formatCount(const TensorCount &count) {
  return formatv("{0:N} in {1} tensors", count.elements, count.tensors).str();
}

std::string formatMiB(uint64_t bytes) {
  return formatv("{0:F1} MiB", static_cast<double>(bytes) / (1024.0 * 1024.0))
      .str();
}

/// The shortest text that means the number.
std::string formatNumber(double value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::format("%g", value);
  return text;
}

std::string describeParameters(const ModelFacts &facts) {
  std::string text = formatCount(facts.parameters);
  if (facts.frozen.tensors > 0) {
    text += ", of which not trained: " + formatCount(facts.frozen);
  }
  return text;
}

std::string describeBatch(const ModelFacts &facts,
                          const CompilerOptions &options) {
  int64_t batch = std::max<int64_t>(1, facts.batch);
  int64_t count = (options.globalBatch + batch - 1) / batch;
  return formatv("{0} samples a step, as {1} microbatches of {2}",
                 options.globalBatch, count, batch)
      .str();
}

std::string describeSchedule(const AccumulateOptions &options) {
  std::string text = "lr " + formatNumber(options.lr) + " " + options.schedule;
  if (options.warmupSteps > 0) {
    text += " after " + formatNumber(options.warmupSteps) + " steps of warm-up";
  }
  if (options.schedule != "constant") {
    text += ", down to " + formatNumber(options.minLr);
    text += options.scheduleSteps > 0
                ? " at step " + formatNumber(options.scheduleSteps)
                : std::string(" at the run's last step");
  }
  return text;
}

std::string describeOptimizer(const AccumulateOptions &options) {
  std::string text = options.optimizer + ", " + describeSchedule(options);
  return options.clipNorm > 0 ? text + ", gradient norm at most " +
                                    formatNumber(options.clipNorm)
                              : text;
}

std::string describeDecay(const ModelFacts &facts,
                          const CompilerOptions &options) {
  if (options.accumulate.weightDecay == 0) {
    return "off";
  }
  return formatv("{0} on {1} tensors (rank {2} and more); none on {3}",
                 formatNumber(options.accumulate.weightDecay),
                 facts.decayed.tensors, options.shard.decayRank,
                 facts.undecayed.tensors)
      .str();
}

std::string describeDropout(const ModelFacts &facts) {
  if (facts.dropoutSites.empty()) {
    return "none";
  }
  std::string text = formatv("{0} sites: ", facts.dropoutSites.size()).str();
  llvm::ListSeparator comma;
  for (const auto &[name, probability] : facts.dropoutSites) {
    text += llvm::StringRef(comma);
    text += name + " " + formatNumber(probability);
  }
  return text;
}

std::string describeProgram(const ModelFacts &facts) {
  return formatv("{0} buckets; {1} kernels, launched {2} times; {3} matrix "
                 "products",
                 facts.buckets, facts.kernels, facts.launches, facts.gemms)
      .str();
}

} // namespace

void printSummary(const ModelFacts &facts, const CompilerOptions &options,
                  uint64_t planBytes, double seconds,
                  llvm::raw_ostream &stream) {
  auto line = [&](llvm::StringRef name, const llvm::Twine &text) {
    stream << "  " << llvm::left_justify(name, 14) << text << "\n";
  };
  stream << options.output << ": " << formatMiB(planBytes)
         << formatv(" in {0:F1} s\n", seconds);
  line("model", facts.name);
  line("parameters", describeParameters(facts));
  line("objective", facts.objective);
  line("batch", describeBatch(facts, options));
  line("optimizer", describeOptimizer(options.accumulate));
  line("weight decay", describeDecay(facts, options));
  line("dropout", describeDropout(facts));
  line("program", describeProgram(facts));
  line("arena", formatMiB(facts.arenaBytes));
}

} // namespace accel
