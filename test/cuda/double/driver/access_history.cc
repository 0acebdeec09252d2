// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/driver/access_history.h"

#include <algorithm>

namespace accel::cuda_double {

void AccessHistory::SplitAt(uint64_t address) {
  auto next = segments_.upper_bound(address);
  if (next == segments_.begin()) {
    return;
  }
  auto segment = std::prev(next);
  if (segment->first < address && segment->second.end > address) {
    segments_.emplace_hint(next, address, segment->second);
    segment->second.end = address;
  }
}

void AccessHistory::Fill(uint64_t begin, uint64_t end) {
  uint64_t at = begin;
  for (auto next = segments_.lower_bound(begin); at < end;) {
    const uint64_t stop =
        next == segments_.end() ? end : std::min(end, next->first);
    if (at < stop) {
      next = segments_.emplace_hint(next, at, Segment{stop, {}, {}});
    }
    at = next->second.end;
    ++next;
  }
}

std::optional<Conflict> AccessHistory::Record(const Touched& access,
                                              const Clock& clock,
                                              const Stamp& who) {
  const uint64_t end = access.begin + access.bytes;
  SplitAt(access.begin);
  SplitAt(end);
  Fill(access.begin, end);
  const auto first = segments_.find(access.begin);
  const auto last = segments_.lower_bound(end);
  for (auto segment = first; segment != last; ++segment) {
    Segment& here = segment->second;
    const uint64_t bytes = here.end - segment->first;
    if (!here.write.IsBefore(clock)) {
      return Conflict{segment->first, bytes, *here.write.who, true};
    }
    for (const Stamp& read : here.reads) {
      if (access.writes && !read.IsBefore(clock)) {
        return Conflict{segment->first, bytes, *read.who, false};
      }
    }
    if (!access.writes) {
      // What is ordered after this read is ordered after all before it.
      std::erase_if(here.reads, [&clock](const Stamp& read) {
        return read.IsBefore(clock);
      });
      here.reads.push_back(who);
    }
  }
  if (access.writes) {
    segments_.erase(first, last);
    segments_[access.begin] = Segment{end, who, {}};
  }
  return std::nullopt;
}

void AccessHistory::Forget(uint64_t begin, uint64_t bytes) {
  SplitAt(begin);
  SplitAt(begin + bytes);
  segments_.erase(segments_.lower_bound(begin),
                  segments_.lower_bound(begin + bytes));
}

}  // namespace accel::cuda_double
