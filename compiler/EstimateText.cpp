// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The estimate for people: one rank to the byte, then a row per rank count.
#include "compiler/EstimateReport.h"
#include "compiler/TrafficDifference.h"
#include "runtime/text/printable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;

namespace accel {
namespace {

constexpr size_t kRanksWidth = 7;
constexpr size_t kColumnWidth = 13;
/// Buckets that a line names before it counts the rest.
constexpr size_t kShownNames = 4;

using Cells = std::vector<std::string>;

void printCells(const Cells &cells, llvm::raw_ostream &stream) {
  for (auto [i, cell] : llvm::enumerate(cells)) {
    stream << llvm::right_justify(cell, i == 0 ? kRanksWidth : kColumnWidth);
  }
  stream << "\n";
}

void printClass(llvm::StringRef name, uint64_t bytes,
                const llvm::Twine &meaning, llvm::raw_ostream &stream) {
  stream << llvm::left_justify(name, 12)
         << llvm::right_justify(formatv("{0:N}", bytes).str(), 20)
         << llvm::right_justify(formatBytes(bytes), 12) << "  " << meaning
         << "\n";
}

void printOneRank(const EstimateReport &report, llvm::raw_ostream &stream) {
  const RankEstimate &one = report.ranks.front();
  stream << llvm::left_justify("one rank", 12)
         << llvm::right_justify("bytes", 20) << "\n";
  for (const EstimatedClass &info : getEstimatedClasses()) {
    printClass(info.name, one.getBytes(info.memoryClass), info.meaning, stream);
  }
  printClass("total", one.getTotalBytes(),
             "with one thread; " +
                 formatBytes(report.estimate.getBytesPerThread()) +
                 " more for each further one",
             stream);
  printClass("checkpoint", one.checkpointBytes,
             "of the host besides, for accel-run --checkpoint-async", stream);
  const ArenaPeak &peak = report.estimate.getPeak();
  stream << "\nThe arena is fullest at instruction " << peak.instruction
         << " of " << peak.function << ", " << peak.name << ": "
         << formatv("{0:N}", peak.liveBytes) << " bytes live\n";
  if (!peak.place.empty()) {
    stream << "  at " << runtime::Printable(peak.place) << "\n";
  }
}

/// Whether a class has a column of its own: what people ask for, and whatever
/// depends on the number of ranks.
bool hasColumn(const EstimatedClass &info, const EstimateReport &report) {
  switch (info.memoryClass) {
  case planpb::CLASS_PARAMETERS:
  case planpb::CLASS_GRADIENTS:
  case planpb::CLASS_OPTIMIZER:
  case planpb::CLASS_GATHERED:
  case planpb::CLASS_ACTIVATIONS:
    return true;
  case planpb::CLASS_STAGING: // little, and a line has no room for it
    return false;
  default:
    return llvm::any_of(report.ranks, [&](const RankEstimate &rank) {
      return rank.getBytes(info.memoryClass) !=
             report.ranks.front().getBytes(info.memoryClass);
    });
  }
}

void printMemory(const EstimateReport &report, llvm::raw_ostream &stream) {
  Cells head = {"ranks"};
  std::vector<std::string> others;
  for (const EstimatedClass &info : getEstimatedClasses()) {
    bool isShown = hasColumn(info, report);
    (isShown ? head : others).push_back(info.name.str());
  }
  head.insert(head.end(), {"other", "total"});
  stream << "\nBytes per rank, with one thread; other: "
         << llvm::join(others, ", ") << "\n";
  printCells(head, stream);
  for (const RankEstimate &rank : report.ranks) {
    Cells cells = {formatv("{0:N}", rank.ranks).str()};
    uint64_t other = 0;
    for (const EstimatedClass &info : getEstimatedClasses()) {
      uint64_t bytes = rank.getBytes(info.memoryClass);
      if (hasColumn(info, report)) {
        cells.push_back(formatBytes(bytes));
      } else {
        other += bytes;
      }
    }
    cells.push_back(formatBytes(other));
    cells.push_back(formatBytes(rank.getTotalBytes()));
    printCells(cells, stream);
  }
}

void printTraffic(const EstimateReport &report, llvm::raw_ostream &stream) {
  const TrainingEstimate &estimate = report.estimate;
  stream << formatv("\nBytes that one rank sends in a step of {0:N} samples, "
                    "{1} per rank in an iteration\n",
                    estimate.getGlobalBatch(),
                    estimate.getManifest().microbatch());
  printCells(
      {"ranks", "iterations", "gathered", "scattered", "all-reduced", "total"},
      stream);
  for (const RankEstimate &rank : report.ranks) {
    const runtime::CollectiveTraffic &traffic = rank.traffic;
    printCells({formatv("{0:N}", rank.ranks).str(),
                formatv("{0:N}", rank.iterations).str(),
                formatBytes(traffic.gathered), formatBytes(traffic.scattered),
                formatBytes(traffic.all_reduced), formatBytes(traffic.total())},
               stream);
  }
}

/// `1.87 P gathered, 2.21 P scattered`, or `nothing`.
std::string describeUnits(const runtime::CollectiveTraffic &traffic,
                          uint64_t parameterBytes) {
  std::vector<std::string> parts;
  auto add = [&](uint64_t bytes, llvm::StringRef what) {
    if (bytes > 0) {
      double units =
          static_cast<double>(bytes) / static_cast<double>(parameterBytes);
      parts.push_back(formatv("{0:F2} P {1}", units, what).str());
    }
  };
  add(traffic.gathered, "gathered");
  add(traffic.scattered, "scattered");
  add(traffic.all_reduced, "all-reduced");
  return parts.empty() ? "nothing" : llvm::join(parts, ", ");
}

std::string listNames(const std::vector<std::string> &names) {
  llvm::ArrayRef<std::string> shown(names);
  std::string text = llvm::join(shown.take_front(kShownNames), ", ");
  return names.size() <= kShownNames
             ? text
             : formatv("{0} and {1} more", text, names.size() - kShownNames)
                   .str();
}

void printLimits(const TrainingEstimate &estimate, llvm::raw_ostream &stream) {
  runtime::TrafficLimits limits = runtime::LimitsOfTraffic(estimate.getStep());
  PublishedTraffic published = getPublishedTraffic(estimate.getMode());
  uint64_t parameters = estimate.getParameterBytes();
  stream << "\nFor many ranks, in units of the parameters' bytes, P = "
         << formatv("{0:N}", parameters) << "\n";
  auto print = [&](llvm::StringRef name,
                   const runtime::CollectiveTraffic &traffic, uint64_t units) {
    stream << "  " << llvm::left_justify(name, 16)
           << describeUnits(traffic, parameters)
           << formatv("; published: {0}\n",
                      units == 0 ? "nothing" : formatv("{0} P", units).str());
  };
  print("per microbatch", limits.per_microbatch,
        published.getUnitsPerMicrobatch());
  print("per step", limits.per_step, published.getUnitsPerStep());
  for (const TrafficDifference &difference : findTrafficDifferences(estimate)) {
    stream << "  " << runtime::Printable(listNames(difference.names)) << "\n";
    for (const std::string &reason : difference.reasons) {
      stream << "    " << reason << "\n";
    }
  }
}

} // namespace

void printEstimate(const EstimateReport &report, llvm::raw_ostream &stream) {
  printOneRank(report, stream);
  printMemory(report, stream);
  printTraffic(report, stream);
  printLimits(report.estimate, stream);
  if (report.fit && report.fit->smallest) {
    stream << "\n"
           << describeFit(*report.fit, report.estimate.getMaxRanks()) << "\n";
  }
}

} // namespace accel
