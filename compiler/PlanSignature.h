// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the data of a plan must be like.
#ifndef ACCEL_COMPILER_PLANSIGNATURE_H
#define ACCEL_COMPILER_PLANSIGNATURE_H

#include "dialects/Accel/Interpreter/InputRanges.h"
#include "runtime/plan/schema/plan.pb.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace accel {

/// The schema's way of `accel.fill`; none for another word, which
/// verifyDecided refuses.
std::optional<planpb::SignatureField::Fill> parseFill(llvm::StringRef name);

/// The valid values of `message`, a field or a tensor of the plan whose shape
/// is known, as the attributes of `op` say.
template <typename Message>
void setValueRanges(mlir::Operation *op, Message &message) {
  message.set_min_value(0);
  message.set_max_value(-1);
  if (auto range = op->getAttrOfType<mlir::ArrayAttr>("accel.range")) {
    message.set_min_value(mlir::cast<mlir::IntegerAttr>(range[0]).getInt());
    message.set_max_value(mlir::cast<mlir::IntegerAttr>(range[1]).getInt());
  }
  llvm::SmallVector<int64_t> shape(message.shape().begin(),
                                   message.shape().end());
  if (std::optional<InputRanges> ranges =
          getInputRanges(op->getAttrDictionary(), shape)) {
    message.set_ranges_axis(static_cast<uint32_t>(ranges->axis));
    for (InputRange range : ranges->each) {
      planpb::ValueRange &added = *message.add_ranges();
      added.set_min_value(range.first);
      added.set_max_value(range.last);
    }
  }
}

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
