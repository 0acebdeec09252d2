// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happened in a run besides its steps.
#ifndef ACCEL_TOOLS_ACCEL_INSPECT_REPORT_EVENTS_H_
#define ACCEL_TOOLS_ACCEL_INSPECT_REPORT_EVENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/accel-inspect/report_run.h"

namespace accel::tools {

struct ReportEvent {
  enum class Kind {
    kStart,
    kGap,         // steps that the metrics do not have
    kRepeat,      // steps that they have twice
    kResume,      // another start of the program goes on
    kSkipped,     // steps that were not finite and changed no weight
    kHalt,        // the last step was such a one, and the run ended
    kCheckpoint,  // is there now; those that were removed are not known
    kEnd,         // the last step
  };
  Kind kind;
  int64_t first_step = 0;
  int64_t last_step = 0;
  std::string time;  // empty: not known
  std::string text;  // what happened; a sentence without its full stop
};

// By step. Steps in a row that were not finite are one event.
std::vector<ReportEvent> EventsOf(const RunReport& run);

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_INSPECT_REPORT_EVENTS_H_
