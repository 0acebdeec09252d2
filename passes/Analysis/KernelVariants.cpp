// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies kernels and changes what says how results meet their buffers.
#include "passes/Analysis/KernelVariants.h"

#include "passes/Analysis/IterationDomain.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace accel;

std::string accel::getKernelText(func::FuncOp kernel) {
  StringAttr name = kernel.getSymNameAttr();
  kernel.setName("kernel");
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  kernel.setSymNameAttr(name);
  return text;
}

using Modes = SmallVector<ResultMode>;

/// The last argument, if a result asks for it.
static std::optional<unsigned> findKeepArgument(func::FuncOp kernel) {
  for (unsigned result = 0; result < kernel.getNumResults(); ++result) {
    if (BlockArgument argument = getKeepArgument(kernel, result)) {
      return argument.getArgNumber();
    }
  }
  return std::nullopt;
}

static void setResultModes(func::FuncOp kernel, ArrayRef<ResultMode> modes) {
  Builder builder(kernel.getContext());
  StringAttr name = builder.getStringAttr(kAccumulateAttr);
  std::optional<unsigned> keep = findKeepArgument(kernel);
  if (!keep && llvm::is_contained(modes, ResultMode::AddedIfKept)) {
    keep = kernel.getNumArguments();
    (void)kernel.insertArgument(*keep, getFlagType(kernel.getContext()),
                                DictionaryAttr(), kernel.getLoc());
  }
  for (auto [result, mode] : llvm::enumerate(modes)) {
    if (mode == ResultMode::Stored) {
      kernel.removeResultAttr(result, name);
    } else if (mode == ResultMode::Added) {
      kernel.setResultAttr(result, name, builder.getUnitAttr());
    } else if (mode == ResultMode::AddedIfKept) {
      kernel.setResultAttr(result, name, builder.getI64IntegerAttr(*keep));
    }
  }
  if (keep && !findKeepArgument(kernel)) {
    (void)kernel.eraseArgument(*keep);
  }
}

namespace {

struct ChangedKernel {
  func::FuncOp kernel;
  SmallVector<Operation *> users;
};

} // namespace

/// Gives each of `changed` to its users, or a kernel that it has become equal
/// to.
static void
assignChanged(SymbolTable &symbols, ArrayRef<ChangedKernel> changed,
              llvm::function_ref<void(Operation *, func::FuncOp)> assign) {
  llvm::StringMap<func::FuncOp> known;
  auto module = cast<ModuleOp>(symbols.getOp());
  for (auto kernel : module.getOps<func::FuncOp>()) {
    bool isChanged = llvm::any_of(changed, [&](const ChangedKernel &each) {
      return each.kernel == kernel;
    });
    if (kernel->hasAttr(kKernelAttr) && !isChanged) {
      known.try_emplace(getKernelText(kernel), kernel);
    }
  }
  for (const auto &[kernel, users] : changed) {
    func::FuncOp equal =
        known.try_emplace(getKernelText(kernel), kernel).first->second;
    llvm::for_each(users, [&](Operation *user) { assign(user, equal); });
    if (equal != kernel) {
      symbols.erase(kernel);
    }
  }
}

void accel::assignVariants(
    SymbolTable &symbols, ArrayRef<KernelUse> uses,
    llvm::function_ref<void(Operation *, func::FuncOp)> assign) {
  using Variant = std::pair<Modes, SmallVector<Operation *>>;
  llvm::MapVector<Operation *, SmallVector<Variant>> kernels;
  for (const KernelUse &use : uses) {
    SmallVector<Variant> &variants = kernels[use.kernel];
    auto *known = llvm::find_if(variants, [&](const Variant &each) {
      return each.first == use.results;
    });
    if (known == variants.end()) {
      variants.push_back({use.results, {}});
      known = std::prev(variants.end());
    }
    known->second.push_back(use.user);
  }
  std::vector<ChangedKernel> changed;
  for (auto &[op, variants] : kernels) {
    auto kernel = cast<func::FuncOp>(op);
    for (auto &[modes, users] : variants) {
      if (llvm::all_of(modes,
                       [](ResultMode m) { return m == ResultMode::AsItIs; })) {
        continue;
      }
      func::FuncOp variant = kernel;
      if (variants.size() > 1) {
        variant = kernel.clone();
        variant.setName((kernel.getSymName() + "_first").str());
        symbols.insert(variant, std::next(kernel->getIterator()));
      }
      setResultModes(variant, modes);
      changed.push_back({variant, users});
    }
  }
  assignChanged(symbols, changed, assign);
}
