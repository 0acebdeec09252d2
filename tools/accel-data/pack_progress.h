// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far packing is: a live line on a terminal, elsewhere a line now and then.
#ifndef ACCEL_TOOLS_ACCEL_DATA_PACK_PROGRESS_H_
#define ACCEL_TOOLS_ACCEL_DATA_PACK_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "runtime/report/console.h"

namespace accel::tools {

// Borrows: the console.
class PackProgress {
 public:
  using Clock = std::chrono::steady_clock;

  // `total` bytes are to be read.
  PackProgress(runtime::Console& console, uint64_t total, bool quiet,
               Clock::time_point now = Clock::now());

  // `now` is a parameter for the tests' sake.
  void Update(uint64_t bytes, uint64_t tokens,
              Clock::time_point now = Clock::now());
  // Takes the live line away.
  void Finish();

 private:
  std::string Render(uint64_t bytes, uint64_t tokens, double seconds) const;

  runtime::Console& console_;
  uint64_t total_;
  bool quiet_;
  Clock::time_point start_;
  Clock::time_point shown_;
  bool live_ = false;
};

}  // namespace accel::tools

#endif  // ACCEL_TOOLS_ACCEL_DATA_PACK_PROGRESS_H_
