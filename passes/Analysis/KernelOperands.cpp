// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows an argument through the body of its kernel: as long as every value
// that is made of it belongs to the same tile, so does what is read.
#include "passes/Analysis/KernelOperands.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Analysis/GroupedSizes.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Analysis/TurnedResult.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace accel;

namespace {

/// Flat kernels compute tile after tile, and so do row kernels whose tiles are
/// rows. A value *follows* the tiles if
/// it has `width` elements for each of them, in their order: all of a tile's,
/// or one for a row.
class TileWalk {
public:
  TileWalk(const IterationDomain &domain, plan::CodeAttr code)
      : domain(domain), rowsPerTile(countRows(domain, code)),
        perTile(domain.kind == LoopKind::Flat ? code.getTile()
                                              : rowsPerTile * domain.columns) {}

  /// The elements that a value of its size has for each tile; 0 if its size
  /// says that it does not follow them.
  int64_t getWidth(Value value) const {
    return getWidth(getNumElements(value));
  }
  int64_t getWidth(int64_t elements) const {
    if (perTile != 0 && elements == domain.elements) {
      return perTile;
    }
    return elements == domain.rows ? rowsPerTile : 0;
  }

  /// Whether all that is computed from `value` follows the tiles as it does.
  bool isReadByUnit(Value value) {
    return getWidth(value) != 0 &&
           (!visited.insert(value).second || allUsesFollow(value, value));
  }

private:
  static int64_t countRows(const IterationDomain &domain, plan::CodeAttr code) {
    bool areRows =
        domain.kind == LoopKind::Rows && code.getOf() == plan::TileKind::Rows;
    return areRows ? code.getTile() : 0;
  }
  /// The uses of `value`, a view of `root` or `root` itself.
  bool allUsesFollow(Value value, Value root) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (isViewOp(user)) {
        return llvm::all_of(user->getResults(), [&](Value view) {
          return allUsesFollow(view, root);
        });
      }
      return isInPlace(value, root) && isComputedByUnit(user);
    });
  }

  /// Whether element i of a tile of `view` is one of that tile of `root`.
  bool isInPlace(Value view, Value root) const {
    if (getWidth(view) == 0) {
      return false;
    }
    AccessRelation relation = getAccessRelation(view, root);
    return relation.kind == AccessKind::Identity ||
           (relation.kind == AccessKind::RowBroadcast && rowsPerTile != 0 &&
            relation.columns == domain.columns);
  }

  bool isComputedByUnit(Operation *op) {
    if (isa<func::ReturnOp>(op)) {
      return true;
    }
    auto fusable = dyn_cast<FusionOpInterface>(op);
    bool follows =
        isa<DropoutOp>(op) ||
        (fusable && (fusable.getFusionKind() == FusionKind::Elementwise ||
                     fusable.getFusionKind() == FusionKind::Reduction));
    return follows && llvm::all_of(op->getResults(), [&](Value result) {
             return isReadByUnit(result);
           });
  }

  const IterationDomain &domain;
  int64_t rowsPerTile, perTile;
  llvm::DenseSet<Value> visited;
};

} // namespace

int64_t accel::getStoredBytes(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

static KernelOperand makeOperand(plan::Access access, Type type,
                                 int64_t width) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t bytes = getStoredBytes(tensor.getElementType());
  return {access, tensor.getNumElements() * bytes, width * bytes};
}

SmallVector<KernelOperand> accel::getKernelOperands(func::FuncOp kernel,
                                                    plan::CodeAttr code) {
  IterationDomain domain = *IterationDomain::get(kernel);
  SmallVector<KernelOperand> operands;
  for (BlockArgument argument : kernel.getArguments()) {
    TileWalk walk(domain, code);
    operands.push_back(
        makeOperand(plan::Access::Read, argument.getType(),
                    walk.isReadByUnit(argument) ? walk.getWidth(argument) : 0));
  }
  std::optional<TurnedResult> turned = TurnedResult::find(kernel);
  for (auto [i, type] : llvm::enumerate(kernel.getResultTypes())) {
    int64_t elements = cast<RankedTensorType>(type).getNumElements();
    bool isTurned = turned && turned->number == i;
    operands.push_back(makeOperand(
        isAccumulated(kernel, i) ? plan::Access::ReadWrite
                                 : plan::Access::Write,
        type, isTurned ? 0 : TileWalk(domain, code).getWidth(elements)));
  }
  return operands;
}

plan::LibraryCallAttr accel::getLibraryCall(func::FuncOp kernel,
                                            StringRef variant) {
  auto all = kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr);
  return all ? all.getAs<plan::LibraryCallAttr>(variant)
             : plan::LibraryCallAttr();
}

FailureOr<plan::CodeAttr> accel::getCode(func::FuncOp kernel,
                                         StringRef variant) {
  if (plan::LibraryCallAttr call = getLibraryCall(kernel, variant)) {
    FailureOr<IterationDomain> domain = IterationDomain::get(kernel);
    return failed(domain) ? FailureOr<plan::CodeAttr>(failure())
                          : call.getGeometry(domain->elements);
  }
  auto all = kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr);
  auto code = all ? all.getAs<plan::CodeAttr>(variant) : plan::CodeAttr();
  if (!code) {
    return kernel.emitOpError("expected `")
           << plan::kCodeAttr << "` to say how code for '" << variant
           << "' is cut, or which library it calls, got " << Attribute(all);
  }
  return code;
}

bool accel::flushesSubnormals(func::FuncOp kernel) {
  return llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    return (isa<MatmulOp>(op) || isGrouped(&op)) && multipliesPairs(&op);
  });
}

int64_t accel::getWorkspaceBytes(func::FuncOp kernel) {
  int64_t bytes = 0;
  if (auto all = kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr)) {
    for (NamedAttribute each : all) {
      auto call = dyn_cast<plan::LibraryCallAttr>(each.getValue());
      bytes = std::max(
          bytes, call ? call.getWorkspace()
                      : cast<plan::CodeAttr>(each.getValue()).getWorkspace());
    }
  }
  return bytes;
}

FailureOr<SmallVector<plan::CodeAttr>>
accel::getCodeOfVariants(func::FuncOp kernel) {
  SmallVector<plan::CodeAttr> codes;
  for (auto variant :
       kernel->getParentOfType<ModuleOp>().getOps<plan::VariantOp>()) {
    FailureOr<plan::CodeAttr> code = getCode(kernel, variant.getSymName());
    if (failed(code)) {
      return failure();
    }
    codes.push_back(*code);
  }
  return codes;
}
