// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest of a plan: what the module's symbols and attributes say, message
// by message.
#include "compiler/PlanManifest.h"
#include "dialects/Accel/IR/FunctionRoles.h"
#include "passes/Analysis/IterationDomain.h"
#include "passes/Analysis/KernelOperands.h"
#include "passes/Analysis/StateMemory.h"

#include "dialects/Accel/IR/Schedule.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Memory/MemoryProblem.h"
#include "runtime/plan/schema/features.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SHA256.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace accel;

PlanManifest::PlanManifest(ModuleOp module, const LoweredCode &code,
                           const onnx::ImportedModel &model,
                           const PlanWriterOptions &options)
    : module(module), streams(module), code(code), model(model),
      options(options) {
  manifest.set_producer("accelc " ACCEL_VERSION);
  module.walk([&](plan::BufferOp buffer) {
    alignment = std::max<uint64_t>(alignment, buffer.getAlignment());
  });
  addMesh();
  addSignature();
  addModelFacts();
  addKernels();
}

/// Whether ranks hold parts of anything.
static bool isSharded(ModuleOp module) {
  return llvm::any_of(module.getOps<StateOp>(), [](StateOp state) {
    return dist::getHolding(state) != dist::Holding::All;
  });
}

static planpb::StreamKind toKind(plan::StreamKind kind) {
  switch (kind) {
  case plan::StreamKind::Compute:
    return planpb::STREAM_COMPUTE;
  case plan::StreamKind::Communication:
    return planpb::STREAM_COMMUNICATION;
  case plan::StreamKind::Host:
    return planpb::STREAM_HOST;
  }
  llvm_unreachable("all kinds are listed");
}

/// The ranks of a run lie along one axis, whose degree is bound when the plan
/// is loaded: replica if they all hold the same, fsdp if they share. Nothing
/// else is parallel.
void PlanManifest::addMesh() {
  planpb::MeshAxis data =
      isSharded(module) ? planpb::AXIS_FSDP : planpb::AXIS_REPLICA;
  for (planpb::MeshAxis axis :
       {planpb::AXIS_REPLICA, planpb::AXIS_FSDP, planpb::AXIS_TENSOR,
        planpb::AXIS_PIPELINE, planpb::AXIS_CONTEXT, planpb::AXIS_EXPERT}) {
    planpb::AxisDegree *degree = manifest.mutable_mesh()->add_axes();
    degree->set_axis(axis);
    degree->set_degree(axis == data ? 0 : 1);
  }
  manifest.set_max_ranks(options.maxRanks);
  for (plan::StreamOp stream : streams.get()) {
    planpb::Stream *message = manifest.add_streams();
    message->set_name(stream.getSymName().str());
    message->set_kind(toKind(stream.getKind()));
  }
}

static int64_t integerAttr(Operation *op, StringRef name, int64_t otherwise) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : otherwise;
}

/// The value at step 0 of a state, if the module has it.
static std::optional<double> initialOf(ModuleOp module, StringRef name) {
  auto state = module.lookupSymbol<StateOp>(name);
  return state && state.getInitial()
             ? std::optional(state.getInitial()->convertToDouble())
             : std::nullopt;
}

static std::string textOf(DictionaryAttr dictionary, StringRef key) {
  auto attr = dictionary ? dictionary.getAs<StringAttr>(key) : StringAttr();
  return attr ? attr.getValue().str() : std::string();
}

static planpb::SignatureField::Fill toFill(StringRef name) {
  return llvm::StringSwitch<planpb::SignatureField::Fill>(name)
      .Case("tokens", planpb::SignatureField::FILL_TOKENS)
      .Case("ones", planpb::SignatureField::FILL_ONES)
      .Case("positions", planpb::SignatureField::FILL_POSITIONS)
      .Default(planpb::SignatureField::FILL_UNSPECIFIED);
}

static void fillField(plan::BufferOp op, planpb::SignatureField &field) {
  auto type = cast<MemRefType>(op.getResult().getType());
  StringRef symbol = *op.getSymbol();
  field.set_name(symbol.str());
  bool isBuiltin = symbol == "sample_indices" || symbol == "sample_weights" ||
                   symbol == "seed";
  bool isTarget = op->hasAttr("accel.target");
  field.set_role(isBuiltin  ? planpb::SignatureField::ROLE_BUILTIN
                 : isTarget ? planpb::SignatureField::ROLE_TARGET
                            : planpb::SignatureField::ROLE_INPUT);
  field.set_dtype(toElementType(type.getElementType()));
  for (int64_t size : type.getShape()) {
    field.add_shape(size);
  }
  field.set_min_value(0);
  field.set_max_value(-1);
  if (auto range = op->getAttrOfType<ArrayAttr>("accel.range")) {
    field.set_min_value(cast<IntegerAttr>(range[0]).getInt());
    field.set_max_value(cast<IntegerAttr>(range[1]).getInt());
  }
  if (auto rule = op->getAttrOfType<StringAttr>("accel.rule")) {
    field.set_rule(rule.getValue().str());
  }
  if (auto fill = op->getAttrOfType<StringAttr>("accel.fill")) {
    field.set_fill(toFill(fill.getValue()));
  }
}

