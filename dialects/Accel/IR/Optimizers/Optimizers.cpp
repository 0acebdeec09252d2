// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of the optimizers.
#include "dialects/Accel/IR/Optimizers/Optimizer.h"

#include "dialects/Accel/IR/NameList.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cmath>

using namespace accel;

bool OptimizerNumber::contains(double number) const {
  return number >= 0 && std::isfinite(number) &&
         (range == Range::NotNegative || number < 1);
}

/// The element of `table` with this name; null if there is none.
template <typename T>
static const T *findNamed(llvm::ArrayRef<T> table, llvm::StringRef name) {
  const T *found =
      llvm::find_if(table, [&](const T &each) { return each.name == name; });
  return found == table.end() ? nullptr : found;
}

int64_t Optimizer::getBlock() const {
  int64_t block = 1;
  for (const OptimizerSlot &slot : slots) {
    block = std::max(block, slot.block);
  }
  return block;
}

const OptimizerSlot *Optimizer::findSlot(llvm::StringRef name) const {
  return findNamed(slots, name);
}

const OptimizerNumber *Optimizer::findNumber(llvm::StringRef name) const {
  return findNamed(numbers, name);
}

const OptimizerPower *Optimizer::findPower(llvm::StringRef name) const {
  return findNamed(powers, name);
}

llvm::ArrayRef<const Optimizer *> accel::getOptimizers() {
  static constexpr const Optimizer *kAll[] = {&kAdamW, &kSgd, &kLion, &kAdamW8};
  return kAll;
}

const Optimizer *accel::findOptimizer(llvm::StringRef name) {
  llvm::ArrayRef<const Optimizer *> all = getOptimizers();
  const auto *found = llvm::find_if(
      all, [&](const Optimizer *each) { return each->name == name; });
  return found == all.end() ? nullptr : *found;
}

std::string accel::listOptimizers() {
  return listNames(llvm::map_to_vector(
      getOptimizers(),
      [](const Optimizer *each) -> llvm::StringRef { return each->name; }));
}
