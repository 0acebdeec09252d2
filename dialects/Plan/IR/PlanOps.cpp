// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the `plan` dialect and the accesses of its instructions.
#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel::plan;

#include "dialects/Plan/IR/PlanEnums.cpp.inc"
#include "dialects/Plan/IR/PlanInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

int64_t accel::plan::getElementBytes(MemRefType type) {
  return std::max<int64_t>(8, type.getElementTypeBitWidth()) / 8;
}

int64_t accel::plan::getMemRefBytes(MemRefType type) {
  return type.getNumElements() * getElementBytes(type);
}

BufferRange accel::plan::getBufferRange(Value value) {
  int64_t begin = 0;
  int64_t bytes = getMemRefBytes(cast<MemRefType>(value.getType()));
  ShardAttr part;
  if (auto partOp = value.getDefiningOp<PartOp>()) {
    part = partOp.getShard();
    value = partOp.getSource();
  }
  while (auto view = value.getDefiningOp<ViewOp>()) {
    begin += view.getOffset() *
             getElementBytes(cast<MemRefType>(view.getSource().getType()));
    value = view.getSource();
  }
  return {cast<BufferOp>(value.getDefiningOp()), begin, bytes, part};
}

/// Whether the operands of `op` are parts or views of buffers, whose ranges can
/// be asked for.
static LogicalResult verifyBuffers(Operation *op) {
  for (Value value : op->getOperands()) {
    Value root = value;
    while (Operation *definition = root.getDefiningOp()) {
      if (!isa<PartOp, ViewOp>(definition)) {
        break;
      }
      root = definition->getOperand(0);
    }
    if (!root.getDefiningOp<BufferOp>()) {
      return op->emitOpError("expected memory of a plan.buffer, got other ")
             << value.getType();
    }
  }
  return success();
}

void BufferOp::build(OpBuilder &builder, OperationState &state, MemRefType type,
                     Region region, MemoryClass klass, StringAttr symbol,
                     ElementsAttr value, int64_t copies, Space space,
                     ShardAttr shard) {
  build(builder, state, type, RegionAttr::get(builder.getContext(), region),
        MemoryClassAttr::get(builder.getContext(), klass), symbol, value,
        /*offset=*/IntegerAttr(), builder.getI64IntegerAttr(copies),
        SpaceAttr::get(builder.getContext(), space), shard,
        /*per_thread=*/UnitAttr(), builder.getI64IntegerAttr(kAlignment),
        /*gathers=*/ArrayAttr());
}

LogicalResult BufferOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  // buffer_c1
  if (!type.hasStaticShape() || !type.getLayout().isIdentity()) {
    return emitOpError("expected a static row-major shape, got ") << type;
  }
  // buffer_c3
  Type element = type.getElementType();
  bool isFloat =
      isa<Float64Type, Float32Type, BFloat16Type, Float16Type, Float8E4M3FNType,
          Float8E5M2Type, Float8E8M0FNUType>(element);
  if (!isFloat && !element.isInteger(64) && !element.isInteger(32) &&
      !element.isSignlessInteger(8) && !element.isInteger(1) &&
      !element.isUnsignedInteger(8)) {
    return emitOpError("expected elements that plans know (f64, f32, bf16, "
                       "f16, f8E4M3FN, f8E5M2, f8E8M0FNU, i64, i32, booleans "
                       "or ui8), got ")
           << element;
  }
  // buffer_c2
  if (getRegion() == Region::Persistent && !getSymbol()) {
    return emitOpError(
        "expected the name of the state that a persistent buffer holds");
  }
  if (getRegion() == Region::Constant && !getValue()) {
    return emitOpError("expected the value of a constant buffer");
  }
  if (getCopies() != 1 && getCopies() != 2) {
    return emitOpError("expected 1 or 2 copies, got ") << getCopies();
  }
  if (getCopies() != 1 && getRegion() != Region::IO) {
    return emitOpError("expected an io buffer to have copies, got ")
           << stringifyRegion(getRegion());
  }
  if (getSpace() == Space::Shared && getRegion() != Region::Transient) {
    return emitOpError("expected a transient buffer in the shared space, got ")
           << stringifyRegion(getRegion());
  }
  if (getGathers() && getSpace() != Space::Shared) {
    return emitOpError("expected a shared buffer that buckets are gathered "
                       "into, got one of space ")
           << stringifySpace(getSpace());
  }
  if (getShard() && getRegion() != Region::Persistent) {
    return emitOpError("expected a persistent buffer to be sharded, got ")
           << stringifyRegion(getRegion());
  }
  if (getShard() && getShard()->getElements() != type.getNumElements()) {
    return emitOpError("expected a shard of the buffer's ")
           << type.getNumElements() << " elements, got "
           << getShard()->getElements();
  }
  if (getPerThread() && (getRegion() != Region::Persistent || getShard())) {
    return emitOpError("expected a whole persistent buffer to be each thread's "
                       "own, got ")
           << (getShard() ? StringRef("a sharded one")
                          : stringifyRegion(getRegion()));
  }
  if (getAlignment() < kAlignment || !llvm::isPowerOf2_64(getAlignment())) {
    return emitOpError(
               "expected an alignment that is a power of two, at least ")
           << kAlignment << ", got " << getAlignment();
  }
  if (getOffset() && *getOffset() % getAlignment() != 0) {
    return emitOpError("expected an offset that is a multiple of ")
           << getAlignment() << ", got " << *getOffset();
  }
  return success();
}