/// What the data must be like: one field per io buffer, in the order of first
/// use; those of initialization last.
void PlanManifest::addSignature() {
  SmallVector<func::FuncOp> functions = getProgram(module);
  llvm::stable_sort(functions, [](func::FuncOp a, func::FuncOp b) {
    return getRole(a) != FunctionRole::Initialize &&
           getRole(b) == FunctionRole::Initialize;
  });
  for (func::FuncOp function : functions) {
    function.walk([&](plan::BufferOp op) {
      if (op.getRegion() == plan::Region::IO &&
          fieldIndex.try_emplace(*op.getSymbol(), manifest.signature_size())
              .second) {
        fillField(op, *manifest.add_signature());
      }
    });
  }
}

void PlanManifest::addModelFacts() {
  auto facts = module->getAttrOfType<DictionaryAttr>("accel.model");
  std::string name = textOf(facts, "name");
  manifest.mutable_model()->set_name(
      name.empty() ? module.getSymName().value_or("model").str() : name);
  uint64_t all = 0;
  uint64_t trainable = 0;
  for (auto parameter : module.getOps<ParameterOp>()) {
    int64_t elements =
        cast<RankedTensorType>(parameter.getType()).getNumElements();
    all += elements;
    trainable += parameter.getTrainable() ? elements : 0;
  }
  uint32_t layers = 0;
  for (auto bucket : module.getOps<BucketOp>()) {
    layers += bucket.getSymName().starts_with("block") ? 1 : 0;
  }
  manifest.mutable_model()->set_parameter_count(all);
  manifest.mutable_model()->set_trainable_parameter_count(trainable);
  manifest.mutable_model()->set_layers(layers);
  int64_t microbatch = integerAttr(module, "accel.batch", 1);
  int64_t exponent = integerAttr(module, "accel.gradient_exponent", 0);
  manifest.set_microbatch(microbatch);
  manifest.set_default_global_batch(options.globalBatch);
  manifest.set_gradient_exponent(exponent);
  auto objective = module->getAttrOfType<DictionaryAttr>("accel.objective");
  manifest.mutable_objective()->set_kind(textOf(objective, "kind"));
  manifest.mutable_objective()->set_output(textOf(objective, "output"));
  manifest.set_forbids_padding(objective &&
                               objective.contains("whole_microbatches"));
  manifest.mutable_objective()->set_targets_per_sample(
      std::max<uint64_t>(1, (uint64_t(1) << std::max<int64_t>(0, exponent)) /
                                std::max<int64_t>(1, microbatch)));
  if (auto optimizer = module->getAttrOfType<StringAttr>(kOptimizerAttr)) {
    manifest.mutable_optimizer()->set_kind(optimizer.getValue().str());
  }
  manifest.mutable_optimizer()->set_clips(
      initialOf(module, "clip_norm").value_or(0) > 0);
  if (std::optional<double> schedule = initialOf(module, "schedule")) {
    manifest.mutable_schedule()->set_kind(
        getScheduleNames()[static_cast<size_t>(*schedule)].str());
  }
  for (const auto &[key, value] : options.options) {
    planpb::Option *option = manifest.add_options();
    option->set_name(key);
    option->set_value(value);
  }
  for (const onnx::ImportNote &note : model.notes) {
    manifest.add_notes(onnx::toString(note));
  }
}

/// For people.
static std::string describeUnits(const IterationDomain &domain,
                                 plan::CodeAttr code) {
  bool isRow = code.getUnit() == 1 && code.getOf() == plan::UnitKind::Rows;
  if (isRow) {
    return llvm::formatv("rows of {0}", domain.columns);
  }
  StringRef of = plan::stringifyUnitKind(code.getOf());
  return code.getUnit() == 1
             ? of.str()
             : llvm::formatv("blocks of {0} {1}", code.getUnit(), of).str();
}

