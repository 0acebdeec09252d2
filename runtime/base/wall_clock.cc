// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calendar is the standard library's.
#include "runtime/base/wall_clock.h"

#include <chrono>

#include "absl/strings/str_format.h"

namespace accel::runtime {

int64_t WallTimeNs() {
  return std::chrono::nanoseconds(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string FormatUtc(int64_t wall_time_ns) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::nanoseconds> time{
      std::chrono::nanoseconds(wall_time_ns)};
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(floor<std::chrono::milliseconds>(time) -
                                    day);
  return absl::StrFormat(
      "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
      clock.subseconds().count());
}

}  // namespace accel::runtime
