// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the `plan` dialect.
#include "dialects/Plan/IR/PlanDialect.h"

#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

#include "dialects/Plan/IR/PlanDialect.cpp.inc"

/// `, tf32`, or nothing.
static mlir::ParseResult parseTf32(mlir::AsmParser &parser, bool &tf32) {
  tf32 = succeeded(parser.parseOptionalComma());
  return tf32 ? parser.parseKeyword("tf32") : mlir::success();
}

static void printTf32(mlir::AsmPrinter &printer, bool tf32) {
  printer << (tf32 ? ", tf32" : "");
}

#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/IR/PlanAttrs.cpp.inc"

using namespace accel::plan;

llvm::LogicalResult
EventAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                  int64_t number) {
  if (number < 0) {
    return emitError() << "expected an event that is not negative, got "
                       << number;
  }
  return mlir::success();
}

llvm::LogicalResult
WaitAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 int64_t event, int64_t distance) {
  if (event < 0 || distance < 0) {
    return emitError() << "expected an event and a distance that are not "
                          "negative, got "
                       << event << " and " << distance;
  }
  return mlir::success();
}

llvm::LogicalResult
ShardAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                  int64_t elements, int64_t granule,
                  llvm::ArrayRef<mlir::StringAttr> axes) {
  if (elements <= 0 || granule <= 0) {
    return emitError() << "expected positive numbers of elements and of a "
                          "granule, got "
                       << elements << " and " << granule;
  }
  llvm::SmallPtrSet<mlir::Attribute, 4> seen(axes.begin(), axes.end());
  if (axes.empty() || seen.size() != axes.size()) {
    return emitError() << "expected at least one axis, each once, got "
                       << axes.size() << " of which " << seen.size()
                       << " differ";
  }
  return llvm::success();
}

llvm::LogicalResult
SizeAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 int64_t number, ShardAttr shard) {
  if (number <= 0) {
    return emitError() << "expected a positive number of "
                       << (shard ? "bits" : "bytes") << ", got " << number;
  }
  return llvm::success();
}

llvm::LogicalResult
PeakAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 mlir::FlatSymbolRefAttr, int64_t instruction, int64_t bytes) {
  if (instruction < 0 || bytes < 0) {
    return emitError() << "expected an instruction and bytes that are not "
                          "negative, got "
                       << instruction << " and " << bytes;
  }
  return llvm::success();
}

llvm::LogicalResult
InfinityAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                     int64_t access, Sign) {
  if (access < 0) {
    return emitError() << "expected the number of an access, got " << access;
  }
  return llvm::success();
}

llvm::LogicalResult
CodeAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 int64_t tiles, int64_t tile, TileKind, int64_t grain,
                 int64_t workspace, int64_t vectors, int64_t packed,
                 int64_t dots, int64_t threads) {
  if (tiles <= 0 || tile <= 0 || vectors < 0 || packed < 0 || dots < 0) {
    return emitError() << "expected positive numbers of tiles and of what a "
                          "tile has, got "
                       << tiles << " and " << tile;
  }
  if (grain != 0 && grain != tiles) {
    return emitError() << "expected a grain of 0 or of all " << tiles
                       << " tiles, got " << grain;
  }
  if (workspace < 0 || workspace % kAlignment != 0) {
    return emitError() << "expected a workspace of a multiple of " << kAlignment
                       << " bytes, got " << workspace;
  }
  if (threads < 0 || threads > 1024 || threads % 32 != 0) {
    return emitError() << "expected threads in whole warps of 32, at most 1024 "
                          "of them, got "
                       << threads;
  }
  return llvm::success();
}

llvm::LogicalResult
FactorAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                   int64_t operand, int64_t offset, bool, int64_t scale,
                   int64_t scaleOffset) {
  if (std::min({operand, offset, scaleOffset}) < 0 || scale < -1) {
    return emitError() << "expected operands and offsets that are not "
                          "negative, got "
                       << operand << " from " << offset << " scaled by "
                       << scale << " from " << scaleOffset;
  }
  return llvm::success();
}

