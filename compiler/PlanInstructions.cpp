// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instruction records of the plan, from the operations of the plan dialect.
#include "compiler/PlanInstructions.h"

#include "compiler/Place.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

planpb::Access::Mode accel::toMode(plan::Access access) {
  switch (access) {
  case plan::Access::Read:
    return planpb::Access::MODE_READ;
  case plan::Access::Write:
    return planpb::Access::MODE_WRITE;
  case plan::Access::ReadWrite:
    return planpb::Access::MODE_READ_WRITE;
  }
  llvm_unreachable("all accesses are listed");
}

/// What AnnotateCosts has said.
static void setCost(plan::CostAttr cost, planpb::Instruction &instruction) {
  instruction.set_bytes_moved(cost.getBytes());
  for (auto [type, count] :
       llvm::zip_equal(cost.getTypes(), cost.getCounts())) {
    planpb::Flops *message = instruction.add_flops();
    message->set_dtype(toElementType(type));
    message->set_count(count);
  }
}

/// What AnnotateInfinities has said of an access.
static planpb::Access::Infinities toInfinities(std::optional<plan::Sign> sign) {
  if (!sign) {
    return planpb::Access::INFINITIES_NONE;
  }
  switch (*sign) {
  case plan::Sign::Negative:
    return planpb::Access::INFINITIES_NEGATIVE;
  case plan::Sign::Positive:
    return planpb::Access::INFINITIES_POSITIVE;
  case plan::Sign::Both:
    return planpb::Access::INFINITIES_BOTH;
  }
  llvm_unreachable("all signs are listed");
}

/// All memory that an instruction touches.
void PlanInstructions::addAccesses(plan::InstructionOpInterface op,
                                   StringRef function,
                                   planpb::Instruction &instruction) {
  for (auto [number, each] : llvm::enumerate(op.getAccesses())) {
    plan::BufferRange range = plan::getBufferRange(each.buffer);
    planpb::Access *access = instruction.add_accesses();
    access->set_buffer(buffers.getIndex(range.buffer, function));
    access->set_offset(range.begin);
    // Of a sharded buffer all that the rank has.
    if (range.part) {
      fillShard(*access->mutable_shard(), range.part);
      usesParts = true;
    } else if (!range.buffer.getShard()) {
      access->set_bytes(range.bytes);
    }
    access->set_mode(toMode(each.access));
    access->set_infinities(toInfinities(op.getInfinities(number)));
    access->set_rotate(range.buffer.getCopies() > 1 ? op.getRotation() : 0);
  }
}

FailureOr<planpb::Instruction>
PlanInstructions::make(plan::InstructionOpInterface op, StringRef function) {
  planpb::Instruction instruction;
  instruction.set_stream(*streams.find(op));
  for (plan::WaitAttr waited : op.getWaitedEvents()) {
    planpb::Wait *wait = instruction.add_waits();
    wait->set_event(waited.getEvent());
    wait->set_distance(waited.getDistance());
  }
  for (int64_t event : op.getSignalledEvents()) {
    instruction.add_signals(event);
  }
  addAccesses(op, function, instruction);
  setCost(op.getCost(), instruction);
  instruction.set_source_plus_one(sourceIndexPlusOne(op->getLoc()));
  if (failed(fillBody(op, instruction))) {
    return failure();
  }
  return instruction;
}

LogicalResult PlanInstructions::fillBody(Operation *op,
                                         planpb::Instruction &instruction) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<plan::LaunchOp, plan::FetchOp, plan::LoadOp>(
          [&](auto op) { return fill(op, instruction); })
      .Case<plan::MetricOp, plan::FillOp, plan::CopyOp>([&](auto op) {
        fill(op, instruction);
        return success();
      })
      .Case<plan::AllReduceOp, plan::AllGatherOp, plan::ReduceScatterOp>(
          [&](auto op) {
            collectives.fill(op, instruction);
            return success();
          })
      .Default([](Operation *op) {
        return op->emitOpError("expected an instruction that a plan has, got "
                               "one that the plan writer does not know");
      });
}

void PlanInstructions::fill(plan::FillOp op, planpb::Instruction &instruction) {
  instruction.set_name("fill");
  instruction.mutable_fill()->set_access(0);
  if (op.getIsTrue()) {
    instruction.mutable_fill()->set_pattern("\1");
  }
}

