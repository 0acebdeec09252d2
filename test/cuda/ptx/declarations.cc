// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations of variables and parameters, and operands.
#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/parser.h"

namespace accel::ptx {
namespace {

constexpr uint64_t kLargestVariable = uint64_t{1} << 31;

Type ReadType(Cursor& cursor) {
  const absl::string_view name = cursor.ExpectWord();
  const std::optional<Type> type =
      absl::StartsWith(name, ".") ? TypeNamed(name.substr(1)) : std::nullopt;
  if (!type.has_value()) {
    cursor.FailUnknown(absl::StrCat(
        "expected a type that the interpreter knows, got '", name, "'"));
  }
  return type.value_or(Type::kB8);
}

uint32_t ReadAlignment(Cursor& cursor) {
  const int64_t alignment = cursor.ExpectInteger();
  if (alignment < 1 || alignment > 4096 ||
      !std::has_single_bit(static_cast<uint64_t>(alignment))) {
    cursor.Fail("expected an alignment that is a power of two");
    return 1;
  }
  return static_cast<uint32_t>(alignment);
}

// Reads `[4][2]`; 1 if there is none. `[]` is an open array, of 0 elements.
uint64_t ReadDimensions(Cursor& cursor, bool* is_open) {
  uint64_t count = 1;
  *is_open = false;
  while (cursor.Accept("[")) {
    if (cursor.Accept("]")) {
      *is_open = true;
      count = 0;
      continue;
    }
    const int64_t size = cursor.ExpectInteger();
    cursor.Expect("]");
    if (size < 0 || static_cast<uint64_t>(size) > kLargestVariable) {
      cursor.Fail("the variable is too large");
      return 0;
    }
    count = std::min(count * static_cast<uint64_t>(size), kLargestVariable);
  }
  return count;
}

void AppendValue(Cursor& cursor, Type type, std::vector<uint8_t>& values) {
  const int bytes = BitsOf(type) / 8;
  int64_t bits = 0;
  bool is_single = false;
  const bool negative = cursor.Peek().Is("-");
  if (!negative && ParseFloat(cursor.Peek().text, &bits, &is_single)) {
    cursor.Next();
    if (type == Type::kF32) {
      const auto value = static_cast<float>(std::bit_cast<double>(bits));
      bits = std::bit_cast<uint32_t>(value);
    } else if (type != Type::kF64) {
      cursor.FailUnknown("a floating-point number initialises .f32 or .f64");
    }
  } else if (cursor.Peek().kind == Token::Kind::kWord) {
    cursor.FailUnknown("an address as initial value is not known");
  } else {
    bits = cursor.ExpectInteger();
  }
  for (int k = 0; k < bytes; ++k) {
    values.push_back(
        static_cast<uint8_t>(static_cast<uint64_t>(bits) >> (8 * k)));
  }
}

void ReadInitialiser(Cursor& cursor, Type type, std::vector<uint8_t>& values) {
  if (!cursor.Accept("{")) {
    AppendValue(cursor, type, values);
    return;
  }
  while (cursor.ok() && !cursor.Accept("}")) {
    ReadInitialiser(cursor, type, values);
    if (!cursor.Peek().Is("}")) {
      cursor.Expect(",");
    }
  }
}

// Reads a name and what follows it.
Variable ReadVariable(Cursor& cursor, Space space, Type type,
                      uint32_t alignment) {
  Variable variable;
  variable.name = std::string(cursor.ExpectWord());
  variable.space = space;
  variable.alignment = alignment;
  bool is_open = false;
  const uint64_t count = ReadDimensions(cursor, &is_open);
  const uint64_t bytes = count * static_cast<uint64_t>(BitsOf(type) / 8);
  if (bytes > kLargestVariable) {
    cursor.Fail("the variable is too large");
    return variable;
  }
  variable.size_bytes = static_cast<uint32_t>(bytes);
  const bool has_values = space == Space::kGlobal || space == Space::kConst;
  if (cursor.Accept("=")) {
    if (!has_values) {
      cursor.Fail("only .global and .const variables have initial values");
    }
    ReadInitialiser(cursor, type, variable.values);
    if (is_open) {
      variable.size_bytes = static_cast<uint32_t>(variable.values.size());
    }
    if (variable.values.size() > variable.size_bytes) {
      cursor.Fail("there are more initial values than elements");
    }
  } else if (is_open && space != Space::kShared) {
    cursor.Fail("an array needs a size or initial values");
  }
  if (has_values) {
    variable.values.resize(variable.size_bytes);  // The rest is zero.
  }
  return variable;
}

bool IsRegister(const Scopes& scopes, absl::string_view name) {
  for (size_t i = scopes.size(); i-- > 0;) {
    const auto found = scopes[i].find(name);
    if (found != scopes[i].end()) {
      return found->second.kind == Symbol::Kind::kRegister;
    }
  }
  return absl::StartsWith(name, "%");
}

// Reads `+4`, `-4` or `+-4`; 0 if there is none.
int64_t ReadOffset(Cursor& cursor) {
  if (cursor.Accept("+") || cursor.Peek().Is("-")) {
    return cursor.ExpectInteger();
  }
  return 0;
}

Operand ReadAddress(Cursor& cursor, const Scopes& scopes) {
  Operand operand;
  operand.kind = Operand::Kind::kAddress;
  if (cursor.Peek().kind == Token::Kind::kWord) {
    operand.text = cursor.ExpectWord();
    operand.is_register = IsRegister(scopes, operand.text);
    operand.integer = ReadOffset(cursor);
  } else {
    operand.integer = cursor.ExpectInteger();
  }
  cursor.Expect("]");
  return operand;
}

Operand ReadList(Cursor& cursor, const Scopes& scopes, Operand::Kind kind,
                 absl::string_view end) {
  Operand operand;
  operand.kind = kind;
  while (cursor.ok() && !cursor.Accept(end)) {
    operand.elements.push_back(ReadOperand(cursor, scopes));
    if (!cursor.Peek().Is(end)) {
      cursor.Expect(",");
    }
  }
  return operand;
}

Operand ReadNumber(Cursor& cursor) {
  Operand operand;
  const bool negative = cursor.Accept("-");
  operand.text = cursor.Peek().text;
  if (ParseFloat(operand.text, &operand.integer, &operand.is_single)) {
    operand.kind = Operand::Kind::kFloat;
    cursor.Next();
    if (negative) {
      operand.integer ^= std::numeric_limits<int64_t>::min();
    }
    return operand;
  }
  operand.kind = Operand::Kind::kInteger;
  const int64_t value = cursor.ExpectInteger();
  operand.integer =
      negative ? static_cast<int64_t>(-static_cast<uint64_t>(value)) : value;
  return operand;
}

Operand ReadName(Cursor& cursor, const Scopes& scopes) {
  Operand operand;
  operand.text = cursor.ExpectWord();
  if (operand.text == "_") {
    operand.kind = Operand::Kind::kSink;
  } else if (operand.text == "WARP_SZ") {
    operand.kind = Operand::Kind::kInteger;
    operand.integer = 32;
  } else if (IsRegister(scopes, operand.text)) {
    operand.kind = Operand::Kind::kRegister;
  } else {
    operand.kind = Operand::Kind::kSymbol;
    operand.integer = ReadOffset(cursor);
  }
  return operand;
}

}  // namespace

Operand ReadOperand(Cursor& cursor, const Scopes& scopes) {
  if (cursor.Accept("[")) {
    return ReadAddress(cursor, scopes);
  }
  if (cursor.Accept("{")) {
    return ReadList(cursor, scopes, Operand::Kind::kVector, "}");
  }
  if (cursor.Accept("(")) {
    return ReadList(cursor, scopes, Operand::Kind::kList, ")");
  }
  if (cursor.Accept("!")) {
    Operand operand = ReadName(cursor, scopes);
    operand.negated = true;
    return operand;
  }
  if (cursor.Peek().kind != Token::Kind::kWord) {
    return ReadNumber(cursor);
  }
  Operand operand = ReadName(cursor, scopes);
  if (cursor.Accept("|")) {
    Operand pair;
    pair.text = operand.text;
    pair.elements = {operand, ReadName(cursor, scopes)};
    return pair;
  }
  return operand;
}

std::vector<Variable> ReadVariables(Cursor& cursor, Space space,
                                    bool is_extern) {
  uint32_t alignment = 0;
  if (cursor.Accept(".align")) {
    alignment = ReadAlignment(cursor);
  }
  const Type type = ReadType(cursor);
  const uint32_t natural = std::max(BitsOf(type) / 8, 1);
  std::vector<Variable> variables;
  do {
    Variable variable =
        ReadVariable(cursor, space, type, alignment == 0 ? natural : alignment);
    variable.is_extern = is_extern && variable.size_bytes == 0;
    if (is_extern && !(space == Space::kShared && variable.is_extern)) {
      cursor.FailUnknown("only an open array in .shared may be .extern");
    }
    variables.push_back(std::move(variable));
  } while (cursor.Accept(","));
  cursor.Expect(";");
  return variables;
}

Parameter ReadParameter(Cursor& cursor, uint32_t& end) {
  Parameter parameter;
  cursor.Expect(".param");
  uint32_t alignment = 0;
  if (cursor.Accept(".align")) {
    alignment = ReadAlignment(cursor);
  }
  const Type type = ReadType(cursor);
  if (cursor.Accept(".ptr")) {
    for (const absl::string_view space :
         {".global", ".shared", ".local", ".const"}) {
      cursor.Accept(space);
    }
    if (cursor.Accept(".align")) {
      parameter.pointee_alignment = ReadAlignment(cursor);
    }
  }
  const uint32_t natural = std::max(BitsOf(type) / 8, 1);
  const Variable variable = ReadVariable(cursor, Space::kParam, type,
                                         alignment == 0 ? natural : alignment);
  parameter.name = variable.name;
  parameter.size_bytes = variable.size_bytes;
  parameter.alignment = variable.alignment;
  parameter.offset = (end + parameter.alignment - 1) / parameter.alignment *
                     parameter.alignment;
  end = parameter.offset + parameter.size_bytes;
  return parameter;
}

void DeclareFrameVariable(Function& function, Scopes& scopes,
                          Variable variable) {
  const bool is_param = variable.space == Space::kParam;
  uint32_t& end = is_param ? function.parameter_bytes : function.local_bytes;
  // Local variables lie apart, so that none borders on another one.
  const uint32_t gap = is_param || end == 0 ? 0 : 32;
  variable.offset = (end + gap + variable.alignment - 1) / variable.alignment *
                    variable.alignment;
  end = variable.offset + variable.size_bytes;
  Symbol symbol;
  symbol.kind = Symbol::Kind::kFrameVariable;
  symbol.index = static_cast<uint32_t>(function.locals.size());
  symbol.space = variable.space;
  scopes.back()[variable.name] = symbol;
  function.locals.push_back(std::move(variable));
}

}  // namespace accel::ptx