/// `0 from 512`, of which only the number is always there.
static mlir::ParseResult parsePlace(mlir::AsmParser &parser, int64_t &operand,
                                    int64_t &offset) {
  return mlir::failure(parser.parseInteger(operand) ||
                       (succeeded(parser.parseOptionalKeyword("from")) &&
                        parser.parseInteger(offset)));
}

static void printPlace(mlir::AsmPrinter &printer, int64_t operand,
                       int64_t offset) {
  printer << operand;
  if (offset != 0) {
    printer << " from " << offset;
  }
}

/// `0 from 512 transposed scaled by 2 from 1`
static mlir::FailureOr<FactorAttr> parseFactor(mlir::AsmParser &parser) {
  int64_t operand = 0, offset = 0, scale = -1, scaleOffset = 0;
  if (parsePlace(parser, operand, offset)) {
    return mlir::failure();
  }
  bool isTransposed = succeeded(parser.parseOptionalKeyword("transposed"));
  if (succeeded(parser.parseOptionalKeyword("scaled")) &&
      (parser.parseKeyword("by") || parsePlace(parser, scale, scaleOffset))) {
    return mlir::failure();
  }
  auto factor = parser.getChecked<FactorAttr>(
      parser.getContext(), operand, offset, isTransposed, scale, scaleOffset);
  if (!factor) {
    return mlir::failure();
  }
  return factor;
}

static void printFactor(mlir::AsmPrinter &printer, FactorAttr factor) {
  printPlace(printer, factor.getOperand(), factor.getOffset());
  if (factor.getTransposed()) {
    printer << " transposed";
  }
  if (factor.getScale() >= 0) {
    printer << " scaled by ";
    printPlace(printer, factor.getScale(), factor.getScaleOffset());
  }
}

mlir::Attribute FactorAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  mlir::FailureOr<FactorAttr> factor = mlir::failure();
  if (parser.parseLess() || failed(factor = parseFactor(parser)) ||
      parser.parseGreater()) {
    return {};
  }
  return *factor;
}

void FactorAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<";
  printFactor(printer, *this);
  printer << ">";
}

static llvm::LogicalResult
verifyActivation(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 bool isScaled, bool hasBias, Activation activation,
                 int64_t kept, int64_t keptOffset) {
  bool isGradient = activation == Activation::GeluGradient;
  if (activation != Activation::None && isScaled) {
    return emitError() << "expected no activation of scaled sums";
  }
  if (isGradient && hasBias) {
    return emitError() << "expected no bias beside the gradient of GELU";
  }
  bool mayBeNowhere = !isGradient && kept == -1 && keptOffset == 0;
  bool mayBeSomewhere = activation != Activation::None && kept >= 0;
  if (keptOffset < 0 || !(mayBeNowhere || mayBeSomewhere)) {
    return emitError() << "expected "
                       << (isGradient ? "a place of GELU's operand"
                                      : "a place with an activation only")
                       << ", got " << kept << " from " << keptOffset;
  }
  return llvm::success();
}

llvm::LogicalResult
ProductAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                    int64_t matrices, int64_t rows, int64_t columns,
                    int64_t depth, FactorAttr lhs, FactorAttr rhs, bool tf32,
                    int64_t bias, int64_t biasOffset, Activation activation,
                    int64_t kept, int64_t keptOffset) {
  if (std::min({matrices, rows, columns, depth}) <= 0) {
    return emitError() << "expected a product of positive sizes, got "
                       << matrices << " of " << rows << "x" << columns
                       << " over " << depth;
  }
  if (tf32 && std::max(lhs.getScale(), rhs.getScale()) >= 0) {
    return emitError() << "expected factors of TF32 without scales, which are "
                          "of floats of 8 bits";
  }
  if (bias < -1 || biasOffset < 0) {
    return emitError() << "expected a bias in an operand that is not negative, "
                          "got "
                       << bias << " from " << biasOffset;
  }
  return verifyActivation(emitError, lhs.getScale() >= 0 || rhs.getScale() >= 0,
                          bias >= 0, activation, kept, keptOffset);
}

