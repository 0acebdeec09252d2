// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the `dist` dialect, and the axes of the mesh.
#include "dialects/Dist/IR/DistDialect.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "dialects/Dist/IR/DistOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/Dist/IR/DistDialect.cpp.inc"
#include "dialects/Dist/IR/DistEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Dist/IR/DistAttrs.cpp.inc"

using namespace mlir;
using namespace accel;
using namespace accel::dist;

void DistDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Dist/IR/DistAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Dist/IR/DistOps.cpp.inc"
      >();
}

ArrayRef<StringLiteral> accel::dist::getMeshAxes() {
  static constexpr StringLiteral axes[] = {"replica",  "fsdp",    "tensor",
                                           "pipeline", "context", "expert"};
  return axes;
}

ArrayRef<StringLiteral> accel::dist::getDataAxes() {
  return getMeshAxes().take_front(2);
}

ArrayRef<StringLiteral> accel::dist::getShardAxes() {
  return getMeshAxes().slice(1, 1);
}

Holding accel::dist::getHolding(Operation *state) {
  auto held = state->getAttrOfType<HoldingAttr>(kHeldAttr);
  return held ? held.getValue() : Holding::All;
}

void accel::dist::setHolding(Operation *state, Holding holding) {
  if (holding == Holding::All) {
    state->removeAttr(kHeldAttr);
    return;
  }
  state->setAttr(kHeldAttr, HoldingAttr::get(state->getContext(), holding));
}

static LogicalResult verifyHolding(Operation *op, Attribute value) {
  auto state = dyn_cast<StateOp>(op);
  if (!state || state.getKind() != StateKind::Slot) {
    return op->emitOpError("expected ")
           << kHeldAttr << " on the slot of a segment, got it here";
  }
  auto held = dyn_cast<HoldingAttr>(value);
  if (!held || held.getValue() == Holding::All) {
    return op->emitOpError("expected ")
           << kHeldAttr << " to be #dist.held<whole> or #dist.held<part>, got "
           << value;
  }
  return success();
}

static LogicalResult verifyCoordinates(Operation *op, Attribute value) {
  if (!op->hasAttr(kRoleAttr)) {
    return op->emitOpError("expected ")
           << kCoordinatesAttr << " on a function with a role, got it here";
  }
  auto coordinates = dyn_cast<DictionaryAttr>(value);
  if (!coordinates || coordinates.empty()) {
    return op->emitOpError("expected ")
           << kCoordinatesAttr << " to be a dictionary of coordinates, got "
           << value;
  }
  for (NamedAttribute each : coordinates) {
    StringRef axis = each.getName();
    if (!llvm::is_contained(getMeshAxes(), axis) ||
        llvm::is_contained(getDataAxes(), axis)) {
      return op->emitOpError("expected an axis of the mesh along which ranks "
                             "have the same samples (")
             << llvm::join(getMeshAxes().drop_front(getDataAxes().size()), ", ")
             << "), got '" << axis << "'";
    }
    auto coordinate = dyn_cast<IntegerAttr>(each.getValue());
    if (!coordinate || coordinate.getInt() < 0) {
      return op->emitOpError("expected a coordinate along '")
             << axis << "' that is not negative, got " << each.getValue();
    }
  }
  return success();
}

static LogicalResult verifyMesh(Operation *op, Attribute value) {
  auto mesh = dyn_cast<DictionaryAttr>(value);
  if (!isa<ModuleOp>(op) || !mesh || mesh.size() != getMeshAxes().size()) {
    return op->emitOpError("expected ")
           << kMeshAttr << " on a module, with a degree for each axis of the "
           << "mesh (" << llvm::join(getMeshAxes(), ", ") << "), got " << value;
  }
  for (StringRef axis : getMeshAxes()) {
    auto degree = mesh.getAs<IntegerAttr>(axis);
    if (!degree || degree.getInt() < 0) {
      return op->emitOpError("expected a degree along '")
             << axis << "' that is not negative, got "
             << (degree ? std::to_string(degree.getInt()) : "none");
    }
  }
  return success();
}

LogicalResult DistDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() == kHeldAttr) {
    return verifyHolding(op, attribute.getValue());
  }
  if (attribute.getName() == kMeshAttr) {
    return verifyMesh(op, attribute.getValue());
  }
  if (attribute.getName() == kCoordinatesAttr) {
    return verifyCoordinates(op, attribute.getValue());
  }
  return op->emitOpError("has an attribute that dialect dist does not know: ")
         << attribute.getName();
}

LogicalResult accel::dist::verifyAxes(Operation *op, ArrayAttr axes) {
  if (axes.empty()) {
    return op->emitOpError("expected at least one axis of the mesh, got none");
  }
  llvm::SmallPtrSet<Attribute, 6> seen;
  for (StringAttr axis : axes.getAsRange<StringAttr>()) {
    if (!llvm::is_contained(getMeshAxes(), axis.getValue())) {
      return op->emitOpError("expected an axis of the mesh (")
             << llvm::join(getMeshAxes(), ", ") << "), got '" << axis.getValue()
             << "'";
    }
    if (!seen.insert(axis).second) {
      return op->emitOpError("expected each axis once, got '")
             << axis.getValue() << "' twice";
    }
  }
  return success();
}
