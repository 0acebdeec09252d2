// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A converter that several operators share knows each of them by name, and
// takes no other for one of them.
#include "dialects/Accel/IR/AccelDialect.h"
#include "frontends/onnx/Conversion/OperatorTable.h"

#include <gtest/gtest.h>

#include <set>

using namespace mlir;

namespace accel::onnx {
namespace {

/// A function with one float and one boolean tensor, whose body nodes are
/// converted into.
struct Graph {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  ConversionState state;
  Value number, flag;
  std::string diagnostics;

  Graph() : builder(&context) {
    context.loadDialect<AccelDialect, func::FuncDialect>();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &d) { diagnostics += d.str() + "\n"; });
    Location loc = builder.getUnknownLoc();
    module = ModuleOp::create(loc);
    Type types[] = {RankedTensorType::get({4}, builder.getF32Type()),
                    RankedTensorType::get({4}, builder.getI1Type())};
    state.function = func::FuncOp::create(
        loc, "forward", builder.getFunctionType(types, TypeRange()));
    module->push_back(state.function);
    Block *body = state.function.addEntryBlock();
    builder.setInsertionPointToStart(body);
    number = body->getArgument(0);
    flag = body->getArgument(1);
  }

  /// What the node becomes, in MLIR's text; empty if it is refused.
  std::string convert(Converter converter, StringRef name,
                      ArrayRef<Value> inputs) {
    pb::NodeProto node;
    node.set_op_type(name.str());
    NodeConversion conversion(state, builder, builder.getUnknownLoc(), node,
                              inputs);
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (succeeded(converter(conversion))) {
      Operation *op = conversion.getResult(0).getDefiningOp();
      stream << op->getName() << op->getAttrDictionary();
    }
    return text;
  }
};

TEST(ElementwiseOpsTest, OperatorsOfOneConverterBecomeDifferentOperations) {
  Graph graph;
  std::set<std::string> seen;
  size_t count = 0;
  for (const OperatorInfo &info : getOperators()) {
    SmallVector<Value> inputs;
    if (info.converter == convertUnary) {
      inputs = {graph.number};
    } else if (info.converter == convertBinary ||
               info.converter == convertCompare) {
      bool isLogical = info.name == "And" || info.name == "Or";
      inputs.assign(2, isLogical ? graph.flag : graph.number);
    } else {
      continue;
    }
    std::string text = graph.convert(info.converter, info.name, inputs);
    EXPECT_FALSE(text.empty()) << info.name.str() << graph.diagnostics;
    seen.insert(text);
    ++count;
  }
  EXPECT_GT(count, 20u);
  EXPECT_EQ(seen.size(), count);
}

TEST(ElementwiseOpsTest, AnOperatorThatTheConverterDoesNotKnowIsAnError) {
  struct Case {
    Converter converter;
    size_t inputs;
    const char *expected;
  };
  for (const Case &each : {Case{convertUnary, 1, "an operator of one tensor"},
                           Case{convertBinary, 2, "an operator of two tensors"},
                           Case{convertCompare, 2, "a comparison"}}) {
    Graph graph;
    SmallVector<Value> inputs(each.inputs, graph.number);
    EXPECT_EQ(graph.convert(each.converter, "Sinh", inputs), "");
    EXPECT_NE(graph.diagnostics.find(
                  std::string("expected ") + each.expected +
                  " that its converter has a case for, got 'Sinh': add the "
                  "case to ElementwiseOps.cpp"),
              std::string::npos)
        << graph.diagnostics;
  }
}

} // namespace
} // namespace accel::onnx
