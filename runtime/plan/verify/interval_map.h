// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value for every byte of an address range, stored as runs of equal history.
// The verifiers keep in it what last happened to each byte.
#ifndef ACCEL_RUNTIME_PLAN_VERIFY_INTERVAL_MAP_H_
#define ACCEL_RUNTIME_PLAN_VERIFY_INTERVAL_MAP_H_

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace accel::runtime {

// Bytes never touched have the default value. Value is copied when a run is cut
// in two.
//
// Cost: logarithmic in the runs, plus the runs touched.
template <typename Value>
class IntervalMap {
 public:
  // Calls visit(value) with a mutable reference for every run in [begin, end),
  // after cutting runs at both ends.
  template <typename Visitor>
  void Update(uint64_t begin, uint64_t end, Visitor&& visit) {
    if (begin >= end) {
      return;
    }
    Cut(end);
    auto run = Cut(begin);
    for (; run != runs_.end() && run->first < end; ++run) {
      visit(run->second);
    }
  }

  // The same without cutting: runs that reach into [begin, end), until `visit`
  // returns false.
  template <typename Visitor>
  void ForEach(uint64_t begin, uint64_t end, Visitor&& visit) const {
    if (begin >= end) {
      return;
    }
    auto run = runs_.upper_bound(begin);
    if (run != runs_.begin()) {
      --run;
    }
    for (; run != runs_.end() && run->first < end; ++run) {
      if (!visit(run->second)) {
        return;
      }
    }
  }

  // Makes [begin, end) one run of `value`.
  void Assign(uint64_t begin, uint64_t end, Value value) {
    if (begin >= end) {
      return;
    }
    const auto last = Cut(end);
    const auto first = Cut(begin);
    first->second = std::move(value);
    runs_.erase(std::next(first), last);
  }

 private:
  using Runs = std::map<uint64_t, Value>;

  // Makes a run begin at `position` and returns it.
  typename Runs::iterator Cut(uint64_t position) {
    auto next = runs_.lower_bound(position);
    if (next != runs_.end() && next->first == position) {
      return next;
    }
    Value value = next == runs_.begin() ? Value() : std::prev(next)->second;
    return runs_.emplace_hint(next, position, std::move(value));
  }

  Runs runs_;  // first byte -> value up to the next run
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_VERIFY_INTERVAL_MAP_H_
