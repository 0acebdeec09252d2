// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of parameters whose sizes fit, except the last one.
#include "passes/Precision/Fp8Sites.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace accel;

/// What units for floats of 8 bits multiply at once, along each dimension.
static constexpr int64_t kFp8Multiple = 16;

static bool isForward(Operation *site) {
  auto product = dyn_cast<MatmulOp>(site);
  return product ? product.getRole() == ProductRole::Forward
                 : isa<AttentionOp, GatherOp>(site);
}

Fp8Sites::Fp8Sites(const PrecisionSites &sites) : sites(sites) {
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
  leaveSharedWeights();
}

void Fp8Sites::findModel() {
  SmallVector<Operation *> open;
  llvm::copy_if(sites.getSites(), std::back_inserter(open), isForward);
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && inModel.insert(producer).second) {
        open.push_back(producer);
      }
    }
  }
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
  auto product = dyn_cast<MatmulOp>(site);
  return product ? findReason(product) : "attention stays bf16";
}

std::string Fp8Sites::findReason(MatmulOp product) const {
  bool isFirst = product.getRole() == ProductRole::Forward;
  if (isFirst && !getParameterRead(product.getLhs()) &&
      !getParameterRead(product.getRhs())) {
    return "it multiplies activations by each other, as attention does";
  }
  if (isFirst && !inModel.contains(product)) {
    return "it makes the logits";
  }
  ArrayRef<int64_t> shape = shapeOf(product.getResult()).take_back(2);
  int64_t summed = getSummedElements(product);
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

/// A parameter is read in one type.
void Fp8Sites::leaveSharedWeights() {
  llvm::DenseMap<StringAttr, Operation *> others;
  auto eachParameter = [](Operation *site, auto body) {
    for (OpOperand *operand : getLowOperands(site)) {
      if (ReadOp read = getParameterRead(operand->get())) {
        body(read.getSymbolAttr().getAttr());
      }
    }
  };
  size_t before;
  do {
    before = reasons.size();
    for (auto &[site, reason] : reasons) {
      eachParameter(site, [&, other = site](StringAttr name) {
        others.try_emplace(name, other);
      });
    }
    for (auto &[location, group] : groups) {
      StringAttr shared;
      for (Operation *site : group) {
        eachParameter(site, [&](StringAttr name) {
          shared = others.contains(name) ? name : shared;
        });
      }
      for (Operation *site :
           shared ? ArrayRef<Operation *>(group) : ArrayRef<Operation *>()) {
        reasons.try_emplace(
            site, llvm::formatv("parameter '{0}' is read in bf16 elsewhere",
                                shared.getValue())
                      .str());
      }
    }
  } while (reasons.size() != before);
}
