// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buckets from the order in which the step first reads its parameters.
#include "passes/Shard/BucketPlan.h"

#include "passes/Shard/RepeatedBlocks.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace accel {
namespace {

/// How the step uses a parameter.
struct ParameterUse {
  ParameterOp parameter;
  Operation *firstReader = nullptr; ///< null if nothing reads it
  /// What the parameter is to the model: its type, what reads it, and what
  /// reads that.
  std::string description;
  unsigned contributions = 0; ///< to its gradient; several if it is tied
};

/// The parameters of a module in the order of their first use, unused ones
/// last.
class ParameterUses {
public:
  ParameterUses(ModuleOp module, Block &body) {
    llvm::StringMap<unsigned> indices;
    for (ParameterOp parameter : module.getOps<ParameterOp>()) {
      indices[parameter.getSymName()] = uses.size();
      uses.push_back({parameter, nullptr, "", 0});
    }
    for (Operation &op : body) {
      if (auto read = dyn_cast<ReadOp>(op)) {
        auto index = indices.find(read.getSymbol());
        if (index != indices.end()) {
          addReaders(uses[index->second], read);
        }
      }
      if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
        auto index = indices.find(accumulate.getSymbol());
        if (index != indices.end()) {
          ++uses[index->second].contributions;
        }
      }
    }
    llvm::stable_sort(
        uses, [](const ParameterUse &left, const ParameterUse &right) {
          if (!left.firstReader || !right.firstReader) {
            return left.firstReader && !right.firstReader;
          }
          return left.firstReader != right.firstReader &&
                 left.firstReader->isBeforeInBlock(right.firstReader);
        });
    for (ParameterUse &use : uses) {
      describe(use);
    }
  }

  SmallVector<ParameterUse> uses;

private:
  static Operation *findFirstUser(Operation *op) {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers()) {
      if (user->getBlock() == op->getBlock() &&
          (!first || user->isBeforeInBlock(first))) {
        first = user;
      }
    }
    return first;
  }

  static void addReaders(ParameterUse &use, ReadOp read) {
    Operation *reader = findFirstUser(read);
    if (reader &&
        (!use.firstReader || reader->isBeforeInBlock(use.firstReader))) {
      use.firstReader = reader;
    }
  }

  /// Only first readers count: they belong to the forward program, where blocks
  /// are alike up to their borders.
  static void describe(ParameterUse &use) {
    llvm::raw_string_ostream text(use.description);
    text << use.parameter.getType();
    Operation *reader = use.firstReader;
    for (int depth = 0; depth < 2 && reader; ++depth) {
      text << ' ' << reader->getName();
      for (auto [index, operand] : llvm::enumerate(reader->getOperands())) {
        auto read = operand.getDefiningOp<ReadOp>();
        if (read && read.getSymbol() == use.parameter.getSymName()) {
          text << '#' << index;
        }
      }
      reader = findFirstUser(reader);
    }
  }
};

/// Puts every parameter into a bucket.
class BucketPlanner {
public:
  BucketPlanner(ArrayRef<ParameterUse> uses, int64_t decayRank)
      : uses(uses), decayRank(decayRank) {}

  BucketProblem plan() {
    findBlocks();
    nameBuckets();
    BucketProblem problem;
    for (auto [index, use] : llvm::enumerate(uses)) {
      ParameterOp parameter = use.parameter;
      auto type = cast<RankedTensorType>(parameter.getType());
      problem.parameters.push_back({parameter.getSymName().str(), type,
                                    getGroup(parameter), getBucket(index),
                                    parameter.getCompute().value_or(Type()),
                                    UpdateRates::get(parameter)});
    }
    dropEmptyBuckets(problem);
    return problem;
  }

private:
  /// Blocks are repetitions of what each of them has for itself: trained, and
  /// used once.
  void findBlocks() {
    llvm::StringMap<int64_t> numbers;
    SmallVector<int64_t> sequence;
    for (auto [index, use] : llvm::enumerate(uses)) {
      ParameterOp parameter = use.parameter;
      if (parameter.getTrainable() && use.contributions == 1) {
        positions.push_back(index);
        sequence.push_back(
            numbers.try_emplace(use.description, numbers.size()).first->second);
      }
    }
    blocks = findRepeatedBlocks(sequence);
  }

  void nameBuckets() {
    if (!blocks) {
      names.push_back("model");
      return;
    }
    names.push_back("before");
    for (int64_t i = 0; i < blocks.count; ++i) {
      names.push_back("block" + std::to_string(i));
    }
    names.push_back("after");
  }

  unsigned getBucket(unsigned index) const {
    if (!blocks || index < positions[blocks.begin]) {
      return 0;
    }
    if (index > positions[blocks.getEnd() - 1]) {
      return blocks.count + 1;
    }
    // What several blocks share lies before them: it is there when the first
    // one needs it.
    if (uses[index].contributions > 1) {
      return 0;
    }
    unsigned block = 0;
    while (block + 1 < blocks.count &&
           index >= positions[blocks.begin + (block + 1) * blocks.length]) {
      ++block;
    }
    return block + 1;
  }

  OptimizerGroup getGroup(ParameterOp parameter) const {
    if (!parameter.getTrainable()) {
      return parameter.getStatistic() ? OptimizerGroup::Statistic
                                      : OptimizerGroup::Frozen;
    }
    return parameter.isDecayed(decayRank) ? OptimizerGroup::Decayed
                                          : OptimizerGroup::Undecayed;
  }

  void dropEmptyBuckets(BucketProblem &problem) const {
    SmallVector<int> numbers(names.size(), -1);
    for (unsigned bucket = 0; bucket < names.size(); ++bucket) {
      if (llvm::any_of(problem.parameters, [&](const auto &parameter) {
            return parameter.bucket == bucket;
          })) {
        numbers[bucket] = problem.buckets.size();
        bool isBlock = blocks && bucket > 0 &&
                       bucket <= static_cast<unsigned>(blocks.count);
        problem.buckets.push_back(
            {names[bucket],
             isBlock ? std::optional<int64_t>(bucket - 1) : std::nullopt});
      }
    }
    for (BucketProblem::Parameter &parameter : problem.parameters) {
      parameter.bucket = numbers[parameter.bucket];
    }
  }

  ArrayRef<ParameterUse> uses;
  int64_t decayRank;
  SmallVector<unsigned>
      positions; ///< of the elements of the sequence among `uses`
  RepeatedBlocks blocks;
  SmallVector<std::string> names;
};

} // namespace

BucketProblem planBuckets(ModuleOp module, Block &body, int64_t decayRank) {
  ParameterUses uses(module, body);
  return BucketPlanner(uses.uses, decayRank).plan();
}

} // namespace accel
