// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that training with a plan needs, by class: what `--estimate`
// prints. A run allocates it before its first step and nothing after.
#ifndef ACCEL_COMPILER_ESTIMATE_H
#define ACCEL_COMPILER_ESTIMATE_H

#include "compiler/PlanWriter.h"

#include "llvm/Support/raw_ostream.h"

namespace accel {

/// Bytes of one class.
struct MemoryUse {
  llvm::StringLiteral name;    ///< "optimizer"
  llvm::StringLiteral meaning; ///< for people
  uint64_t bytes = 0;          ///< with one thread
  uint64_t bytesPerThread = 0; ///< for every further thread
};

/// Where the arena is fullest.
struct ArenaPeak {
  std::string function;     ///< "step"
  uint64_t instruction = 0; ///< its number in the plan's function
  std::string name;         ///< of the kernel or library call
  std::string place;        ///< in the model, if it is known
  uint64_t liveBytes = 0;   ///< at that instruction; the rest is gaps
};

struct MemoryEstimate {
  std::vector<MemoryUse> classes; ///< all of them, in a fixed order
  ArenaPeak peak;

  uint64_t getTotalBytes() const;
  uint64_t getTotalBytesPerThread() const;
};

/// What the plan of `module` (after Memory) with this code will need.
MemoryEstimate estimateMemory(mlir::ModuleOp module, const LoweredCode &code,
                              const onnx::ImportedModel &model,
                              const PlanWriterOptions &options);

/// `1.5 MiB`
std::string formatBytes(uint64_t bytes);

/// As an aligned table.
void printEstimate(const MemoryEstimate &estimate, llvm::raw_ostream &stream);

/// {"version": 1, "classes": {"parameters": N, ...}, "total": N, "per_thread":
/// N, "peak": {...}}
void printEstimateAsJson(const MemoryEstimate &estimate,
                         llvm::raw_ostream &stream);

} // namespace accel

#endif
