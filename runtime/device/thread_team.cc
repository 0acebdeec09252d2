// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Static contiguous splitting over an OpenMP region.
#include "runtime/device/thread_team.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <thread>

namespace accel::runtime {

WorkRange PartOf(int64_t begin, int64_t end, int64_t grain, int part,
                 int parts) {
  if (end <= begin) {
    return {begin, begin};
  }
  const int64_t size = end - begin;
  const int64_t grains = size / grain + (size % grain != 0 ? 1 : 0);
  const int64_t each = grains / parts;
  const int64_t more = grains % parts;
  const int64_t first = part * each + std::min<int64_t>(part, more);
  const int64_t count = each + (part < more ? 1 : 0);
  if (count == 0) {
    return {end, end};
  }
  const int64_t last = first + count;
  return {begin + first * grain, last == grains ? end : begin + last * grain};
}

void ThreadTeam::Adopt() const {
  omp_set_dynamic(0);
  omp_set_num_threads(threads_);
}

void ThreadTeam::ParallelFor(
    int64_t begin, int64_t end, int64_t grain,
    absl::FunctionRef<void(int, int64_t, int64_t)> work) const {
  if (end <= begin) {
    return;
  }
  if (threads_ == 1 || end - begin <= grain) {
    work(0, begin, end);
    return;
  }
#pragma omp parallel num_threads(threads_)
  {
    // A limit outside of our hands may have made the team smaller.
    const int thread = omp_get_thread_num();
    const WorkRange part =
        PartOf(begin, end, grain, thread, omp_get_num_threads());
    if (part.begin < part.end) {
      work(thread, part.begin, part.end);
    }
  }
}

int AvailableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace accel::runtime
