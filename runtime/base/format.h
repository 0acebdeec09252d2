// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as people read them: bytes, durations, counts, shapes. Independent of
// the locale.
#ifndef ACCEL_RUNTIME_BASE_FORMAT_H_
#define ACCEL_RUNTIME_BASE_FORMAT_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace accel::runtime {

// "0 B", "1023 B", "1.5 GiB": binary units, at most one decimal, never
// "1024.0 MiB".
std::string FormatBytes(uint64_t bytes);

// "850 ns", "12.3 us", "1.5 s", "2m 05s", "3h 07m", "2d 04h".
std::string FormatDuration(std::chrono::nanoseconds duration);

// "1,234,567".
std::string FormatCount(int64_t count);

// "999", "12.3k", "1.24M": three digits, for rates such as tokens per second.
std::string FormatSi(double value);

// "[4, 64]".
std::string FormatShape(absl::Span<const int64_t> shape);

// The shortest decimal that reads back as the same double: "0.1", "1e-05".
// "nan", "inf" and "-inf" for the rest.
std::string FormatRoundTrip(double value);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_FORMAT_H_
