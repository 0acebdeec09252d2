// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run as the launcher of its ranks sees it: from their start, over restarts,
// to what is said of its failure.
#ifndef ACCEL_TOOLS_ACCEL_RUN_LAUNCHED_RUN_H_
#define ACCEL_TOOLS_ACCEL_RUN_LAUNCHED_RUN_H_

#include "absl/status/status.h"
#include "runtime/io/vfs.h"
#include "runtime/launch/launcher.h"
#include "tools/accel-run/failure_report.h"
#include "tools/accel-run/options.h"

namespace accel::tools {

// InvalidArgument: what restarts need is missing, or something that the options
// ask for would be overwritten by a restart.
absl::Status CheckRestarts(const RunOptions& options);

// Borrows: everything.
class LaunchedRun {
 public:
  // `argv`: as main got it.
  LaunchedRun(runtime::Vfs& vfs, const RunOptions& options, char** argv);

  // Starts all ranks, and after failures that may pass (a death by a signal,
  // statuses 11 and 70) again, from the newest checkpoint, as often as
  // --max-restarts says without a new checkpoint in between. The status to exit
  // with.
  int Run();

 private:
  // Counts a restart, if there may be one.
  bool MayRestart(const runtime::LaunchEnd& end);
  // Says why and when; the signal that has ended the wait.
  int AwaitRestart(const runtime::LaunchEnd& end);
  int Conclude(const runtime::LaunchEnd& end) const;
  void Report(const runtime::LaunchEnd& end) const;
  // Behind what rank 0 has said in its log.
  void AppendToLog(const std::string& lines) const;
  // Who failed, in words, and of what.
  std::string EndText(const runtime::LaunchEnd& end) const;
  // With --resume=DIR that one counts until there is one of this run.
  bool GoesOnElsewhere() const;
  // What a restart goes on from.
  std::string OriginText() const;
  // The step of the newest checkpoint of the run directory; -1: none.
  int64_t NewestStep() const;
  std::string RestartsText() const;

  runtime::Vfs& vfs_;
  const RunOptions& options_;
  const runtime::Logger logger_;
  runtime::LauncherOptions launcher_;
  int64_t first_newest_ = -1;  // before the first start
  int64_t newest_ = -1;        // when it was looked at last
  int64_t used_ = 0;           // restarts since a checkpoint was new
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_LAUNCHED_RUN_H_
