// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of the plan: one message per distinct piece of memory, shared by
// functions where the contents outlive them.
#include "compiler/PlanBuffers.h"

#include "compiler/PlanCollectives.h"
#include "runtime/plan/memory/memory_placement.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace accel;

/// Unspecified if `type` is no float of plans.
static planpb::ElementType toFloatType(Type type) {
  return llvm::TypeSwitch<Type, planpb::ElementType>(type)
      .Case([](Float32Type) { return planpb::ELEMENT_F32; })
      .Case([](Float64Type) { return planpb::ELEMENT_F64; })
      .Case([](BFloat16Type) { return planpb::ELEMENT_BF16; })
      .Case([](Float16Type) { return planpb::ELEMENT_F16; })
      .Case([](Float8E4M3FNType) { return planpb::ELEMENT_F8E4M3; })
      .Case([](Float8E5M2Type) { return planpb::ELEMENT_F8E5M2; })
      .Case([](Float8E8M0FNUType) { return planpb::ELEMENT_F8E8M0; })
      .Default(planpb::ELEMENT_UNSPECIFIED);
}

std::optional<planpb::ElementType> accel::findElementType(Type type) {
  if (planpb::ElementType floats = toFloatType(type)) {
    return floats;
  }
  if (type.isInteger(64)) {
    return planpb::ELEMENT_I64;
  }
  if (type.isInteger(32)) {
    return planpb::ELEMENT_I32;
  }
  if (type.isUnsignedInteger(8)) {
    return planpb::ELEMENT_U8;
  }
  if (type.isInteger(1) || type.isSignlessInteger(8)) {
    return planpb::ELEMENT_BOOL;
  }
  return std::nullopt;
}

planpb::ElementType accel::toElementType(Type type) {
  std::optional<planpb::ElementType> found = findElementType(type);
  assert(found && "verifyDecided refuses a module with such a type");
  return *found;
}

void accel::setConstant(planpb::SizeExpr &expr, uint64_t bytes) {
  expr.Clear();
  expr.add_alternatives()->add_terms()->set_factor(bytes);
}

void accel::fillTerm(planpb::SizeTerm &term, plan::SizeAttr size) {
  term.set_factor(size.getNumber());
  if (size.getShard()) {
    fillShard(*term.mutable_shard(), size.getShard());
    *term.mutable_per_degree() = term.shard().axes();
  }
}

static planpb::Region toRegion(plan::Region region) {
  switch (region) {
  case plan::Region::Transient:
    return planpb::REGION_TRANSIENT;
  case plan::Region::Persistent:
    return planpb::REGION_PERSISTENT;
  case plan::Region::Constant:
    return planpb::REGION_CONSTANT;
  case plan::Region::IO:
    return planpb::REGION_IO;
  }
  llvm_unreachable("all regions are listed");
}

static planpb::MemoryClass toClass(plan::MemoryClass klass) {
  switch (klass) {
  case plan::MemoryClass::Parameters:
    return planpb::CLASS_PARAMETERS;
  case plan::MemoryClass::Gradients:
    return planpb::CLASS_GRADIENTS;
  case plan::MemoryClass::Optimizer:
    return planpb::CLASS_OPTIMIZER;
  case plan::MemoryClass::Activations:
    return planpb::CLASS_ACTIVATIONS;
  case plan::MemoryClass::Gathered:
    return planpb::CLASS_GATHERED;
  case plan::MemoryClass::IO:
    return planpb::CLASS_IO;
  case plan::MemoryClass::Constants:
    return planpb::CLASS_CONSTANTS;
  case plan::MemoryClass::Scalars:
    return planpb::CLASS_SCALARS;
  case plan::MemoryClass::Workspace:
    return planpb::CLASS_WORKSPACE;
  }
  llvm_unreachable("all classes are listed");
}

planpb::Space accel::toSpace(plan::Space space) {
  switch (space) {
  case plan::Space::Device:
    return planpb::SPACE_DEVICE;
  case plan::Space::Shared:
    return planpb::SPACE_SHARED;
  }
  llvm_unreachable("all spaces are listed");
}

