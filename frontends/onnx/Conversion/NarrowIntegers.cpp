// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operators do with narrow integers is a table; what it does not have is
// refused.
#include "frontends/onnx/Conversion/NarrowIntegers.h"

#include "frontends/onnx/Weights/TensorData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace accel::onnx {
namespace {

enum class NarrowUse {
  Unknown,
  Moves,    ///< its first result is some of them
  MovesAll, ///< all results are
  Wraps,    ///< the same, of sums and products
  Ends,     ///< its results are of another type, or say theirs
};

NarrowUse getNarrowUse(StringRef op) {
  return llvm::StringSwitch<NarrowUse>(op)
      .Cases({"Identity", "Reshape", "Transpose", "Squeeze", "Unsqueeze",
              "Flatten", "Slice", "Concat", "Expand", "Tile", "Where"},
             NarrowUse::Moves)
      .Cases({"Gather", "GatherElements", "GatherND", "ScatterElements",
              "ScatterND", "DepthToSpace", "SpaceToDepth", "ReverseSequence",
              "Trilu", "Pad", "Compress", "CenterCropPad"},
             NarrowUse::Moves)
      .Cases({"Max", "Min", "Clip", "ReduceMax", "ReduceMin", "MaxPool", "TopK",
              "Sign"},
             NarrowUse::Moves)
      .Case("Split", NarrowUse::MovesAll)
      .Cases({"Add", "Sub", "Mul", "Div", "Mod", "Neg", "Abs", "BitShift",
              "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor"},
             NarrowUse::Wraps)
      .Cases({"Cast", "CastLike", "Equal", "Less", "LessOrEqual", "Greater",
              "GreaterOrEqual", "Shape", "Size", "NonZero", "ArgMax", "ArgMin"},
             NarrowUse::Ends)
      .Default(NarrowUse::Unknown);
}

/// The type of the node's first narrow input; nothing if it has none.
std::optional<int32_t> findNarrowInput(const NodeConversion &c) {
  for (const std::string &name : c.node.input()) {
    auto found = c.state.narrow.find(name);
    if (found != c.state.narrow.end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

} // namespace

void markNarrow(ConversionState &state, StringRef name, int32_t dataType) {
  if (getNarrowRange(dataType)) {
    state.narrow[name] = dataType;
  }
}

LogicalResult checkNarrowInputs(const NodeConversion &c) {
  std::optional<int32_t> dataType = findNarrowInput(c);
  if (!dataType || getNarrowUse(c.node.op_type()) != NarrowUse::Unknown) {
    return success();
  }
  return c.error() << "expected no input of " << getDataTypeName(*dataType)
                   << "; cast it to FLOAT, INT32 or INT64 first";
}

void markNarrowOutputs(NodeConversion &c) {
  std::optional<int32_t> dataType = findNarrowInput(c);
  NarrowUse use = getNarrowUse(c.node.op_type());
  if (!dataType || use == NarrowUse::Ends) {
    return;
  }
  int count = use == NarrowUse::MovesAll ? c.node.output_size() : 1;
  for (int i = 0; i < count; ++i) {
    if (use == NarrowUse::Wraps) {
      c.setResult(i, wrapIntegers(c, c.getResult(i), *dataType));
    }
    markNarrow(c.state, c.node.output(i), *dataType);
  }
}

Value wrapIntegers(NodeConversion &c, Value value, int32_t dataType) {
  IntegerRange range = *getNarrowRange(dataType);
  RankedTensorType type = c.typeOf(value);
  auto combine = [&](BitFunction function, Value bits, int64_t number) {
    Value constant = c.makeConstant(type, static_cast<double>(number));
    return BitwiseOp::create(c.builder, c.loc, type, function, bits, constant)
        .getResult();
  };
  Value low = combine(BitFunction::And, value, range.last - range.first);
  if (range.first == 0) {
    return low;
  }
  // Turning the sign's bit over and taking it away copies it upwards.
  int64_t sign = -range.first;
  return SubOp::create(c.builder, c.loc, combine(BitFunction::Xor, low, sign),
                       c.makeConstant(type, static_cast<double>(sign)));
}

} // namespace accel::onnx
