// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of code variants.
#include "passes/Target/TargetNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

/// GPUs first, so that a run prefers them.
static constexpr llvm::StringLiteral kVariants[] = {
    "sm_120",         "compute_120", "sm_100",     "compute_100", "sm_90",
    "compute_90",     "sm_89",       "compute_89", "sm_80",       "compute_80",
    "x86-64-v4-bf16", "x86-64-v4",   "x86-64-v3"};

bool accel::isForGpus(StringRef name) {
  return isCubin(name) || name.starts_with("compute_");
}

bool accel::isCubin(StringRef name) { return name.starts_with("sm_"); }

llvm::ArrayRef<llvm::StringLiteral> accel::getVariantNames() {
  return kVariants;
}

std::vector<std::string>
accel::parseVariants(StringRef list,
                     llvm::function_ref<void(const llvm::Twine &)> complain) {
  llvm::SmallVector<StringRef> words, names;
  list.split(words, ',');
  for (StringRef word : words) {
    if (word.trim() == "cpu") {
      llvm::copy_if(kVariants, std::back_inserter(names),
                    [](StringRef name) { return !isForGpus(name); });
    } else {
      names.push_back(word.trim());
    }
  }
  for (StringRef name : names) {
    if (!llvm::is_contained(kVariants, name)) {
      complain("expected cpu, or a list of " +
               llvm::join(getVariantNames(), ", ") + ", got '" + name +
               "'; plans are made for x86-64 with AVX2 or AVX-512, and for "
               "NVIDIA GPUs: sm_80 is code of that generation, compute_80 is "
               "PTX, which later ones execute, too");
      return {};
    }
    if (llvm::count(names, name) > 1) {
      complain("expected each variant once, got '" + name + "' twice in '" +
               list + "'");
      return {};
    }
  }
  std::vector<std::string> variants;
  for (StringRef name : kVariants) {
    if (llvm::is_contained(names, name)) {
      variants.push_back(name.str());
    }
  }
  return variants;
}
