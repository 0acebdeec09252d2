// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logic, shifts, bit fields, and moves, which pack and unpack.
#include <bit>

#include "test/cuda/ptx/decoder.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {
namespace {

// --- logic: registers hold zeros above their width, and so does the result ---

void And(Thread& t, const Instruction& i) {
  t.registers[i.d] = t.registers[i.a] & t.registers[i.b];
}
void Or(Thread& t, const Instruction& i) {
  t.registers[i.d] = t.registers[i.a] | t.registers[i.b];
}
void Xor(Thread& t, const Instruction& i) {
  t.registers[i.d] = t.registers[i.a] ^ t.registers[i.b];
}
void Not(Thread& t, const Instruction& i) {
  t.registers[i.d] = LowBits(~t.registers[i.a], i.bits);
}
// cnot: whether no bit is set
void LogicalNot(Thread& t, const Instruction& i) {
  t.registers[i.d] = t.registers[i.a] == 0 ? 1 : 0;
}
// lop3: bit (a << 2 | b << 1 | c) of the table is the result
void Lop3(Thread& t, const Instruction& i) {
  const uint64_t a = t.registers[i.a];
  const uint64_t b = t.registers[i.b];
  const uint64_t c = t.registers[i.c];
  uint64_t result = 0;
  for (int row = 0; row < 8; ++row) {
    if ((t.registers[i.e] >> row & 1) != 0) {
      result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) &
                ((row & 1) != 0 ? c : ~c);
    }
  }
  t.registers[i.d] = LowBits(result, 32);
}

// --- shifts: an amount above the width counts as the width ---

void ShiftLeft(Thread& t, const Instruction& i) {
  const uint32_t by = Get<uint32_t>(t, i.b);
  t.registers[i.d] = by >= i.bits ? 0 : LowBits(t.registers[i.a] << by, i.bits);
}
void ShiftRight(Thread& t, const Instruction& i) {
  const uint32_t by = Get<uint32_t>(t, i.b);
  t.registers[i.d] = by >= i.bits ? 0 : t.registers[i.a] >> by;
}
void ShiftRightSigned(Thread& t, const Instruction& i) {
  const uint32_t by = std::min<uint32_t>(Get<uint32_t>(t, i.b), i.bits - 1);
  const int64_t value = SignExtend(t.registers[i.a], i.bits);
  t.registers[i.d] = LowBits(static_cast<uint64_t>(value >> by), i.bits);
}
// shf: the upper word is `b`; .wrap takes the amount modulo 32
template <bool kLeft, bool kWrap>
void FunnelShift(Thread& t, const Instruction& i) {
  const uint64_t both = t.registers[i.b] << 32 | t.registers[i.a];
  uint32_t by = Get<uint32_t>(t, i.c);
  by = kWrap ? by & 31 : std::min<uint32_t>(by, 32);
  t.registers[i.d] = kLeft ? (both << by) >> 32 : LowBits(both >> by, 32);
}

// --- bit fields ---

