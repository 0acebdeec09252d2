// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel is named after at most three of its operations; those that nearly
// every kernel has tell nothing.
#include "passes/Fuse/KernelNames.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Fuse/FusableOps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace accel;

static std::string describeSizes(MatmulOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  int64_t matrices = llvm::product_of(shape.drop_back(2));
  std::string text = matrices > 1 ? llvm::formatv("{0}x", matrices).str() : "";
  return text + llvm::formatv("{0}x{1}x{2}", shape[shape.size() - 2],
                              shape.back(), getSummedElements(op))
                    .str();
}

static bool isTelling(Operation *op, const FusionGroup &group) {
  if (isViewOp(op)) {
    return group.ops.size() == 1 || group.kind != LoopKind::Attention;
  }
  return !isa<AddOp, SubOp, MulOp, CastOp, SelectOp, CompareOp, AndOp,
              BroadcastOp>(op);
}

static std::string describeOps(const FusionGroup &group) {
  SmallVector<std::string> words;
  for (Operation *op : group.ops) {
    std::string word = op->getName().stripDialect().str();
    if (isProduct(op)) {
      word += "_" + describeSizes(cast<MatmulOp>(op));
    }
    if (isTelling(op, group) && words.size() < 3 &&
        !llvm::is_contained(words, word)) {
      words.push_back(isViewOp(op) ? "copy" : word);
    }
  }
  bool copiesOnly = words.size() == 1 && words.front() == "copy" &&
                    !isViewOp(group.ops.front());
  if (words.empty() || copiesOnly) {
    words.insert(words.begin(),
                 group.ops.front()->getName().stripDialect().str());
  }
  return llvm::join(words, "_");
}

std::string KernelNames::next(const FusionGroup &group) {
  std::string description = describeOps(group);
  unsigned &number = numbers[description];
  std::string name;
  do { // a parameter may have the name
    name = llvm::formatv("{0}_{1}", description, number++).str();
  } while (module.lookupSymbol(name));
  return name;
}
