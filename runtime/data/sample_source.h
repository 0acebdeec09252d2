// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the values of one field come from: the part of a data set that knows
// rows but neither order nor epochs.
#ifndef ACCEL_RUNTIME_DATA_SAMPLE_SOURCE_H_
#define ACCEL_RUNTIME_DATA_SAMPLE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace accel::runtime {

// Threads: Fill() may be called from any thread.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  // Writes the field's values of one row, in the field's dtype, after checking
  // them against the field's range. Allocates nothing unless it fails.
  // Requires: 0 <= row < the number of rows; dst has the field's sample size.
  virtual absl::Status Fill(int64_t row, absl::Span<std::byte> dst) const = 0;
};

// One source per field of a signature, in its order.
struct BoundSources {
  std::vector<std::unique_ptr<SampleSource>> sources;
  std::vector<std::string> notes;  // per field, for people
  int64_t rows = 0;
  std::string identity;  // SHA-256 of contents and bindings, hexadecimal
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_SAMPLE_SOURCE_H_
