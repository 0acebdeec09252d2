// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers parameters into buckets, one per repeated block, and lays them out in flat segments.
#include "passes/Shard/Passes.h"

#include "dialects/Accel/IR/AccelDialect.h"
#include "dialects/Accel/IR/AccelOps.h"
#include "passes/Shard/BucketLayout.h"
#include "passes/Shard/RepeatedBlocks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace accel {
#define GEN_PASS_DEF_ASSIGNBUCKETSPASS
#include "passes/Shard/Passes.h.inc"

namespace {

/// How the step uses a parameter.
struct ParameterUse {
  ParameterOp parameter;
  Operation *firstReader = nullptr; ///< null if nothing reads it
  /// What the parameter is to the model: its type, what reads it, and what reads that.
  std::string description;
  unsigned contributions = 0; ///< to its gradient; several if it is tied
};

/// The parameters of a module in the order of their first use, unused ones last.
class ParameterUses {
public:
  ParameterUses(ModuleOp module, RepeatOp loop) {
    llvm::StringMap<unsigned> indices;
    for (ParameterOp parameter : module.getOps<ParameterOp>()) {
      indices[parameter.getSymName()] = uses.size();
      uses.push_back({parameter, nullptr, "", 0});
    }
    for (Operation &op : loop.getBody().front()) {
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
    llvm::stable_sort(uses, [](const ParameterUse &left, const ParameterUse &right) {
      if (!left.firstReader || !right.firstReader) {
        return left.firstReader && !right.firstReader;
      }
      return left.firstReader != right.firstReader && left.firstReader->isBeforeInBlock(right.firstReader);
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
      if (user->getBlock() == op->getBlock() && (!first || user->isBeforeInBlock(first))) {
        first = user;
      }
    }
    return first;
  }

  static void addReaders(ParameterUse &use, ReadOp read) {
    Operation *reader = findFirstUser(read);
    if (reader && (!use.firstReader || reader->isBeforeInBlock(use.firstReader))) {
      use.firstReader = reader;
    }
  }

  /// Only first readers count: they belong to the forward program, where blocks are alike up to their borders.
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
  BucketPlanner(ArrayRef<ParameterUse> uses, int64_t decayRank) : uses(uses), decayRank(decayRank) {}

  BucketProblem plan() {
    findBlocks();
    nameBuckets();
    BucketProblem problem;
    for (auto [index, use] : llvm::enumerate(uses)) {
      ParameterOp parameter = use.parameter;
      auto type = cast<RankedTensorType>(parameter.getType());
      problem.parameters.push_back({parameter.getSymName().str(), type, getGroup(parameter, type), getBucket(index)});
    }
    dropEmptyBuckets(problem);
    return problem;
  }

private:
  /// Blocks are repetitions of what each of them has for itself: trained, and used once.
  void findBlocks() {
    llvm::StringMap<int64_t> numbers;
    SmallVector<int64_t> sequence;
    for (auto [index, use] : llvm::enumerate(uses)) {
      ParameterOp parameter = use.parameter;
      if (parameter.getTrainable() && use.contributions == 1) {
        positions.push_back(index);
        sequence.push_back(numbers.try_emplace(use.description, numbers.size()).first->second);
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
    // What several blocks share lies before them: it is there when the first one needs it.
    if (uses[index].contributions > 1) {
      return 0;
    }
    unsigned block = 0;
    while (block + 1 < blocks.count && index >= positions[blocks.begin + (block + 1) * blocks.length]) {
      ++block;
    }
    return block + 1;
  }

  OptimizerGroup getGroup(ParameterOp parameter, RankedTensorType type) const {
    if (!parameter.getTrainable()) {
      return OptimizerGroup::Frozen;
    }
    return type.getRank() >= decayRank ? OptimizerGroup::Decayed : OptimizerGroup::Undecayed;
  }

  void dropEmptyBuckets(BucketProblem &problem) const {
    SmallVector<int> numbers(names.size(), -1);
    for (unsigned bucket = 0; bucket < names.size(); ++bucket) {
      if (llvm::any_of(problem.parameters, [&](const auto &parameter) { return parameter.bucket == bucket; })) {
        numbers[bucket] = problem.buckets.size();
        problem.buckets.push_back(names[bucket]);
      }
    }
    for (BucketProblem::Parameter &parameter : problem.parameters) {
      parameter.bucket = numbers[parameter.bucket];
    }
  }

  ArrayRef<ParameterUse> uses;
  int64_t decayRank;
  SmallVector<unsigned> positions; ///< of the elements of the sequence among `uses`
  RepeatedBlocks blocks;
  SmallVector<std::string> names;
};

/// Writes a layout into the module.
class LayoutWriter {
public:
  LayoutWriter(ModuleOp module, const BucketProblem &problem, const BucketLayout &layout, StringRef optimizer)
      : module(module), problem(problem), layout(layout), builder(module.getContext()) {
    init = module.lookupSymbol<func::FuncOp>("init");
    slots.push_back("gradient");
    if (optimizer == "adamw") {
      slots.append({"first_moment", "second_moment"});
    } else {
      slots.push_back("momentum");
    }
  }

  void write() {
    for (unsigned bucket = 0; bucket < problem.buckets.size(); ++bucket) {
      writeBucket(bucket);
    }
    SymbolTable symbols(module);
    for (auto [parameter, place] : llvm::zip_equal(problem.parameters, layout.places)) {
      auto op = symbols.lookup<ParameterOp>(parameter.name);
      std::string master = getSlotName(layout.segments[place.segment], "master");
      op.setSegmentAttr(FlatSymbolRefAttr::get(builder.getContext(), master));
      op.setOffsetAttr(builder.getI64IntegerAttr(place.offset));
    }
  }

private:
  std::string getSlotName(const BucketLayout::Segment &segment, StringRef slot) const {
    return (problem.buckets[segment.bucket] + "." + segment.name + "." + slot).str();
  }

  void writeBucket(unsigned bucket) {
    SmallVector<Attribute> descriptions;
    int64_t elements = 0;
    for (const BucketLayout::Segment &segment : layout.segments) {
      if (segment.bucket == bucket) {
        descriptions.push_back(describe(segment));
        elements += segment.elements;
      }
    }
    builder.setInsertionPoint(init);
    BucketOp::create(builder, module.getLoc(), problem.buckets[bucket], kSegmentGranule, builder.getArrayAttr(descriptions));
    for (const BucketLayout::Segment &segment : layout.segments) {
      if (segment.bucket == bucket) {
        writeSlots(segment);
      }
    }
    remark::analysis(module.getLoc(), remark::RemarkOpts::name("Bucket").category("accel-assign-buckets"))
        << remark::add("bucket {0}: {1} segments, {2} elements", problem.buckets[bucket], descriptions.size(), elements);
  }

  Attribute describe(const BucketLayout::Segment &segment) {
    NamedAttrList attrs;
    attrs.set("name", builder.getStringAttr(segment.name));
    attrs.set("group", builder.getStringAttr(stringifyGroup(segment.group)));
    attrs.set("elements", builder.getI64IntegerAttr(segment.elements));
    auto parameters = llvm::map_to_vector(segment.parameters, [&](unsigned index) -> Attribute {
      return FlatSymbolRefAttr::get(builder.getContext(), problem.parameters[index].name);
    });
    attrs.set("parameters", builder.getArrayAttr(parameters));
    return attrs.getDictionary(builder.getContext());
  }

  void writeSlots(const BucketLayout::Segment &segment) {
    writeSlot(segment, "master");
    if (segment.group == OptimizerGroup::Frozen) {
      return;
    }
    for (StringRef slot : slots) {
      writeSlot(segment, slot);
      if (slot != "gradient") {
        writeZero(segment, slot);
      }
    }
  }

  void writeSlot(const BucketLayout::Segment &segment, StringRef slot) {
    builder.setInsertionPoint(init);
    StateOp::create(builder, module.getLoc(), getSlotName(segment, slot), getType(segment), "slot", /*initial=*/FloatAttr(),
                    builder.getStringAttr(problem.buckets[segment.bucket]), builder.getStringAttr(segment.name),
                    builder.getStringAttr(slot), builder.getStringAttr(stringifyGroup(segment.group)));
  }

  void writeZero(const BucketLayout::Segment &segment, StringRef slot) {
    builder.setInsertionPoint(init.getBody().front().getTerminator());
    RankedTensorType type = getType(segment);
    Value zero = ConstantOp::create(builder, module.getLoc(), type, cast<DenseElementsAttr>(builder.getZeroAttr(type)));
    WriteOp::create(builder, module.getLoc(), getSlotName(segment, slot), zero);
  }

  static RankedTensorType getType(const BucketLayout::Segment &segment) {
    return RankedTensorType::get({segment.elements}, segment.elementType);
  }

  ModuleOp module;
  const BucketProblem &problem;
  const BucketLayout &layout;
  OpBuilder builder;
  func::FuncOp init;
  SmallVector<StringRef> slots;
};

class AssignBucketsPass : public impl::AssignBucketsPassBase<AssignBucketsPass> {
public:
  using AssignBucketsPassBase::AssignBucketsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto step = module.lookupSymbol<func::FuncOp>("step");
    RepeatOp loop = step ? findOnly<RepeatOp>(step) : RepeatOp();
    UpdateOp update = step ? findOnly<UpdateOp>(step) : UpdateOp();
    if (!loop || !update || !module.lookupSymbol<func::FuncOp>("init")) {
      module.emitError("expected functions @init and @step, the latter with one accel.repeat and one accel.update");
      return signalPassFailure();
    }
    ParameterUses uses(module, loop);
    BucketProblem problem = BucketPlanner(uses.uses, decayRank).plan();
    if (std::string reason = problem.check(); !reason.empty()) {
      module.emitError("buckets: ") << reason;
      return signalPassFailure();
    }
    BucketLayout layout = solve(problem);
    if (std::string reason = verify(problem, layout); !reason.empty()) {
      module.emitError("buckets: the layout is wrong: ") << reason;
      return signalPassFailure();
    }
    LayoutWriter(module, problem, layout, update.getKind()).write();
  }

private:
  /// The only operation of `OpTy` directly in `function`, or null.
  template <typename OpTy> static OpTy findOnly(func::FuncOp function) {
    auto ops = function.getBody().front().getOps<OpTy>();
    return !ops.empty() && std::next(ops.begin()) == ops.end() ? *ops.begin() : OpTy();
  }
};

} // namespace
} // namespace accel
