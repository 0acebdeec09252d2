// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instruction records of the plan, from the operations of the plan dialect.
#include "compiler/Place.h"
#include "compiler/PlanManifest.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "passes/Analysis/KernelOperands.h"
#include "passes/Memory/MemoryProblem.h"
#include "runtime/plan/container/instruction_stream.h"
#include "runtime/plan/schema/features.h"

#include "llvm/Support/FormatVariadic.h"

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

static planpb::Phase toPhase(plan::Phase phase) {
  switch (phase) {
  case plan::Phase::Init:
    return planpb::PHASE_INIT;
  case plan::Phase::Load:
    return planpb::PHASE_LOAD;
  case plan::Phase::Forward:
    return planpb::PHASE_FORWARD;
  case plan::Phase::Backward:
    return planpb::PHASE_BACKWARD;
  case plan::Phase::Reduce:
    return planpb::PHASE_REDUCE;
  case plan::Phase::Update:
    return planpb::PHASE_UPDATE;
  case plan::Phase::Report:
    return planpb::PHASE_REPORT;
  }
  llvm_unreachable("all phases are listed");
}

static planpb::FunctionRole toRole(FunctionRole role) {
  switch (role) {
  case FunctionRole::Initialize:
    return planpb::FUNCTION_INITIALIZE;
  case FunctionRole::Step:
    return planpb::FUNCTION_STEP;
  case FunctionRole::Evaluate:
    return planpb::FUNCTION_EVALUATE;
  case FunctionRole::Infer:
    return planpb::FUNCTION_INFER;
  }
  llvm_unreachable("all roles are listed");
}

/// For which ranks a function is, in the order of the axes of the mesh.
static void addCoordinates(func::FuncOp function, planpb::Function &message) {
  auto all = function->getAttrOfType<DictionaryAttr>(dist::kCoordinatesAttr);
  for (StringRef axis : dist::getMeshAxes()) {
    if (auto found = all ? all.getAs<IntegerAttr>(axis) : IntegerAttr()) {
      planpb::AxisCoordinate *coordinate = message.add_coordinates();
      coordinate->set_axis(toMeshAxis(axis));
      coordinate->set_coordinate(found.getInt());
    }
  }
}

std::string PlanManifest::addFunction(func::FuncOp function, uint32_t section) {
  std::vector<planpb::Instruction> instructions;
  gradientsComplete = 0;
  StringRef name = function.getSymName();
  addBlock(function.getBody().front(), name, instructions);
  std::string records;
  uint32_t events = 0;
  for (const planpb::Instruction &instruction : instructions) {
    runtime::AppendInstruction(instruction, records);
    for (uint32_t event : instruction.signals()) {
      events = std::max(events, event + 1);
    }
  }
  planpb::Function *message = manifest.add_functions();
  message->set_name(name.str());
  message->set_role(toRole(*getRole(function)));
  addCoordinates(function, *message);
  message->set_section(section);
  message->set_instructions(instructions.size());
  message->set_events(events);
  message->set_gradients_complete_plus_one(gradientsComplete);
  std::optional<PeakInstruction> found = findPeakInstruction(function);
  if (found && found->liveBytes >= peak.liveBytes) {
    peak = *found;
    manifest.mutable_memory()->set_peak_function(name.str());
    manifest.mutable_memory()->set_peak_instruction(peak.number);
  }
  for (auto [space, attribute] : kArenaAttrs) {
    auto bytes = function->getAttrOfType<IntegerAttr>(attribute);
    if (bytes && bytes.getInt() > 0) {
      planpb::Arena *arena = message->add_arenas();
      arena->set_space(toSpace(space));
      arena->set_bytes(bytes.getInt());
      arena->set_alignment(alignment);
    }
  }
  return records;
}

/// What MarkPhases and MarkLayers have said of `op`.
void PlanManifest::setMarks(Operation *op, planpb::Instruction &instruction,
                            uint32_t id) {
  instruction.set_id(id);
  if (auto phase = op->getAttrOfType<plan::PhaseAttr>(plan::kPhaseAttr)) {
    instruction.set_phase(toPhase(phase.getValue()));
  }
  if (auto layer = op->getAttrOfType<IntegerAttr>(plan::kLayerAttr)) {
    instruction.set_layer_plus_one(layer.getInt() + 1);
  }
  if (op->hasAttr(plan::kGradientsCompleteAttr)) {
    gradientsComplete = id + 1;
  }
}