LogicalResult ViewOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto result = cast<MemRefType>(getResult().getType());
  // view_c1
  if (source.getElementType() != result.getElementType()) {
    return emitOpError("expected element type ")
           << source.getElementType() << ", got " << result.getElementType();
  }
  if (getSource().getDefiningOp<PartOp>()) {
    return emitOpError("expected a view of a buffer or of a view, got one of a "
                       "part: take the part of the view");
  }
  int64_t end = getOffset() + result.getNumElements();
  if (static_cast<int64_t>(getOffset()) < 0 || end > source.getNumElements()) {
    return emitOpError("expected elements inside the source's ")
           << source.getNumElements() << ", got [" << getOffset() << ", " << end
           << ")";
  }
  return success();
}

LogicalResult PartOp::verify() {
  auto type = cast<MemRefType>(getSource().getType());
  // part_c1
  if (getShard().getElements() != type.getNumElements()) {
    return emitOpError("expected a shard of the source's ")
           << type.getNumElements() << " elements, got "
           << getShard().getElements();
  }
  if (getSource().getDefiningOp<PartOp>()) {
    return emitOpError("expected a buffer or a view, got a part of one");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// What every instruction can tell about itself
//===----------------------------------------------------------------------===//

FlatSymbolRefAttr InstructionOpInterface::getStream() {
  return (*this)->getAttrOfType<FlatSymbolRefAttr>(kStreamAttr);
}

StreamList::StreamList(Operation *inModule) {
  auto module = isa<ModuleOp>(inModule) ? cast<ModuleOp>(inModule)
                                        : inModule->getParentOfType<ModuleOp>();
  llvm::append_range(streams, module.getOps<StreamOp>());
}

std::optional<unsigned> StreamList::find(InstructionOpInterface op) const {
  FlatSymbolRefAttr name = op.getStream();
  if (!name) {
    return 0;
  }
  for (auto [i, stream] : llvm::enumerate(streams)) {
    StreamOp each = stream;
    if (each.getSymName() == name.getValue()) {
      return i;
    }
  }
  return std::nullopt;
}

LogicalResult StreamOp::verify() {
  // stream_c1
  for (auto other : cast<ModuleOp>((*this)->getParentOp()).getOps<StreamOp>()) {
    if (other == *this) {
      break;
    }
    if (other.getKind() == getKind()) {
      return emitOpError("expected one stream of kind ")
             << stringifyStreamKind(getKind()) << ", got @"
             << other.getSymName() << " and @" << getSymName();
    }
  }
  return success();
}

SmallVector<WaitAttr> InstructionOpInterface::getWaitedEvents() {
  auto waits = (*this)->getAttrOfType<ArrayAttr>(kWaitsAttr);
  return waits ? llvm::to_vector(waits.getAsRange<WaitAttr>())
               : SmallVector<WaitAttr>();
}

SmallVector<int64_t> InstructionOpInterface::getSignalledEvents() {
  SmallVector<int64_t> numbers;
  if (auto signals = (*this)->getAttrOfType<ArrayAttr>(kSignalsAttr)) {
    for (EventAttr event : signals.getAsRange<EventAttr>()) {
      numbers.push_back(event.getNumber());
    }
  }
  return numbers;
}

std::optional<Sign> InstructionOpInterface::getInfinities(int64_t access) {
  if (auto list = (*this)->getAttrOfType<ArrayAttr>(kInfinitiesAttr)) {
    for (auto each : list.getAsRange<InfinityAttr>()) {
      if (each.getAccess() == access) {
        return each.getSign();
      }
    }
  }
  return std::nullopt;
}

CostAttr InstructionOpInterface::getCost() {
  return (*this)->getAttrOfType<CostAttr>(kCostAttr);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static ParseResult parseModes(OpAsmParser &parser, ArrayAttr &modes) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    StringRef word;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&word)) {
      return failure();
    }
    std::optional<Access> access = symbolizeAccess(word);
    if (!access) {
      return parser.emitError(at, "expected read, write or update, got ")
             << word;
    }
    list.push_back(
        parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(*access)));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     parseOne)) {
    return failure();
  }
  modes = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printModes(OpAsmPrinter &printer, Operation *, ArrayAttr modes) {
  printer << '[';
  llvm::interleaveComma(modes, printer, [&](Attribute access) {
    printer << stringifyAccess(
        static_cast<Access>(cast<IntegerAttr>(access).getInt()));
  });
  printer << ']';
}

