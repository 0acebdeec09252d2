// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the data of a plan must be like.
#ifndef ACCEL_COMPILER_PLANSIGNATURE_H
#define ACCEL_COMPILER_PLANSIGNATURE_H

#include "runtime/plan/schema/plan.pb.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace accel {

/// The schema's way of `accel.fill`; none for another word, which
/// verifyDecided refuses.
std::optional<planpb::SignatureField::Fill> parseFill(llvm::StringRef name);

class PlanSignature {
public:
  /// Adds one field per io buffer, in the order of first use; those of
  /// initialization come last.
  PlanSignature(mlir::ModuleOp module, planpb::Manifest &manifest);

  /// The index of a field, if there is one of that name.
  std::optional<uint32_t> find(llvm::StringRef name) const;

private:
  llvm::StringMap<uint32_t> indices;
};

} // namespace accel

#endif
