// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search over numbers of ranks, and its answer in words.
#include "compiler/MemoryLimit.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace mlir;
using llvm::formatv;

namespace accel {
namespace {

/// Whole granules of everything that is cut over the ranks, each number once.
std::set<uint64_t> getGranules(const planpb::Manifest &manifest) {
  std::set<uint64_t> granules;
  for (const planpb::Bucket &bucket : manifest.buckets()) {
    for (const planpb::Segment &segment : bucket.segments()) {
      granules.insert(llvm::divideCeil(
          segment.elements(), std::max<uint64_t>(bucket.granule(), 1)));
    }
  }
  return granules;
}

/// The largest number of ranks for which every shard has as many granules as
/// for `ranks`. In between, N shards of one length take the more the larger N
/// is, and all else stays: memory does not fall.
uint64_t findLastAlike(const std::set<uint64_t> &granules, uint64_t ranks,
                       uint64_t maxRanks) {
  uint64_t last = maxRanks;
  for (uint64_t all : granules) {
    uint64_t each = llvm::divideCeil(all, ranks);
    if (each > 1) {
      last = std::min(last, (all - 1) / (each - 1));
    }
  }
  return last;
}

std::string formatRanks(uint64_t ranks) {
  return formatv("{0:N} {1}", ranks, ranks == 1 ? "rank" : "ranks").str();
}

/// The first number in [first, last] that does not fit, where memory does not
/// fall from `first` to `last`, which does not fit.
FailureOr<uint64_t> findFirstMisfit(const TrainingEstimate &estimate,
                                    uint64_t limit, uint64_t first,
                                    uint64_t last) {
  while (first < last) {
    uint64_t middle = first + (last - first) / 2;
    FailureOr<RankEstimate> rank = estimate.estimateRank(middle);
    if (failed(rank)) {
      return failure();
    }
    bool fits = rank->getTotalBytes() <= limit;
    first = fits ? middle + 1 : first;
    last = fits ? last : middle;
  }
  return first;
}

/// `activations 3.0 GiB, workspace 8.3 MiB`: what is at least as large as on
/// one rank, the largest first.
std::string listFixedClasses(const RankEstimate &one,
                             const RankEstimate &least) {
  std::vector<std::pair<uint64_t, StringRef>> fixed;
  for (const EstimatedClass &info : getEstimatedClasses()) {
    uint64_t bytes = least.getBytes(info.memoryClass);
    if (bytes > 0 && bytes >= one.getBytes(info.memoryClass)) {
      fixed.emplace_back(bytes, info.name);
    }
  }
  llvm::stable_sort(
      fixed, [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<std::string> parts;
  for (auto [bytes, name] : fixed) {
    parts.push_back((name + " " + formatBytes(bytes)).str());
  }
  return llvm::join(parts, ", ");
}

/// What could help, the likeliest first.
std::string listRemedies(const MemoryFit &fit, const RankEstimate &one,
                         const TrainingEstimate &estimate) {
  std::vector<std::string> remedies;
  uint64_t microbatch = estimate.getManifest().microbatch();
  if (microbatch > 1) {
    remedies.push_back(
        formatv("a smaller microbatch (--dim batch=N, now {0})", microbatch)
            .str());
  }
  if (estimate.getMode() != dist::ShardingMode::FSDP) {
    remedies.push_back("--fsdp, under which ranks share parameters, gradients "
                       "and optimizer state");
  }
  if (fit.least.ranks == estimate.getMaxRanks() &&
      fit.least.getTotalBytes() < one.getTotalBytes()) {
    remedies.push_back(
        formatv("more ranks (--max-ranks={0})", 2 * estimate.getMaxRanks())
            .str());
  }
  remedies.push_back("or a smaller model");
  return llvm::join(remedies, ", ");
}

} // namespace

FailureOr<MemoryFit> findFit(const TrainingEstimate &estimate, uint64_t limit) {
  std::set<uint64_t> granules = getGranules(estimate.getManifest());
  MemoryFit fit;
  fit.limit = limit;
  for (uint64_t ranks = 1; ranks <= estimate.getMaxRanks(); ++ranks) {
    FailureOr<RankEstimate> first = estimate.estimateRank(ranks);
    uint64_t last = findLastAlike(granules, ranks, estimate.getMaxRanks());
    FailureOr<RankEstimate> most =
        last == ranks ? first : estimate.estimateRank(last);
    if (failed(first) || failed(most)) {
      return failure();
    }
    if (ranks == 1 || first->getTotalBytes() < fit.least.getTotalBytes()) {
      fit.least = *first;
    }
    if (!fit.smallest && first->getTotalBytes() <= limit) {
      fit.smallest = *first;
    }
    if (fit.smallest && most->getTotalBytes() > limit) {
      fit.lastMisfit = last;
    }
    if (fit.lastMisfit && !fit.firstMisfit) {
      FailureOr<uint64_t> found = findFirstMisfit(estimate, limit, ranks, last);
      if (failed(found)) {
        return failure();
      }
      uint64_t first = *found;
      fit.firstMisfit = first;
    }
    ranks = last;
  }
  return fit;
}

std::string describeFit(const MemoryFit &fit, uint64_t maxRanks) {
  std::string limit = formatBytes(fit.limit);
  std::string ranks = formatRanks(fit.smallest->ranks);
  std::string each = formatBytes(fit.smallest->getTotalBytes());
  if (!fit.lastMisfit) {
    return "fits " + limit + " from " + ranks + " on: " + each + " per rank";
  }
  std::string text =
      formatv("fits {0} on {1}: {2} per rank; not again on {3:N}", limit, ranks,
              each, *fit.firstMisfit)
          .str();
  return *fit.lastMisfit == maxRanks ? text
                                     : formatv("{0}, but on all from {1:N} on",
                                               text, *fit.lastMisfit + 1)
                                           .str();
}

std::string explainMisfit(const MemoryFit &fit,
                          const TrainingEstimate &estimate) {
  FailureOr<RankEstimate> one = estimate.estimateRank(1);
  if (failed(one)) {
    return "";
  }
  std::string fixed = listFixedClasses(*one, fit.least);
  return formatv(
             "--memory-limit: expected at most {0:N} bytes ({1}) per rank, "
             "got {2:N} ({3}) on {4}, the least on any number up to "
             "--max-ranks={5}; of it, more ranks do not shrink {6}; try {7}",
             fit.limit, formatBytes(fit.limit), fit.least.getTotalBytes(),
             formatBytes(fit.least.getTotalBytes()),
             formatRanks(fit.least.ranks), estimate.getMaxRanks(), fixed,
             listRemedies(fit, *one, estimate))
      .str();
}

} // namespace accel
