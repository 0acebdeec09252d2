// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-256, whole or piece by piece, over libcrypto: plans and data sets are
// identified by it.
#ifndef ACCEL_RUNTIME_BASE_SHA256_H_
#define ACCEL_RUNTIME_BASE_SHA256_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace accel::runtime {

using Sha256Digest = std::array<uint8_t, 32>;

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Update(absl::Span<const std::byte> bytes);
  void Update(absl::string_view text);
  // Eight bytes, little endian. Lengths go in before variable fields, so that
  // two different lists of fields never make the same byte stream.
  void UpdateInteger(uint64_t value);

  // Requires: called once; no Update afterwards.
  Sha256Digest Finish();

  static Sha256Digest Of(absl::Span<const std::byte> bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 64 lower-case hexadecimal digits.
std::string ToHex(const Sha256Digest& digest);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_SHA256_H_
