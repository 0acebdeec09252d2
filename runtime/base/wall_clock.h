// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of day, for people and for logs: the one place that reads the wall
// clock. It may jump and differs between hosts, so nothing is computed from it;
// times and deadlines are those of the monotonic clock.
#ifndef ACCEL_RUNTIME_BASE_WALL_CLOCK_H_
#define ACCEL_RUNTIME_BASE_WALL_CLOCK_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace accel::runtime {

// Nanoseconds since 1970-01-01 00:00:00 UTC, without leap seconds.
int64_t WallTimeNs();

// ISO 8601 in UTC with milliseconds, which are cut and not rounded:
// "2026-11-22T23:58:00.123Z". It sorts as text, and no reader's double or time
// zone changes it.
std::string FormatUtc(int64_t wall_time_ns);

// What FormatUtc writes, read back, in whole milliseconds; none: anything else,
// and days and times of day that do not exist. Years up to 2200.
std::optional<int64_t> ParseUtc(absl::string_view text);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_WALL_CLOCK_H_
