// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts in the order in which they ended, and the kernel's word on when the
// process began.
#include "runtime/report/time_report.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kStatPath = "/proc/self/stat";
// Of field 22, behind the name in brackets, which is field 2.
constexpr size_t kStartField = 19;
constexpr int64_t kShownNs = 100'000;

std::string Line(int64_t ns, int64_t total_ns, absl::string_view name) {
  const double share = total_ns == 0 ? 0
                                     : 100.0 * static_cast<double>(ns) /
                                           static_cast<double>(total_ns);
  return absl::StrFormat("  %9.4f (%5.1f%%)  %s",
                         static_cast<double>(ns) * 1e-9, share, name);
}

}  // namespace

absl::StatusOr<uint64_t> ParseStartTicks(absl::string_view text) {
  // The name may hold blanks and brackets itself.
  const size_t bracket = text.rfind(") ");
  if (bracket != absl::string_view::npos) {
    const std::vector<absl::string_view> fields =
        absl::StrSplit(text.substr(bracket + 2), ' ');
    uint64_t ticks = 0;
    if (fields.size() > kStartField &&
        absl::SimpleAtoi(fields[kStartField], &ticks)) {
      return ticks;
    }
  }
  return absl::NotFoundError(
      "expected the time of the start in field 22, got "
      "no such number");
}

absl::StatusOr<std::chrono::nanoseconds> ReadProcessAge(Vfs& vfs) {
  ASSIGN_OR_RETURN(const std::string text,
                   ReadWholeFile(vfs, std::string(kStatPath), 1 << 16));
  const auto ticks = ParseStartTicks(text);
  if (!ticks.ok()) {
    return Annotate(ticks.status(), kStatPath);
  }
  const int64_t per_second = sysconf(_SC_CLK_TCK);
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const auto since_boot =
      std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  const std::chrono::nanoseconds begin(static_cast<int64_t>(
      static_cast<double>(*ticks) * 1e9 / static_cast<double>(per_second)));
  return std::max(std::chrono::nanoseconds(0), since_boot - begin);
}

void TimeReport::Finish(absl::string_view part, Clock::time_point now) {
  const int64_t ns = std::chrono::nanoseconds(now - last_).count();
  last_ = now;
  const auto known =
      std::find_if(parts_.begin(), parts_.end(),
                   [&](const Part& each) { return each.name == part; });
  if (known != parts_.end()) {
    known->ns += ns;
  } else {
    parts_.push_back({std::string(part), ns});
  }
}

std::vector<std::string> TimeReport::Lines() const {
  int64_t total = 0;
  int64_t rest = 0;
  for (const Part& part : parts_) {
    total += part.ns;
    rest += part.ns < kShownNs ? part.ns : 0;
  }
  std::vector<std::string> lines = {
      absl::StrFormat("time report: the first step began %.4f seconds after "
                      "the start",
                      static_cast<double>(total) * 1e-9),
      "  ----Wall Time----  ----Name----"};
  for (const Part& part : parts_) {
    if (part.ns >= kShownNs) {
      lines.push_back(Line(part.ns, total, part.name));
    }
  }
  if (rest > 0) {
    lines.push_back(Line(rest, total, "everything else"));
  }
  lines.push_back(Line(total, total, "Total"));
  return lines;
}

}  // namespace accel::runtime