/// Shape and bytes of `type`; of one that is cut, the bytes of a rank's part.
static void setElements(planpb::Buffer &buffer, MemRefType type,
                        plan::ShardAttr shard) {
  buffer.set_dtype(toElementType(type.getElementType()));
  if (shard) {
    planpb::SizeTerm *term =
        buffer.mutable_bytes()->add_alternatives()->add_terms();
    term->set_factor(type.getElementTypeBitWidth());
    fillShard(*term->mutable_shard(), shard);
    return;
  }
  for (int64_t size : type.getShape()) {
    buffer.add_shape(size);
  }
  setConstant(*buffer.mutable_bytes(), plan::getMemRefBytes(type));
}

static planpb::Buffer makeBuffer(plan::BufferOp op) {
  auto type = cast<MemRefType>(op.getResult().getType());
  planpb::Buffer buffer;
  buffer.set_space(toSpace(op.getSpace()));
  buffer.set_region(toRegion(op.getRegion()));
  setElements(buffer, type, op.getShardAttr());
  if (op.getPerThread()) {
    buffer.mutable_bytes()
        ->mutable_alternatives(0)
        ->mutable_terms(0)
        ->set_per_thread(true);
  }
  buffer.set_alignment(op.getAlignment());
  buffer.set_copies(op.getCopies());
  buffer.set_memory_class(toClass(op.getKlass()));
  if (op.getRegion() == plan::Region::Transient) {
    buffer.set_offset(*op.getOffset());
  }
  return buffer;
}

uint64_t accel::getStrictestAlignment(ModuleOp module) {
  static_assert(plan::kAlignment == runtime::kAlignment,
                "runs align memory as plans do");
  uint64_t alignment = plan::kAlignment;
  module.walk([&](plan::BufferOp buffer) {
    alignment = std::max<uint64_t>(alignment, buffer.getAlignment());
  });
  return alignment;
}

PlanBuffers::PlanBuffers(ModuleOp module, planpb::Manifest &manifest)
    : manifest(manifest), alignment(getStrictestAlignment(module)) {
  module.walk([&](plan::BufferOp buffer) {
    if (buffer.getRegion() == plan::Region::Persistent) {
      states.try_emplace(*buffer.getSymbol(), buffer);
    }
  });
}

uint32_t PlanBuffers::getIndex(plan::BufferOp op, StringRef function) {
  if (auto known = buffers.find(op); known != buffers.end()) {
    return known->second;
  }
  uint32_t next = manifest.buffers_size();
  std::string name;
  if (op.getRegion() == plan::Region::Persistent ||
      op.getRegion() == plan::Region::IO) {
    bool isPersistent = op.getRegion() == plan::Region::Persistent;
    auto [shared, isNew] = (isPersistent ? persistentBuffers : ioBuffers)
                               .try_emplace(*op.getSymbol(), next);
    if (!isNew) {
      return buffers[op] = shared->second;
    }
    name = (isPersistent ? "" : "io.") + op.getSymbol()->str();
  } else {
    name = llvm::formatv("{0}.{1}", function, next).str();
  }
  planpb::Buffer buffer = makeBuffer(op);
  buffer.set_name(name);
  if (op.getRegion() == plan::Region::Constant) {
    constants.emplace_back(next, *op.getValue());
  }
  *manifest.add_buffers() = std::move(buffer);
  return buffers[op] = next;
}

uint32_t PlanBuffers::getStateIndex(StringRef symbol) {
  return getIndex(states.at(symbol), /*function=*/"");
}

std::string PlanBuffers::takeConstants(uint32_t section) {
  std::string bytes;
  for (auto &[index, value] : constants) {
    bytes.resize(llvm::alignTo(bytes.size(), alignment));
    planpb::SectionRange *range =
        manifest.mutable_buffers(index)->mutable_content();
    range->set_section(section);
    range->set_offset(bytes.size());
    auto dense = cast<DenseElementsAttr>(value);
    size_t begin = bytes.size();
    if (dense.getElementType().isInteger(1)) {
      for (bool element : dense.getValues<bool>()) {
        bytes.push_back(element ? 1 : 0);
      }
    } else if (dense.isSplat()) {
      ArrayRef<char> one = dense.getRawData();
      for (int64_t i = 0; i < dense.getNumElements(); ++i) {
        bytes.append(one.begin(), one.end());
      }
    } else {
      ArrayRef<char> all = dense.getRawData();
      bytes.append(all.begin(), all.end());
    }
    range->set_size(bytes.size() - begin);
  }
  return bytes;
}
