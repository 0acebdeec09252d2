// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/spaces.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/block.h"

namespace accel::ptx {
namespace {

constexpr uint64_t kPageBytes = 1024;
// Between two variables of a space.
constexpr uint32_t kGapBytes = 32;

uint64_t AlignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

const char* VerbOf(AccessKind kind) {
  switch (kind) {
    case AccessKind::kRead:
      return "read";
    case AccessKind::kWrite:
      return "write";
    case AccessKind::kAtomic:
      return "atomic access";
  }
  return "";
}

bool IsUsed(const Request& request, uint32_t byte) {
  return byte >= 32 || (request.used >> byte & 1) != 0;
}

void FaultOutOfRange(Thread& thread, const Request& request,
                     absl::string_view space) {
  thread.Fault(absl::StrFormat("%s of %d bytes at 0x%x is out of range: %s",
                               VerbOf(request.kind), request.bytes,
                               request.address, space));
}

void FaultRace(Thread& thread, const Request& request, const Conflict& conflict,
               absl::string_view where) {
  thread.Fault(absl::StrCat("data race: this ", VerbOf(request.kind), " of ",
                            where, " is not ordered after the ", conflict.what,
                            " by ", thread.block->NameOf(conflict.other)));
}

// Checks the states of bytes of .shared, .local and .param memory, and marks
// what is written.
bool CheckStates(Thread& thread, const Request& request, ByteState* states,
                 absl::string_view space) {
  for (uint32_t k = 0; k < request.bytes; ++k) {
    if (states[k] == ByteState::kNoVariable) {
      FaultOutOfRange(thread, request,
                      absl::StrCat("no ", space, " variable lies there"));
      return false;
    }
    if (request.kind != AccessKind::kWrite &&
        states[k] == ByteState::kUnwritten && IsUsed(request, k)) {
      thread.Fault(absl::StrFormat(
          "%s of an uninitialised byte of %s memory, %d bytes behind 0x%x",
          VerbOf(request.kind), space, k, request.address));
      return false;
    }
  }
  if (request.kind != AccessKind::kRead) {
    std::fill_n(states, request.bytes, ByteState::kWritten);
  }
  return true;
}

}  // namespace

uint64_t WindowOf(Space space) {
  switch (space) {
    case Space::kShared:
      return kSharedWindow;
    case Space::kLocal:
      return kLocalWindow;
    case Space::kParam:
      return kParamWindow;
    default:
      return 0;
  }
}

// --- global ---

GlobalSpace::GlobalSpace(GlobalMemory& memory, const Program& program) {
  std::map<const void*, bool> constants;
  for (uint32_t k = 0; k < program.variables.size(); ++k) {
    const Variable& variable = program.variables[k];
    if (variable.space != Space::kGlobal && variable.space != Space::kConst) {
      continue;
    }
    const bool is_constant = variable.space == Space::kConst;
    absl::StatusOr<void*> data =
        own_.Allocate(variable.size_bytes, variable.alignment, variable.name,
                      Contents::kInitialised,
                      is_constant ? Access::kReadOnly : Access::kReadWrite);
    if (!data.ok()) {
      continue;  // A variable of no bytes has no address.
    }
    std::copy(variable.values.begin(), variable.values.end(),
              static_cast<uint8_t*>(*data));
    addresses_[k] = reinterpret_cast<uint64_t>(*data);
    constants[*data] = is_constant;
  }
  for (GlobalMemory* part : {&memory, &own_}) {
    for (const auto& range : part->ranges()) {
      Region region;
      region.range = range.get();
      region.is_constant = constants[range->data()];
      region.pages.resize(range->size_bytes / kPageBytes + 1);
      regions_.push_back(std::move(region));
    }
  }
  std::sort(regions_.begin(), regions_.end(),
            [](const Region& a, const Region& b) {
              return a.range->begin < b.range->begin;
            });
}

uint64_t GlobalSpace::AddressOf(uint32_t variable) const {
  return addresses_.at(variable);
}

GlobalSpace::Region* GlobalSpace::Find(uint64_t address, uint32_t bytes) {
  if (last_ != nullptr && last_->range->Holds(address, bytes)) {
    return last_;
  }
  auto next = std::upper_bound(regions_.begin(), regions_.end(), address,
                               [](uint64_t value, const Region& region) {
                                 return value < region.range->begin;
                               });
  if (next == regions_.begin()) {
    return nullptr;
  }
  --next;
  if (!next->range->Holds(address, bytes)) {
    return nullptr;
  }
  last_ = &*next;
  return last_;
}

Cell& GlobalSpace::CellAt(Region& region, uint64_t offset) {
  std::unique_ptr<Cell[]>& page = region.pages[offset / kPageBytes];
  if (page == nullptr) {
    page = std::make_unique<Cell[]>(kPageBytes);
  }
  return page[offset % kPageBytes];
}

bool GlobalSpace::CheckRaces(Thread& thread, const Request& request,
                             Region& region, uint32_t block) {
  const uint64_t offset = request.address - region.range->begin;
  const Actor actor = Actor::Of(thread, block, /*is_shared=*/false);
  for (uint32_t k = 0; k < request.bytes; ++k) {
    if (!IsUsed(request, k)) {
      continue;
    }
    Cell& cell = CellAt(region, offset + k);
    const bool non_coherent = request.order == Order::kNonCoherent;
    if ((non_coherent && cell.is_written) ||
        (cell.read_non_coherent && request.kind != AccessKind::kRead)) {
      thread.Fault(absl::StrCat("ld.global.nc of byte ", offset + k, " of '",
                                region.range->name,
                                "', which the same launch writes"));
      return false;
    }
    const Conflict conflict =
        RecordAccess(cell, actor, request.kind, request.order);
    if (conflict.what != nullptr) {
      FaultRace(
          thread, request, conflict,
          absl::StrCat("byte ", offset + k, " of '", region.range->name, "'"));
      return false;
    }
    cell.read_non_coherent |= non_coherent;
    cell.is_written |= request.kind != AccessKind::kRead;
  }
  return true;
}

bool GlobalSpace::CheckValues(Thread& thread, const Request& request,
                              const Region& region) {
  const uint64_t offset = request.address - region.range->begin;
  for (uint32_t k = 0; k < request.bytes; ++k) {
    if (region.range->written[offset + k] == 0 && IsUsed(request, k)) {
      thread.Fault(absl::StrCat(VerbOf(request.kind),
                                " of an uninitialised byte: byte ", offset + k,
                                " of '", region.range->name, "'"));
      return false;
    }
  }
  return true;
}

uint8_t* GlobalSpace::Access(Thread& thread, const Request& request,
                             uint32_t block, bool constant_only) {
  Region* region = Find(request.address, request.bytes);
  if (region == nullptr || (constant_only && !region->is_constant)) {
    const Region* begins = Find(request.address, 1);
    FaultOutOfRange(thread, request,
                    begins == nullptr ? "no range holds this address"
                                      : absl::StrCat("it leaves '",
                                                     begins->range->name, "'"));
    return nullptr;
  }
  const bool writes = request.kind != AccessKind::kRead;
  const bool read_only = region->range->access == ptx::Access::kReadOnly;
  if (writes && read_only) {
    thread.Fault(absl::StrCat(VerbOf(request.kind), " to the read-only '",
                              region->range->name, "'"));
    return nullptr;
  }
  if (request.kind != AccessKind::kWrite &&
      !CheckValues(thread, request, *region)) {
    return nullptr;
  }
  // No access to a read-only range can take part in a race.
  if (!read_only && !CheckRaces(thread, request, *region, block)) {
    return nullptr;
  }
  const uint64_t offset = request.address - region->range->begin;
  if (writes) {
    std::fill_n(region->range->written.begin() + offset, request.bytes, 1);
  }
  return reinterpret_cast<uint8_t*>(request.address);
}

// --- shared ---

SharedSpace::SharedSpace(const Program& program, const Function& kernel,
                         uint32_t dynamic_bytes) {
  // All extern variables are names of the memory behind the others.
  uint32_t dynamic_alignment = 16;
  for (uint32_t index : ReachableShared(program, kernel)) {
    const Variable& variable = program.variables[index];
    if (variable.is_extern) {
      dynamic_alignment = std::max(dynamic_alignment, variable.alignment);
    } else {
      offsets_[index] = Append(variable.size_bytes, variable.alignment);
    }
  }
  const uint64_t dynamic_begin = Append(dynamic_bytes, dynamic_alignment);
  for (uint32_t index : ReachableShared(program, kernel)) {
    offsets_.try_emplace(index, dynamic_begin);
  }
  data_.resize(fresh_.size());
  cells_.resize(fresh_.size());
  Reset();
}

uint64_t SharedSpace::Append(uint64_t bytes, uint32_t alignment) {
  const uint64_t gap = fresh_.empty() ? 0 : kGapBytes;
  const uint64_t begin = AlignUp(fresh_.size() + gap, std::max(alignment, 16u));
  fresh_.resize(begin, ByteState::kNoVariable);
  fresh_.resize(begin + bytes, ByteState::kUnwritten);
  return begin;
}

void SharedSpace::Reset() {
  state_ = fresh_;
  std::fill(data_.begin(), data_.end(), 0xff);
}

uint64_t SharedSpace::AddressOf(uint32_t variable) const {
  return kWindowBase + offsets_.at(variable);
}

uint32_t SharedSpace::StaticBytes(const Program& program,
                                  const Function& kernel) {
  uint64_t end = 0;
  for (uint32_t index : ReachableShared(program, kernel)) {
    const Variable& variable = program.variables[index];
    if (!variable.is_extern) {
      end = AlignUp(end, variable.alignment) + variable.size_bytes;
    }
  }
  return static_cast<uint32_t>(end);
}

uint8_t* SharedSpace::Access(Thread& thread, const Request& request,
                             uint32_t block) {
  const uint64_t offset = request.address - kWindowBase;
  if (request.address < kWindowBase || offset > data_.size() ||
      request.bytes > data_.size() - offset) {
    FaultOutOfRange(thread, request, "no shared variable lies there");
    return nullptr;
  }
  if (!CheckStates(thread, request, &state_[offset], "shared")) {
    return nullptr;
  }
  const Actor actor = Actor::Of(thread, block, /*is_shared=*/true);
  for (uint32_t k = 0; k < request.bytes; ++k) {
    if (!IsUsed(request, k)) {
      continue;
    }
    const Conflict conflict =
        RecordAccess(cells_[offset + k], actor, request.kind, request.order);
    if (conflict.what != nullptr) {
      FaultRace(
          thread, request, conflict,
          absl::StrFormat("the shared byte at 0x%x", request.address + k));
      return nullptr;
    }
  }
  return &data_[offset];
}

// --- local and param ---

uint8_t* AccessLocal(Thread& thread, const Request& request) {
  const uint64_t offset = request.address - kWindowBase;
  if (request.address < kWindowBase || offset > thread.local.size() ||
      request.bytes > thread.local.size() - offset) {
    FaultOutOfRange(thread, request, "no local variable lies there");
    return nullptr;
  }
  if (!CheckStates(thread, request, &thread.local_state[offset], "local")) {
    return nullptr;
  }
  return &thread.local[offset];
}

uint8_t* AccessParam(Thread& thread, const Request& request) {
  const uint64_t offset = request.address - kWindowBase;
  const uint64_t size = thread.function->parameter_bytes;
  if (request.address < kWindowBase || offset > size ||
      request.bytes > size - offset) {
    FaultOutOfRange(thread, request, "no parameter lies there");
    return nullptr;
  }
  auto* states = reinterpret_cast<ByteState*>(thread.params_written + offset);
  if (!CheckStates(thread, request, states, "param")) {
    return nullptr;
  }
  return thread.params + offset;
}

std::string NameOf(const Dim3& position) {
  return absl::StrCat("(", position.x, ", ", position.y, ", ", position.z, ")");
}

Dim3 PositionOf(uint64_t linear, const Dim3& size) {
  return {static_cast<uint32_t>(linear % size.x),
          static_cast<uint32_t>(linear / size.x % size.y),
          static_cast<uint32_t>(linear / size.x / size.y)};
}

}  // namespace accel::ptx
