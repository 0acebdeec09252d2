// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A microbatch that is not full is filled up with copies that count nothing,
// unless the objective forbids it.
#include "compiler/GlobalBatch.h"

#include "compiler/ErrorCodes.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace accel {

LogicalResult checkGlobalBatch(ModuleOp module, int64_t globalBatch) {
  auto objective = module->getAttrOfType<DictionaryAttr>("accel.objective");
  auto batch = module->getAttrOfType<IntegerAttr>("accel.batch");
  auto reason = objective ? objective.getAs<StringAttr>("whole_microbatches")
                          : StringAttr();
  if (!reason || !batch) {
    return success();
  }
  int64_t rest = globalBatch % batch.getInt();
  if (rest == 0) {
    return success();
  }
  int64_t below = globalBatch - rest;
  std::string smaller = below > 0 ? std::to_string(below) + " or " : "";
  return emitCodedError(module.getLoc(), driver_codes::GlobalBatch)
         << "--global-batch: " << reason.getValue()
         << ", so those of a step must be a multiple of microbatch x ranks: "
            "with microbatches of "
         << batch.getInt() << " expected " << smaller << below + batch.getInt()
         << ", got " << globalBatch;
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
