// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The answers for CPUs: what fuses, and how kernels are cut.
#include "passes/Target/Cpu/CpuTarget.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "dialects/Accel/IR/SmallFloat.h"
#include "passes/Analysis/KernelOperands.h"
#include "passes/Analysis/ProductShape.h"
#include "passes/Analysis/TensorAccess.h"
#include "passes/Analysis/TransposedOperand.h"
#include "passes/Analysis/TurnedResult.h"
#include "passes/Analysis/WindowMatrix.h"
#include "passes/Target/Cpu/AttentionTiles.h"
#include "passes/Target/Cpu/GroupedTiles.h"
#include "passes/Target/Cpu/ProductTiles.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace accel;

ArrayRef<CodeVariant> accel::getCpuVariants() {
  static const std::vector<std::string> v3 = {
      "avx",   "avx2",   "bmi",  "bmi2",   "cx16",   "f16c",  "fma",  "lzcnt",
      "movbe", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"};
  static const std::vector<std::string> v4 = [] {
    std::vector<std::string> all = v3;
    all.insert(all.end(),
               {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"});
    return all;
  }();
  static const std::vector<std::string> v4Bf16 = [] {
    std::vector<std::string> all = v4;
    all.insert(all.end(), {"avx512bf16", "fast-avx512bf16"});
    return all;
  }();
  // A loop adds to four vectors of AVX-512 at once, or to eight of AVX2.
  constexpr int64_t kLanes = 64;
  static const CodeVariant variants[] = {
      {kBf16Variant.str(), plan::DeviceKind::Cpu, "x86-64-v4", v4Bf16, kLanes},
      {"x86-64-v4", plan::DeviceKind::Cpu, "x86-64-v4", v4, kLanes},
      {"x86-64-v3", plan::DeviceKind::Cpu, "x86-64-v3", v3, kLanes}};
  return variants;
}

/// A variant whose only gain is an instruction for products of bf16 is worth
/// its code only beside such products, unless it is the only one.
SmallVector<CodeVariant> CpuTarget::getVariants(ModuleOp program) const {
  bool hasProducts =
      llvm::any_of(program.getOps<func::FuncOp>(), [](func::FuncOp function) {
        return function->hasAttr(kKernelAttr) && flushesSubnormals(function);
      });
  SmallVector<CodeVariant> chosen(variants.begin(), variants.end());
  if (!hasProducts && chosen.size() > 1) {
    llvm::erase_if(chosen, [](const CodeVariant &variant) {
      return variant.name == kBf16Variant;
    });
  }
  return chosen;
}

//===----------------------------------------------------------------------===//
// What fuses
//===----------------------------------------------------------------------===//

Decision CpuTarget::mayJoin(const KernelCandidate &kernel, Operation *op,
                            bool readsRows) const {
  if (kernel.kind == LoopKind::Columns) {
    return kernel.ops.size() < tiling.mostOperationsOfSums
               ? Decision::yes()
               : Decision::no(llvm::formatv("it has {0} operations already",
                                            kernel.ops.size()));
  }
  if (kernel.ops.size() >= tiling.mostOperations) {
    return Decision::no(llvm::formatv(
        "it has {0} operations, as many as registers hold", kernel.ops.size()));
  }
  if (readsRows && kernel.rows == 1 && kernel.columns > tiling.longestRow) {
    return Decision::no(
        llvm::formatv("it is one row of {0} elements, which threads could not "
                      "share",
                      kernel.columns));
  }
  return Decision::yes();
}

Decision CpuTarget::mayFollow(MatmulOp product, Operation *op) const {
  Type element = elementTypeOf(op->getResult(0));
  if (!element.isF32() && !element.isInteger(1) && !SmallFloat::get(element)) {
    return Decision::no("results are neither f32 nor rounded from it, nor "
                        "booleans");
  }
  // Rows of one element are no loop that could follow those of the product.
  if (shapeOf(product.getResult()).back() == 1) {
    return Decision::no("the product has rows of one element");
  }
  return Decision::yes();
}

/// Whether `operand` is a view of windows. A matrix that is transposed in some
/// other way is cheaper to copy once than in parts, by each thread.
static bool readsWindows(Value operand) {
  while (isViewOp(operand.getDefiningOp())) {
    if (operand.getDefiningOp<WindowsOp>()) {
      return true;
    }
    operand = operand.getDefiningOp()->getOperand(0);
  }
  return false;
}

/// Products of tiles go on from row to row. What is added to scores may be one
/// row for all.
static Decision liesInTiles(Operation *attention, Value operand, Value root) {
  if (!liesInRows(operand, root)) {
    return Decision::no("elements of a head are no neighbours");
  }
  auto isAdded = [&](auto op) {
    return operand == op.getMask() || operand == op.getBias();
  };
  auto forward = dyn_cast<AttentionOp>(attention);
  bool mayRepeatRow =
      forward ? isAdded(forward) : isAdded(cast<AttentionGradOp>(attention));
  bool isOneRow = shapeOf(operand)[2] == 1;
  return mayRepeatRow || isOneRow ||
                 getStridedView(operand, root)->strides[2] != 0
             ? Decision::yes()
             : Decision::no("rows of a head are one row in memory");
}

Decision CpuTarget::readsInPlace(Operation *op, Value operand,
                                 Value root) const {
  if (elementTypeOf(operand) != elementTypeOf(root)) {
    return Decision::no("it is stored in another type");
  }
  if (isa<AttentionOp, AttentionGradOp>(op) && shapeOf(operand).size() == 4) {
    return liesInTiles(op, operand, root);
  }
  int64_t offset = 0;
  if (isContiguousPart(operand, root, offset)) {
    return Decision::yes();
  }
  if (isa<MatmulOp>(op) && readsWindows(operand) &&
      WindowMatrix::find(operand, root)) {
    return Decision::yes();
  }
  return Decision::no("it does not lie in one piece");
}

int64_t CpuTarget::getRowLength(int64_t columns) const {
  int64_t shorter = std::gcd(columns, tiling.longestRow);
  return columns > tiling.longestRow && shorter >= tiling.columnTile ? shorter
                                                                     : columns;
}

/// Where the result has few tiles, as the gradient of a convolution's weights
/// does, threads would each pack most of both operands for a few columns, and
/// some have no tile at all. Each part is computed by as few threads as can be.
int64_t CpuTarget::getSummedParts(MatmulOp product) const {
  constexpr int64_t kEnoughTiles = 16, kShortest = 1024;
  ArrayRef<int64_t> shape = shapeOf(product.getResult());
  int64_t depth = getSummedElements(product), parts = 1;
  int64_t tiles =
      llvm::divideCeil(std::max(shape[0], shape[1]), tiling.productColumns);
  while (tiles * parts < kEnoughTiles && depth % (2 * parts) == 0 &&
         depth / (2 * parts) >= kShortest) {
    parts *= 2;
  }
  return parts;
}

/// Blocks of about the same depth.
int64_t CpuTarget::getSumBlock(MatmulOp product) const {
  int64_t depth = getSummedElements(product);
  int64_t blocks = llvm::divideCeil(depth, tiling.sumBlock);
  return llvm::alignTo(llvm::divideCeil(depth, blocks),
                       getBlockMultiple(product));
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

ArrayRef<PlannedStream> CpuTarget::getStreams() const {
  static const PlannedStream streams[] = {
      {"compute", plan::StreamKind::Compute},
      {"communication", plan::StreamKind::Communication},
      {"host", plan::StreamKind::Host}};
  return streams;
}

//===----------------------------------------------------------------------===//
// How kernels are cut
//===----------------------------------------------------------------------===//

namespace {

/// A geometry while it is put together.
struct Geometry {
  int64_t tiles = 1, tile = 1;
  plan::TileKind of = plan::TileKind::Elements;
  int64_t workspace = 0, vectors = 0, packed = 0, dots = 0;
};

bool hasFeature(const CodeVariant &variant, StringRef feature) {
  return llvm::is_contained(variant.features, feature);
}

/// Whether sharing a kernel out gains anything: handing out work and waiting
/// for it takes some microseconds, and a thread that loses its core keeps all
/// others waiting.
bool isWorthThreads(func::FuncOp kernel) {
  // Ten to twenty microseconds of one core.
  constexpr int64_t kFlops = 200000;
  constexpr int64_t kBytes = int64_t{128} << 10;
  int64_t flops = 0;
  kernel.walk([&](CostOpInterface cost) { flops += cost.getFlops(); });
  auto bytesOf = [](Type type) -> int64_t {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getNumElements() * getStoredBytes(tensor.getElementType());
  };
  int64_t bytes = 0;
  for (Type type : kernel.getArgumentTypes()) {
    bytes += bytesOf(type);
  }
  for (auto [i, type] : llvm::enumerate(kernel.getResultTypes())) {
    bytes += bytesOf(type) * (isAccumulated(kernel, i) ? 2 : 1);
  }
  return flops >= kFlops || bytes >= kBytes;
}

/// Over the columns of each matrix.
Geometry cutGrouped(func::FuncOp kernel) {
  Geometry geometry;
  if (Operation *op = findGrouped(kernel)) {
    GroupedTiles tiles = GroupedTiles::get(op);
    geometry.tiles = tiles.launchTiles();
    geometry.of = plan::TileKind::Columns;
    geometry.tile = GroupedTiles::kColumns;
    geometry.workspace = tiles.workspaceBytes();
  }
  return geometry;
}

Geometry cutAttention(func::FuncOp kernel) {
  Geometry geometry;
  if (Operation *op = findAttention(kernel)) {
    AttentionTiles tiles = AttentionTiles::get(op);
    geometry.tiles = tiles.launchTiles();
    geometry.of =
        tiles.isGradient ? plan::TileKind::Heads : plan::TileKind::Rows;
    geometry.tile = tiles.isGradient ? 1 : tiles.launchTileRows();
    geometry.workspace = tiles.workspaceBytes();
  }
  return geometry;
}

/// Over blocks of columns or, if there are more, of rows, matrix by matrix.
Geometry cutProduct(func::FuncOp kernel, const IterationDomain &domain,
                    const CpuTiling &tiling) {
  Geometry geometry;
  bool isByColumn = domain.columns >= domain.matrixRows();
  geometry.of = isByColumn ? plan::TileKind::Columns : plan::TileKind::Rows;
  geometry.tile = isByColumn ? tiling.productColumns : tiling.productRows;
  geometry.tiles =
      domain.matrices *
      llvm::divideCeil(isByColumn ? domain.columns : domain.matrixRows(),
                       geometry.tile);
  geometry.packed =
      std::min<int64_t>(llvm::alignTo(domain.columns, tiling.productColumns),
                        tiling.packedColumns);
  if (MatmulOp product = getProduct(kernel)) {
    geometry.workspace =
        ProductTiles::get(kernel, product, domain.block, geometry.packed)
            .workspaceBytes();
  }
  return geometry;
}

/// What `kernel` copies into another order, if it is floats.
std::optional<TransposedOperand> findTransposedCopy(func::FuncOp kernel) {
  auto copy = TransposedOperand::find(kernel);
  return copy && elementTypeOf(copy->source).isF32() ? copy : std::nullopt;
}

/// One by one; of rows that are stored in transposed order as well, so many
/// that each line of a cache is written at once.
Geometry cutRows(func::FuncOp kernel, const IterationDomain &domain) {
  constexpr int64_t kLineBytes = 64;
  Geometry geometry;
  if (auto copy = findTransposedCopy(kernel)) {
    geometry.tile = kTransposedRows * copy->resultColumns();
    geometry.tiles = copy->countBlocks(kTransposedRows);
    return geometry;
  }
  geometry.of = plan::TileKind::Rows;
  if (std::optional<TurnedResult> turned = TurnedResult::find(kernel)) {
    geometry.tile = turned->view.getRows(kLineBytes);
  }
  geometry.tiles = domain.rows / geometry.tile;
  return geometry;
}

/// Narrower where there are so few columns that threads could not share them.
Geometry cutColumns(const IterationDomain &domain, const CpuTiling &tiling) {
  constexpr int64_t kEnoughTiles = 8, kNarrowest = 16;
  Geometry geometry;
  geometry.of = plan::TileKind::Columns;
  geometry.tile = std::clamp<int64_t>(
      llvm::bit_floor(uint64_t(domain.columns / kEnoughTiles)), kNarrowest,
      tiling.columnTile);
  geometry.tiles = llvm::divideCeil(domain.columns, geometry.tile);
  return geometry;
}

/// Row by row; few long ones in pieces, which threads share out.
Geometry cutConcat(const IterationDomain &domain) {
  constexpr int64_t kEnoughTiles = 64, kShortest = 16384;
  Geometry geometry;
  geometry.of = plan::TileKind::Rows;
  int64_t pieces = std::min(
      llvm::divideCeil(kEnoughTiles, std::max<int64_t>(domain.rows, 1)),
      static_cast<uint64_t>(domain.columns / kShortest));
  geometry.tiles = domain.rows * std::max<int64_t>(pieces, 1);
  return geometry;
}

Geometry cut(func::FuncOp kernel, const IterationDomain &domain,
             const CpuTiling &tiling) {
  Geometry geometry;
  switch (domain.kind) {
  case LoopKind::Flat:
    geometry.tile = tiling.flatTile;
    geometry.tiles = llvm::divideCeil(domain.elements, geometry.tile);
    return geometry;
  case LoopKind::Columns:
    return cutColumns(domain, tiling);
  case LoopKind::Rows:
    return cutRows(kernel, domain);
  case LoopKind::Concat:
    return cutConcat(domain);
  case LoopKind::Attention:
    return cutAttention(kernel);
  case LoopKind::Grouped:
    return cutGrouped(kernel);
  case LoopKind::Product:
    return cutProduct(kernel, domain, tiling);
  }
  llvm_unreachable("all kinds are listed");
}

} // namespace

Attribute CpuTarget::getEntry(func::FuncOp kernel, const CodeVariant &variant,
                              bool /*mayUseTf32*/) const {
  FailureOr<IterationDomain> domain = IterationDomain::get(kernel);
  if (failed(domain)) {
    return {};
  }
  Geometry geometry = cut(kernel, *domain, tiling);
  // What AVX-512 has room for beside the rows; AVX2 has half of it.
  if (domain->kind == LoopKind::Attention ||
      domain->kind == LoopKind::Product || domain->kind == LoopKind::Grouped) {
    geometry.vectors = std::min<int64_t>(
        tiling.vectors, hasFeature(variant, "avx512f") ? 2 : 1);
  }
  // vdpbf16ps multiplies pairs.
  if (flushesSubnormals(kernel) && hasFeature(variant, "avx512bf16")) {
    geometry.dots = 2;
  }
  return plan::CodeAttr::get(
      kernel.getContext(), geometry.tiles, geometry.tile, geometry.of,
      isWorthThreads(kernel) ? 0 : geometry.tiles, geometry.workspace,
      geometry.vectors, geometry.packed, geometry.dots, /*threads=*/0);
}