void ExtractField(Thread& t, const Instruction& i) {
  const uint32_t position = Get<uint32_t>(t, i.b) & 0xff;
  const uint32_t length = Get<uint32_t>(t, i.c) & 0xff;
  const uint64_t a = t.registers[i.a];
  const uint32_t top = i.bits - 1;
  const bool sign =
      i.is_signed && length != 0 &&
      (a >> std::min<uint32_t>(position + length - 1, top) & 1) != 0;
  uint64_t result = position > top ? 0 : LowBits(a >> position, length);
  if (position <= top && position + length > i.bits) {
    // The field ends with the register; the sign fills the rest.
    result = LowBits(a >> position, static_cast<int>(i.bits - position));
  }
  const uint32_t held =
      position > top ? 0 : std::min(length, i.bits - position);
  if (sign && held < 64) {
    result |= ~uint64_t{0} << held;
  }
  t.registers[i.d] = LowBits(result, i.bits);
}
void InsertField(Thread& t, const Instruction& i) {
  const uint32_t position = Get<uint32_t>(t, i.c) & 0xff;
  const uint32_t length = Get<uint32_t>(t, i.e) & 0xff;
  uint64_t mask = LowBits(~uint64_t{0}, std::min<int>(length, 64));
  mask = position >= i.bits ? 0 : LowBits(mask << position, i.bits);
  const uint64_t field = position >= i.bits ? 0 : t.registers[i.a] << position;
  t.registers[i.d] = (t.registers[i.b] & ~mask) | (field & mask);
}
void BitMask(Thread& t, const Instruction& i) {
  uint32_t position = Get<uint32_t>(t, i.a);
  uint32_t length = Get<uint32_t>(t, i.b);
  if (i.variant == 0) {  // .clamp
    position = std::min<uint32_t>(position, 32);
    length = std::min<uint32_t>(length, 32);
  } else {  // .wrap
    position &= 31;
    length &= 31;
  }
  t.registers[i.d] =
      LowBits(LowBits(~uint64_t{0}, static_cast<int>(length)) << position, 32);
}
void CountLeadingZeros(Thread& t, const Instruction& i) {
  t.registers[i.d] = std::countl_zero(t.registers[i.a]) - (64 - i.bits);
}
void CountOnes(Thread& t, const Instruction& i) {
  t.registers[i.d] = std::popcount(t.registers[i.a]);
}
void Reverse(Thread& t, const Instruction& i) {
  uint64_t a = t.registers[i.a];
  uint64_t result = 0;
  for (int bit = 0; bit < i.bits; ++bit, a >>= 1) {
    result = result << 1 | (a & 1);
  }
  t.registers[i.d] = result;
}
// bfind: the most significant bit that is not a sign; all ones if none is
void FindBit(Thread& t, const Instruction& i) {
  uint64_t a = t.registers[i.a];
  if (i.is_signed && (a >> (i.bits - 1) & 1) != 0) {
    a = LowBits(~a, i.bits);
  }
  uint32_t result = ~0u;
  if (a != 0) {
    result = 63 - std::countl_zero(a);
    result = i.variant == 1 ? i.bits - 1 - result : result;  // .shiftamt
  }
  t.registers[i.d] = result;
}
// prmt: four bytes out of eight; bit 3 of a selector copies the byte's sign
void Permute(Thread& t, const Instruction& i) {
  const uint64_t both = t.registers[i.b] << 32 | t.registers[i.a];
  uint32_t result = 0;
  for (int byte = 0; byte < 4; ++byte) {
    const uint32_t selector = Get<uint32_t>(t, i.c) >> (4 * byte) & 0xf;
    uint32_t value = both >> (8 * (selector & 7)) & 0xff;
    if ((selector & 8) != 0) {
      value = (value & 0x80) != 0 ? 0xff : 0;
    }
    result |= value << (8 * byte);
  }
  t.registers[i.d] = result;
}

// --- moves ---

void Move(Thread& t, const Instruction& i) {
  t.registers[i.d] = t.registers[i.a];
}
void MoveLow(Thread& t, const Instruction& i) {
  t.registers[i.d] = LowBits(t.registers[i.a], i.bits);
}
// `size` is here the width of an element in bits.
void Pack(Thread& t, const Instruction& i) {
  const uint32_t* elements = &t.function->lists[i.list];
  uint64_t value = 0;
  for (int k = 0; k < i.count; ++k) {
    value |= t.registers[elements[k]] << (i.size * k);
  }
  t.registers[i.d] = value;
}
void Unpack(Thread& t, const Instruction& i) {
  const uint32_t* elements = &t.function->lists[i.list];
  const uint64_t value = t.registers[i.a];
  for (int k = 0; k < i.count; ++k) {
    t.registers[elements[k]] = LowBits(value >> (i.size * k), i.size);
  }
}

