// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout and timing of the progress line.
#include "tools/accel-data/pack_progress.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/format.h"

namespace accel::tools {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlain{30};
// Before that an estimate is a guess.
constexpr double kFirstEstimate = 1;

}  // namespace

PackProgress::PackProgress(runtime::Console& console, uint64_t total,
                           bool quiet, Clock::time_point now)
    : console_(console),
      total_(total),
      quiet_(quiet),
      start_(now),
      shown_(now) {}

std::string PackProgress::Render(uint64_t bytes, uint64_t tokens,
                                 double seconds) const {
  const double share =
      std::clamp(static_cast<double>(bytes) /
                     static_cast<double>(std::max<uint64_t>(1, total_)),
                 0.0, 1.0);
  std::string line =
      absl::StrFormat("packing %3.0f%%  %s of %s  %s tokens", share * 100,
                      runtime::FormatBytes(bytes), runtime::FormatBytes(total_),
                      runtime::FormatSi(static_cast<double>(tokens)));
  if (seconds >= kFirstEstimate && share > 0) {
    const auto left = std::chrono::nanoseconds(
        static_cast<int64_t>(std::min(seconds * (1 / share - 1), 9e9) * 1e9));
    absl::StrAppend(&line, "  ETA ", runtime::FormatDuration(left));
  }
  return line;
}

void PackProgress::Update(uint64_t bytes, uint64_t tokens,
                          Clock::time_point now) {
  const bool terminal = console_.is_terminal();
  if (quiet_ || now - shown_ < (terminal ? Clock::duration(kRedraw)
                                         : Clock::duration(kPlain))) {
    return;
  }
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string line = Render(bytes, tokens, seconds);
  if (!terminal) {
    console_.PrintLine(line);
    return;
  }
  // A line that wraps could not be erased any more.
  line.resize(std::min<size_t>(
      line.size(), static_cast<size_t>(std::max(0, console_.Width() - 1))));
  console_.SetLive(line);
  live_ = true;
}

void PackProgress::Finish() {
  if (live_) {
    console_.SetLive("");
    live_ = false;
  }
}

}  // namespace accel::tools
