// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The signals that ask a run to end: SIGINT, SIGTERM, SIGUSR1 and, unless
// nohup has said otherwise, SIGHUP.
#ifndef ACCEL_TOOLS_ACCEL_RUN_STOP_SIGNALS_H_
#define ACCEL_TOOLS_ACCEL_RUN_STOP_SIGNALS_H_

namespace accel::tools {

// What another of them does, half a second after the first or later. Before
// that it is taken for the same request: batch systems send signals to all
// processes of a job, and launchers hand them on.
enum class SecondSignal {
  kEnds,     // the process, at once
  kIsTaken,  // as the first one: TakeSignal returns it, too
  kIsIgnored,
};

// SIGTSTP, too, where the second signal is taken. Reads go on after a signal.
void TakeStopSignals(SecondSignal second);

// The first one that came; 0: none.
int StopSignal();

// The last one that came and has not been taken yet; 0: none.
int TakeSignal();

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_RUN_STOP_SIGNALS_H_
