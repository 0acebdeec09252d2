// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages that the sharded plan adds to the sample plan.
#include "test/runtime/plan/sharded_plan.h"

#include "runtime/plan/schema/features.h"

namespace accel::testing {
namespace {

using planpb::Access;
using planpb::Collective;
using planpb::Instruction;

constexpr uint64_t kWidth = sizeof(float);

class ShardMaker {
 public:
  explicit ShardMaker(uint64_t elements)
      : elements_(elements), plan_(MakeSamplePlan()) {}

  SamplePlan Make() {
    AddMemory();
    AddSegment();
    AddInit();
    AddStep();
    return std::move(plan_);
  }

 private:
  planpb::Buffer* AddBuffer(const std::string& name, planpb::Region region,
                            planpb::Space space,
                            planpb::MemoryClass memory_class) {
    planpb::Buffer* buffer = plan_.manifest.add_buffers();
    buffer->set_name(name);
    buffer->set_space(space);
    buffer->set_region(region);
    buffer->set_dtype(planpb::ELEMENT_F32);
    *buffer->mutable_bytes() = runtime::ConstantSizeExpr(elements_ * kWidth);
    buffer->set_alignment(64);
    buffer->set_memory_class(memory_class);
    return buffer;
  }

  void AddWhole(const std::string& name) {
    AddBuffer(name, planpb::REGION_PERSISTENT, planpb::SPACE_DEVICE,
              planpb::CLASS_PARAMETERS);
  }

  void AddShard(const std::string& name) {
    planpb::SizeTerm* term =
        AddBuffer(name, planpb::REGION_PERSISTENT, planpb::SPACE_DEVICE,
                  planpb::CLASS_PARAMETERS)
            ->mutable_bytes()
            ->mutable_alternatives(0)
            ->mutable_terms(0);
    term->set_factor(8 * kWidth);
    *term->mutable_shard() = TestShard(elements_);
  }

  void AddMemory() {
    planpb::Manifest& manifest = plan_.manifest;
    manifest.add_required_features(std::string(runtime::kFeatureShardedAccess));
    const uint64_t begin = manifest.arenas(0).bytes();
    manifest.mutable_arenas(0)->set_bytes(begin + elements_ * kWidth);
    AddBuffer("initial", planpb::REGION_TRANSIENT, planpb::SPACE_DEVICE,
              planpb::CLASS_WORKSPACE)
        ->set_offset(begin);
    const uint64_t room =
        (elements_ + kShardGranule * manifest.max_ranks()) * kWidth;
    planpb::Arena* shared = manifest.add_arenas();
    shared->set_space(planpb::SPACE_SHARED);
    shared->set_bytes(64 + room);
    shared->set_alignment(64);
    planpb::Buffer* gathered =
        AddBuffer("gathered", planpb::REGION_TRANSIENT, planpb::SPACE_SHARED,
                  planpb::CLASS_GATHERED);
    *gathered->mutable_bytes() = runtime::ConstantSizeExpr(room);
    gathered->set_offset(64);
    AddShard("master");
    AddShard("summed");
    for (const char* name : {"contribution", "replicated", "seen", "filled"}) {
      AddWhole(name);
    }
    // N L(N) elements.
    planpb::MemoryUse* use = manifest.mutable_memory()->add_transient_at_peak();
    use->set_memory_class(planpb::CLASS_GATHERED);
    *use->mutable_bytes() = plan_.Buffer("master").bytes();
    use->mutable_bytes()
        ->mutable_alternatives(0)
        ->mutable_terms(0)
        ->add_per_degree(planpb::AXIS_FSDP);
  }

  void AddSlot(planpb::Segment* segment, const std::string& name,
               const std::string& buffer, bool sharded) {
    planpb::Slot* slot = segment->add_slots();
    slot->set_name(name);
    slot->set_buffer(plan_.BufferIndex(buffer));
    if (sharded) {
      slot->add_sharded_over(planpb::AXIS_FSDP);
    }
  }

  void AddSegment() {
    planpb::Bucket* bucket = plan_.manifest.add_buckets();
    bucket->set_name("sharded");
    bucket->set_granule(kShardGranule);
    planpb::Segment* segment = bucket->add_segments();
    segment->set_name("s");
    segment->set_group("decayed");
    segment->set_elements(elements_);
    segment->set_stored_dtype(planpb::ELEMENT_F32);
    segment->set_gathered_dtype(planpb::ELEMENT_F32);
    AddSlot(segment, "master", "master", true);
    AddSlot(segment, "gradient", "summed", true);
    AddSlot(segment, "in place", "contribution", true);
    AddSlot(segment, "whole", "seen", false);
    planpb::Parameter* parameter = plan_.manifest.add_parameters();
    parameter->set_name("sharded");
    parameter->add_shape(elements_ - 1);
    parameter->set_element_offset(1);
    parameter->set_dtype(planpb::ELEMENT_F32);
    parameter->set_bucket(1);
    parameter->set_trainable(true);
  }

  Instruction& Add(int function, const std::string& name, uint32_t stream) {
    auto& list = plan_.functions[function];
    Instruction& instruction = list.emplace_back();
    instruction.set_id(static_cast<uint32_t>(list.size() - 1));
    instruction.set_name(name);
    instruction.set_stream(stream);
    instruction.set_phase(planpb::PHASE_REDUCE);
    return instruction;
  }

