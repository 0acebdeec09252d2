// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing and writing of the variables.
#include "runtime/launch/rank_environment.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/comm/group_region.h"

namespace accel::runtime {
namespace {

constexpr char kRank[] = "RANK";
constexpr char kRanks[] = "WORLD_SIZE";
constexpr char kLocalRank[] = "LOCAL_RANK";
constexpr char kLocalRanks[] = "LOCAL_WORLD_SIZE";
constexpr char kPort[] = "MASTER_PORT";
constexpr char kRunId[] = "TORCHELASTIC_RUN_ID";
constexpr char kLauncher[] = "ACCEL_LAUNCHER_PID";

// Reads numbers and collects what is wrong with them.
class Reader {
 public:
  explicit Reader(GetVariable get) : get_(get) {}

  // `otherwise` if the variable is not set.
  int64_t Number(const char* name, int64_t low, int64_t high,
                 int64_t otherwise) {
    const char* text = get_(name);
    if (text == nullptr) {
      return otherwise;
    }
    int64_t value = 0;
    if (absl::SimpleAtoi(text, &value) && value >= low && value <= high) {
      return value;
    }
    faults_.Add(absl::StrCat(name, ": expected a number between ", low, " and ",
                             high, ", got '", text, "'"));
    return otherwise;
  }

  absl::Status status() const {
    return faults_.ToStatus("the environment of a rank");
  }

 private:
  GetVariable get_;
  ErrorList faults_;
};

absl::Status CheckOneHost(int64_t local_ranks, int64_t ranks,
                          int64_t local_rank, int64_t rank) {
  if (local_ranks < ranks) {
    return absl::UnimplementedError(absl::StrCat(
        kLocalRanks, " is ", local_ranks, " and ", kRanks, " is ", ranks,
        ": ranks on more than one host are not supported; start all ranks on "
        "one host"));
  }
  if (local_ranks > ranks || local_rank != rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the environment of a rank: on one host expected ", kLocalRank, " = ",
        kRank, " and ", kLocalRanks, " = ", kRanks, ", got ", local_rank,
        " and ", rank, ", ", local_ranks, " and ", ranks));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<RankEnvironment>> ParseRankEnvironment(
    GetVariable get) {
  const bool has_rank = get(kRank) != nullptr;
  const bool has_ranks = get(kRanks) != nullptr;
  if (!has_rank && !has_ranks) {
    return std::nullopt;
  }
  if (has_rank != has_ranks) {
    const char* there = has_rank ? kRank : kRanks;
    return absl::InvalidArgumentError(
        absl::StrCat("the environment has ", there, "=", get(there), " and no ",
                     has_rank ? kRanks : kRank,
                     ": expected both, as launchers set them, or none; unset ",
                     there, " to run alone"));
  }
  Reader reader(get);
  constexpr int64_t kMost = GroupRegion::kMaxRanks;
  const int64_t ranks = reader.Number(kRanks, 1, kMost, 1);
  const int64_t rank = reader.Number(kRank, 0, ranks - 1, 0);
  const int64_t local_ranks = reader.Number(kLocalRanks, 1, kMost, ranks);
  const int64_t local_rank = reader.Number(kLocalRank, 0, kMost - 1, rank);
  RankEnvironment environment;
  environment.rank = static_cast<uint32_t>(rank);
  environment.ranks = static_cast<uint32_t>(ranks);
  environment.port = static_cast<int>(reader.Number(kPort, 0, 65535, 0));
  environment.launcher =
      static_cast<pid_t>(reader.Number(kLauncher, 1, INT32_MAX, 0));
  const char* run_id = get(kRunId);
  environment.run_id = run_id == nullptr ? "" : run_id;
  RETURN_IF_ERROR(reader.status());
  RETURN_IF_ERROR(CheckOneHost(local_ranks, ranks, local_rank, rank));
  return environment;
}

std::vector<std::string> RankVariables(const RankEnvironment& environment) {
  const auto variable = [](const char* name, const auto& value) {
    return absl::StrCat(name, "=", value);
  };
  return {variable(kRank, environment.rank),
          variable(kRanks, environment.ranks),
          variable(kLocalRank, environment.rank),
          variable(kLocalRanks, environment.ranks),
          variable(kPort, environment.port),
          variable(kRunId, environment.run_id),
          variable(kLauncher, environment.launcher)};
}

}  // namespace accel::runtime
