// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations have read and written which bytes, as far as later accesses
// can race with them: the last write of every byte, and the reads after it.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DRIVER_ACCESS_HISTORY_H_
#define ACCEL_TEST_CUDA_DOUBLE_DRIVER_ACCESS_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "test/cuda/double/driver/clock.h"

namespace accel::cuda_double {

struct Touched {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  bool writes = false;
};

// An operation, and when by its stream's own count.
struct Stamp {
  size_t agent = 0;
  uint64_t time = 0;  // 0: nobody
  std::shared_ptr<const std::string> who;

  bool IsBefore(const Clock& clock) const { return clock.At(agent) >= time; }
};

struct Conflict {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  std::string other;
  bool other_writes = false;
};

class AccessHistory {
 public:
  // Records an access by the operation `who`, before which everything in
  // `clock` has happened, and returns an access that it is not ordered after.
  std::optional<Conflict> Record(const Touched& access, const Clock& clock,
                                 const Stamp& who);
  // For memory that is given back.
  void Forget(uint64_t begin, uint64_t bytes);

 private:
  struct Segment {
    uint64_t end = 0;
    Stamp write;
    std::vector<Stamp> reads;
  };
  using Segments = std::map<uint64_t, Segment>;

  void SplitAt(uint64_t address);
  // Makes segments of bytes that nobody has touched yet.
  void Fill(uint64_t begin, uint64_t end);

  Segments segments_;  // by their first byte; they do not overlap
};

}  // namespace accel::cuda_double

#endif  // ACCEL_TEST_CUDA_DOUBLE_DRIVER_ACCESS_HISTORY_H_
