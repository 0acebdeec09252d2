// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds targets by the names of their variants.
#include "passes/Target/Target.h"

#include "passes/Target/Cpu/CpuTarget.h"
#include "passes/Target/Cuda/CudaTarget.h"
#include "passes/Target/TargetNames.h"

#include <map>
#include <mutex>

using namespace mlir;
using namespace accel;

Target::~Target() = default;

namespace {

/// Targets by what they were asked for as.
struct Registry {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Target>, std::less<>> targets;
};

Registry &getRegistry() {
  static Registry registry;
  return registry;
}

std::unique_ptr<Target>
makeTarget(StringRef list,
           llvm::function_ref<void(const llvm::Twine &)> complain) {
  std::vector<std::string> names = parseVariants(list, complain);
  if (names.empty()) {
    return nullptr;
  }
  auto choose = [&](ArrayRef<CodeVariant> from) {
    std::vector<CodeVariant> variants;
    llvm::copy_if(from, std::back_inserter(variants),
                  [&](const CodeVariant &each) {
                    return llvm::is_contained(names, each.name);
                  });
    return variants;
  };
  std::vector<CodeVariant> cpus = choose(getCpuVariants());
  std::vector<CodeVariant> gpus = choose(getCudaVariants());
  if (gpus.empty()) {
    return std::make_unique<CpuTarget>(std::move(cpus));
  }
  return std::make_unique<CudaTarget>(std::move(gpus), std::move(cpus));
}

} // namespace

const Target *
accel::findTarget(StringRef list,
                  llvm::function_ref<void(const llvm::Twine &)> complain) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  auto known = registry.targets.find(list);
  if (known == registry.targets.end()) {
    std::unique_ptr<Target> made = makeTarget(list, complain);
    if (!made) {
      return nullptr;
    }
    known = registry.targets.emplace(list.str(), std::move(made)).first;
  }
  return known->second.get();
}

const Target *accel::findTarget(StringRef list, Operation *op) {
  return findTarget(list, [&](const llvm::Twine &complaint) {
    op->emitError("target: ") << complaint;
  });
}

void accel::registerTarget(StringRef name, std::unique_ptr<Target> target) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.targets[name.str()] = std::move(target);
}
