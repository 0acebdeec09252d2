// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trains a plan on the device that accel-run takes and on queued devices, and
// compares every metric and all weights to the bit:
//   compare-devices PLAN RANKS STEPS [SEEDS]
// Data is synthetic. Prints what differs, and ends with 1 if anything does.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/parameters.h"
#include "runtime/executor/rank_threads.h"
#include "runtime/io/posix_vfs.h"
#include "test/runtime/device/queued_device.h"

namespace accel::testing {
namespace {

using runtime::RankThreads;
using runtime::RankThreadsOptions;

constexpr int kThreads = 2;

struct Run {
  std::vector<std::string> names;  // of what is compared
  std::vector<std::string> bytes;
};

void Add(Run& run, std::string name, const void* data, size_t size) {
  run.names.push_back(std::move(name));
  run.bytes.emplace_back(static_cast<const char*>(data), size);
}

absl::Status AddWeights(const runtime::Plan& plan, const RankThreads& ranks,
                        Run& run) {
  for (const planpb::Parameter& parameter : plan.manifest().parameters()) {
    ASSIGN_OR_RETURN(const auto place,
                     runtime::FindParameter(plan.view(), parameter, "master"));
    if (!place) {
      return absl::InternalError(absl::StrCat(parameter.name(), " is nowhere"));
    }
    std::vector<std::byte> bytes(place->elements * place->slot.width);
    RETURN_IF_ERROR(runtime::ReadParameter(ranks, *place, 0, place->elements,
                                           absl::MakeSpan(bytes)));
    Add(run, parameter.name(), bytes.data(), bytes.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<Run> Train(runtime::Vfs& vfs, const runtime::Plan& plan,
                          int steps, const RankThreadsOptions& options) {
  runtime::DatasetOptions data;
  data.global_batch = options.executor.global_batch;
  ASSIGN_OR_RETURN(const auto dataset,
                   runtime::Dataset::Open(
                       vfs, runtime::DataSignature(plan.manifest()), data));
  ASSIGN_OR_RETURN(const auto ranks,
                   RankThreads::Create(vfs, plan, *dataset, options));
  RETURN_IF_ERROR(ranks->Initialize());
  Run run;
  for (int step = 0; step < steps; ++step) {
    ASSIGN_OR_RETURN(const std::vector<double> metrics, ranks->RunStep(step));
    Add(run, absl::StrCat("metrics of step ", step + 1), metrics.data(),
        metrics.size() * sizeof(double));
  }
  RETURN_IF_ERROR(AddWeights(plan, *ranks, run));
  return run;
}

int Differences(const Run& expected, const Run& got, const std::string& what) {
  int differences = 0;
  for (size_t i = 0; i < expected.bytes.size(); ++i) {
    if (expected.bytes[i] != got.bytes[i]) {
      ++differences;
      std::printf("%s: %s differs\n", what.c_str(), expected.names[i].c_str());
    }
  }
  return differences;
}

absl::StatusOr<int> Compare(const std::string& path, int rank_count, int steps,
                            int seeds) {
  const auto vfs = runtime::MakePosixVfs();
  ASSIGN_OR_RETURN(const auto plan, runtime::Plan::Open(*vfs, path));
  RankThreadsOptions options;
  options.ranks = rank_count;
  options.threads_per_rank = kThreads;
  options.executor.timeout = std::chrono::seconds(60);
  options.executor.global_batch =
      static_cast<int64_t>(plan->manifest().default_global_batch());
  ASSIGN_OR_RETURN(const Run expected, Train(*vfs, *plan, steps, options));
  int differences = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    QueuedDeviceOptions device;
    device.seed = static_cast<uint64_t>(seed);
    device.threads = kThreads;
    device.lazy = seed % 3 != 0;
    options.create_device = [device](runtime::Vfs& v,
                                     const runtime::DeviceOptions&)
        -> absl::StatusOr<std::unique_ptr<runtime::Device>> {
      return std::make_unique<QueuedDevice>(v, device);
    };
    ASSIGN_OR_RETURN(const Run got, Train(*vfs, *plan, steps, options));
    differences += Differences(expected, got, absl::StrCat("seed ", seed));
  }
  std::printf("compared %zu values with %d orders: %d differ\n",
              expected.bytes.size(), seeds, differences);
  return differences;
}

}  // namespace
}  // namespace accel::testing

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5) {
    std::fprintf(stderr, "usage: compare-devices PLAN RANKS STEPS [SEEDS]\n");
    return 2;
  }
  const auto differences =
      accel::testing::Compare(argv[1], std::atoi(argv[2]), std::atoi(argv[3]),
                              argc == 5 ? std::atoi(argv[4]) : 6);
  if (!differences.ok()) {
    std::fprintf(stderr, "compare-devices: %s\n",
                 differences.status().ToString().c_str());
    return 2;
  }
  return *differences == 0 ? 0 : 1;
}