/// Equal kernels have equal keys, in whatever plan; names are no part of it.
static std::string computeKey(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.getBody().front().walk([&](Operation *op) {
    op->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope());
  });
  function->getAttr(kKernelAttr).print(stream);
  function.getFunctionType().print(stream);
  // Whether results are added to what is there.
  if (ArrayAttr attributes = function.getResAttrsAttr()) {
    attributes.print(stream);
  }
  llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(text.data()),
                                text.size());
  return llvm::toHex(llvm::SHA256::hash(bytes), /*LowerCase=*/true);
}

/// What each operand is for, whatever the variant.
static void addOperands(func::FuncOp function, planpb::Kernel &kernel) {
  plan::CodeAttr first = getCodeOfVariants(function)->front();
  for (const KernelOperand &operand : getKernelOperands(function, first)) {
    planpb::KernelOperand *message = kernel.add_operands();
    message->set_mode(toMode(operand.access));
    message->set_bytes(operand.bytes);
  }
  if (int64_t workspace = getWorkspaceBytes(function)) {
    planpb::KernelOperand *message = kernel.add_operands();
    message->set_mode(planpb::Access::MODE_READ_WRITE);
    message->set_bytes(workspace);
    message->set_per_thread(true);
  }
  kernel.set_arity(kernel.operands_size());
}

/// The entry in one variant: code and how it is cut, or a call of a library.
static void addEntry(func::FuncOp function, const CodeEntry &entry,
                     StringRef variant, planpb::Kernel &kernel) {
  planpb::KernelEntry *message = kernel.add_entries();
  plan::CodeAttr code = *getCode(function, variant);
  plan::LibraryCallAttr call = getLibraryCall(function, variant);
  if (call) {
    message->mutable_call()->set_library(call.getLibrary().str());
    message->mutable_call()->set_function(call.getFunction().str());
    message->mutable_call()->set_workspace(call.getWorkspace());
  }
  message->set_offset(entry.offset);
  message->set_size(entry.size);
  message->set_units(code.getUnits());
  message->set_extent(
      call ? "one call" : describeUnits(*IterationDomain::get(function), code));
  message->set_grain(code.getGrain());
  for (const KernelOperand &operand : getKernelOperands(function, code)) {
    message->add_unit_bytes(operand.unitBytes);
  }
  // The workspace is nobody's part.
  while (message->unit_bytes_size() < kernel.operands_size()) {
    message->add_unit_bytes(0);
  }
}

static planpb::DeviceKind toDevice(plan::DeviceKind device) {
  switch (device) {
  case plan::DeviceKind::Cpu:
    return planpb::DEVICE_CPU;
  }
  llvm_unreachable("all devices are listed");
}

void PlanManifest::addVariants() {
  for (const VariantCode &variant : code.variants) {
    auto op = module.lookupSymbol<plan::VariantOp>(variant.variant.name);
    planpb::CodeVariant *message = manifest.add_variants();
    message->set_name(variant.variant.name);
    message->set_device(toDevice(op.getDevice()));
    for (StringRef feature : op.getFeatures().getAsValueRange<StringAttr>()) {
      message->add_features(feature.str());
    }
    message->set_vector_lanes(op.getLanes());
    message->set_cpu(op.getProcessor().str());
  }
}

void PlanManifest::addKernels() {
  addVariants();
  for (auto function : module.getOps<func::FuncOp>()) {
    auto codes = function->getAttrOfType<DictionaryAttr>(plan::kCodeAttr);
    if (!codes) {
      continue;
    }
    uint32_t index = manifest.kernels_size();
    kernelIndex[function.getSymName()] = index;
    planpb::Kernel *kernel = manifest.add_kernels();
    kernel->set_key(computeKey(function));
    kernel->set_name(function.getSymName().str());
    addOperands(function, *kernel);
    for (const VariantCode &variant : code.variants) {
      addEntry(function, variant.image.entries[index], variant.variant.name,
               *kernel);
    }
  }
}

/// A master held whole is whole on every rank between steps; of a gradient held
/// whole only the rank's part means something.
void PlanManifest::setAxes(planpb::Slot &slot, planpb::Segment &segment,
                           StateOp state) {
  dist::Holding holding = dist::getHolding(state);
  bool isMaster = state.isMaster();
  if (holding == dist::Holding::All ||
      (holding == dist::Holding::Whole && isMaster)) {
    return;
  }
  for (StringRef axis : dist::getShardAxes()) {
    slot.add_sharded_over(toMeshAxis(axis));
    if (isMaster) {
      segment.add_sharded_over(toMeshAxis(axis));
    }
  }
  auto gathered = gatheredBuffers.find(state.getSymName());
  if (isMaster && gathered != gatheredBuffers.end()) {
    segment.set_gathered_buffer_plus_one(gathered->second + 1);
  }
}