void PlanManifest::addBlock(Block &block, StringRef function,
                            std::vector<planpb::Instruction> &instructions) {
  for (Operation &op : block) {
    if (auto repeat = dyn_cast<plan::RepeatOp>(op)) {
      size_t begin = instructions.size();
      planpb::Instruction head;
      setMarks(repeat, head, begin);
      head.set_name("repeat");
      instructions.push_back(head);
      addBlock(repeat.getBody().front(), function, instructions);
      instructions[begin].mutable_repeat()->set_last(instructions.size() - 1);
    } else if (isa<plan::InstructionOpInterface>(op)) {
      instructions.push_back(
          makeInstruction(&op, function, instructions.size()));
    }
  }
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

planpb::Instruction
PlanManifest::makeInstruction(Operation *op, StringRef function, uint32_t id) {
  auto interface = cast<plan::InstructionOpInterface>(op);
  planpb::Instruction instruction;
  setMarks(op, instruction, id);
  instruction.set_stream(*streams.find(interface));
  for (plan::WaitAttr waited : interface.getWaitedEvents()) {
    planpb::Wait *wait = instruction.add_waits();
    wait->set_event(waited.getEvent());
    wait->set_distance(waited.getDistance());
  }
  for (int64_t event : interface.getSignalledEvents()) {
    instruction.add_signals(event);
  }
  for (plan::BufferAccess each : interface.getAccesses()) {
    plan::BufferRange range = plan::getBufferRange(each.buffer);
    planpb::Access *access = instruction.add_accesses();
    access->set_buffer(bufferIndex(range.buffer, function));
    access->set_offset(range.begin);
    // Of a sharded buffer all that the rank has.
    if (range.part) {
      fillShard(*access->mutable_shard(), range.part);
      usesParts = true;
    } else if (!range.buffer.getShard()) {
      access->set_bytes(range.bytes);
    }
    access->set_mode(toMode(each.access));
    access->set_rotate(range.buffer.getCopies() > 1 ? interface.getRotation()
                                                    : 0);
  }
  setCost(interface.getCost(), instruction);
  instruction.set_source_plus_one(sourceIndexPlusOne(op->getLoc()));
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](plan::LaunchOp launch) { fillLaunch(launch, instruction); })
      .Case([&](plan::FetchOp fetch) { fillFetch(fetch, instruction); })
      .Case([&](plan::LoadOp load) { fillLoad(load, instruction); })
      .Case([&](plan::MetricOp metric) { fillMetric(metric, instruction); })
      .Case([&](plan::FillOp fill) {
        instruction.set_name("fill");
        instruction.mutable_fill()->set_access(0);
        if (fill.getIsTrue()) {
          instruction.mutable_fill()->set_pattern("\1");
        }
      })
      .Case([&](plan::CopyOp) {
        instruction.set_name("copy");
        instruction.mutable_copy()->set_source(0);
        instruction.mutable_copy()->set_destination(1);
      })
      .Case(
          [&](plan::AllReduceOp reduce) { fillAllReduce(reduce, instruction); })
      .Case([&](plan::AllGatherOp gather) {
        fillCut(gather, gather.getState(), planpb::Collective::KIND_ALL_GATHER,
                gather.getShard(), instruction);
      })
      .Case([&](plan::ReduceScatterOp reduce) {
        fillCut(reduce, reduce.getState(),
                planpb::Collective::KIND_REDUCE_SCATTER, reduce.getShard(),
                instruction);
      });
  return instruction;
}

void PlanManifest::fillLaunch(plan::LaunchOp op,
                              planpb::Instruction &instruction) {
  instruction.set_name(op.getKernel().str());
  planpb::Launch *launch = instruction.mutable_launch();
  launch->set_kernel(kernelIndex.lookup(op.getKernel()));
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
}

void PlanManifest::fillFetch(plan::FetchOp op,
                             planpb::Instruction &instruction) {
  instruction.set_name("fetch");
  planpb::Fetch *fetch = instruction.mutable_fetch();
  fetch->set_ahead(op.getAhead());
  for (auto [i, name] :
       llvm::enumerate(op.getNames().getAsValueRange<StringAttr>())) {
    planpb::FetchField *field = fetch->add_fields();
    field->set_field(fieldIndex.lookup(name));
    field->set_access(i);
  }
}

void PlanManifest::fillLoad(plan::LoadOp op, planpb::Instruction &instruction) {
  instruction.set_name(("load " + op.getKey()).str());
  auto type = cast<MemRefType>(op.getBuffer().getType());
  planpb::Load *load = instruction.mutable_load();
  load->set_access(0);
  load->set_dtype(toElementType(type.getElementType()));
  planpb::LoadPiece *piece = load->add_pieces();
  WeightSource source = weightSources.lookup(op.getKey());
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
}

void PlanManifest::fillMetric(plan::MetricOp op,
                              planpb::Instruction &instruction) {
  instruction.set_name(op.getName().str());
  auto [known, isNew] =
      metricIndex.try_emplace(op.getName(), manifest.metrics_size());
  if (isNew) {
    planpb::Metric *metric = manifest.add_metrics();
    metric->set_name(op.getName().str());
    metric->set_buffer(instruction.accesses(0).buffer());
  }
  planpb::ReadMetric *read = instruction.mutable_metric();
  read->set_metric(known->second);
  read->set_access(0);
}

uint32_t PlanManifest::sourceIndexPlusOne(Location loc) {
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
