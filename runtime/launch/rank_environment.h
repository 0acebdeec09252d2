// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launcher says to a rank through its environment: the variables of
// torchrun, which other launchers and people set, too.
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
  int port = 0;        // MASTER_PORT; a part of the rendezvous' name, no more
  std::string run_id;  // TORCHELASTIC_RUN_ID, or what our launcher chose
  // Of our own launcher, the rank's parent; 0: somebody else started it.
  pid_t launcher = 0;
};

// The value of a variable, null if it is not set: getenv, or a test's own.
using GetVariable = absl::FunctionRef<const char*(const char* name)>;

// Nothing if the environment says of no ranks. InvalidArgument names every
// variable that is missing or wrong; Unimplemented: several hosts.
//
//   RANK, WORLD_SIZE               both or none
//   LOCAL_RANK, LOCAL_WORLD_SIZE   RANK and WORLD_SIZE if not set: one host
//   MASTER_ADDR                    not used: ranks of one host need no address
//   MASTER_PORT                    0 if not set
//   TORCHELASTIC_RUN_ID            empty if not set
//   ACCEL_LAUNCHER_PID             set by our launcher alone
absl::StatusOr<std::optional<RankEnvironment>> ParseRankEnvironment(
    GetVariable get);

// "NAME=value" of every variable that rank `rank` of our launcher gets.
// ParseRankEnvironment of them gives `environment`.
std::vector<std::string> RankVariables(const RankEnvironment& environment);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_RANK_ENVIRONMENT_H_
