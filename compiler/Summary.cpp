// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One small function per line of the summary.
#include "compiler/Summary.h"

#include "compiler/Estimate.h"
#include "passes/Analysis/NameFamily.h"
#include "passes/Analysis/NumberText.h"
#include "runtime/text/printable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using llvm::formatv;

namespace accel {
namespace {

/// `1 bucket`, `3 buckets`
std::string count(int64_t number, llvm::StringRef singular,
                  llvm::StringRef plural) {
  return formatv("{0:N} {1}", number, number == 1 ? singular : plural).str();
}

std::string count(int64_t number, llvm::StringRef singular) {
  return count(number, singular, singular.str() + "s");
}

std::string formatCount(const TensorCount &tensors) {
  return formatv("{0:N} in {1}", tensors.elements,
                 count(tensors.tensors, "tensor"))
      .str();
}

/// `1,484 in 6 tensors: 758 in 4 train, 726 in 2 are frozen`
std::string describeParameters(const ModelFacts &facts) {
  std::string all = formatCount(facts.parameters);
  if (facts.frozen.tensors == 0) {
    return all + ", all train";
  }
  return formatv("{0}: {1:N} in {2:N} train, {3:N} in {4:N} are frozen", all,
                 facts.parameters.elements - facts.frozen.elements,
                 facts.parameters.tensors - facts.frozen.tensors,
                 facts.frozen.elements, facts.frozen.tensors)
      .str();
}

std::string describeBatch(const ModelFacts &facts,
                          const CompilerOptions &options) {
  int64_t batch = std::max<int64_t>(1, facts.batch);
  int64_t microbatches = (options.accumulate.globalBatch + batch - 1) / batch;
  return count(options.accumulate.globalBatch, "sample") + " a step, as " +
         count(microbatches, "microbatch", "microbatches") + " of " +
         std::to_string(batch) +
         (facts.needsWholeMicrobatches
              ? ", which are whole: samples influence each other, and their "
                "number is part of the objective"
              : "");
}

/// `statistics of each microbatch of 4, whose size is part of the objective`
std::string describeBatchNorm(const ModelFacts &facts) {
  std::string size = std::to_string(facts.batch);
  std::string what =
      facts.isSynchronized
          ? "statistics of microbatches of " + size +
                " of all ranks together: their size times the number of ranks "
                "is part of the objective, so losses depend on it"
          : "statistics of each microbatch of " + size +
                ", whose size is part of the objective";
  return what + "; " + formatCount(facts.statistics) + " run along";
}

std::string describeSchedule(const AccumulateOptions &options) {
  std::string text = "lr " + toText(options.lr) + " " + options.schedule;
  if (options.warmupSteps > 0) {
    text += " after " + toText(options.warmupSteps) + " steps of warm-up";
  }
  if (options.schedule != "constant") {
    text += ", down to " + toText(options.minLr);
    text += options.scheduleSteps > 0
                ? " at step " + toText(options.scheduleSteps)
                : std::string(" at the run's last step");
  }
  return text;
}

std::string describeOptimizer(const AccumulateOptions &options) {
  std::string text = options.optimizer + ", " + describeSchedule(options);
  return options.clipNorm > 0
             ? text + ", gradient norm at most " + toText(options.clipNorm)
             : text;
}

std::string describeDecay(const ModelFacts &facts,
                          const CompilerOptions &options) {
  int64_t own = 0;
  for (const UpdateGroup &group : facts.groups) {
    own += group.decay ? group.parameters.tensors : 0;
  }
  std::string others =
      own == 0 ? ""
               : "; its own on " + count(own, "tensor") + ", as groups say";
  if (options.accumulate.weightDecay == 0) {
    return "off" + others;
  }
  std::string rule =
      options.accumulate.decay == "hf"
          ? std::string("neither biases nor norms")
          : formatv("rank {0} and more", options.shard.decayRank).str();
  return formatv("{0} on {1} ({2}); none on {3}",
                 toText(options.accumulate.weightDecay),
                 count(facts.decayed.tensors - own, "tensor"), rule,
                 facts.undecayed.tensors)
             .str() +
         others;
}

std::string describeGroup(const UpdateGroup &group) {
  std::string text = "lr x " + toText(group.factor);
  if (group.decay) {
    text += ", decay " + toText(*group.decay);
  } else if (!group.decays) {
    text += ", no decay";
  }
  return text + " on " + count(group.parameters.tensors, "tensor");
}

/// `lr x 0.1, no decay on 3 tensors; lr x 1 on 8 tensors`; of many what they
/// range over.
std::string describeGroups(const std::vector<UpdateGroup> &groups) {
  constexpr size_t kMostListed = 6;
  if (groups.size() > kMostListed) {
    auto [least, most] = std::minmax_element(
        groups.begin(), groups.end(),
        [](const auto &a, const auto &b) { return a.factor < b.factor; });
    return count(static_cast<int64_t>(groups.size()), "group") + ", lr x " +
           toText(least->factor) + " to x " + toText(most->factor);
  }
  return llvm::join(llvm::map_range(groups, describeGroup), "; ");
}

/// `24 of rank 8, alpha 16, on transformer.h.*.attn.c_attn: 294,912 numbers`
std::string describeAdapters(const ModelFacts &facts) {
  const Adapters &adapters = facts.adapters;
  std::vector<std::string> names;
  for (const Adapter &adapter : adapters.added) {
    std::string family = getNameFamily(adapter.getModule());
    if (!llvm::is_contained(names, family)) {
      names.push_back(std::move(family));
    }
  }
  return formatv("{0} of rank {1}, alpha {2}, on {3}: {4:N} numbers",
                 adapters.added.size(), adapters.rank, toText(adapters.alpha),
                 llvm::join(names, ", "), facts.adapterElements)
      .str();
}

/// `0.1 at 7 sites: transformer.drop, transformer.h.*.attn`
std::string describeDropout(const ModelFacts &facts) {
  if (facts.dropoutSites.empty()) {
    return "none";
  }
  struct Group {
    int64_t sites = 0;
    std::vector<std::string> names;
  };
  std::map<double, Group> groups;
  for (const auto &[name, probability] : facts.dropoutSites) {
    Group &group = groups[probability];
    group.sites += 1;
    std::string pattern = getNameFamily(name);
    if (!llvm::is_contained(group.names, pattern)) {
      group.names.push_back(pattern);
    }
  }
  std::string text;
  for (const auto &[probability, group] : groups) {
    text += text.empty() ? "" : "; ";
    text += toText(probability) + " at " + count(group.sites, "site") + ": ";
    text += llvm::join(group.names, ", ");
  }
  return text;
}

std::string describeProgram(const ModelFacts &facts) {
  std::string text = count(facts.buckets, "bucket") + "; " +
                     count(facts.kernels, "kernel") + ", launched " +
                     count(facts.launches, "time") + "; " +
                     count(facts.products, "GEMM");
  if (facts.convolutions > 0) {
    text += ", of which " + count(facts.convolutions, "convolution") +
            (facts.convolutions == 1 ? " is cuDNN's" : " are cuDNN's");
  }
  if (facts.copiedWindows > 0) {
    text +=
        "; windows copied for products " + count(facts.copiedWindows, "time");
  }
  return text;
}

/// `bf16 in 28 of 31 products and attentions, 81.7 % of their FLOPs`, for FP8
/// with `, emulated; others bf16`.
std::string describePrecision(const ModelFacts &facts) {
  double share = facts.siteFlops == 0
                     ? 0.0
                     : 100.0 * static_cast<double>(facts.lowFlops) /
                           static_cast<double>(facts.siteFlops);
  std::string text = formatv(
      "{0} in {1} of {2}, {3:F1} % of their FLOPs", facts.precision,
      facts.lowSites,
      count(facts.sites, "product and attention", "products and attentions"),
      share);
  text += facts.isEmulated ? ", emulated" : "";
  return facts.otherwise.empty() ? text : text + "; others " + facts.otherwise;
}

using LinePrinter =
    llvm::function_ref<void(llvm::StringRef name, const llvm::Twine &text)>;

/// What trains, and how.
void printTraining(const ModelFacts &facts, const CompilerOptions &options,
                   LinePrinter line) {
  line("parameters", describeParameters(facts));
  if (facts.adapters.rank > 0) {
    line("adapters", describeAdapters(facts));
  }
  line("objective", facts.objective);
  line("batch", describeBatch(facts, options));
  line("optimizer", describeOptimizer(options.accumulate));
  line("weight decay", describeDecay(facts, options));
  if (!facts.groups.empty()) {
    line("groups", describeGroups(facts.groups));
  }
  if (facts.averages) {
    line("averages", "ema " + toText(options.accumulate.ema) +
                         " of what trains; accel-run --export-ema writes them");
  }
  line("dropout", describeDropout(facts));
  if (facts.statistics.tensors > 0) {
    line("batch norm", describeBatchNorm(facts));
  } else if (options.frontend.batchNorm == onnx::BatchNormPolicy::Frozen) {
    line("batch norm", "frozen: the running statistics of the file, which "
                       "stay as they are");
  }
}

} // namespace

std::string describeExternalFiles(llvm::ArrayRef<planpb::ExternalFile> files) {
  if (files.empty()) {
    return "";
  }
  uint64_t bytes = 0;
  for (const planpb::ExternalFile &file : files) {
    bytes += file.size();
  }
  std::string names =
      files.size() == 1 ? files.front().path() : count(files.size(), "file");
  return names + " (" + formatBytes(bytes) +
         "), not copied; accel-run reads it beside the plan, or in "
         "--weights-dir";
}

void printSummary(const ModelFacts &facts, const CompilerOptions &options,
                  llvm::StringRef memory, llvm::StringRef weights,
                  uint64_t planBytes, double seconds,
                  llvm::raw_ostream &stream) {
  auto line = [&](llvm::StringRef name, const llvm::Twine &text) {
    stream << "  " << llvm::left_justify(name, 14)
           << runtime::Printable(text.str()) << "\n";
  };
  stream << runtime::Printable(options.output) << ": " << formatBytes(planBytes)
         << formatv(" in {0:F1} s\n", seconds);
  line("model", facts.name);
  if (options.infers) {
    line("parameters", formatCount(facts.parameters));
    line("inputs", facts.inputs);
    line("outputs", facts.outputs);
  } else {
    printTraining(facts, options, line);
  }
  if (!facts.precision.empty()) {
    line("precision", describePrecision(facts));
  }
  line("program", describeProgram(facts));
  if (!facts.evaluates && !facts.noEvaluation.empty()) {
    line("evaluation", "none: " + facts.noEvaluation);
  }
  line("arena", formatBytes(facts.arenaBytes));
  if (!weights.empty()) {
    line("weights", weights);
  }
  if (!memory.empty()) {
    line("memory", memory);
  }
}

} // namespace accel