template <Execute kExecute>
void DecodeLogic(Decoder& d) {
  const Type type = d.TakeType();
  d.Expect(3);
  if (type != Type::kPred && (BitsOf(type) < 16 || IsInteger(type))) {
    d.FailUnknown("expected .pred, .b16, .b32 or .b64");
  }
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, type);
  d.instruction.execute = kExecute;
}

template <Execute kExecute>
void DecodeUnary(Decoder& d) {
  const Type type = d.TakeType();
  d.Expect(2);
  d.instruction.bits = BitsOf(type);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.execute = kExecute;
}

// clz, popc and bfind: the result has 32 bits
template <Execute kExecute>
void DecodeCount(Decoder& d) {
  d.instruction.variant = d.Take("shiftamt") ? 1 : 0;
  const Type type = d.TakeType();
  d.Expect(2);
  if (BitsOf(type) < 32) {
    d.FailUnknown("expected a type of 32 or 64 bits");
  }
  d.instruction.bits = BitsOf(type);
  d.instruction.is_signed = IsSigned(type);
  d.instruction.d = d.Destination(0, 32);
  d.instruction.a = d.Source(1, type);
  if (d.instruction.variant == 0 || kExecute == &FindBit) {
    d.instruction.execute = kExecute;
  }
}

void DecodeLop3(Decoder& d) {
  d.TakeType();
  d.Expect(5);
  d.instruction.d = d.Destination(0, 32);
  d.instruction.a = d.Source(1, Type::kB32);
  d.instruction.b = d.Source(2, Type::kB32);
  d.instruction.c = d.Source(3, Type::kB32);
  d.instruction.e = d.Source(4, Type::kB32);
  d.instruction.execute = &Lop3;
}

template <bool kLeft>
void DecodeShift(Decoder& d) {
  const Type type = d.TakeType();
  d.Expect(3);
  d.instruction.bits = BitsOf(type);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, Type::kB32);
  if (!IsBitsOrInteger(type) || BitsOf(type) < 16) {
    return;
  }
  if (kLeft) {
    d.instruction.execute = IsInteger(type) ? nullptr : &ShiftLeft;
  } else {
    d.instruction.execute = IsSigned(type) ? &ShiftRightSigned : &ShiftRight;
  }
}

void DecodeFunnelShift(Decoder& d) {
  const bool left = d.TakeOneOf({"l", "r"}) == "l";
  const absl::string_view mode = d.TakeOneOf({"wrap", "clamp"});
  const Type type = d.TakeType();
  d.Expect(4);
  d.instruction.d = d.Destination(0, 32);
  d.instruction.a = d.Source(1, Type::kB32);
  d.instruction.b = d.Source(2, Type::kB32);
  d.instruction.c = d.Source(3, Type::kB32);
  if (type != Type::kB32 || mode.empty()) {
    return;
  }
  if (mode == "wrap") {
    d.instruction.execute =
        left ? &FunnelShift<true, true> : &FunnelShift<false, true>;
  } else {
    d.instruction.execute =
        left ? &FunnelShift<true, false> : &FunnelShift<false, false>;
  }
}

void DecodeExtractField(Decoder& d) {
  const Type type = d.TakeType();
  d.Expect(4);
  d.instruction.bits = BitsOf(type);
  d.instruction.is_signed = IsSigned(type);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, Type::kB32);
  d.instruction.c = d.Source(3, Type::kB32);
  d.instruction.execute =
      IsInteger(type) && BitsOf(type) >= 32 ? &ExtractField : nullptr;
}

void DecodeInsertField(Decoder& d) {
  const Type type = d.TakeType();
  d.Expect(5);
  d.instruction.bits = BitsOf(type);
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.b = d.Source(2, type);
  d.instruction.c = d.Source(3, Type::kB32);
  d.instruction.e = d.Source(4, Type::kB32);
  d.instruction.execute = BitsOf(type) >= 32 ? &InsertField : nullptr;
}

