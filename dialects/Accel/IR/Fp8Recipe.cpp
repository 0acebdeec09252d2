// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows, and their names.
#include "dialects/Accel/IR/Fp8Recipe.h"

#include "dialects/Accel/IR/NameList.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace accel;

static constexpr Fp8Recipe kRecipes[] = {
    {"current", Fp8ScaleTime::InMicrobatch, 0, "hybrid"},
    {"delayed", Fp8ScaleTime::BeforeStep, 0, "hybrid"},
    {"block", Fp8ScaleTime::InMicrobatch, 128, "e4m3"},
    {"mx", Fp8ScaleTime::InMicrobatch, 32, "e4m3"},
};

llvm::ArrayRef<Fp8Recipe> accel::getFp8Recipes() { return kRecipes; }

const Fp8Recipe *accel::findFp8Recipe(llvm::StringRef name) {
  const auto *found = llvm::find_if(
      kRecipes, [&](const Fp8Recipe &recipe) { return recipe.name == name; });
  return found == std::end(kRecipes) ? nullptr : found;
}

std::string accel::listFp8Recipes() {
  return listNames(llvm::map_to_vector(
      getFp8Recipes(),
      [](const Fp8Recipe &each) -> llvm::StringRef { return each.name; }));
}
