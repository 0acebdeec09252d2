// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calendar is the standard library's.
#include "runtime/base/wall_clock.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kUtcPattern = "dddd-dd-ddTdd:dd:dd.dddZ";
// int64_t has the nanoseconds up to 2262.
constexpr int kLastYear = 2200;

bool MatchesPattern(absl::string_view text) {
  return std::equal(text.begin(), text.end(), kUtcPattern.begin(),
                    kUtcPattern.end(), [](char c, char pattern) {
                      return pattern == 'd' ? absl::ascii_isdigit(
                                                  static_cast<unsigned char>(c))
                                            : c == pattern;
                    });
}

}  // namespace

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

std::optional<int64_t> ParseUtc(absl::string_view text) {
  if (!MatchesPattern(text)) {
    return std::nullopt;
  }
  const auto number = [text](size_t begin, size_t digits) {
    int value = 0;
    for (const char digit : text.substr(begin, digits)) {
      value = 10 * value + (digit - '0');
    }
    return value;
  };
  const std::chrono::year_month_day date(
      std::chrono::year(number(0, 4)),
      std::chrono::month(static_cast<unsigned>(number(5, 2))),
      std::chrono::day(static_cast<unsigned>(number(8, 2))));
  const int hour = number(11, 2);
  const int minute = number(14, 2);
  const int second = number(17, 2);
  if (!date.ok() || number(0, 4) < 1970 || number(0, 4) > kLastYear ||
      hour > 23 || minute > 59 || second > 59) {
    return std::nullopt;
  }
  const std::chrono::sys_time<std::chrono::nanoseconds> time =
      std::chrono::sys_days(date) + std::chrono::hours(hour) +
      std::chrono::minutes(minute) + std::chrono::seconds(second) +
      std::chrono::milliseconds(number(20, 3));
  return time.time_since_epoch().count();
}

}  // namespace accel::runtime