SmallVector<BufferAccess> LaunchOp::getAccesses() {
  SmallVector<BufferAccess> list;
  for (auto [buffer, access] : llvm::zip(getBuffers(), getModes())) {
    list.push_back(
        {buffer, static_cast<Access>(cast<IntegerAttr>(access).getInt())});
  }
  if (getWorkspace()) {
    list.push_back({getWorkspace(), Access::ReadWrite});
  }
  return list;
}

LogicalResult LaunchOp::verify() {
  // launch_c1
  if (getModes().size() != getBuffers().size()) {
    return emitOpError("expected one access per buffer, got ")
           << getModes().size() << " for " << getBuffers().size() << " buffers";
  }
  if (!getWorkspace()) {
    return success();
  }
  if (failed(verifyBuffers(*this))) {
    return failure();
  }
  return getBufferRange(getWorkspace()).buffer.getPerThread()
             ? success()
             : emitOpError("expected a workspace that each thread has for "
                           "itself, got one of all threads");
}

LogicalResult VariantOp::verify() {
  // variant_c1
  if (static_cast<int64_t>(getLanes()) <= 0) {
    return emitOpError("expected a positive number of lanes, got ")
           << static_cast<int64_t>(getLanes());
  }
  for (auto other :
       cast<ModuleOp>((*this)->getParentOp()).getOps<VariantOp>()) {
    if (other == *this) {
      break;
    }
    if (other.getLanes() != getLanes()) {
      return emitOpError("expected the ")
             << other.getLanes() << " lanes of @" << other.getSymName()
             << ", since all variants compute the same bits, got "
             << getLanes();
    }
  }
  return success();
}

SmallVector<BufferAccess> FetchOp::getAccesses() {
  SmallVector<BufferAccess> list;
  for (Value buffer : getBuffers()) {
    list.push_back({buffer, Access::Write});
  }
  return list;
}

int64_t FetchOp::getRotation() { return getAhead(); }

LogicalResult FetchOp::verify() {
  // fetch_c1
  if (getNames().size() != getBuffers().size()) {
    return emitOpError("expected one name per buffer, got ")
           << getNames().size() << " for " << getBuffers().size() << " buffers";
  }
  if (getAhead() != 0 && getAhead() != 1) {
    return emitOpError("expected ahead to be 0 or 1, got ") << getAhead();
  }
  return success();
}

SmallVector<BufferAccess> LoadOp::getAccesses() {
  return {{getBuffer(), Access::Write}};
}

SmallVector<BufferAccess> AllReduceOp::getAccesses() {
  return {{getBuffer(), Access::ReadWrite}};
}

LogicalResult AllReduceOp::verify() {
  // all_reduce_c1
  if (getAxes().empty()) {
    return emitOpError("expected at least one axis, got none");
  }
  auto type = cast<MemRefType>(getBuffer().getType());
  if (!isa<FloatType>(type.getElementType())) {
    return emitOpError("expected a buffer of floats, got ") << type;
  }
  return success();
}