void PlanManifest::addBuckets() {
  for (auto op : module.getOps<BucketOp>()) {
    planpb::Bucket *bucket = manifest.add_buckets();
    bucket->set_name(op.getSymName().str());
    bucket->set_granule(op.getGranule());
    for (auto dictionary : op.getSegments().getAsRange<DictionaryAttr>()) {
      planpb::Segment *segment = bucket->add_segments();
      segment->set_name(textOf(dictionary, "name"));
      segment->set_group(textOf(dictionary, "group"));
      segment->set_elements(dictionary.getAs<IntegerAttr>("elements").getInt());
      std::string prefix = bucket->name() + "." + segment->name() + ".";
      for (auto state : module.getOps<StateOp>()) {
        if (!state.getSymName().starts_with(prefix)) {
          continue;
        }
        planpb::Slot *slot = segment->add_slots();
        slot->set_name(state.getSlot()->getName().str());
        slot->set_buffer(stateIndex(state.getSymName()));
        setAxes(*slot, *segment, state);
        if (int64_t block = getSlotBlock(state); block != 1) {
          slot->set_block(block);
        }
        planpb::ElementType dtype = toElementType(
            cast<RankedTensorType>(state.getType()).getElementType());
        if (state.isMaster()) {
          segment->set_stored_dtype(dtype);
          segment->set_gathered_dtype(dtype);
        }
      }
    }
  }
}

static std::string describeInitial(DictionaryAttr initial) {
  std::string kind = textOf(initial, "kind");
  auto number = [&](StringRef key) {
    auto attr = initial.getAs<FloatAttr>(key);
    return attr ? attr.getValueAsDouble() : 0.0;
  };
  if (kind == "normal") {
    return llvm::formatv("normal({0}, {1})", number("mean"),
                         number("deviation"))
        .str();
  }
  return kind == "constant"
             ? llvm::formatv("constant {0}", number("value")).str()
             : kind;
}

void PlanManifest::addParameters() {
  std::map<std::string, std::pair<uint32_t, uint32_t>> segmentOf;
  for (auto [b, bucket] : llvm::enumerate(manifest.buckets())) {
    for (auto [s, segment] : llvm::enumerate(bucket.segments())) {
      segmentOf[bucket.name() + "." + segment.name() + ".master"] = {b, s};
    }
  }
  for (auto op : module.getOps<ParameterOp>()) {
    auto type = cast<RankedTensorType>(op.getType());
    planpb::Parameter *parameter = manifest.add_parameters();
    parameter->set_name(op.getSymName().str());
    for (int64_t size : type.getShape()) {
      parameter->add_shape(size);
    }
    parameter->set_dtype(toElementType(type.getElementType()));
    parameter->set_trainable(op.getTrainable());
    auto [bucket, segment] = segmentOf.at(op.getSegment()->str());
    parameter->set_bucket(bucket);
    parameter->set_segment(segment);
    parameter->set_element_offset(op.getOffset().value_or(0));
    parameter->set_initial(
        describeInitial(op.getInitial().value_or(DictionaryAttr())));
    if (DictionaryAttr provenance =
            op.getProvenance().value_or(DictionaryAttr())) {
      llvm::raw_string_ostream stream(*parameter->mutable_provenance());
      provenance.print(stream);
    }
    for (const onnx::ExportTensor &tensor : model.exportTemplate.tensors) {
      if (tensor.parameter == parameter->name()) {
        parameter->add_onnx_names(tensor.name);
        parameter->set_transposed_in_file(tensor.transposed);
      }
    }
  }
}

/// What the number of a choice is called, and which choice reads a number.
static void addMeaning(planpb::Hyperparameter &hyper) {
  if (hyper.name() == "schedule") {
    for (llvm::StringRef name : getScheduleNames()) {
      hyper.add_choices(name.str());
    }
    hyper.set_maximum(static_cast<double>(getScheduleNames().size() - 1));
    hyper.set_integer(true);
  } else if (hyper.name() == "min_lr" || hyper.name() == "schedule_steps") {
    for (llvm::StringRef name : getScheduleNames().drop_front()) {
      hyper.add_read_by_schedules(name.str());
    }
  } else if (hyper.name() == "decay_steps") {
    hyper.add_read_by_schedules("wsd");
  }
}

