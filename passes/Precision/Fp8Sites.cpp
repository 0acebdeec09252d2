// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of parameters whose sizes fit, except the last one.
#include "passes/Precision/Fp8Sites.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/GroupedSizes.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Precision/ScaledBlocks.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace accel;

/// What units for floats of 8 bits multiply at once, along each dimension.
static constexpr int64_t kFp8Multiple = 16;

static bool isForward(Operation *site) {
  if (auto product = dyn_cast<MatmulOp>(site)) {
    return product.getRole() == ProductRole::Forward;
  }
  if (auto grouped = dyn_cast<GroupedMatmulOp>(site)) {
    return grouped.getRole() == ProductRole::Forward;
  }
  return isa<AttentionOp, GatherOp>(site);
}

Fp8Sites::Fp8Sites(const PrecisionSites &sites, int64_t block)
    : sites(sites), block(block) {
  findModel();
  for (Operation *site : sites.getSites()) {
    groups[site->getLoc()].push_back(site);
  }
  for (auto &[location, group] : groups) {
    std::string reason;
    for (Operation *site : group) {
      reason = reason.empty() ? findReason(site) : reason;
    }
    for (Operation *site : reason.empty() ? ArrayRef<Operation *>() : group) {
      reasons[site] = reason;
    }
  }
  if (!sites.getSites().empty()) {
    leaveSharedWeights(
        sites.getSites().front()->getParentOfType<func::FuncOp>());
  }
}

void Fp8Sites::findModel() {
  SmallVector<Operation *> inForward;
  llvm::copy_if(sites.getSites(), std::back_inserter(inForward), isForward);
  collectProducers(std::move(inForward), inModel);
}

bool Fp8Sites::isGradient(Value operand) const {
  Operation *producer = getStoredValue(operand).getDefiningOp();
  return producer && !inModel.contains(producer);
}

/// Why a site must not read floats of 8 bits; empty if it may.
std::string Fp8Sites::findReason(Operation *site) const {
  if (!sites.isLow(site)) {
    return sites.getReason(site).str();
  }
  if (isa<GatherOp>(site)) {
    return "an embedding stays bf16";
  }
  if (isGrouped(site)) {
    return "a product of rows with the matrices that they choose stays bf16";
  }
  auto product = dyn_cast<MatmulOp>(site);
  return product ? findReason(product) : "attention stays bf16";
}

std::string Fp8Sites::findReason(MatmulOp product) const {
  bool isFirst = product.getRole() == ProductRole::Forward;
  if (isFirst && !getParameterRead(product.getLhs()) &&
      !getParameterRead(product.getRhs())) {
    return "neither operand is a parameter";
  }
  if (isFirst && !inModel.contains(product)) {
    return "it makes the logits";
  }
  ArrayRef<int64_t> shape = shapeOf(product.getResult()).take_back(2);
  int64_t summed = getSummedElements(product);
  for (Value operand : product->getOperands()) {
    std::string reason = block == 0 ? "" : findCutBlocks(operand, block);
    if (!reason.empty()) {
      return reason;
    }
  }
  bool fits =
      llvm::all_of(ArrayRef<int64_t>{shape[0], shape[1], summed},
                   [](int64_t size) { return size % kFp8Multiple == 0; });
  return fits ? ""
              : llvm::formatv("M, N, K of its {0} product are {1}, {2}, {3}, "
                              "not all multiples of {4}",
                              stringifyProductRole(product.getRole()), shape[0],
                              shape[1], summed, kFp8Multiple)
                    .str();
}

/// A parameter is read in one type: in 8 bits only if products alone read it,
/// and all of them in 8 bits. Leaving one out may leave others out.
void Fp8Sites::leaveSharedWeights(func::FuncOp microbatch) {
  llvm::MapVector<StringAttr, llvm::SetVector<Operation *>> readers;
  microbatch.walk([&](ReadOp read) {
    collectReaders(read, readers[read.getSymbolAttr().getAttr()]);
  });
  auto isFp8 = [&](Operation *op) {
    return isPrecisionSite(op) && contains(op);
  };
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (auto &[name, all] : readers) {
      if (llvm::all_of(all, isFp8)) {
        continue;
      }
      std::string reason =
          llvm::formatv("parameter '{0}' is not read by products of 8 bits "
                        "alone",
                        name.getValue());
      for (Operation *reader : all) {
        for (Operation *site :
             isFp8(reader) ? getGroup(reader) : ArrayRef<Operation *>()) {
          isChanged |= reasons.try_emplace(site, reason).second;
        }
      }
    }
  }
}
