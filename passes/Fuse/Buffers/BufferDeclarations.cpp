// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An empty loop marks the place: the operations that begin the function now
// will be gone.
#include "passes/Fuse/Buffers/BufferDeclarations.h"

using namespace mlir;
using namespace accel;

MemRefType accel::getBufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  if (element.isInteger(1)) {
    element = IntegerType::get(type.getContext(), 8);
  }
  return MemRefType::get(tensor.getShape(), element);
}

BufferDeclarations::BufferDeclarations(func::FuncOp function)
    : builder(OpBuilder::atBlockBegin(&function.getBody().front())) {
  anchor = plan::RepeatOp::create(builder, function.getLoc());
  builder.setInsertionPoint(anchor);
}

BufferDeclarations::~BufferDeclarations() { anchor->erase(); }

Value BufferDeclarations::addTransient(Location loc, Type type,
                                       plan::MemoryClass klass) {
  return plan::BufferOp::create(builder, loc, getBufferType(type),
                                plan::Region::Transient, klass);
}

Value BufferDeclarations::addPart(Location loc, Value buffer,
                                  plan::ShardAttr shard) {
  return plan::PartOp::create(builder, loc, buffer, shard);
}

Value BufferDeclarations::getView(Location loc, Value buffer, int64_t offset,
                                  MemRefType type) {
  if (offset == 0 && buffer.getType() == type) {
    return buffer;
  }
  SmallVector<Value> &known = views[{buffer, offset}];
  for (Value view : known) {
    if (view.getType() == type) {
      return view;
    }
  }
  Value view = plan::ViewOp::create(builder, loc, type, buffer, offset);
  known.push_back(view);
  return view;
}