static planpb::State::Kind toStateKind(StateKind kind) {
  switch (kind) {
  case StateKind::Hyperparameter:
    return planpb::State::KIND_HYPERPARAMETER;
  case StateKind::Counter:
    return planpb::State::KIND_COUNTER;
  case StateKind::Accumulator:
    return planpb::State::KIND_ACCUMULATOR;
  case StateKind::Partial:
    return planpb::State::KIND_PARTIAL;
  case StateKind::Slot:
    break; // it belongs to its segment
  }
  llvm_unreachable("a free-standing state");
}

void PlanManifest::addStates() {
  for (auto op : module.getOps<StateOp>()) {
    if (op.getKind() == StateKind::Slot) {
      continue;
    }
    uint32_t buffer = stateIndex(op.getSymName());
    planpb::State *state = manifest.add_states();
    state->set_name(op.getSymName().str());
    state->set_buffer(buffer);
    state->set_kind(toStateKind(op.getKind()));
    if (op.getKind() == StateKind::Hyperparameter) {
      planpb::Hyperparameter *hyper = manifest.add_hyperparameters();
      hyper->set_name(op.getSymName().str());
      hyper->set_buffer(buffer);
      double value = op.getInitial() ? op.getInitial()->convertToDouble() : 0.0;
      hyper->set_default_value(value);
      hyper->set_minimum(0.0);
      hyper->set_maximum(std::numeric_limits<double>::max());
      hyper->set_integer(op.getSymName().ends_with("_steps"));
      hyper->set_defaults_to_steps(op.getSymName() == "schedule_steps" &&
                                   value == 0.0);
      addMeaning(*hyper);
    }
  }
}

/// Persistent bytes by class: one sum per class, and what is a maximum of sums
/// on its own.
void PlanManifest::addPersistentUses() {
  std::map<planpb::MemoryClass, planpb::SizeSum> sums;
  for (const planpb::Buffer &buffer : manifest.buffers()) {
    if (buffer.region() == planpb::REGION_TRANSIENT) {
      continue;
    }
    if (buffer.bytes().alternatives_size() != 1) {
      planpb::MemoryUse *use = manifest.mutable_memory()->add_persistent();
      use->set_memory_class(buffer.memory_class());
      *use->mutable_bytes() = buffer.bytes();
      continue;
    }
    planpb::SizeSum &sum = sums[buffer.memory_class()];
    for (planpb::SizeTerm term : buffer.bytes().alternatives(0).terms()) {
      term.set_factor(term.factor() * std::max<uint32_t>(1, buffer.copies()));
      planpb::SizeTerm bare = term;
      bare.clear_factor();
      auto same = llvm::find_if(*sum.mutable_terms(), [&](auto other) {
        other.clear_factor();
        return other.SerializeAsString() == bare.SerializeAsString();
      });
      // Rounding to whole bytes is done once per term, and changes nothing:
      // shards are whole granules.
      if (same != sum.mutable_terms()->end()) {
        same->set_factor(same->factor() + term.factor());
      } else {
        *sum.add_terms() = term;
      }
    }
  }
  for (auto &[klass, sum] : sums) {
    planpb::MemoryUse *use = manifest.mutable_memory()->add_persistent();
    use->set_memory_class(klass);
    *use->mutable_bytes()->add_alternatives() = sum;
  }
}

void PlanManifest::addMemorySummary() {
  addPersistentUses();
  for (auto [name, attribute] : kArenaAttrs) {
    planpb::Space space = toSpace(name);
    uint64_t bytes = 0;
    for (const planpb::Function &function : manifest.functions()) {
      for (const planpb::Arena &each : function.arenas()) {
        bytes = each.space() == space ? std::max(bytes, each.bytes()) : bytes;
      }
    }
    if (bytes == 0) {
      continue;
    }
    planpb::Arena *message = manifest.add_arenas();
    message->set_space(space);
    message->set_bytes(bytes);
    message->set_alignment(alignment);
    if (space == planpb::SPACE_DEVICE) {
      planpb::MemoryUse *use =
          manifest.mutable_memory()->add_transient_at_peak();
      use->set_memory_class(planpb::CLASS_ACTIVATIONS);
      setConstant(*use->mutable_bytes(), bytes);
    }
  }
  addGatheredUses();
}

planpb::Manifest PlanManifest::finish() {
  addBuckets();
  addParameters();
  addStates();
  addMemorySummary();
  if (!manifest.external_files().empty()) {
    manifest.add_required_features(std::string(runtime::kFeatureExternalFiles));
  }
  if (usesThreadPrivate) {
    manifest.add_required_features(std::string(runtime::kFeatureThreadPrivate));
  }
  if (usesParts) {
    manifest.add_required_features(std::string(runtime::kFeatureShardedAccess));
  }
  return std::move(manifest);
}
