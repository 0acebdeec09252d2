// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PLAN.tuned: the algorithms that `accel-run PLAN --tune` has measured to be
// the fastest ones for the plan's products, on one kind of GPU and with one
// version of its library.
#ifndef ACCEL_RUNTIME_DEVICE_TUNED_PRODUCTS_H_
#define ACCEL_RUNTIME_DEVICE_TUNED_PRODUCTS_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// What opaque bytes are a library's algorithm, and their own words.
using OpaqueAlgorithm = std::array<uint64_t, 8>;

struct TunedProduct {
  std::string sizes;  // "4 of 128x108 over 36, bf16 and bf16 to f32"
  OpaqueAlgorithm algorithm = {};
  std::string description;  // for people: "algorithm 21, tile 15, ..."
  // What the addresses of each factor are multiples of, in bytes, as the
  // algorithm was promised; powers of two.
  uint32_t lhs_alignment = 1;
  uint32_t rhs_alignment = 1;
  uint32_t result_alignment = 1;
  uint32_t candidates = 0;  // algorithms that were measured
  // Medians, of the one that the library would have chosen and of this one.
  double first_us = 0;
  double best_us = 0;

  friend bool operator==(const TunedProduct&, const TunedProduct&) = default;
};

// Where algorithms were measured, or are to run.
struct TuningMachine {
  std::string gpu;         // "NVIDIA H100 80GB HBM3"
  std::string capability;  // "9.0"
  std::string library;     // "cuBLASLt 13.1.0"

  friend bool operator==(const TuningMachine&, const TuningMachine&) = default;
};

struct TunedProducts {
  std::string plan_sha256;
  TuningMachine machine;
  std::string driver;  // "13.0"; algorithms do not depend on it
  std::map<std::string, TunedProduct> products;  // by the kernel's name

  // Of a file that was read: its path, for messages, and what identifies it.
  std::string path;
  std::string sha256;
};

// "plan.tuned" of "plan".
std::string TunedPath(absl::string_view plan);

// The file's text, and its reader: DataLoss, saying what was expected and what
// was found, unless it is just what was written.
std::string FormatTunedProducts(const TunedProducts& tuned);
absl::StatusOr<TunedProducts> ParseTunedProducts(absl::string_view text);

// The file beside a plan; nothing if there is none. Errors begin with its path
// and end with the remedy: DataLoss for a damaged one, Unimplemented for one of
// another plan than that with this hash.
absl::StatusOr<std::optional<TunedProducts>> ReadTunedProducts(
    Vfs& vfs, absl::string_view plan, absl::string_view plan_sha256);

// Unimplemented if the algorithms were measured on another GPU than this, or
// with another version of its library.
absl::Status CheckMachine(const TunedProducts& tuned,
                          const TuningMachine& machine);

// An error of a file that was read, with its path in front of it and the remedy
// behind.
absl::Status AnnotateTuned(const TunedProducts& tuned,
                           const absl::Status& status);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_TUNED_PRODUCTS_H_
