// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithms of the double: how each divides a product, what it needs, and
// the 64 bytes in which a caller carries it about.
//
// They differ in what they need and in the order of their sums, so that a
// caller who changes the algorithm, or relies on another's bits, sees it.
#ifndef ACCEL_TEST_CUDA_DOUBLE_BLAS_ALGORITHMS_H_
#define ACCEL_TEST_CUDA_DOUBLE_BLAS_ALGORITHMS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "test/cuda/double/blas/problem.h"

namespace accel::cuda_double::blas {

struct Algorithm {
  int32_t id;
  uint32_t tile_id;
  uint32_t stages_id;
  uint32_t reduction;
  int32_t split_k;
  int32_t chunk;  // so many products are added one after the other
  uint64_t workspace_bytes;

  // Pieces of the summed dimension, multiples of the chunk but for the last.
  int64_t PieceLength(int64_t k) const;
};

// The pointers whose alignment an algorithm relies on: to A, B, C and D, by
// Operand, and to what the epilogue has.
enum { kBiasIndex = 4, kAuxIndex = 5, kPointers = 6 };

// An algorithm for one problem, and what its caller promised: the logarithms of
// the alignments of the pointers.
struct ConfiguredAlgorithm {
  Algorithm algorithm;
  uint64_t fingerprint;
  uint8_t log2_alignments[kPointers];
};

// An alignment of the epilogue's pointers beyond that is of no use to any
// algorithm.
inline constexpr uint32_t kEpilogueAlignmentBytes = 16;

// The alignment of an address up to `limit`, a power of two. That of null is
// the limit.
uint64_t AlignmentOf(uint64_t address, uint64_t limit);

struct Candidate {
  ConfiguredAlgorithm configured;
  float waves;
  double estimate;  // of the time, in no unit
};

// Those that the preference allows, in increasing order of the estimate.
std::vector<Candidate> FindCandidates(const Problem& problem,
                                      const Preference& preference);

cuda::MatmulAlgo Encode(const ConfiguredAlgorithm& configured);
// Nothing if the bytes are none that Encode returned.
std::optional<ConfiguredAlgorithm> Decode(const cuda::MatmulAlgo& algo);

}  // namespace accel::cuda_double::blas

#endif  // ACCEL_TEST_CUDA_DOUBLE_BLAS_ALGORITHMS_H_
