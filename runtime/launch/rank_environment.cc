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

constexpr char kPort[] = "MASTER_PORT";
constexpr char kLauncher[] = "ACCEL_LAUNCHER_PID";
constexpr char kRestarts[] = "ACCEL_RESTARTS";
constexpr char kResume[] = "ACCEL_RESUME";
constexpr char kNote[] = "ACCEL_FAILURE_NOTE";
constexpr char kStep[] = "SLURM_STEP_ID";

// The names of a launcher's variables; null: it has none.
struct Names {
  const char* rank;
  const char* ranks;
  const char* local_rank;
  const char* local_ranks = nullptr;
  const char* hosts = nullptr;
  const char* run = nullptr;
  // What must be there for the others to count.
  const char* needs = nullptr;
};

constexpr Names kTorchrun = {"RANK",       "WORLD_SIZE",
                             "LOCAL_RANK", "LOCAL_WORLD_SIZE",
                             nullptr,      "TORCHELASTIC_RUN_ID"};
constexpr Names kOthers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", nullptr,
     "PMIX_NAMESPACE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr,
     "SLURM_STEP_NUM_NODES", "SLURM_JOB_ID", kStep},
};

// Reads numbers and collects what is wrong with them.
class Reader {
 public:
  explicit Reader(GetVariable get) : get_(get) {}

  // `otherwise` if the variable is not set, or `name` is null.
  int64_t Number(const char* name, int64_t low, int64_t high,
                 int64_t otherwise) {
    const char* text = name == nullptr ? nullptr : get_(name);
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

bool Has(GetVariable get, const char* name) {
  return name != nullptr && get(name) != nullptr;
}

bool IsPresent(GetVariable get, const Names& names) {
  return (names.needs == nullptr || Has(get, names.needs)) &&
         (Has(get, names.rank) || Has(get, names.ranks));
}

// Null: the environment says of no ranks.
const Names* FindNames(GetVariable get, Launchers launchers) {
  if (IsPresent(get, kTorchrun)) {
    return &kTorchrun;
  }
  for (const Names& names : kOthers) {
    if (launchers == Launchers::kAll && IsPresent(get, names)) {
      return &names;
    }
  }
  return nullptr;
}

absl::Status CheckBoth(GetVariable get, const Names& names) {
  const bool has_rank = Has(get, names.rank);
  if (has_rank && Has(get, names.ranks)) {
    return absl::OkStatus();
  }
  const char* there = has_rank ? names.rank : names.ranks;
  return absl::InvalidArgumentError(
      absl::StrCat("the environment has ", there, "=", get(there), " and no ",
                   has_rank ? names.ranks : names.rank,
                   ": expected both, as launchers set them, or none; unset ",
                   there, " to run alone"));
}

absl::Status RefuseHosts(absl::string_view what) {
  return absl::UnimplementedError(
      absl::StrCat(what,
                   ": ranks on more than one host are not supported; start all "
                   "ranks on one host"));
}

absl::Status CheckOneHost(const Names& names, int64_t local_ranks,
                          int64_t ranks, int64_t local_rank, int64_t rank) {
  if (local_ranks < ranks) {
    return RefuseHosts(absl::StrCat(names.local_ranks, " is ", local_ranks,
                                    " and ", names.ranks, " is ", ranks));
  }
  if (local_rank == rank && local_ranks == ranks) {
    return absl::OkStatus();
  }
  if (names.local_ranks == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the environment of a rank: on one host expected ", names.local_rank,
        " = ", names.rank, ", got ", local_rank, " and ", rank));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the environment of a rank: on one host expected ", names.local_rank,
      " = ", names.rank, " and ", names.local_ranks, " = ", names.ranks,
      ", got ", local_rank, " and ", rank, ", ", local_ranks, " and ", ranks));
}

// What tells apart runs that go on at the same time.
std::string RunOf(GetVariable get, const Names& names) {
  if (!Has(get, names.run)) {
    return "";
  }
  return names.needs == nullptr
             ? get(names.run)
             : absl::StrCat(get(names.run), ".", get(names.needs));
}

absl::StatusOr<RankEnvironment> ParseNames(GetVariable get,
                                           const Names& names) {
  RETURN_IF_ERROR(CheckBoth(get, names));
  Reader reader(get);
  constexpr int64_t kMost = GroupRegion::kMaxRanks;
  const int64_t hosts = reader.Number(names.hosts, 1, INT32_MAX, 1);
  const int64_t ranks = reader.Number(names.ranks, 1, kMost, 1);
  const int64_t rank = reader.Number(names.rank, 0, ranks - 1, 0);
  const int64_t local_ranks = reader.Number(names.local_ranks, 1, kMost, ranks);
  const int64_t local_rank =
      reader.Number(names.local_rank, 0, kMost - 1, rank);
  RankEnvironment environment;
  environment.rank = static_cast<uint32_t>(rank);
  environment.ranks = static_cast<uint32_t>(ranks);
  environment.port = static_cast<int>(reader.Number(kPort, 0, 65535, 0));
  environment.launcher =
      static_cast<pid_t>(reader.Number(kLauncher, 1, INT32_MAX, 0));
  if (environment.launcher != 0) {
    environment.restarts =
        static_cast<uint32_t>(reader.Number(kRestarts, 0, UINT32_MAX, 0));
    environment.resume = Has(get, kResume) ? get(kResume) : "";
    environment.failure_note =
        static_cast<int>(reader.Number(kNote, 0, INT32_MAX, -1));
  }
  environment.run_id = RunOf(get, names);
  RETURN_IF_ERROR(reader.status());
  if (hosts > 1) {
    return RefuseHosts(absl::StrCat(names.hosts, " is ", hosts));
  }
  RETURN_IF_ERROR(CheckOneHost(names, local_ranks, ranks, local_rank, rank));
  return environment;
}

}  // namespace

absl::StatusOr<std::optional<RankEnvironment>> ParseRankEnvironment(
    GetVariable get, Launchers launchers) {
  const Names* const names = FindNames(get, launchers);
  if (names != nullptr) {
    return ParseNames(get, *names);
  }
  constexpr char kPmixRank[] = "PMIX_RANK";
  if (launchers == Launchers::kAll && Has(get, kPmixRank)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the environment has ", kPmixRank, "=", get(kPmixRank),
        " and does not say how many ranks there are; set RANK and WORLD_SIZE, "
        "or unset ",
        kPmixRank, " to run alone"));
  }
  return std::nullopt;
}

std::vector<std::string> RankVariables(const RankEnvironment& environment) {
  const auto variable = [](const char* name, const auto& value) {
    return absl::StrCat(name, "=", value);
  };
  std::vector<std::string> variables = {
      variable(kTorchrun.rank, environment.rank),
      variable(kTorchrun.ranks, environment.ranks),
      variable(kTorchrun.local_rank, environment.rank),
      variable(kTorchrun.local_ranks, environment.ranks),
      variable(kPort, environment.port),
      variable(kTorchrun.run, environment.run_id),
      variable(kLauncher, environment.launcher),
      variable(kRestarts, environment.restarts),
      variable(kResume, environment.resume)};
  if (environment.failure_note >= 0) {
    variables.push_back(variable(kNote, environment.failure_note));
  }
  return variables;
}

}  // namespace accel::runtime