void PlanInstructions::fill(plan::CopyOp, planpb::Instruction &instruction) {
  instruction.set_name("copy");
  instruction.mutable_copy()->set_source(0);
  instruction.mutable_copy()->set_destination(1);
}

LogicalResult PlanInstructions::fill(plan::LaunchOp op,
                                     planpb::Instruction &instruction) {
  std::optional<uint32_t> kernel = kernels.find(op.getKernel());
  if (!kernel) {
    return op.emitOpError("expected a kernel that has code, got '@")
           << op.getKernel() << "'";
  }
  instruction.set_name(op.getKernel().str());
  planpb::Launch *launch = instruction.mutable_launch();
  launch->set_kernel(*kernel);
  for (int i = 0; i < instruction.accesses_size(); ++i) {
    launch->add_arguments(i);
  }
  if (std::optional<plan::ShardAttr> shard = op.getShard()) {
    fillShard(*launch->mutable_part(), *shard);
  }
  if (op.getWorkspace()) {
    planpb::Access *workspace =
        instruction.mutable_accesses(instruction.accesses_size() - 1);
    workspace->set_thread_stride(workspace->bytes());
    usesThreadPrivate = true;
  }
  return success();
}

LogicalResult PlanInstructions::fill(plan::FetchOp op,
                                     planpb::Instruction &instruction) {
  instruction.set_name("fetch");
  planpb::Fetch *fetch = instruction.mutable_fetch();
  fetch->set_ahead(op.getAhead());
  for (auto [i, name] :
       llvm::enumerate(op.getNames().getAsValueRange<StringAttr>())) {
    std::optional<uint32_t> index = signature.find(name);
    if (!index) {
      return op.emitOpError("expected the name of an io buffer, got '")
             << name << "'";
    }
    planpb::FetchField *field = fetch->add_fields();
    field->set_field(*index);
    field->set_access(i);
  }
  return success();
}

LogicalResult PlanInstructions::fill(plan::LoadOp op,
                                     planpb::Instruction &instruction) {
  auto found = weightSources.find(op.getKey());
  if (found == weightSources.end()) {
    return op.emitOpError(
               "expected the key of weights that the model has, got '")
           << op.getKey() << "'";
  }
  instruction.set_name(("load " + op.getKey()).str());
  auto type = cast<MemRefType>(op.getBuffer().getType());
  planpb::Load *load = instruction.mutable_load();
  load->set_access(0);
  load->set_dtype(toElementType(type.getElementType()));
  planpb::LoadPiece *piece = load->add_pieces();
  const WeightSource &source = found->second;
  if (source.section) {
    piece->set_section_plus_one(*source.section + 1);
  } else {
    piece->set_external_file_plus_one(source.file + 1);
  }
  piece->set_source_offset(source.offset);
  piece->set_rows(source.rows);
  piece->set_columns(source.columns);
  piece->set_elements(op.getElements().value_or(type.getNumElements()));
  piece->set_element_offset(op.getOffset().value_or(0));
  plan::BufferOp buffer = plan::getBufferRange(op.getBuffer()).buffer;
  if (std::optional<plan::ShardAttr> shard = buffer.getShard()) {
    fillShard(*load->mutable_shard(), *shard);
  }
  return success();
}

void PlanInstructions::fill(plan::MetricOp op,
                            planpb::Instruction &instruction) {
  instruction.set_name(op.getName().str());
  auto [known, isNew] =
      metrics.try_emplace(op.getName(), manifest.metrics_size());
  if (isNew) {
    planpb::Metric *metric = manifest.add_metrics();
    metric->set_name(op.getName().str());
    metric->set_buffer(instruction.accesses(0).buffer());
  }
  planpb::ReadMetric *read = instruction.mutable_metric();
  read->set_metric(known->second);
  read->set_access(0);
}

uint32_t PlanInstructions::sourceIndexPlusOne(Location loc) {
  Place place = readPlace(loc);
  planpb::Source source;
  source.set_node(place.node);
  source.set_scope(place.scope);
  source.set_file(place.file);
  source.set_line(place.line);
  std::string key = source.SerializeAsString();
  if (key.empty()) {
    return 0;
  }
  auto [known, isNew] = sources.try_emplace(key, manifest.sources_size());
  if (isNew) {
    *manifest.add_sources() = source;
  }
  return known->second + 1;
}
