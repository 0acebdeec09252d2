// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A microbatch that is not full is filled up with copies that count nothing,
// unless the objective forbids it.
#include "compiler/GlobalBatch.h"

#include "compiler/ErrorCodes.h"
#include "dialects/Accel/IR/StepNames.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace accel {

namespace {

/// `16 or `; nothing if no batch is smaller.
std::string smallerOr(int64_t below) {
  return below > 0 ? std::to_string(below) + " or " : "";
}

LogicalResult checkWhole(ModuleOp module, StringAttr reason, int64_t batch,
                         int64_t globalBatch) {
  int64_t rest = globalBatch % batch;
  if (rest == 0) {
    return success();
  }
  int64_t below = globalBatch - rest;
  return emitCodedError(module.getLoc(), driver_codes::GlobalBatch)
         << "--global-batch: " << reason.getValue()
         << ", so those of a step must be a multiple of microbatch x ranks: "
            "with microbatches of "
         << batch << " expected " << smallerOr(below) << below + batch
         << ", got " << globalBatch;
}

/// The last microbatch of a step must have the samples that batch norms need.
/// How many all ranks' last ones have together the number of ranks decides: a
/// run checks it.
LogicalResult checkStatistics(ModuleOp module, int64_t least, int64_t batch,
                              int64_t globalBatch) {
  bool isSynchronized = module->hasAttr(kSynchronizedStatisticsAttr);
  int64_t below = isSynchronized ? 0 : (globalBatch - 1) / batch * batch;
  int64_t last = globalBatch - below;
  if (last >= least) {
    return success();
  }
  return emitCodedError(module.getLoc(), driver_codes::GlobalBatch)
         << "--global-batch: batch norms take their statistics of at least "
         << least
         << " samples, because a channel has one element of each and a single "
            "one has no variance: with microbatches of "
         << batch << " expected " << smallerOr(below) << below + least
         << ", got " << globalBatch << ", whose last microbatch has " << last;
}

} // namespace

LogicalResult checkGlobalBatch(ModuleOp module, int64_t globalBatch) {
  auto batch = module->getAttrOfType<IntegerAttr>("accel.batch");
  if (!batch) {
    return success();
  }
  auto objective = module->getAttrOfType<DictionaryAttr>("accel.objective");
  auto reason = objective ? objective.getAs<StringAttr>("whole_microbatches")
                          : StringAttr();
  if (reason &&
      failed(checkWhole(module, reason, batch.getInt(), globalBatch))) {
    return failure();
  }
  auto least = module->getAttrOfType<IntegerAttr>(kLeastSamplesAttr);
  return least ? checkStatistics(module, least.getInt(), batch.getInt(),
                                 globalBatch)
               : success();
}

std::optional<std::string> describePadding(ModuleOp module,
                                           int64_t globalBatch) {
  auto attribute = module->getAttrOfType<IntegerAttr>("accel.batch");
  int64_t batch = attribute ? attribute.getInt() : 1;
  int64_t computed = llvm::divideCeil(globalBatch, batch) * batch;
  int64_t padding = computed - globalBatch;
  constexpr int64_t tolerated = 4; // a quarter
  if (padding * tolerated < computed) {
    return std::nullopt;
  }
  return llvm::formatv(
             "--global-batch={0} in microbatches of {1}: a step computes {2} "
             "samples, {3} % of them padding; expected a microbatch that "
             "divides the global batch, for example --dim batch={4}",
             globalBatch, batch, computed, 100 * padding / computed,
             std::gcd(globalBatch, batch))
      .str();
}

} // namespace accel
