// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/double/blas/algorithms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "test/cuda/double/blas/epilogue.h"

namespace accel::cuda_double::blas {
namespace {

enum class Workspace { kNone, kTiles, kFixed, kPartialSums, kCounters };

// What an algorithm is before it meets a problem.
struct Kind {
  int32_t id;
  uint32_t tile_id;  // a number of cublasLtMatmulTile_t: tile_m x tile_n
  int64_t tile_m, tile_n;
  uint32_t stages_id;
  uint32_t reduction;
  int32_t split_k;
  int32_t chunk;
  uint64_t vector_bytes;  // of one load, which is aligned; 1: of an element
  Workspace workspace;
  double efficiency;
};

constexpr Kind kKinds[] = {
    {0, 15, 64, 64, 8, cuda::kReductionNone, 1, 16, 1, Workspace::kNone, 0.3},
    {6, 18, 128, 64, 14, cuda::kReductionNone, 1, 32, 16, Workspace::kNone,
     0.8},
    {21, 20, 128, 128, 15, cuda::kReductionNone, 1, 64, 16, Workspace::kFixed,
     1.0},
    {24, 23, 128, 256, 11, cuda::kReductionNone, 1, 32, 8, Workspace::kTiles,
     0.9},
    {31, 18, 128, 64, 14, cuda::kReductionComputeType, 4, 32, 16,
     Workspace::kPartialSums, 0.8},
    {33, 15, 64, 64, 8, cuda::kReductionComputeType, 2, 16, 1,
     Workspace::kPartialSums, 0.3},
    // With three pieces another order is another sum; with two it would not be.
    {36, 15, 64, 64, 9, cuda::kReductionInPlace, 3, 32, 1, Workspace::kCounters,
     0.35},
};

constexpr double kMultiprocessors = 132;  // of an H100

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

uint64_t RoundUp(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

int64_t CountTiles(const Kind& kind, const Problem& problem) {
  return CeilDiv(problem.m, kind.tile_m) * CeilDiv(problem.n, kind.tile_n) *
         problem.batches;
}

uint64_t WorkspaceBytes(const Kind& kind, const Problem& problem) {
  const uint64_t tiles = CountTiles(kind, problem);
  const uint64_t elements = uint64_t(problem.m) * problem.n * problem.batches;
  switch (kind.workspace) {
    case Workspace::kNone:
      return 0;
    case Workspace::kTiles:
      return RoundUp((uint64_t{8} << 10) + 64 * tiles, 256);
    case Workspace::kFixed:
      return uint64_t{4} << 20;
    case Workspace::kPartialSums:
      return RoundUp(kind.split_k * elements * sizeof(float), 256);
    case Workspace::kCounters:
      return RoundUp(4 * tiles, 1024);
  }
  return 0;
}

// What an operand has to offer to an aligned load: the pointer as promised, and
// every step from one line or batch to the next.
uint64_t OfferedAlignment(const Layout& layout, uint32_t promised) {
  const uint64_t bytes = ElementBytes(layout.type);
  uint64_t alignment = AlignmentOf(layout.leading_dimension * bytes, promised);
  if (layout.batch_count > 1) {
    alignment = AlignmentOf(layout.batch_stride * bytes, alignment);
  }
  return alignment;
}

uint32_t EpilogueAlignment(const void* pointer) {
  return uint32_t(AlignmentOf(reinterpret_cast<uint64_t>(pointer),
                              kEpilogueAlignmentBytes));
}

// As documented, the heuristic looks at the pointers of the epilogue itself.
bool EpilogueIsAligned(uint64_t vector_bytes, const Problem& problem) {
  const Desc& desc = problem.desc;
  const uint64_t bias_need =
      std::max(vector_bytes, ElementBytes(problem.bias_type));
  const uint64_t aux_need =
      std::max(vector_bytes, ElementBytes(problem.aux.type));
  return (!HasBias(desc.epilogue) ||
          EpilogueAlignment(desc.bias) >= bias_need) &&
         (!HasAux(desc.epilogue) ||
          OfferedAlignment(problem.aux, EpilogueAlignment(desc.aux)) >=
              aux_need);
}

bool IsAligned(const Kind& kind, const Problem& problem,
               const Preference& preference) {
  const bool fp8 = IsFp8(problem.layouts[kA].type);
  const uint64_t vector_bytes = fp8 ? 16 : kind.vector_bytes;
  for (Operand operand : {kA, kB, kC, kD}) {
    const Layout& layout = problem.layouts[operand];
    const uint64_t need = std::max(vector_bytes, ElementBytes(layout.type));
    if (OfferedAlignment(layout, preference.alignment_bytes[operand]) < need) {
      return false;
    }
  }
  return EpilogueIsAligned(vector_bytes, problem);
}

Algorithm Configure(const Kind& kind, const Problem& problem) {
  return {kind.id,
          kind.tile_id,
          kind.stages_id,
          kind.reduction,
          kind.split_k,
          kind.chunk,
          WorkspaceBytes(kind, problem)};
}

bool IsAllowed(const Kind& kind, const Problem& problem,
               const Preference& preference) {
  const Algorithm algorithm = Configure(kind, problem);
  if (algorithm.workspace_bytes > preference.max_workspace_bytes ||
      !IsAligned(kind, problem, preference)) {
    return false;
  }
  if (kind.reduction == cuda::kReductionNone) {
    return true;  // the mask is one of reductions
  }
  // Sums in the type of D lose too much in fp8, GELU is for the whole sum, and
  // each piece has its share.
  const uint32_t epilogue = problem.desc.epilogue;
  const bool in_place_fits = !IsFp8(problem.layouts[kD].type) &&
                             !AppliesGelu(epilogue) && !HasAux(epilogue);
  const bool fits =
      (kind.split_k - 1) * algorithm.PieceLength(problem.k) < problem.k &&
      (kind.reduction != cuda::kReductionInPlace || in_place_fits);
  return fits && (kind.reduction & preference.reduction_mask) != 0;
}

// Tiles that run at once, each for as long as its products take, and then the
// traffic of the partial sums.
Candidate Estimate(const Kind& kind, const Problem& problem) {
  Candidate candidate{};
  candidate.configured.algorithm = Configure(kind, problem);
  const double blocks = double(CountTiles(kind, problem)) * kind.split_k;
  const double piece = double(problem.k) / kind.split_k;
  candidate.waves = float(blocks / kMultiprocessors);
  candidate.estimate = std::ceil(candidate.waves) * kind.tile_m * kind.tile_n *
                       piece / kind.efficiency;
  if (kind.split_k > 1) {
    candidate.estimate +=
        2e5 + 4.0 * kind.split_k * problem.m * problem.n * problem.batches;
  }
  return candidate;
}

void Promise(const Problem& problem, const Preference& preference,
             ConfiguredAlgorithm* configured) {
  configured->fingerprint = Fingerprint(problem);
  for (Operand operand : {kA, kB, kC, kD}) {
    configured->log2_alignments[operand] =
        uint8_t(std::countr_zero(preference.alignment_bytes[operand]));
  }
  configured->log2_alignments[kBiasIndex] =
      uint8_t(std::countr_zero(EpilogueAlignment(problem.desc.bias)));
  configured->log2_alignments[kAuxIndex] =
      uint8_t(std::countr_zero(EpilogueAlignment(problem.desc.aux)));
}

// What a MatmulAlgo holds.
struct Record {
  uint64_t magic;
  uint64_t fingerprint;
  uint64_t workspace_bytes;
  int32_t id;
  uint32_t tile_id;
  uint32_t stages_id;
  uint32_t reduction;
  int32_t split_k;
  int32_t chunk;
  uint8_t log2_alignments[8];
  uint64_t checksum;
};
static_assert(sizeof(Record) == sizeof(cuda::MatmulAlgo));
constexpr uint64_t kMagic = 0x6d6c614b4c424543;

uint64_t Checksum(const Record& record) {
  return HashBytes(kHashStart, &record, offsetof(Record, checksum));
}

}  // namespace

int64_t Algorithm::PieceLength(int64_t k) const {
  return CeilDiv(CeilDiv(k, split_k), chunk) * chunk;
}

uint64_t AlignmentOf(uint64_t address, uint64_t limit) {
  return address == 0 ? limit : std::min(address & (~address + 1), limit);
}

std::vector<Candidate> FindCandidates(const Problem& problem,
                                      const Preference& preference) {
  std::vector<Candidate> candidates;
  for (const Kind& kind : kKinds) {
    if (IsAllowed(kind, problem, preference)) {
      candidates.push_back(Estimate(kind, problem));
      Promise(problem, preference, &candidates.back().configured);
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return a.estimate < b.estimate;
                   });
  return candidates;
}

cuda::MatmulAlgo Encode(const ConfiguredAlgorithm& configured) {
  const Algorithm& algorithm = configured.algorithm;
  Record record{};
  record.magic = kMagic;
  record.fingerprint = configured.fingerprint;
  record.workspace_bytes = algorithm.workspace_bytes;
  record.id = algorithm.id;
  record.tile_id = algorithm.tile_id;
  record.stages_id = algorithm.stages_id;
  record.reduction = algorithm.reduction;
  record.split_k = algorithm.split_k;
  record.chunk = algorithm.chunk;
  std::copy_n(configured.log2_alignments, kPointers, record.log2_alignments);
  record.checksum = Checksum(record);
  return std::bit_cast<cuda::MatmulAlgo>(record);
}

std::optional<ConfiguredAlgorithm> Decode(const cuda::MatmulAlgo& algo) {
  const auto record = std::bit_cast<Record>(algo);
  if (record.magic != kMagic || record.checksum != Checksum(record)) {
    return std::nullopt;
  }
  ConfiguredAlgorithm configured;
  configured.algorithm = {
      record.id,      record.tile_id, record.stages_id,      record.reduction,
      record.split_k, record.chunk,   record.workspace_bytes};
  configured.fingerprint = record.fingerprint;
  std::copy_n(record.log2_alignments, kPointers, configured.log2_alignments);
  return configured;
}

}  // namespace accel::cuda_double::blas