void DecodeBitMask(Decoder& d) {
  d.instruction.variant = d.TakeOneOf({"clamp", "wrap"}) == "wrap" ? 1 : 0;
  d.TakeType();
  d.Expect(3);
  d.instruction.d = d.Destination(0, 32);
  d.instruction.a = d.Source(1, Type::kB32);
  d.instruction.b = d.Source(2, Type::kB32);
  d.instruction.execute = &BitMask;
}

void DecodePermute(Decoder& d) {
  d.TakeType();
  d.Expect(4);
  d.instruction.d = d.Destination(0, 32);
  d.instruction.a = d.Source(1, Type::kB32);
  d.instruction.b = d.Source(2, Type::kB32);
  d.instruction.c = d.Source(3, Type::kB32);
  d.instruction.execute = &Permute;
}

// The type of an element of a vector that fills `type`.
Type ElementOf(Decoder& d, Type type, size_t count) {
  const size_t bits = BitsOf(type) / count;
  if (bits * count == static_cast<size_t>(BitsOf(type))) {
    switch (bits) {
      case 8:
        return Type::kB8;
      case 16:
        return Type::kB16;
      case 32:
        return Type::kB32;
      default:
        break;
    }
  }
  d.Fail("the elements do not fill the register");
  return Type::kB32;
}

void DecodeVectorMove(Decoder& d, Type type) {
  const bool packs = d.At(1).kind == Operand::Kind::kVector;
  const Operand& vector = d.At(packs ? 1 : 0);
  const Type element = ElementOf(d, type, vector.elements.size());
  std::vector<uint32_t> elements;
  for (const Operand& operand : vector.elements) {
    elements.push_back(packs ? d.Source(operand, element)
                             : d.Destination(operand, BitsOf(element)));
  }
  d.instruction.list = d.AddList(elements);
  d.instruction.count = static_cast<uint8_t>(elements.size());
  d.instruction.size = static_cast<uint8_t>(BitsOf(element));
  if (packs) {
    d.instruction.d = d.Destination(0, BitsOf(type));
    d.instruction.execute = &Pack;
  } else {
    d.instruction.a = d.Source(1, type);
    d.instruction.execute = &Unpack;
  }
}

void DecodeMove(Decoder& d) {
  const Type type = d.TakeType();
  d.Expect(2);
  if (d.At(0).kind == Operand::Kind::kVector ||
      d.At(1).kind == Operand::Kind::kVector) {
    DecodeVectorMove(d, type);
    return;
  }
  d.instruction.d = d.Destination(0, BitsOf(type));
  d.instruction.a = d.Source(1, type);
  d.instruction.bits = static_cast<uint8_t>(BitsOf(type));
  // An address may be wider than a move of 32 bits.
  const bool is_address = d.At(1).kind == Operand::Kind::kSymbol;
  d.instruction.execute = is_address ? &MoveLow : &Move;
}

constexpr Family kFamilies[] = {
    {"and", &DecodeLogic<&And>},
    {"or", &DecodeLogic<&Or>},
    {"xor", &DecodeLogic<&Xor>},
    {"not", &DecodeUnary<&Not>},
    {"cnot", &DecodeUnary<&LogicalNot>},
    {"lop3", &DecodeLop3},
    {"shl", &DecodeShift<true>},
    {"shr", &DecodeShift<false>},
    {"shf", &DecodeFunnelShift},
    {"bfe", &DecodeExtractField},
    {"bfi", &DecodeInsertField},
    {"bmsk", &DecodeBitMask},
    {"clz", &DecodeCount<&CountLeadingZeros>},
    {"popc", &DecodeCount<&CountOnes>},
    {"bfind", &DecodeCount<&FindBit>},
    {"brev", &DecodeUnary<&Reverse>},
    {"prmt", &DecodePermute},
    {"mov", &DecodeMove},
};

}  // namespace

Decode FindBitInstruction(absl::string_view opcode) {
  for (const Family& family : kFamilies) {
    if (family.opcode == opcode) {
      return family.decode;
    }
  }
  return nullptr;
}

}  // namespace accel::ptx
