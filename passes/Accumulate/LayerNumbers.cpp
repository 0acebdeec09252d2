// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names say what the blocks are, the program says what lies on either side.
#include "passes/Accumulate/LayerNumbers.h"

#include <cmath>

using namespace mlir;

namespace accel {
namespace {

/// The first operation of `block` that computes with `value`: what only gives
/// it another type or shape may stand anywhere before.
Operation *findFirstReader(Value value, Block *block) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    bool isView = isa<CastOp, ReshapeOp, TransposeOp, BroadcastOp>(user);
    Operation *reader =
        isView ? findFirstReader(user->getResult(0), block) : user;
    if (reader && reader->getBlock() == block &&
        (!first || reader->isBeforeInBlock(first))) {
      first = reader;
    }
  }
  return first;
}

/// The first reader of each parameter that is read.
llvm::DenseMap<StringAttr, Operation *> findReaders(RepeatOp loop) {
  llvm::DenseMap<StringAttr, Operation *> readers;
  Block &body = loop.getBody().front();
  for (auto read : body.getOps<ReadOp>()) {
    Operation *reader = findFirstReader(read.getResult(), &body);
    Operation *&known = readers[read.getSymbolAttr().getAttr()];
    if (reader && (!known || reader->isBeforeInBlock(known))) {
      known = reader;
    }
  }
  return readers;
}

} // namespace

double LayerNumbers::getFactor(ParameterOp parameter, double x) const {
  auto found = layers.find(parameter.getSymNameAttr());
  return found == layers.end()
             ? 1.0
             : std::pow(x, static_cast<double>(last - found->second));
}

LayerNumbers numberLayers(ModuleOp module, RepeatOp loop,
                          const NamedBlocks &blocks) {
  LayerNumbers result;
  result.blocks = blocks;
  llvm::DenseMap<StringAttr, Operation *> readers = findReaders(loop);
  Operation *end = nullptr; // the last of the blocks' first readers
  for (auto parameter : module.getOps<ParameterOp>()) {
    Operation *reader = readers.lookup(parameter.getSymNameAttr());
    if (reader && blocks.find(parameter.getSymName()) &&
        (!end || end->isBeforeInBlock(reader))) {
      end = reader;
    }
  }
  auto behind = static_cast<int64_t>(blocks.numbers.size()) + 1;
  for (auto parameter : module.getOps<ParameterOp>()) {
    Operation *reader = readers.lookup(parameter.getSymNameAttr());
    if (!reader || parameter.getStatistic()) {
      continue;
    }
    std::optional<size_t> block = blocks.find(parameter.getSymName());
    int64_t layer = block ? static_cast<int64_t>(*block) + 1
                    : end && end->isBeforeInBlock(reader) ? behind
                                                          : 0;
    result.layers[parameter.getSymNameAttr()] = layer;
    result.last = std::max(result.last, layer);
  }
  return result;
}

} // namespace accel
