// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the function that answers: what the host gives and takes are states,
// because the host may touch those between calls.
#include "passes/Accumulate/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/FunctionRoles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_INSERTINFERENCEPASS
#include "passes/Accumulate/Passes.h.inc"

namespace {

/// Builds @infer around the body of @forward.
class InferenceBuilder {
public:
  InferenceBuilder(ModuleOp module, func::FuncOp forward)
      : symbols(module), forward(forward), builder(forward) {}

  void build() {
    auto infer = func::FuncOp::create(builder, forward.getLoc(), "infer",
                                      builder.getFunctionType({}, {}));
    setRole(infer, FunctionRole::Infer);
    builder.setInsertionPoint(infer);
    Block *body = infer.addEntryBlock();
    Block &source = forward.getBody().front();
    readInputs(source, body);
    Operation *terminator = source.getTerminator();
    SmallVector<Value> results(terminator->getOperands());
    terminator->erase();
    body->getOperations().splice(body->end(), source.getOperations());
    writeOutputs(results, body);
    forward.erase();
    symbols.insert(infer);
  }

private:
  /// A state of `kind` for what the model calls as `attributes` say.
  StateOp declare(StringRef prefix, StateKind kind, Value value,
                  DictionaryAttr attributes) {
    StringRef name = attributes.getAs<StringAttr>("accel.name").getValue();
    auto state = StateOp::create(builder, value.getLoc(), (prefix + name).str(),
                                 value.getType(), kind);
    state->setDiscardableAttrs(attributes);
    // A parameter may have the name, or another state.
    symbols.insert(state);
    return state;
  }

  void readInputs(Block &source, Block *body) {
    OpBuilder reads = OpBuilder::atBlockBegin(body);
    for (BlockArgument argument : source.getArguments()) {
      StateOp state = declare("input.", StateKind::Input, argument,
                              forward.getArgAttrDict(argument.getArgNumber()));
      argument.replaceAllUsesWith(ReadOp::create(
          reads, argument.getLoc(), argument.getType(), state.getSymName()));
    }
  }

  void writeOutputs(ArrayRef<Value> results, Block *body) {
    OpBuilder writes = OpBuilder::atBlockEnd(body);
    for (auto [i, value] : llvm::enumerate(results)) {
      StateOp state = declare("output.", StateKind::Output, value,
                              forward.getResultAttrDict(i));
      // What has no elements needs no memory.
      if (cast<RankedTensorType>(value.getType()).getNumElements() > 0) {
        WriteOp::create(writes, value.getLoc(), state.getSymName(), value);
      }
    }
    func::ReturnOp::create(writes, forward.getLoc());
  }

  SymbolTable symbols;
  func::FuncOp forward;
  OpBuilder builder;
};

class InsertInferencePass
    : public impl::InsertInferencePassBase<InsertInferencePass> {
public:
  using InsertInferencePassBase::InsertInferencePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto forward = module.lookupSymbol<func::FuncOp>("forward");
    if (!forward || failed(checkNames(forward))) {
      if (!forward) {
        module.emitError("expected a function @forward, got none");
      }
      return signalPassFailure();
    }
    for (auto parameter : module.getOps<ParameterOp>()) {
      parameter.setTrainable(false);
    }
    InferenceBuilder(module, forward).build();
  }

private:
  static LogicalResult checkNames(func::FuncOp forward) {
    auto hasName = [](DictionaryAttr attributes) {
      return attributes && attributes.getAs<StringAttr>("accel.name");
    };
    for (unsigned i = 0; i < forward.getNumArguments(); ++i) {
      if (!hasName(forward.getArgAttrDict(i))) {
        return forward.emitError("expected 'accel.name' of argument ")
               << i << ", got none";
      }
    }
    for (unsigned i = 0; i < forward.getNumResults(); ++i) {
      if (!hasName(forward.getResultAttrDict(i))) {
        return forward.emitError("expected 'accel.name' of result ")
               << i << ", got none";
      }
    }
    return success();
  }
};

} // namespace
} // namespace accel
