// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atom and red on integers. The order of threads decides what an atomic sum of
// floating-point numbers is, and the product promises equal bits, so that such
// an instruction is refused when the module is read.
#include <cstring>

#include "test/cuda/ptx/block.h"
#include "test/cuda/ptx/decoder.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {
namespace {

enum class Operation : uint8_t {
  kAdd,
  kMin,
  kMax,
  kExchange,
  kCompareAndSwap,
  kAnd,
  kOr,
  kXor,
  kIncrement,
  kDecrement
};

struct OperationName {
  absl::string_view name;
  Operation operation;
};

constexpr OperationName kOperations[] = {
    {"add", Operation::kAdd},
    {"min", Operation::kMin},
    {"max", Operation::kMax},
    {"exch", Operation::kExchange},
    {"cas", Operation::kCompareAndSwap},
    {"and", Operation::kAnd},
    {"or", Operation::kOr},
    {"xor", Operation::kXor},
    {"inc", Operation::kIncrement},
    {"dec", Operation::kDecrement},
};

bool IsLess(const Instruction& i, uint64_t a, uint64_t b) {
  return i.is_signed ? SignExtend(a, i.bits) < SignExtend(b, i.bits) : a < b;
}

uint64_t Updated(const Instruction& i, uint64_t old, uint64_t b, uint64_t c) {
  switch (static_cast<Operation>(i.variant)) {
    case Operation::kAdd:
      return old + b;
    case Operation::kMin:
      return IsLess(i, b, old) ? b : old;
    case Operation::kMax:
      return IsLess(i, old, b) ? b : old;
    case Operation::kExchange:
      return b;
    case Operation::kCompareAndSwap:
      return old == b ? c : old;
    case Operation::kAnd:
      return old & b;
    case Operation::kOr:
      return old | b;
    case Operation::kXor:
      return old ^ b;
    case Operation::kIncrement:
      return old >= b ? 0 : old + 1;
    case Operation::kDecrement:
      return old == 0 || old > b ? b : old - 1;
  }
  return old;
}

void Atomic(Thread& t, const Instruction& i) {
  Request request;
  request.address = t.registers[i.a] + static_cast<uint64_t>(i.offset);
  request.bytes = i.size;
  request.kind = AccessKind::kAtomic;
  uint8_t* data = t.block->Access(t, i.space, request);
  if (data == nullptr) {
    return;
  }
  uint64_t old = 0;
  std::memcpy(&old, data, i.size);
  const uint64_t c = i.c == kNone ? 0 : t.registers[i.c];
  const uint64_t value = Updated(i, old, t.registers[i.b], c);
  std::memcpy(data, &value, i.size);
  if (i.d != kNone) {
    t.registers[i.d] = old;
  }
}

bool IsKnown(Operation operation, Type type) {
  const bool is_bits = IsBitsOrInteger(type) && !IsInteger(type);
  switch (operation) {
    case Operation::kExchange:
    case Operation::kAnd:
    case Operation::kOr:
    case Operation::kXor:
      return is_bits && BitsOf(type) >= 32;
    case Operation::kCompareAndSwap:
      return is_bits && BitsOf(type) >= 16;
    case Operation::kIncrement:
    case Operation::kDecrement:
      return type == Type::kU32;
    case Operation::kAdd:
    case Operation::kMin:
    case Operation::kMax:
      return IsInteger(type) && BitsOf(type) >= 32;
  }
  return false;
}

void TakeSemantics(Decoder& d) {
  d.TakeOneOf({"relaxed", "acquire", "release", "acq_rel"});
  d.TakeOneOf({"cta", "gpu", "sys"});
  const absl::string_view space =
      d.TakeOneOf({"global", "shared", "shared::cta"});
  d.instruction.space = space.empty()       ? Space::kGeneric
                        : space == "global" ? Space::kGlobal
                                            : Space::kShared;
}

template <bool kReturns>
void DecodeAtomic(Decoder& d) {
  Instruction& i = d.instruction;
  TakeSemantics(d);
  Operation operation = Operation::kAdd;
  bool found = false;
  for (const OperationName& row : kOperations) {
    if (!found && d.Take(row.name)) {
      operation = row.operation;
      found = true;
    }
  }
  d.Take("noftz");
  const Type type = d.TakeType();
  if (!IsBitsOrInteger(type)) {
    d.FailUnknown(
        "an atomic on floating-point numbers makes the result depend on the "
        "order of the threads");
    return;
  }
  const size_t first = kReturns ? 1 : 0;
  const bool cas = operation == Operation::kCompareAndSwap;
  d.Expect(first + (cas ? 3 : 2));
  i.variant = static_cast<uint8_t>(operation);
  i.bits = static_cast<uint8_t>(BitsOf(type));
  i.size = static_cast<uint8_t>(BitsOf(type) / 8);
  i.is_signed = IsSigned(type);
  if (kReturns && d.At(0).kind != Operand::Kind::kSink) {
    i.d = d.Destination(0, BitsOf(type));
  }
  d.Address(first);
  i.b = d.Source(first + 1, type);
  i.c = cas ? d.Source(first + 2, type) : kNone;
  i.execute = found && IsKnown(operation, type) ? &Atomic : nullptr;
}

}  // namespace

Decode FindAtomicInstruction(absl::string_view opcode) {
  if (opcode == "atom") {
    return &DecodeAtomic<true>;
  }
  return opcode == "red" ? &DecodeAtomic<false> : nullptr;
}

}  // namespace accel::ptx
