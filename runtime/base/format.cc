// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as people read them. absl::StrFormat and std::to_chars ignore the
// locale, printf does not.
#include "runtime/base/format.h"

#include <array>
#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {
namespace {

// One decimal below a hundred (unless it is zero), none from there on.
std::string ShortNumber(double value) {
  if (value >= 99.95) {
    return absl::StrFormat("%.0f", value);
  }
  std::string text = absl::StrFormat("%.1f", value);
  if (text.ends_with(".0")) {
    text.resize(text.size() - 2);
  }
  return text;
}

}  // namespace

std::string FormatBytes(uint64_t bytes) {
  if (bytes < 1024) {
    return absl::StrCat(bytes, " B");
  }
  static constexpr std::array<absl::string_view, 6> kUnits = {
      "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  // 1023.95 would be printed as 1024.0: the next unit takes over before it.
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  std::string text = absl::StrFormat("%.1f", value);
  if (text.ends_with(".0")) {
    text.resize(text.size() - 2);
  }
  return absl::StrCat(text, " ", kUnits[unit]);
}

std::string FormatDuration(std::chrono::nanoseconds duration) {
  const int64_t ns = duration.count();
  if (ns < 0) {
    // Through unsigned, as the smallest int64 has no positive twin.
    return absl::StrCat("-", FormatDuration(std::chrono::nanoseconds(
                                 ns == INT64_MIN ? INT64_MAX : -ns)));
  }
  if (ns < 1000) {
    return absl::StrCat(ns, " ns");
  }
  if (ns < 999'500) {
    return absl::StrCat(ShortNumber(ns * 1e-3), " us");
  }
  if (ns < 999'500'000) {
    return absl::StrCat(ShortNumber(ns * 1e-6), " ms");
  }
  const int64_t seconds =
      ns / 1'000'000'000 + (ns % 1'000'000'000 >= 500'000'000 ? 1 : 0);
  if (seconds < 60) {
    return absl::StrCat(ShortNumber(ns * 1e-9), " s");
  }
  if (seconds < 3600) {
    return absl::StrFormat("%dm %02ds", seconds / 60, seconds % 60);
  }
  const int64_t minutes = seconds / 60;
  if (minutes < 24 * 60) {
    return absl::StrFormat("%dh %02dm", minutes / 60, minutes % 60);
  }
  const int64_t hours = minutes / 60;
  return absl::StrFormat("%dd %02dh", hours / 24, hours % 24);
}

std::string FormatCount(int64_t count) {
  std::string digits = absl::StrCat(count);
  const size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string FormatSi(double value) {
  if (!std::isfinite(value)) {
    return FormatRoundTrip(value);
  }
  static constexpr std::array<absl::string_view, 6> kUnits = {"",  "k", "M",
                                                              "G", "T", "P"};
  double magnitude = std::fabs(value);
  size_t unit = 0;
  while (magnitude >= 999.5 && unit + 1 < kUnits.size()) {
    magnitude /= 1000;
    ++unit;
  }
  const int decimals = unit == 0 && magnitude == std::floor(magnitude) ? 0
                       : magnitude < 9.995                             ? 2
                       : magnitude < 99.95                             ? 1
                                                                       : 0;
  return absl::StrFormat("%s%.*f%s", value < 0 ? "-" : "", decimals, magnitude,
                         kUnits[unit]);
}

std::string FormatShape(absl::Span<const int64_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ", "), "]");
}

std::string FormatRoundTrip(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  std::array<char, 32> buffer;
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end);
}

}  // namespace accel::runtime