mlir::Attribute ProductAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  int64_t matrices = 0, depth = 0;
  mlir::FailureOr<FactorAttr> lhs = mlir::failure(), rhs = mlir::failure();
  llvm::SmallVector<int64_t> shape;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(matrices) ||
      parser.parseKeyword("of") ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false,
                                /*withTrailingX=*/false) ||
      parser.parseKeyword("over") || parser.parseInteger(depth) ||
      parser.parseComma() || parser.parseKeyword("lhs") ||
      failed(lhs = parseFactor(parser)) || parser.parseComma() ||
      parser.parseKeyword("rhs") || failed(rhs = parseFactor(parser))) {
    return {};
  }
  bool isTf32 = false;
  int64_t bias = -1, biasOffset = 0, kept = -1, keptOffset = 0;
  Activation activation = Activation::None;
  while (succeeded(parser.parseOptionalComma())) {
    if (!isTf32 && succeeded(parser.parseOptionalKeyword("tf32"))) {
      isTf32 = true;
    } else if (activation == Activation::None &&
               succeeded(parser.parseOptionalKeyword("gelu"))) {
      activation = Activation::Gelu;
      if (succeeded(parser.parseOptionalKeyword("keeping")) &&
          parsePlace(parser, kept, keptOffset)) {
        return {};
      }
    } else if (activation == Activation::None &&
               succeeded(parser.parseOptionalKeyword("gelu_gradient"))) {
      activation = Activation::GeluGradient;
      if (parser.parseKeyword("of") || parsePlace(parser, kept, keptOffset)) {
        return {};
      }
    } else if (bias >= 0 || parser.parseKeyword("bias") ||
               parsePlace(parser, bias, biasOffset)) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  if (shape.size() != 2) {
    parser.emitError(loc, "expected rows and columns of a product, got ")
        << shape.size() << " dimensions";
    return {};
  }
  return parser.getChecked<ProductAttr>(
      parser.getContext(), matrices, shape[0], shape[1], depth, *lhs, *rhs,
      isTf32, bias, biasOffset, activation, kept, keptOffset);
}

void ProductAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<" << getMatrices() << " of " << getRows() << "x" << getColumns()
          << " over " << getDepth() << ", lhs ";
  printFactor(printer, getLhs());
  printer << ", rhs ";
  printFactor(printer, getRhs());
  if (getBias() >= 0) {
    printer << ", bias ";
    printPlace(printer, getBias(), getBiasOffset());
  }
  bool isGradient = getActivation() == Activation::GeluGradient;
  if (getActivation() != Activation::None) {
    printer << (isGradient ? ", gelu_gradient" : ", gelu");
  }
  if (getKept() >= 0) {
    printer << (isGradient ? " of " : " keeping ");
    printPlace(printer, getKept(), getKeptOffset());
  }
  printer << (getTf32() ? ", tf32>" : ">");
}

llvm::LogicalResult LibraryCallAttr::verify(
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
    llvm::StringRef library, llvm::StringRef function, int64_t workspace,
    ProductAttr product, ConvolutionAttr convolution) {
  if (product && convolution) {
    return emitError() << "expected a call of a product or a convolution, got "
                          "both";
  }
  if (library.empty() || function.empty()) {
    return emitError() << "expected the names of a library and of its "
                          "function, got \""
                       << library << "\" and \"" << function << "\"";
  }
  if (workspace < 0 || workspace % kAlignment != 0) {
    return emitError() << "expected a workspace of a multiple of " << kAlignment
                       << " bytes, got " << workspace;
  }
  return llvm::success();
}

CodeAttr LibraryCallAttr::getGeometry(int64_t elements) const {
  return CodeAttr::get(getContext(), /*tiles=*/1, /*tile=*/elements,
                       TileKind::Elements, /*grain=*/1, getWorkspace(),
                       /*vectors=*/0, /*packed=*/0, /*dots=*/0,
                       /*threads=*/0);
}

