// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout and timing of the live line.
#include "runtime/report/progress_line.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/format.h"
#include "runtime/base/text_wrap.h"

namespace accel::runtime {
namespace {

constexpr size_t kRecentSteps = 20;
constexpr absl::string_view kBold = "\x1b[1m";
constexpr absl::string_view kPlain = "\x1b[0m";

// A part of the line. The greatest rank is left out first; 0 never is.
struct Part {
  std::string text;
  int rank = 0;
  bool bold = false;
};

// In as many columns, as long as it is no more than a training survives.
std::string LossText(double loss) {
  return std::fabs(loss) < 1e5 || !std::isfinite(loss)
             ? absl::StrFormat("loss %8.4f", loss)
             : absl::StrFormat("loss %8.2e", loss);
}

std::string GradientText(double norm) {
  return std::fabs(norm) < 1000 ? absl::StrFormat("grad %7.3f", norm)
                                : absl::StrFormat("grad %7.1e", norm);
}

std::chrono::nanoseconds ToNanoseconds(double seconds) {
  constexpr double kLongest = 9e9;  // some 285 years, inside the type
  return std::chrono::nanoseconds(
      static_cast<int64_t>(std::clamp(seconds, 0.0, kLongest) * 1e9));
}

std::vector<Part> Parts(const StepMetrics& metrics, int64_t last_step,
                        double eta_seconds, const std::string& tag) {
  std::string step = absl::StrCat(metrics.step);
  if (last_step > 0) {
    const std::string last = absl::StrCat(last_step);
    step.insert(0, last.size() - std::min(last.size(), step.size()), ' ');
    absl::StrAppend(&step, "/", last);
  }
  std::vector<Part> parts = {
      {absl::StrCat("step ", step), 0},
      {LossText(metrics.loss), 0, true},
      {absl::StrFormat("lr %.2e", metrics.lr), 5},
      {GradientText(metrics.grad_norm), 4},
      {absl::StrFormat("%5s tokens/s", FormatSi(metrics.tokens_per_second)), 3},
      {absl::StrFormat("%8s", FormatBytes(metrics.peak_bytes)), 6}};
  if (metrics.eval_loss) {
    parts.insert(parts.begin() + 2,
                 {absl::StrFormat("eval %8.4f", *metrics.eval_loss), 2});
  }
  if (eta_seconds >= 0 && metrics.step < last_step) {
    parts.push_back(
        {absl::StrCat("ETA ", FormatDuration(ToNanoseconds(eta_seconds))), 1});
  }
  if (metrics.loss_scale) {
    parts.push_back({absl::StrFormat("scale %g", *metrics.loss_scale), 5});
  }
  if (metrics.skipped_steps > 0) {
    parts.push_back({absl::StrCat("skipped ", metrics.skipped_steps), 0});
  }
  if (!tag.empty()) {
    parts.push_back({tag, 2});
  }
  return parts;
}

int WidthOf(const std::vector<Part>& parts) {
  int width = -2;
  for (const Part& part : parts) {
    width += DisplayWidth(part.text) + 2;
  }
  return width;
}

void DropUntilFits(std::vector<Part>& parts, int width) {
  while (WidthOf(parts) > width) {
    const auto least = std::max_element(
        parts.begin(), parts.end(),
        [](const Part& a, const Part& b) { return a.rank < b.rank; });
    if (least->rank == 0) {
      return;
    }
    parts.erase(least);
  }
}

}  // namespace

std::string ProgressLine::Render(const StepMetrics& metrics, int64_t last_step,
                                 double eta_seconds, const std::string& tag,
                                 int width, bool color) {
  std::vector<Part> parts = Parts(metrics, last_step, eta_seconds, tag);
  if (width > 0) {
    DropUntilFits(parts, width);
  }
  // What is never left out is cut at the edge: a line that wraps could not be
  // erased any more.
  int room = width > 0 ? width : INT_MAX;
  std::string line;
  for (const Part& part : parts) {
    const absl::string_view gap = line.empty() ? "" : "  ";
    room -= static_cast<int>(gap.size());
    if (room <= 0) {
      break;
    }
    const std::string text =
        DisplayWidth(part.text) <= room ? part.text : part.text.substr(0, room);
    room -= DisplayWidth(text);
    absl::StrAppend(&line, gap, color && part.bold ? kBold : "", text,
                    color && part.bold ? kPlain : "");
  }
  return line;
}

ProgressLine::ProgressLine(Console& console, ProgressOptions options)
    : console_(console), options_(std::move(options)) {}

void ProgressLine::Update(const StepMetrics& metrics, Clock::time_point now) {
  latest_ = metrics;
  recent_ns_.push_back(metrics.step_ns);
  if (recent_ns_.size() > kRecentSteps) {
    recent_ns_.pop_front();
  }
  if (Due(now)) {
    Show(now);
  }
}

bool ProgressLine::Due(Clock::time_point now) const {
  if (shown_step_ == 0 || latest_.step == options_.last_step) {
    return true;
  }
  const auto since = now - shown_at_;
  if (console_.is_terminal()) {
    return since >= options_.redraw;
  }
  const int64_t every = std::max<int64_t>(1, options_.every_steps);
  return (latest_.step % every == 0 && since >= options_.shortest) ||
         since >= options_.longest;
}

double ProgressLine::EtaSeconds() const {
  const int64_t left = options_.last_step - latest_.step;
  if (options_.last_step <= 0 || left < 0 || recent_ns_.empty()) {
    return -1;
  }
  const int64_t sum =
      std::accumulate(recent_ns_.begin(), recent_ns_.end(), int64_t{0});
  // An estimate, so it may be rounded, but only once and at the end.
  return static_cast<double>(sum) * 1e-9 /
         static_cast<double>(recent_ns_.size()) * static_cast<double>(left);
}

void ProgressLine::Show(Clock::time_point now) {
  const bool live = console_.is_terminal();
  const std::string line =
      Render(latest_, options_.last_step, EtaSeconds(), options_.tag,
             live ? console_.Width() - 1 : 0, console_.color());
  if (live) {
    console_.SetLive(line);
  } else {
    console_.PrintLine(line);
  }
  shown_step_ = latest_.step;
  shown_at_ = now;
}

void ProgressLine::Finish() {
  if (latest_.step != shown_step_) {
    Show(Clock::now());
  }
  console_.FinishLive();
}

}  // namespace accel::runtime