  // All of a buffer, or as much of it as the segment has.
  void AddAccess(Instruction& instruction, const std::string& buffer,
                 Access::Mode mode, bool segment = false) {
    Access* access = instruction.add_accesses();
    access->set_buffer(plan_.BufferIndex(buffer));
    access->set_mode(mode);
    access->set_bytes(segment ? elements_ * kWidth : 0);
  }
  void AddPart(Instruction& instruction, const std::string& buffer,
               Access::Mode mode) {
    *instruction.add_accesses() = PartAccess(plan_, buffer, mode, elements_);
  }

  void AddInit() {
    SampleSectionBytes& weights = plan_.sections[kWeights];
    const std::vector<float> values = InitialShardValues(elements_);
    Instruction& load = Add(0, "load initial", kCompute);
    AddAccess(load, "initial", Access::MODE_WRITE);
    load.mutable_load()->set_dtype(planpb::ELEMENT_F32);
    planpb::LoadPiece* piece = load.mutable_load()->add_pieces();
    piece->set_section_plus_one(kWeights + 1);
    piece->set_source_offset(weights.bytes.size());
    piece->set_elements(elements_);
    weights.bytes.append(reinterpret_cast<const char*>(values.data()),
                         values.size() * kWidth);
    Instruction& master = Add(0, "keep own part", kCompute);
    AddPart(master, "initial", Access::MODE_READ);
    AddAccess(master, "master", Access::MODE_WRITE);
    master.mutable_copy()->set_destination(1);
    Instruction& replicated = Add(0, "place own part", kCompute);
    AddPart(replicated, "initial", Access::MODE_READ);
    AddPart(replicated, "replicated", Access::MODE_WRITE);
    replicated.mutable_copy()->set_destination(1);
    Instruction& fill = Add(0, "fill own part", kCompute);
    AddPart(fill, "filled", Access::MODE_WRITE);
    const float one = 1;
    fill.mutable_fill()->set_pattern(
        std::string(reinterpret_cast<const char*>(&one), sizeof one));
  }

  Collective& AddCollective(Instruction& instruction, Collective::Kind kind) {
    Collective& collective = *instruction.mutable_collective();
    collective.set_kind(kind);
    collective.set_reduction(kind == Collective::KIND_REDUCE_SCATTER
                                 ? Collective::REDUCTION_SUM
                                 : Collective::REDUCTION_NONE);
    collective.add_axes(planpb::AXIS_FSDP);
    collective.set_dtype(planpb::ELEMENT_F32);
    *collective.mutable_shard() = TestShard(elements_);
    collective.set_input_plus_one(1);
    collective.set_output_plus_one(2);
    collective.set_sequence(sequence_++);
    return collective;
  }

  void AddStep() {
    Instruction& gather = Add(1, "gather", kCommunication);
    AddAccess(gather, "master", Access::MODE_READ);
    AddAccess(gather, "gathered", Access::MODE_WRITE, true);
    AddCollective(gather, Collective::KIND_ALL_GATHER);
    Instruction& look = Add(1, "look", kCommunication);
    AddAccess(look, "gathered", Access::MODE_READ, true);
    AddAccess(look, "seen", Access::MODE_WRITE);
    look.mutable_copy()->set_destination(1);
    Instruction& scatter = Add(1, "scatter", kCommunication);
    AddAccess(scatter, "contribution", Access::MODE_READ);
    AddAccess(scatter, "summed", Access::MODE_WRITE);
    AddCollective(scatter, Collective::KIND_REDUCE_SCATTER);
    Instruction& own = Add(1, "scatter own", kCommunication);
    AddAccess(own, "contribution", Access::MODE_READ);
    AddPart(own, "contribution", Access::MODE_WRITE);
    AddCollective(own, Collective::KIND_REDUCE_SCATTER);
    Instruction& gather_own = Add(1, "gather own", kCommunication);
    AddPart(gather_own, "replicated", Access::MODE_READ);
    AddAccess(gather_own, "replicated", Access::MODE_WRITE);
    AddCollective(gather_own, Collective::KIND_ALL_GATHER);
  }

  const uint64_t elements_;
  SamplePlan plan_;
  uint32_t sequence_ = 0;
};

}  // namespace

std::vector<float> InitialShardValues(uint64_t elements) {
  std::vector<float> values(elements);
  for (uint64_t i = 0; i < elements; ++i) {
    values[i] = 0.25f * static_cast<float>(i + 1);
  }
  return values;
}

SamplePlan MakeShardedPlan(uint64_t elements) {
  return ShardMaker(elements).Make();
}

planpb::Shard TestShard(uint64_t elements) {
  planpb::Shard shard;
  shard.set_elements(elements);
  shard.set_granule(kShardGranule);
  shard.add_axes(planpb::AXIS_FSDP);
  return shard;
}

planpb::Collective TestCollective(planpb::Collective::Kind kind,
                                  uint64_t elements,
                                  planpb::ElementType dtype) {
  planpb::Collective collective;
  collective.set_kind(kind);
  collective.set_dtype(dtype);
  collective.add_axes(planpb::AXIS_FSDP);
  *collective.mutable_shard() = TestShard(elements);
  return collective;
}

planpb::Access PartAccess(const SamplePlan& plan, const std::string& buffer,
                          planpb::Access::Mode mode, uint64_t elements,
                          uint64_t offset) {
  planpb::Access access;
  access.set_buffer(plan.BufferIndex(buffer));
  access.set_mode(mode);
  access.set_offset(offset);
  *access.mutable_shard() = TestShard(elements);
  return access;
}

runtime::RankBinding FsdpBinding(uint64_t rank, uint64_t ranks) {
  runtime::RankBinding binding;
  binding.degrees[planpb::AXIS_FSDP - 1] = ranks;
  binding.coordinates[planpb::AXIS_FSDP - 1] = rank;
  return binding;
}

}  // namespace accel::testing
