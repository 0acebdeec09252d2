// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a person needs besides the error when a run has failed: where and since
// when, what is left of it, and how to go on.
#ifndef ACCEL_TOOLS_ACCEL_RUN_FAILURE_REPORT_H_
#define ACCEL_TOOLS_ACCEL_RUN_FAILURE_REPORT_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/io/vfs.h"
#include "tools/accel-run/options.h"

namespace accel::tools {

struct Failure {
  std::string where;  // may be empty: nobody knows
  uint32_t rank = 0;
  uint32_t ranks = 1;         // processes
  pid_t pid = 0;              // 0: it is not known which rank it was
  int64_t since_ns = 0;       // the time of day
  int status = 0;             // that the run ends with
  std::string run_directory;  // may be empty: nobody knows
  std::string restarts;       // how many there were; empty: none is allowed
};

// Lines to follow the error, each with a label:
//
//     where       training, step 94 of 1000
//     rank        1 of 4, pid 4711
//     since       2026-11-27T03:01:22.123Z
//     checkpoint  step 50, intact: 'run/checkpoints/step-00000050'
//     restarts    3 of 3 without a new checkpoint
//     go on with
//       accel-run plan --data mix.toml --run-dir run --resume=auto
//
// Reads checkpoints, the newest first, until one
// is intact; of those larger than 256 MiB only the headers, and says so.
std::string FailureReport(runtime::Vfs& vfs, const RunOptions& options,
                          char** argv, const Failure& failure);

// As a shell takes it, in lines of at most 78 columns where words allow it, if
// a Logger prints it indented by four. Those behind the first are by six.
std::string ShellCommand(const std::vector<std::string>& words);

// The command line that goes on with the run of `words`: with --resume=auto in
// place of what they say, and its run directory.
std::vector<std::string> ResumingWords(const std::vector<std::string>& words,
                                       const std::string& run_directory,
                                       bool names_directory);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_FAILURE_REPORT_H_