/// Whether `whole` is the tensor that `shard` cuts, and `part` a rank's part of
/// one: in place, in a sharded buffer, or in a tensor of the same size.
static LogicalResult verifyCut(Operation *op, ShardAttr shard, Value whole,
                               Value part) {
  if (failed(verifyBuffers(op))) {
    return failure();
  }
  auto type = cast<MemRefType>(whole.getType());
  if (shard.getElements() != type.getNumElements() || part.getType() != type) {
    return op->emitOpError("expected two buffers of the shard's ")
           << shard.getElements() << " elements, got " << type << " and "
           << part.getType();
  }
  BufferRange range = getBufferRange(part);
  bool isPart =
      range.part ? range.part == shard : range.buffer.getShard() == shard;
  BufferRange all = getBufferRange(whole);
  if (!isPart || all.part || all.buffer.getShard()) {
    return op->emitOpError("expected a whole tensor and a part of one, cut by ")
           << shard;
  }
  return success();
}

SmallVector<BufferAccess> AllGatherOp::getAccesses() {
  return {{getPart(), Access::Read}, {getWhole(), Access::Write}};
}

// all_gather_c1
LogicalResult AllGatherOp::verify() {
  return verifyCut(*this, getShard(), getWhole(), getPart());
}

SmallVector<BufferAccess> ReduceScatterOp::getAccesses() {
  return {{getWhole(), Access::Read}, {getPart(), Access::Write}};
}

// reduce_scatter_c1
LogicalResult ReduceScatterOp::verify() {
  return verifyCut(*this, getShard(), getWhole(), getPart());
}

SmallVector<BufferAccess> FillOp::getAccesses() {
  return {{getBuffer(), Access::Write}};
}

SmallVector<BufferAccess> CopyOp::getAccesses() {
  return {{getSource(), Access::Read}, {getDestination(), Access::Write}};
}

LogicalResult FillOp::verify() {
  // fill_c1
  Type element = cast<MemRefType>(getBuffer().getType()).getElementType();
  if (getIsTrue() && !element.isSignlessInteger(8)) {
    return emitOpError("expected bytes to be filled with true, got ")
           << getBuffer().getType();
  }
  return success();
}

LogicalResult CopyOp::verify() {
  // copy_c1
  if (getSource().getType() != getDestination().getType()) {
    return emitOpError("expected two buffers of one type, got ")
           << getSource().getType() << " and " << getDestination().getType();
  }
  if (failed(verifyBuffers(*this))) {
    return failure();
  }
  BufferRange from = getBufferRange(getSource());
  BufferRange to = getBufferRange(getDestination());
  if (from.buffer == to.buffer && from.begin < to.begin + to.bytes &&
      to.begin < from.begin + from.bytes) {
    return emitOpError("expected two buffers that do not overlap, got bytes [")
           << from.begin << ", " << from.begin + from.bytes << ") and ["
           << to.begin << ", " << to.begin + to.bytes << ") of one";
  }
  return success();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyBuffers(*this))) {
    return failure();
  }
  // load_c1
  if (getOffset().has_value() != getElements().has_value()) {
    return emitOpError("expected both offset and elements or neither, got ")
           << (getOffset() ? "an offset" : "elements") << " alone";
  }
  if (!getOffset()) {
    return getBufferRange(getBuffer()).buffer.getShard()
               ? emitOpError("expected offset and elements of what is loaded "
                             "into a sharded buffer, got none")
               : success();
  }
  int64_t all = cast<MemRefType>(getBuffer().getType()).getNumElements();
  auto offset = static_cast<int64_t>(*getOffset());
  auto elements = static_cast<int64_t>(*getElements());
  if (offset < 0 || elements <= 0 || offset > all || elements > all - offset) {
    return emitOpError("expected elements inside the buffer's ")
           << all << ", got " << elements << " from " << offset << " on";
  }
  return success();
}

SmallVector<BufferAccess> MetricOp::getAccesses() {
  return {{getBuffer(), Access::Read}};
}

LogicalResult MetricOp::verify() {
  // metric_c1
  if (cast<MemRefType>(getBuffer().getType()).getRank() != 0) {
    return emitOpError("expected a buffer of rank 0, got ")
           << getBuffer().getType();
  }
  return success();
}

#define GET_OP_CLASSES
#include "dialects/Plan/IR/PlanOps.cpp.inc"
