// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes mean numbers is known from the plan: from the type of a buffer
// and what is written to it.
#include "runtime/executor/fault_search.h"

#include <algorithm>
#include <utility>

#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"

namespace accel::runtime {
namespace {

// Read at once; divisible by the width of every type.
constexpr uint64_t kPieceBytes = uint64_t{1} << 20;

bool Writes(const planpb::Access& access) {
  return access.mode() != planpb::Access::MODE_READ;
}

}  // namespace

ByteRange MeaningfulRange(const PlanView& plan, const MemoryLayout& layout,
                          const planpb::Access& access, uint64_t iteration) {
  ByteRange range = layout.RangeOf(access, iteration);
  const planpb::Buffer& buffer = plan.buffer(access.buffer());
  const auto& sizes = buffer.bytes().alternatives();
  if (access.has_shard() || access.bytes() != 0 || sizes.size() != 1 ||
      sizes[0].terms_size() != 1 || !sizes[0].terms(0).has_shard()) {
    return range;
  }
  const auto part = OwnedBytes(sizes[0].terms(0).shard(),
                               ElementBits(buffer.dtype()), layout.binding());
  if (part.ok()) {
    range.end = std::min(range.end, range.begin + part->size());
  }
  return range;
}

FaultSearch::FaultSearch(const PlanView& plan, const MemoryLayout& layout,
                         const DeviceMemory& memory,
                         const MicrobatchReader& batches, int64_t step,
                         std::function<void()> note_progress)
    : plan_(plan),
      layout_(layout),
      memory_(memory),
      batches_(batches),
      step_(step),
      note_progress_(std::move(note_progress)),
      piece_(kPieceBytes) {}

void FaultSearch::Note(const NonFiniteFault& fault) {
  if (fault.IsBefore(report_.first)) {
    report_.first = fault;
  }
}

absl::StatusOr<FiniteScan> FaultSearch::Scan(
    ByteRange range, planpb::ElementType dtype,
    planpb::Access::Infinities allowed) {
  FiniteScan scan(*ToDType(dtype), allowed);
  while (range.size() != 0) {
    ByteRange piece = range;
    piece.end = std::min(range.end, range.begin + kPieceBytes);
    const auto bytes = absl::MakeSpan(piece_).first(piece.size());
    RETURN_IF_ERROR(memory_.Read(piece, bytes));
    scan.Add(bytes);
    note_progress_();
    range.begin = piece.end;
  }
  return scan;
}

absl::StatusOr<FiniteScan> FaultSearch::ScanSlot(const SlotPart& part) {
  const planpb::ElementType dtype = plan_.buffer(part.buffer).dtype();
  const uint64_t width = ElementBits(dtype) / 8;
  ByteRange range = layout_.RangeOf(part.buffer, 0);
  range.begin += part.first * width;
  range.end = range.begin + part.owned.size() * width;
  return Scan(range, dtype, planpb::Access::INFINITIES_NONE);
}

NonFiniteFault FaultSearch::FaultOf(const FiniteScan& scan,
                                    NonFiniteFault::Kind kind) const {
  NonFiniteFault fault;
  fault.kind = kind;
  fault.rank = layout_.binding().rank();
  fault.value = scan.value();
  fault.faults = scan.faults();
  fault.elements = scan.elements();
  return fault;
}

absl::StatusOr<FaultSearch::SlotPart> FaultSearch::PartOf(
    uint64_t bucket, uint64_t segment, const planpb::Slot& slot) const {
  const planpb::Bucket& of = plan_.manifest().buckets(static_cast<int>(bucket));
  planpb::Shard shard;
  shard.set_elements(of.segments(static_cast<int>(segment)).elements());
  shard.set_granule(of.granule());
  *shard.mutable_axes() = slot.sharded_over();
  SlotPart part;
  part.buffer = slot.buffer();
  ASSIGN_OR_RETURN(part.owned, OwnedElements(shard, layout_.binding()));
  // A part lies at its place in a buffer that has room for the whole.
  const uint64_t width = ElementBits(plan_.buffer(slot.buffer()).dtype()) / 8;
  const bool whole =
      layout_.BufferBytes(slot.buffer()) >= shard.elements() * width;
  part.first = whole ? part.owned.begin : 0;
  part.place.bucket_plus_one = bucket + 1;
  part.place.segment = segment;
  part.place.buffer = slot.buffer();
  return part;
}

absl::Status FaultSearch::ForEachSlot(
    absl::string_view name,
    absl::FunctionRef<absl::Status(const SlotPart&)> visit) const {
  const auto& buckets = plan_.manifest().buckets();
  for (int bucket = 0; bucket < buckets.size(); ++bucket) {
    for (int i = 0; i < buckets[bucket].segments_size(); ++i) {
      for (const planpb::Slot& slot : buckets[bucket].segments(i).slots()) {
        const auto dtype = ToDType(plan_.buffer(slot.buffer()).dtype());
        if (slot.name() == name && dtype && CanScan(*dtype)) {
          ASSIGN_OR_RETURN(const SlotPart part, PartOf(bucket, i, slot));
          RETURN_IF_ERROR(visit(part));
        }
      }
    }
  }
  return absl::OkStatus();
}

absl::Status FaultSearch::CheckParameters() {
  return ForEachSlot("master", [this](const SlotPart& part) -> absl::Status {
    ASSIGN_OR_RETURN(const FiniteScan scan, ScanSlot(part));
    if (!scan.found()) {
      return absl::OkStatus();
    }
    NonFiniteFault fault = FaultOf(scan, NonFiniteFault::kParameter);
    fault.place = part.place;
    fault.place.element = part.owned.begin + scan.first();
    Note(fault);
    return absl::OkStatus();
  });
}

absl::Status FaultSearch::FindLargestGradient() {
  return ForEachSlot("gradient", [this](const SlotPart& part) -> absl::Status {
    ASSIGN_OR_RETURN(const FiniteScan scan, ScanSlot(part));
    if (scan.largest() > report_.largest_gradient) {
      report_.largest_gradient = scan.largest();
      report_.largest_place = part.place;
      report_.largest_place.element = part.owned.begin + scan.largest_element();
    }
    return absl::OkStatus();
  });
}

absl::Status FaultSearch::CheckInstruction(const FunctionView& function,
                                           const Instance& instance) {
  const planpb::Instruction& instruction = *instance.instruction;
  if (instruction.has_fetch() &&
      MicrobatchOf(function, instance) >= batches_.batch().iterations()) {
    return absl::OkStatus();  // beyond the last one nothing was fetched
  }
  for (int i = 0; i < instruction.accesses_size(); ++i) {
    const planpb::Access& access = instruction.accesses(i);
    const planpb::Buffer& buffer = plan_.buffer(access.buffer());
    const auto dtype = ToDType(buffer.dtype());
    // What kernels leave in their workspace means nothing to anybody else.
    if (Writes(access) && access.thread_stride() == 0 &&
        buffer.memory_class() != planpb::CLASS_WORKSPACE && dtype &&
        CanScan(*dtype)) {
      RETURN_IF_ERROR(CheckAccess(function, instance, i));
    }
  }
  return absl::OkStatus();
}

absl::Status FaultSearch::CheckAccess(const FunctionView& function,
                                      const Instance& instance, int index) {
  const planpb::Instruction& instruction = *instance.instruction;
  const planpb::Access& access = instruction.accesses(index);
  const ByteRange range =
      MeaningfulRange(plan_, layout_, access, instance.iteration);
  ASSIGN_OR_RETURN(
      const FiniteScan scan,
      Scan(range, plan_.buffer(access.buffer()).dtype(), access.infinities()));
  if (!scan.found()) {
    return absl::OkStatus();
  }
  NonFiniteFault fault =
      FaultOf(scan, instruction.has_fetch() ? NonFiniteFault::kInput
                                            : NonFiniteFault::kInstruction);
  fault.microbatch = MicrobatchOf(function, instance);
  fault.instruction = instruction.id();
  fault.access = static_cast<uint64_t>(index);
  fault.place =
      PlaceOf(instruction, access, range, instance.iteration, scan.first());
  fault.row = RowOf(instruction, index, fault.microbatch, scan.first());
  Note(fault);
  return absl::OkStatus();
}

FaultPlace FaultSearch::PlaceOf(const planpb::Instruction& instruction,
                                const planpb::Access& access,
                                const ByteRange& range, uint64_t iteration,
                                uint64_t element) const {
  const uint64_t width = ElementBits(plan_.buffer(access.buffer()).dtype()) / 8;
  planpb::Access whole;
  whole.set_buffer(access.buffer());
  whole.set_rotate(access.rotate());
  const uint64_t begin = layout_.RangeOf(whole, iteration).begin;
  FaultPlace place;
  place.buffer = access.buffer();
  place.element = (range.begin - begin) / width + element;
  // A slot of a segment; its part counts from what the rank owns.
  for (const absl::string_view name : {"master", "gradient"}) {
    ForEachSlot(name, [&](const SlotPart& part) {
      if (part.buffer == access.buffer()) {
        const uint64_t in_buffer = place.element;
        place = part.place;
        place.element = in_buffer + part.owned.begin - part.first;
      }
      return absl::OkStatus();
    }).IgnoreError();
  }
  const planpb::Collective& collective = instruction.collective();
  if (place.bucket_plus_one == 0 && collective.bucket_plus_one() != 0) {
    // All of a segment, in memory where segments take turns.
    place.bucket_plus_one = collective.bucket_plus_one();
    place.segment = collective.segment_plus_one() - 1;
    place.element = (range.begin - begin - access.offset()) / width + element;
  }
  return place;
}

int64_t FaultSearch::MicrobatchOf(const FunctionView& function,
                                  const Instance& instance) const {
  const planpb::Instruction& instruction = *instance.instruction;
  const auto iteration = static_cast<int64_t>(instance.iteration);
  if (instruction.has_fetch()) {
    return iteration + instruction.fetch().ahead();
  }
  if (function.RepeatOf(instruction.id())) {
    return iteration;
  }
  // In front of the loop or behind it.
  for (const planpb::Instruction& other : function.instructions()) {
    if (other.has_repeat()) {
      return instruction.id() < other.id() ? 0 : NonFiniteFault::kBehindLoop;
    }
  }
  return 0;
}

int64_t FaultSearch::RowOf(const planpb::Instruction& instruction, int access,
                           int64_t microbatch, uint64_t element) const {
  for (const planpb::FetchField& field : instruction.fetch().fields()) {
    const planpb::SignatureField& of =
        plan_.manifest().signature(static_cast<int>(field.field()));
    if (field.access() != static_cast<uint32_t>(access) ||
        of.role() == planpb::SignatureField::ROLE_BUILTIN) {
      continue;
    }
    uint64_t row_elements = 1;
    for (int axis = 1; axis < of.shape_size(); ++axis) {
      row_elements *= of.shape(axis);
    }
    const auto sample = batches_.batch().SampleOf(
        step_, microbatch, static_cast<int64_t>(element / row_elements));
    return batches_.dataset().RowOf(sample.index);
  }
  return -1;
}

}  // namespace accel::runtime
