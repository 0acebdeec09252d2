// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of the plan, and what depends on the number of ranks.
#include "compiler/PlanCollectives.h"

#include "compiler/PlanBuffers.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace accel;

/// The verifiers of dist allow these names only.
planpb::MeshAxis accel::toMeshAxis(StringRef name) {
  return llvm::StringSwitch<planpb::MeshAxis>(name)
      .Case("replica", planpb::AXIS_REPLICA)
      .Case("fsdp", planpb::AXIS_FSDP)
      .Case("tensor", planpb::AXIS_TENSOR)
      .Case("pipeline", planpb::AXIS_PIPELINE)
      .Case("context", planpb::AXIS_CONTEXT)
      .Case("expert", planpb::AXIS_EXPERT);
}

/// What AnnotateCosts has said of `op`.
static void setDecided(Operation *op, planpb::Collective &collective) {
  fillTerm(*collective.mutable_bytes()->add_alternatives()->add_terms(),
           op->getAttrOfType<plan::SizeAttr>(plan::kBytesSentAttr));
  collective.set_sequence(
      op->getAttrOfType<IntegerAttr>(plan::kSequenceAttr).getInt());
}

void PlanCollectives::fill(plan::AllReduceOp op,
                           planpb::Instruction &instruction) {
  // A value of the microbatch has no name but that of its node.
  StringRef symbol =
      plan::getBufferRange(op.getBuffer()).buffer.getSymbol().value_or("value");
  instruction.set_name(("all_reduce " + symbol).str());
  auto type = cast<MemRefType>(op.getBuffer().getType());
  planpb::Collective *collective = instruction.mutable_collective();
  collective->set_kind(planpb::Collective::KIND_ALL_REDUCE);
  collective->set_reduction(op.getReduction() == plan::Reduction::Max
                                ? planpb::Collective::REDUCTION_MAX
                                : planpb::Collective::REDUCTION_SUM);
  collective->set_dtype(toElementType(type.getElementType()));
  collective->mutable_shard()->set_elements(type.getNumElements());
  collective->mutable_shard()->set_granule(1);
  for (StringRef axis : op.getAxes().getAsValueRange<StringAttr>()) {
    collective->add_axes(toMeshAxis(axis));
    collective->mutable_shard()->add_axes(toMeshAxis(axis));
  }
  collective->set_input_plus_one(1);
  collective->set_output_plus_one(1);
  setDecided(op, *collective);
  setSegment(op.getSegmentAttr(), instruction);
}

void accel::fillShard(planpb::Shard &message, plan::ShardAttr shard) {
  message.set_elements(shard.getElements());
  message.set_granule(shard.getGranule());
  for (StringAttr axis : shard.getAxes()) {
    message.add_axes(toMeshAxis(axis));
  }
}

/// A collective that moves all elements of `shard` but a rank's own.
void PlanCollectives::fillCut(Operation *op, StringRef state,
                              planpb::Collective::Kind kind,
                              plan::ShardAttr shard,
                              planpb::Instruction &instruction) {
  bool isGather = kind == planpb::Collective::KIND_ALL_GATHER;
  instruction.set_name(
      ((isGather ? "all_gather " : "reduce_scatter ") + state).str());
  auto type = cast<MemRefType>(op->getOperand(0).getType());
  planpb::Collective *collective = instruction.mutable_collective();
  collective->set_kind(kind);
  collective->set_reduction(isGather ? planpb::Collective::REDUCTION_NONE
                                     : planpb::Collective::REDUCTION_SUM);
  collective->set_dtype(toElementType(type.getElementType()));
  fillShard(*collective->mutable_shard(), shard);
  *collective->mutable_axes() = collective->shard().axes();
  collective->set_input_plus_one(1);
  collective->set_output_plus_one(2);
  setDecided(op, *collective);
  setSegment(op->getAttrOfType<SegmentRefAttr>(plan::kSegmentAttr),
             instruction);
}

void PlanCollectives::fill(plan::AllGatherOp op,
                           planpb::Instruction &instruction) {
  fillCut(op, op.getState(), planpb::Collective::KIND_ALL_GATHER, op.getShard(),
          instruction);
}

void PlanCollectives::fill(plan::ReduceScatterOp op,
                           planpb::Instruction &instruction) {
  fillCut(op, op.getState(), planpb::Collective::KIND_REDUCE_SCATTER,
          op.getShard(), instruction);
}

PlanCollectives::PlanCollectives(ModuleOp module) {
  for (auto [b, bucket] : llvm::enumerate(module.getOps<BucketOp>())) {
    for (auto [s, segment] :
         llvm::enumerate(bucket.getSegments().getAsRange<SegmentAttr>())) {
      segments[bucket.getReference(segment.getName())] = {
          static_cast<uint32_t>(b), static_cast<uint32_t>(s)};
    }
  }
}

/// Copies which segment of which bucket a collective is for; VerifySchedule has
/// found it in the module.
void PlanCollectives::setSegment(SegmentRefAttr segment,
                                 planpb::Instruction &instruction) {
  if (!segment) {
    return;
  }
  auto [bucketNumber, segmentNumber] = segments.at(segment);
  planpb::Collective *collective = instruction.mutable_collective();
  collective->set_bucket_plus_one(bucketNumber + 1);
  collective->set_segment_plus_one(segmentNumber + 1);
  instruction.set_block_plus_one(bucketNumber + 1);
}