// <2 tiles of 128 elements, grain 2, workspace 4096, vectors 2, packed 64>
// <32 tiles of 128 elements, threads 128>
mlir::Attribute CodeAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  int64_t tiles = 0, tile = 0, grain = 0, workspace = 0, vectors = 0,
          packed = 0, dots = 0, threads = 0;
  llvm::StringRef word;
  if (parser.parseLess() || parser.parseInteger(tiles) ||
      parser.parseKeyword("tiles") || parser.parseKeyword("of") ||
      parser.parseInteger(tile) || parser.parseKeyword(&word)) {
    return {};
  }
  std::optional<TileKind> of = symbolizeTileKind(word);
  if (!of) {
    parser.emitError(parser.getCurrentLocation(),
                     "expected elements, rows, columns or heads, got ")
        << word;
    return {};
  }
  while (mlir::succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword(&word)) {
      return {};
    }
    int64_t *field = word == "grain"       ? &grain
                     : word == "workspace" ? &workspace
                     : word == "vectors"   ? &vectors
                     : word == "packed"    ? &packed
                     : word == "dots"      ? &dots
                     : word == "threads"   ? &threads
                                           : nullptr;
    if (!field) {
      parser.emitError(
          parser.getCurrentLocation(),
          "expected grain, workspace, vectors, packed, dots or threads, "
          "got ")
          << word;
      return {};
    }
    if (parser.parseInteger(*field)) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<CodeAttr>(parser.getContext(), tiles, tile, *of,
                                     grain, workspace, vectors, packed, dots,
                                     threads);
}

void CodeAttr::print(mlir::AsmPrinter &printer) const {
  printer << '<' << getTiles() << " tiles of " << getTile() << ' '
          << stringifyTileKind(getOf());
  for (auto [name, value] :
       {std::pair("grain", getGrain()), std::pair("workspace", getWorkspace()),
        std::pair("vectors", getVectors()), std::pair("packed", getPacked()),
        std::pair("dots", getDots()), std::pair("threads", getThreads())}) {
    if (value != 0) {
      printer << ", " << name << ' ' << value;
    }
  }
  printer << '>';
}

llvm::LogicalResult
CostAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 int64_t bytes, llvm::ArrayRef<mlir::Type> types,
                 llvm::ArrayRef<int64_t> counts) {
  if (bytes < 0) {
    return emitError() << "expected a number of bytes, got " << bytes;
  }
  llvm::SmallPtrSet<mlir::Type, 4> seen(types.begin(), types.end());
  if (types.size() != counts.size() || seen.size() != types.size()) {
    return emitError() << "expected a count for each type, each once, got "
                       << counts.size() << " counts for " << types.size()
                       << " types of which " << seen.size() << " differ";
  }
  for (int64_t count : counts) {
    if (count <= 0) {
      return emitError() << "expected positive counts, got " << count;
    }
  }
  return llvm::success();
}

// <4096 bytes, 128 f32, 2 f64>
mlir::Attribute CostAttr::parse(mlir::AsmParser &parser, mlir::Type) {
  int64_t bytes = 0;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<int64_t> counts;
  if (parser.parseLess() || parser.parseInteger(bytes) ||
      parser.parseKeyword("bytes")) {
    return {};
  }
  while (mlir::succeeded(parser.parseOptionalComma())) {
    if (parser.parseInteger(counts.emplace_back()) ||
        parser.parseType(types.emplace_back())) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<CostAttr>(parser.getContext(), bytes, types, counts);
}

void CostAttr::print(mlir::AsmPrinter &printer) const {
  printer << '<' << getBytes() << " bytes";
  for (auto [type, count] : llvm::zip_equal(getTypes(), getCounts())) {
    printer << ", " << count << ' ' << type;
  }
  printer << '>';
}

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Plan/IR/PlanAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Plan/IR/PlanOps.cpp.inc"
      >();
}
