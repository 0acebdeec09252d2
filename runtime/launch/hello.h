// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks say to each other at the rendezvous, as bytes.
#ifndef ACCEL_RUNTIME_LAUNCH_HELLO_H_
#define ACCEL_RUNTIME_LAUNCH_HELLO_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {

// Of the frames and of what lies in the memory that they bring.
inline constexpr uint32_t kRendezvousProtocol = 1;
inline constexpr size_t kMaxFrameBytes = 8192;

// A rank to rank 0.
struct Hello {
  uint32_t rank = 0;
  uint32_t ranks = 0;
  std::string version;  // of the program; cut off where it is longer than 64
};

// Rank 0 to each other rank, when all have come.
struct Welcome {
  std::vector<uint32_t> pids;  // per rank
};

// Rank 0 to a rank, when the run cannot begin.
struct Refusal {
  std::string text;  // cut off where it is longer than 4096
};

using RendezvousFrame = std::variant<Hello, Welcome, Refusal>;

//   magic "ACCELRDV", protocol, kind (1: Hello, 2: Welcome, 3: Refusal)
//   Hello    rank, ranks, bytes of the version
//   Welcome  pids
//   Refusal  bytes of the text
// Numbers are 32 bits, little-endian; what follows the last one ends with the
// frame.
std::string EncodeFrame(const RendezvousFrame& frame);
// InvalidArgument for whatever EncodeFrame does not write.
absl::StatusOr<RendezvousFrame> DecodeFrame(absl::string_view bytes);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_LAUNCH_HELLO_H_
