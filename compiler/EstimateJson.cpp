// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The estimate for programs: bytes as whole numbers, one object per rank count.
#include "compiler/EstimateReport.h"
#include "compiler/TrafficDifference.h"

#include "llvm/Support/JSON.h"

namespace accel {
namespace {

/// Changes when a program that reads the JSON could misunderstand it.
constexpr int64_t kJsonVersion = 4;

void addTraffic(llvm::json::OStream &json, llvm::StringRef name,
                const runtime::CollectiveTraffic &traffic) {
  json.attributeObject(name, [&] {
    json.attribute("gathered", traffic.gathered);
    json.attribute("scattered", traffic.scattered);
    json.attribute("all_reduced", traffic.all_reduced);
    json.attribute("total", traffic.total());
  });
}

void addRank(llvm::json::OStream &json, const RankEstimate &rank) {
  json.object([&] {
    json.attribute("ranks", rank.ranks);
    json.attributeObject("classes", [&] {
      for (const EstimatedClass &info : getEstimatedClasses()) {
        json.attribute(info.name, rank.getBytes(info.memoryClass));
      }
    });
    json.attribute("total", rank.getTotalBytes());
    json.attribute("checkpoint_copy", rank.checkpointBytes);
    json.attribute("iterations", rank.iterations);
    addTraffic(json, "sent_per_step", rank.traffic);
  });
}

void addSegments(llvm::json::OStream &json, const TrainingEstimate &estimate) {
  const planpb::Manifest &manifest = estimate.getManifest();
  PublishedTraffic published = getPublishedTraffic(estimate.getMode());
  for (const runtime::SegmentTraffic &counts :
       runtime::CountSegmentTraffic(manifest, estimate.getStep())) {
    const planpb::Bucket &bucket = manifest.buckets(counts.bucket);
    json.object([&] {
      json.attribute("bucket", bucket.name());
      json.attribute("segment", bucket.segments(counts.segment).name());
      json.attribute("gathers_per_microbatch", counts.gathers());
      json.attribute("scatters_per_microbatch", counts.scatters);
      json.attribute("gathers_per_step", counts.gathers_per_step);
      json.attribute("scatters_per_step", counts.scatters_per_step);
      json.attribute("all_reduces_per_step", counts.all_reduces_per_step);
      json.attributeArray("differs_because", [&] {
        for (const std::string &reason : explainTraffic(counts, published)) {
          json.value(reason);
        }
      });
    });
  }
}

/// For many ranks, in bytes and as published in units of `parameter_bytes`.
void addLimits(llvm::json::OStream &json, const TrainingEstimate &estimate) {
  runtime::TrafficLimits limits = runtime::LimitsOfTraffic(estimate.getStep());
  PublishedTraffic published = getPublishedTraffic(estimate.getMode());
  json.attributeObject("many_ranks", [&] {
    json.attribute("parameter_bytes", estimate.getParameterBytes());
    addTraffic(json, "sent_per_microbatch", limits.per_microbatch);
    addTraffic(json, "sent_per_step", limits.per_step);
    json.attribute("scalars_per_step", limits.scalars_per_step);
    json.attribute("published_units_per_microbatch",
                   published.getUnitsPerMicrobatch());
    json.attribute("published_units_per_step", published.getUnitsPerStep());
    json.attributeArray("segments", [&] { addSegments(json, estimate); });
  });
}

void addFit(llvm::json::OStream &json, const MemoryFit &fit) {
  auto addOptional = [&](llvm::StringRef name, std::optional<uint64_t> value) {
    json.attribute(name, value ? llvm::json::Value(*value)
                               : llvm::json::Value(nullptr));
  };
  json.attributeObject("memory_limit", [&] {
    json.attribute("bytes", fit.limit);
    std::optional<uint64_t> ranks, bytes;
    if (fit.smallest) {
      ranks = fit.smallest->ranks;
      bytes = fit.smallest->getTotalBytes();
    }
    addOptional("smallest_ranks", ranks);
    addOptional("bytes_per_rank", bytes);
    addOptional("first_misfit_above", fit.firstMisfit);
    addOptional("last_misfit_above", fit.lastMisfit);
    json.attribute("least_bytes", fit.least.getTotalBytes());
    json.attribute("least_ranks", fit.least.ranks);
  });
}

} // namespace

void printEstimateAsJson(const EstimateReport &report,
                         llvm::raw_ostream &stream) {
  const TrainingEstimate &estimate = report.estimate;
  llvm::json::OStream json(stream, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", kJsonVersion);
    json.attribute("mode", dist::stringifyShardingMode(estimate.getMode()));
    json.attribute("global_batch", estimate.getGlobalBatch());
    json.attribute("microbatch", estimate.getManifest().microbatch());
    json.attributeArray("ranks", [&] {
      for (const RankEstimate &rank : report.ranks) {
        addRank(json, rank);
      }
    });
    json.attribute("per_thread", estimate.getBytesPerThread());
    addLimits(json, estimate);
    if (report.fit) {
      addFit(json, *report.fit);
    }
    const ArenaPeak &peak = estimate.getPeak();
    json.attributeObject("peak", [&] {
      json.attribute("function", peak.function);
      json.attribute("instruction", peak.instruction);
      json.attribute("name", peak.name);
      json.attribute("place", peak.place);
      json.attribute("live_bytes", peak.liveBytes);
    });
  });
  stream << "\n";
}

} // namespace accel
