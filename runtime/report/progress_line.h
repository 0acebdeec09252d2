// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a person sees while a run goes on: one live line on a terminal, spaced
// plain lines in a pipe or a log.
#ifndef ACCEL_RUNTIME_REPORT_PROGRESS_LINE_H_
#define ACCEL_RUNTIME_REPORT_PROGRESS_LINE_H_

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>

#include "runtime/report/console.h"
#include "runtime/report/step_metrics.h"

namespace accel::runtime {

struct ProgressOptions {
  int64_t last_step = 0;  // the run's last step; 0: unknown, no ETA
  // Plain lines: the first and the last step always; between them one every
  // `every_steps` steps but none sooner than `shortest` after the one before,
  // and at the latest `longest` after it. The live line: redrawn not sooner
  // than `redraw`.
  int64_t every_steps = 10;
  std::chrono::nanoseconds shortest = std::chrono::milliseconds(500);
  std::chrono::nanoseconds longest = std::chrono::seconds(30);
  std::chrono::nanoseconds redraw = std::chrono::milliseconds(50);
  // Stands at the end of every line, e.g. "fp8 emulated".
  std::string tag = {};
};

// Borrows: the console.
// Threads: one thread at a time.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  ProgressLine(Console& console, ProgressOptions options);

  // `now` is a parameter for the tests' sake.
  void Update(const StepMetrics& metrics, Clock::time_point now = Clock::now());
  // Shows the last step if it has not been shown, and ends the live line. Also
  // right when the run ends early.
  void Finish();

  // The text of one line in at most `width` columns (0: any); fields that do
  // not fit are left out, the least important first: memory, learning rate,
  // gradient norm, tokens/s, evaluation and tag, at last the time left.
  // `eta_seconds` < 0: none.
  static std::string Render(const StepMetrics& metrics, int64_t last_step,
                            double eta_seconds, const std::string& tag,
                            int width, bool color);

 private:
  bool Due(Clock::time_point now) const;
  double EtaSeconds() const;
  void Show(Clock::time_point now);

  Console& console_;
  ProgressOptions options_;
  StepMetrics latest_;
  std::deque<int64_t> recent_ns_;  // of the last steps
  int64_t shown_step_ = 0;
  Clock::time_point shown_at_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_REPORT_PROGRESS_LINE_H_
