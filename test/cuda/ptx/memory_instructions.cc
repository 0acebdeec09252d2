// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores and conversions of addresses.
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/block.h"
#include "test/cuda/ptx/decoder.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {
namespace {

Request RequestOf(const Thread& t, const Instruction& i, AccessKind kind) {
  Request request;
  request.address = t.registers[i.a] + static_cast<uint64_t>(i.offset);
  request.bytes = uint32_t{i.size} * i.count;
  request.kind = kind;
  request.order = i.order;
  request.used = i.used;
  return request;
}

uint64_t ReadElement(const uint8_t* data, int size) {
  uint64_t value = 0;
  std::memcpy(&value, data, size);
  return value;
}

uint64_t Extended(const Instruction& i, uint64_t value) {
  return i.is_signed
             ? LowBits(static_cast<uint64_t>(SignExtend(value, 8 * i.size)),
                       i.bits)
             : value;
}

void LoadOne(Thread& t, const Instruction& i) {
  const uint8_t* data =
      t.block->Access(t, i.space, RequestOf(t, i, AccessKind::kRead));
  if (data != nullptr) {
    t.registers[i.d] = Extended(i, ReadElement(data, i.size));
  }
}
void LoadVector(Thread& t, const Instruction& i) {
  const uint8_t* data =
      t.block->Access(t, i.space, RequestOf(t, i, AccessKind::kRead));
  if (data == nullptr) {
    return;
  }
  const uint32_t* elements = &t.function->lists[i.list];
  for (int k = 0; k < i.count; ++k) {
    t.registers[elements[k]] =
        Extended(i, ReadElement(data + k * i.size, i.size));
  }
}

void StoreOne(Thread& t, const Instruction& i) {
  uint8_t* data =
      t.block->Access(t, i.space, RequestOf(t, i, AccessKind::kWrite));
  if (data != nullptr) {
    std::memcpy(data, &t.registers[i.b], i.size);
  }
}
void StoreVector(Thread& t, const Instruction& i) {
  uint8_t* data =
      t.block->Access(t, i.space, RequestOf(t, i, AccessKind::kWrite));
  if (data == nullptr) {
    return;
  }
  const uint32_t* elements = &t.function->lists[i.list];
  for (int k = 0; k < i.count; ++k) {
    std::memcpy(data + k * i.size, &t.registers[elements[k]], i.size);
  }
}

// cvta and cvta.to: `offset` is what makes the address generic, or undoes it.
void ConvertAddress(Thread& t, const Instruction& i) {
  t.registers[i.d] = t.registers[i.a] + static_cast<uint64_t>(i.offset);
}
// isspacep: `target` is the window.
void IsInSpace(Thread& t, const Instruction& i) {
  t.registers[i.d] = t.registers[i.a] >> kWindowShift == i.target ? 1 : 0;
}
void Nothing(Thread&, const Instruction&) {}

// --- decoding ---

Space TakeSpace(Decoder& d) {
  const absl::string_view name =
      d.TakeOneOf({"global", "shared", "shared::cta", "local", "const", "param",
                   "param::entry", "param::func"});
  if (name == "global") {
    return Space::kGlobal;
  }
  if (absl::StartsWith(name, "shared")) {
    return Space::kShared;
  }
  if (name == "local") {
    return Space::kLocal;
  }
  if (name == "const") {
    return Space::kConst;
  }
  return name.empty() ? Space::kGeneric : Space::kParam;
}

// Takes .relaxed.gpu and its like.
void TakeOrder(Decoder& d) {
  if (d.Take("weak")) {
    return;
  }
  const absl::string_view order =
      d.TakeOneOf({"volatile", "relaxed", "acquire", "release"});
  if (!order.empty()) {
    d.instruction.order = Order::kStrong;
  }
  if (!order.empty() && order != "volatile" &&
      d.TakeOneOf({"cta", "gpu", "sys"}).empty()) {
    d.FailUnknown("expected the scope .cta, .gpu or .sys");
  }
}

// Hints that have no effect on what is loaded or stored.
void TakeHints(Decoder& d) {
  d.TakeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  d.TakeOneOf({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
               "L1::evict_last", "L1::no_allocate"});
  d.TakeOneOf({"L2::64B", "L2::128B", "L2::256B"});
}

void TakeVector(Decoder& d, Type type) {
  const absl::string_view vector = d.TakeOneOf({"v2", "v4", "v8"});
  d.instruction.count =
      vector.empty() ? 1 : static_cast<uint8_t>(vector[1] - '0');
  d.instruction.size = static_cast<uint8_t>(BitsOf(type) / 8);
  if (d.instruction.size * d.instruction.count > 32 || type == Type::kPred) {
    d.Fail("an access has at most 32 bytes");
  }
}

int LoadedBits(Decoder& d, const Operand& operand, Type type) {
  const int bits = d.BitsOfRegister(operand);
  if (bits == 0) {
    return BitsOf(type);  // a sink, or an error that Destination reports
  }
  if (bits < BitsOf(type) || bits == 1) {
    d.Fail("the destination is narrower than what is loaded");
  }
  return bits;
}

void DecodeLoad(Decoder& d) {
  Instruction& i = d.instruction;
  TakeOrder(d);
  i.space = TakeSpace(d);
  if (d.Take("nc")) {
    i.order = Order::kNonCoherent;
    if (i.space != Space::kGlobal) {
      d.Fail("only ld.global has .nc");
    }
  }
  TakeHints(d);
  const Type type = d.TakeType();
  TakeVector(d, type);
  i.is_signed = IsSigned(type);
  d.Expect(2);
  d.Address(1);
  if (i.count == 1) {
    i.bits = LoadedBits(d, d.At(0), type);
    i.d = d.Destination(0, i.bits);
    i.execute = &LoadOne;
    return;
  }
  const Operand& vector = d.At(0);
  if (vector.kind != Operand::Kind::kVector ||
      vector.elements.size() != i.count) {
    d.Fail("expected as many registers in braces as the vector has elements");
    return;
  }
  std::vector<uint32_t> elements;
  for (const Operand& operand : vector.elements) {
    i.bits = LoadedBits(d, operand, type);
    elements.push_back(d.Destination(operand, i.bits));
  }
  i.list = d.AddList(elements);
  i.execute = &LoadVector;
}

void DecodeStore(Decoder& d) {
  Instruction& i = d.instruction;
  TakeOrder(d);
  i.space = TakeSpace(d);
  TakeHints(d);
  const Type type = d.TakeType();
  TakeVector(d, type);
  d.Expect(2);
  d.Address(0);
  if (i.space == Space::kConst) {
    d.Fail("constant memory cannot be written");
  }
  if (i.count == 1) {
    i.b = d.WideSource(d.At(1), type);
    i.execute = &StoreOne;
    return;
  }
  const Operand& vector = d.At(1);
  if (vector.kind != Operand::Kind::kVector ||
      vector.elements.size() != i.count) {
    d.Fail("expected as many registers in braces as the vector has elements");
    return;
  }
  std::vector<uint32_t> elements;
  for (const Operand& operand : vector.elements) {
    elements.push_back(d.WideSource(operand, type));
  }
  i.list = d.AddList(elements);
  i.execute = &StoreVector;
}

void DecodeConvertAddress(Decoder& d) {
  const bool to = d.Take("to");
  const Space space = TakeSpace(d);
  const Type type = d.TakeType();
  d.Expect(2);
  if (type != Type::kU64 || space == Space::kGeneric) {
    d.FailUnknown("expected a space and .u64");
  }
  d.instruction.d = d.Destination(0, 64);
  d.instruction.a = d.Source(1, Type::kU64);
  const auto window = static_cast<int64_t>(WindowOf(space));
  d.instruction.offset = to ? -window : window;
  d.instruction.execute = &ConvertAddress;
}

void DecodeIsInSpace(Decoder& d) {
  const Space space = TakeSpace(d);
  d.Expect(2);
  d.instruction.d = d.Destination(0, 1);
  d.instruction.a = d.Source(1, Type::kU64);
  d.instruction.target = static_cast<uint32_t>(WindowOf(space) >> kWindowShift);
  // .const is part of the host's addresses, where .global is, too.
  const bool known = space != Space::kGeneric && space != Space::kConst;
  d.instruction.execute = known ? &IsInSpace : nullptr;
}

void DecodePrefetch(Decoder& d) {
  TakeSpace(d);
  d.TakeOneOf({"L1", "L2"});
  d.Expect(1);
  d.Address(0);
  d.instruction.execute = &Nothing;
}

// Fences order accesses, not threads: see the list of errors in interpreter.h.
void DecodeMembar(Decoder& d) {
  d.Expect(0);
  if (!d.TakeOneOf({"cta", "gl", "sys"}).empty()) {
    d.instruction.execute = &Nothing;
  }
}
void DecodeFence(Decoder& d) {
  d.Expect(0);
  const bool order =
      !d.TakeOneOf({"sc", "acq_rel", "acquire", "release"}).empty();
  if (order && !d.TakeOneOf({"cta", "gpu", "sys"}).empty()) {
    d.instruction.execute = &Nothing;
  }
}

constexpr Family kFamilies[] = {
    {"ld", &DecodeLoad},
    {"ldu", &DecodeLoad},
    {"st", &DecodeStore},
    {"cvta", &DecodeConvertAddress},
    {"isspacep", &DecodeIsInSpace},
    {"prefetch", &DecodePrefetch},
    {"membar", &DecodeMembar},
    {"fence", &DecodeFence},
};

}  // namespace

Decode FindMemoryInstruction(absl::string_view opcode) {
  for (const Family& family : kFamilies) {
    if (family.opcode == opcode) {
      return family.decode;
    }
  }
  return nullptr;
}

}  // namespace accel::ptx
