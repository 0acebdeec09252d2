// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launcher says to a rank through its environment: the variables of
// torchrun, which people set, too, and those of mpirun and srun.
#ifndef ACCEL_RUNTIME_LAUNCH_RANK_ENVIRONMENT_H_
#define ACCEL_RUNTIME_LAUNCH_RANK_ENVIRONMENT_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace accel::runtime {

struct RankEnvironment {
  uint32_t rank = 0;
  uint32_t ranks = 1;
  int port = 0;  // MASTER_PORT; a part of the rendezvous' name, no more
  // What the launcher calls the run, or what our launcher chose.
  std::string run_id;
  // Of our own launcher, the rank's parent; 0: somebody else started it.
  pid_t launcher = 0;
  // Of our own launcher: how often it has started the ranks again, and what
  // they go on from then instead of what the command line says; empty: that.
  uint32_t restarts = 0;
  std::string resume;
  // Where the rank may leave a FailureNote, an open descriptor; -1: nowhere.
  int failure_note = -1;
};

// The value of a variable, null if it is not set: getenv, or a test's own.
using GetVariable = absl::FunctionRef<const char*(const char* name)>;

// Whose variables count. Those of mpirun and srun are also there for what is
// started in a shell of theirs, without being meant.
enum class Launchers { kAll, kTorchrun };

// Nothing if the environment says of no ranks. InvalidArgument names every
// variable that is missing or wrong; Unimplemented: several hosts. The first
// launcher of these that has set a rank or a number of ranks counts.
//
//   torchrun    RANK, WORLD_SIZE; LOCAL_RANK, LOCAL_WORLD_SIZE; the run is
//               TORCHELASTIC_RUN_ID
//   Open MPI    OMPI_COMM_WORLD_RANK, _SIZE; _LOCAL_RANK, _LOCAL_SIZE; the run
//               is PMIX_NAMESPACE
//   MPICH       PMI_RANK, PMI_SIZE; MPI_LOCALRANKID, MPI_LOCALNRANKS
//   Slurm       SLURM_PROCID, SLURM_NTASKS; SLURM_LOCALID; the hosts are
//               SLURM_STEP_NUM_NODES; the run is SLURM_JOB_ID.SLURM_STEP_ID.
//               Only with SLURM_STEP_ID: a batch script is no rank.
//
// The first two of a line belong together; the local ones are those of the run
// if they are not set: one host. Of all launchers:
//
//   MASTER_ADDR                    not used: ranks of one host need no address
//   MASTER_PORT                    0 if not set
//   ACCEL_LAUNCHER_PID,            set by our launcher alone; without the first
//   ACCEL_RESTARTS, ACCEL_RESUME,  the others do not count
//   ACCEL_FAILURE_NOTE
//
// PMIX_RANK without any of these does not say how many ranks there are, and is
// refused.
absl::StatusOr<std::optional<RankEnvironment>> ParseRankEnvironment(
    GetVariable get, Launchers launchers = Launchers::kAll);

// "NAME=value" of every variable that rank `rank` of our launcher gets.
// ParseRankEnvironment of them gives `environment`.
std::vector<std::string> RankVariables(const RankEnvironment& environment);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_RANK_ENVIRONMENT_H_
