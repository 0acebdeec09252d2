// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lookups are accel.gather of a parameter; their attribute holds the row.
#include "frontends/onnx/Annotation/PaddingRows.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "frontends/onnx/ErrorCodes.h"
#include "frontends/onnx/Model/Metadata.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// The lookups of each parameter, in program order.
using Lookups = llvm::MapVector<StringRef, SmallVector<GatherOp>>;

Lookups collectLookups(func::FuncOp forward) {
  Lookups lookups;
  forward.walk([&](GatherOp gather) {
    if (auto read = gather.getTable().getDefiningOp<ReadOp>()) {
      lookups[read.getSymbol()].push_back(gather);
    }
  });
  return lookups;
}

int64_t countRows(GatherOp gather) {
  return cast<RankedTensorType>(gather.getTable().getType()).getDimSize(0);
}

LogicalResult assign(func::FuncOp forward, Lookups &lookups, StringRef name,
                     std::optional<int64_t> row) {
  auto emitError = [&] {
    return emitCodedError(forward.getLoc(), codes::TrainedParameters)
           << "--padding-row '" << name << "': expected ";
  };
  auto found = lookups.find(name);
  if (found == lookups.end()) {
    std::string names = llvm::join(llvm::make_first_range(lookups), ", ");
    return emitError() << "the name of an embedding, got none; embeddings are: "
                       << (names.empty() ? "none" : names);
  }
  int64_t rows = countRows(found->second.front());
  if (row && *row >= rows) {
    return emitError() << "a row from 0 to " << rows - 1 << ", got " << *row;
  }
  Builder builder(forward.getContext());
  for (GatherOp gather : found->second) {
    gather.setPaddingRowAttr(row ? builder.getI64IntegerAttr(*row)
                                 : IntegerAttr());
  }
  return success();
}

} // namespace

std::optional<int64_t> findPaddingRow(const pb::NodeProto &node, int64_t rows) {
  std::optional<FxCall> call = getFxCall(node);
  if (!call || !call->isAten("embedding")) {
    return std::nullopt;
  }
  // embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, ..)
  int64_t row = -1; // none
  bool isRow = !call->getArgument(2, "padding_idx").getAsInteger(10, row) &&
               row >= 0 && row < rows;
  return isRow ? std::optional(row) : std::nullopt;
}

bool dividesByFrequency(const pb::NodeProto &node) {
  // embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, ..)
  std::optional<FxCall> call = getFxCall(node);
  return call &&
         call->isAten({"embedding", "embedding_bag", "_embedding_bag"}) &&
         call->getArgument(3, "scale_grad_by_freq") == "True";
}

LogicalResult
assignPaddingRows(func::FuncOp forward,
                  const std::map<std::string, std::optional<int64_t>> &rows,
                  ImportNotes &notes) {
  Lookups lookups = collectLookups(forward);
  bool hasFailed = false;
  for (const auto &[name, row] : rows) {
    hasFailed |= failed(assign(forward, lookups, name, row));
  }
  std::vector<std::string> padded;
  for (const auto &[name, gathers] : lookups) {
    auto with = llvm::find_if(
        gathers, [](GatherOp gather) { return gather.getPaddingRow(); });
    if (with != gathers.end()) {
      padded.push_back("row " +
                       std::to_string(*GatherOp(*with).getPaddingRow()) +
                       " of " + name.str());
    }
  }
  if (!padded.empty()) {
    addRemark(notes,
              "lookups of a padding row do not train it, as in PyTorch "
              "(--padding-row changes that)",
              std::move(padded));
  }
  return failure(hasFailed);
}

} // namespace accel::onnx
