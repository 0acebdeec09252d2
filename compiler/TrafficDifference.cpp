// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of the plan against counts of the literature.
#include "compiler/TrafficDifference.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;

namespace accel {
namespace {

std::string countTimes(uint64_t count) {
  return count == 1   ? "once"
         : count == 2 ? "twice"
                      : formatv("{0} times", count).str();
}

/// Every use of a weight adds its own part of the gradient, which is reduced
/// when it is complete.
void explainUses(const runtime::SegmentTraffic &segment,
                 const PublishedTraffic &published,
                 std::vector<std::string> &reasons) {
  if (published.scattersPerMicrobatch == 0 || segment.scatters <= 1) {
    return;
  }
  std::string gathers =
      published.gathersPerMicrobatch == 0
          ? ""
          : formatv("gathered {0} and ", countTimes(segment.gathers())).str();
  reasons.push_back(formatv("tied, used in {0} places: {1}scattered {2} per "
                            "microbatch",
                            segment.scatters, gathers,
                            countTimes(segment.scatters))
                        .str());
}

void explainGathers(const runtime::SegmentTraffic &segment,
                    const PublishedTraffic &published,
                    std::vector<std::string> &reasons) {
  if (published.gathersPerMicrobatch == 0) {
    return;
  }
  if (segment.for_both > 0) {
    reasons.push_back("gathered " + countTimes(segment.for_both) +
                      " for forward and backward together, with at most one "
                      "bucket in between");
  }
  if (segment.for_forward > segment.for_backward) {
    reasons.push_back("gathered " +
                      countTimes(segment.for_forward - segment.for_backward) +
                      " for forward only: backward does not read it");
  }
  if (segment.for_backward > segment.for_forward) {
    reasons.push_back("gathered " +
                      countTimes(segment.for_backward - segment.for_forward) +
                      " more for backward than for forward");
  }
}

} // namespace

PublishedTraffic getPublishedTraffic(dist::ShardingMode mode) {
  PublishedTraffic published;
  switch (mode) {
  case dist::ShardingMode::Plain:
    published.allReducesPerStep = 1;
    break;
  case dist::ShardingMode::Zero1:
    published.gathersPerStep = 1;
    published.scattersPerStep = 1;
    break;
  case dist::ShardingMode::Zero2:
    published.gathersPerStep = 1;
    published.scattersPerMicrobatch = 1;
    break;
  case dist::ShardingMode::FSDP:
    published.gathersPerMicrobatch = 2;
    published.scattersPerMicrobatch = 1;
    break;
  }
  return published;
}

std::vector<std::string> explainTraffic(const runtime::SegmentTraffic &segment,
                                        const PublishedTraffic &published) {
  std::vector<std::string> reasons;
  uint64_t reductions = segment.scatters + segment.scatters_per_step +
                        segment.all_reduces_per_step;
  if (reductions == 0) {
    reasons.push_back("not reduced: none of it is trained");
  }
  explainUses(segment, published, reasons);
  explainGathers(segment, published, reasons);
  bool isAlike = segment.gathers() == published.gathersPerMicrobatch &&
                 segment.scatters == published.scattersPerMicrobatch &&
                 segment.gathers_per_step == published.gathersPerStep &&
                 segment.scatters_per_step == published.scattersPerStep &&
                 segment.all_reduces_per_step == published.allReducesPerStep;
  if (isAlike) {
    return {};
  }
  if (reasons.empty()) {
    reasons.push_back(
        formatv("moved otherwise: {0} gathers and {1} scatters a microbatch, "
                "{2}, {3} and {4} all-reduces a step",
                segment.gathers(), segment.scatters, segment.gathers_per_step,
                segment.scatters_per_step, segment.all_reduces_per_step)
            .str());
  }
  return reasons;
}

std::vector<TrafficDifference>
findTrafficDifferences(const TrainingEstimate &estimate) {
  const planpb::Manifest &manifest = estimate.getManifest();
  PublishedTraffic published = getPublishedTraffic(estimate.getMode());
  std::vector<runtime::SegmentTraffic> segments =
      runtime::CountSegmentTraffic(manifest, estimate.getStep());
  std::vector<TrafficDifference> differences;
  auto add = [&](std::string name, std::vector<std::string> reasons) {
    auto same = llvm::find_if(
        differences, [&](const auto &each) { return each.reasons == reasons; });
    if (same == differences.end()) {
      same = differences.insert(differences.end(), {{}, std::move(reasons)});
    }
    same->names.push_back(std::move(name));
  };
  for (auto [b, bucket] : llvm::enumerate(manifest.buckets())) {
    std::vector<std::vector<std::string>> reasons;
    for (const runtime::SegmentTraffic &segment : segments) {
      if (segment.bucket == b) {
        reasons.push_back(explainTraffic(segment, published));
      }
    }
    bool isUniform = llvm::all_equal(reasons);
    for (auto [s, each] : llvm::enumerate(reasons)) {
      if (!each.empty() && (s == 0 || !isUniform)) {
        add(isUniform ? bucket.name()
                      : bucket.name() + "." + bucket.segments(s).name(),
            each);
      }
    }
  }
  return differences;
}

} // namespace accel
