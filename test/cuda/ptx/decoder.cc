// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/decoder.h"

#include <bit>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {
namespace {

struct SpecialName {
  absl::string_view name;
  Special special;
};

constexpr SpecialName kSpecialNames[] = {
    {"%tid.x", Special::kTidX},
    {"%tid.y", Special::kTidY},
    {"%tid.z", Special::kTidZ},
    {"%ntid.x", Special::kNtidX},
    {"%ntid.y", Special::kNtidY},
    {"%ntid.z", Special::kNtidZ},
    {"%ctaid.x", Special::kCtaidX},
    {"%ctaid.y", Special::kCtaidY},
    {"%ctaid.z", Special::kCtaidZ},
    {"%nctaid.x", Special::kNctaidX},
    {"%nctaid.y", Special::kNctaidY},
    {"%nctaid.z", Special::kNctaidZ},
    {"%laneid", Special::kLaneid},
    {"%warpid", Special::kWarpid},
    {"%nwarpid", Special::kNwarpid},
    {"%lanemask_eq", Special::kLanemaskEq},
    {"%lanemask_le", Special::kLanemaskLe},
    {"%lanemask_lt", Special::kLanemaskLt},
    {"%lanemask_ge", Special::kLanemaskGe},
    {"%lanemask_gt", Special::kLanemaskGt},
    {"%dynamic_smem_size", Special::kDynamicSmemSize},
};

const SpecialName* FindSpecial(absl::string_view name) {
  for (const SpecialName& row : kSpecialNames) {
    if (row.name == name) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace

uint32_t RegisterFile::Declare(int bits) {
  function_.image.push_back(0);
  function_.undefined_bits.push_back(static_cast<uint8_t>(bits));
  return static_cast<uint32_t>(function_.image.size() - 1);
}

uint32_t RegisterFile::Constant(uint64_t bits) {
  const auto [entry, is_new] = constants_.try_emplace(bits, 0);
  if (is_new) {
    entry->second = Declare(0);
    function_.image[entry->second] = bits;
  }
  return entry->second;
}

uint32_t RegisterFile::SpecialRegister(Special special) {
  const auto [entry, is_new] = specials_.try_emplace(special, 0);
  if (is_new) {
    entry->second = Declare(0);
    function_.specials.push_back({entry->second, special});
  }
  return entry->second;
}

uint32_t RegisterFile::Address(Space space, uint32_t variable, int64_t offset) {
  for (const AddressUse& use : function_.addresses) {
    if (use.space == space && use.variable == variable &&
        use.offset == offset) {
      return use.slot;
    }
  }
  const uint32_t slot = Declare(0);
  function_.addresses.push_back({slot, space, variable, offset});
  return slot;
}

Decoder::Decoder(const Statement& statement, const Program& program,
                 const Scopes& scopes, Function& function,
                 RegisterFile& registers)
    : statement_(statement),
      program_(program),
      scopes_(scopes),
      function_(function),
      registers_(registers),
      taken_(statement.modifiers.size(), false) {
  instruction.line = statement.line;
}

bool Decoder::Has(absl::string_view modifier) const {
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i] && statement_.modifiers[i] == modifier) {
      return true;
    }
  }
  return false;
}

bool Decoder::Take(absl::string_view modifier) {
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i] && statement_.modifiers[i] == modifier) {
      taken_[i] = true;
      return true;
    }
  }
  return false;
}

absl::string_view Decoder::TakeOneOf(
    std::initializer_list<absl::string_view> choices) {
  for (absl::string_view choice : choices) {
    if (Take(choice)) {
      return choice;
    }
  }
  return "";
}

bool Decoder::TakeNext(absl::string_view modifier) {
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i]) {
      taken_[i] = statement_.modifiers[i] == modifier;
      return taken_[i];
    }
  }
  return false;
}

Type Decoder::TakeType() {
  for (size_t i = 0; i < taken_.size(); ++i) {
    const std::optional<Type> type = TypeNamed(statement_.modifiers[i]);
    if (!taken_[i] && type.has_value()) {
      taken_[i] = true;
      return *type;
    }
  }
  FailUnknown("expected a type that the interpreter knows");
  return Type::kB32;
}

bool Decoder::TakeRounding() {
  const absl::string_view name = TakeOneOf({"rn", "rz", "rm", "rp"});
  if (name == "rz") {
    instruction.rounding = Rounding::kZero;
  } else if (name == "rm") {
    instruction.rounding = Rounding::kDown;
  } else if (name == "rp") {
    instruction.rounding = Rounding::kUp;
  }
  return !name.empty();
}

const Operand& Decoder::At(size_t i) {
  static const Operand* const kMissing = new Operand();
  if (i >= statement_.operands.size()) {
    Fail(absl::StrCat("expected at least ", i + 1, " operands, got ",
                      statement_.operands.size()));
    return *kMissing;
  }
  return statement_.operands[i];
}

bool Decoder::Expect(size_t count) {
  if (statement_.operands.size() != count) {
    Fail(absl::StrCat("expected ", count, " operands, got ",
                      statement_.operands.size()));
    return false;
  }
  return true;
}

const Symbol* Decoder::FindSymbol(absl::string_view name) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    const auto found = scopes_[i].find(name);
    if (found != scopes_[i].end()) {
      return &found->second;
    }
  }
  return nullptr;
}

const Function* Decoder::FunctionOf(const Symbol& symbol) const {
  return program_.functions[symbol.index].get();
}

uint32_t Decoder::Destination(size_t i, int bits) {
  return Destination(At(i), bits);
}

uint32_t Decoder::Destination(const Operand& operand, int bits) {
  if (operand.kind == Operand::Kind::kSink) {
    return registers_.Declare(bits);
  }
  const Symbol* symbol = FindSymbol(operand.text);
  if (operand.kind != Operand::Kind::kRegister || operand.negated) {
    Fail(absl::StrCat("expected a register as destination, got '", operand.text,
                      "'"));
  } else if (symbol == nullptr || symbol->kind != Symbol::Kind::kRegister) {
    Fail(absl::StrCat("'", operand.text, "' is no register of this function"));
  } else if (symbol->bits != bits) {
    Fail(absl::StrCat("expected a register of ", bits, " bits, '", operand.text,
                      "' has ", symbol->bits));
  } else {
    return symbol->index;
  }
  return 0;
}

uint32_t Decoder::Source(size_t i, Type type) { return Source(At(i), type); }

uint32_t Decoder::Source(const Operand& operand, Type type) {
  return Read(operand, type, /*wide=*/false);
}

uint32_t Decoder::WideSource(const Operand& operand, Type type) {
  return Read(operand, type, /*wide=*/true);
}

uint32_t Decoder::Read(const Operand& operand, Type type, bool wide) {
  if (operand.negated) {
    Fail(absl::StrCat("'!", operand.text, "' must be a predicate"));
    return 0;
  }
  const int bits = BitsOf(type);
  switch (operand.kind) {
    case Operand::Kind::kRegister:
      return ReadRegister(operand, bits, wide);
    case Operand::Kind::kInteger:
      if (IsFloat(type) || type == Type::kF32x2) {
        Fail(absl::StrCat("expected a floating-point number, got '",
                          operand.text, "'"));
      }
      return registers_.Constant(LowBits(operand.integer, bits));
    case Operand::Kind::kFloat:
      return registers_.Constant(FloatBits(operand, type));
    case Operand::Kind::kSymbol:
      if (bits < 32 || IsFloat(type)) {
        Fail("an address has 32 or 64 bits");
      }
      return ReadSymbol(operand);
    default:
      Fail(absl::StrCat("'", operand.text, "' cannot be a source here"));
      return 0;
  }
}

uint32_t Decoder::ReadRegister(const Operand& operand, int bits, bool wide) {
  if (const SpecialName* row = FindSpecial(operand.text)) {
    if (bits < 32) {
      Fail("a special register has 32 bits");
    }
    return registers_.SpecialRegister(row->special);
  }
  const Symbol* symbol = FindSymbol(operand.text);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::kRegister) {
    FailUnknown(absl::StrCat("'", operand.text,
                             "' is no register that the interpreter knows"));
    return 0;
  }
  const bool fits =
      wide ? symbol->bits >= bits && symbol->bits != 1 : symbol->bits == bits;
  if (!fits) {
    Fail(absl::StrCat("expected a register of ", bits, " bits, '", operand.text,
                      "' has ", symbol->bits));
  }
  return symbol->index;
}

uint32_t Decoder::ReadSymbol(const Operand& operand) {
  const Symbol* symbol = FindSymbol(operand.text);
  if (symbol == nullptr || (symbol->kind != Symbol::Kind::kVariable &&
                            symbol->kind != Symbol::Kind::kFrameVariable)) {
    Fail(absl::StrCat("'", operand.text, "' is no variable"));
    return 0;
  }
  return registers_.Address(symbol->space, symbol->index, operand.integer);
}

uint64_t Decoder::FloatBits(const Operand& operand, Type type) {
  const double value =
      std::bit_cast<double>(static_cast<uint64_t>(operand.integer));
  switch (type) {
    case Type::kF64:
      return static_cast<uint64_t>(operand.integer);
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
      if (operand.is_single) {
        Fail("a number of 64 bits begins with 0d");
      }
      return static_cast<uint64_t>(operand.integer);
    case Type::kF32:
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
      if (!operand.is_single && type != Type::kF32) {
        Fail("a number of 32 bits begins with 0f");
      }
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    default:
      Fail(absl::StrCat("'", operand.text, "' does not fit the type"));
      return 0;
  }
}

uint32_t Decoder::Predicate(const Operand& operand, bool* negated) {
  *negated = operand.negated;
  if (operand.kind == Operand::Kind::kInteger) {
    return registers_.Constant(operand.integer != 0 ? 1 : 0);
  }
  Operand positive = operand;
  positive.negated = false;
  return Read(positive, Type::kPred, /*wide=*/false);
}

void Decoder::Address(size_t i) {
  const Operand& operand = At(i);
  if (operand.kind != Operand::Kind::kAddress) {
    Fail(absl::StrCat("expected an address in brackets, got '", operand.text,
                      "'"));
    return;
  }
  instruction.offset = operand.integer;
  if (operand.text.empty()) {
    instruction.a = registers_.Constant(0);
  } else if (operand.is_register) {
    instruction.a = ReadRegister(operand, 32, /*wide=*/true);
  } else {
    Operand base = operand;
    base.integer = 0;
    instruction.a = ReadSymbol(base);
  }
}

int Decoder::BitsOfRegister(const Operand& operand) {
  const Symbol* symbol = FindSymbol(operand.text);
  return symbol != nullptr && symbol->kind == Symbol::Kind::kRegister
             ? symbol->bits
             : 0;
}

uint32_t Decoder::AddList(const std::vector<uint32_t>& values) {
  const auto begin = static_cast<uint32_t>(function_.lists.size());
  function_.lists.insert(function_.lists.end(), values.begin(), values.end());
  return begin;
}

void Decoder::Fail(absl::string_view message) {
  if (status_.ok()) {
    status_ = absl::InvalidArgumentError(message);
  }
}

void Decoder::FailUnknown(absl::string_view what) {
  if (status_.ok()) {
    status_ = absl::UnimplementedError(what);
  }
}

absl::Status Decoder::Finish() {
  if (status_.code() == absl::StatusCode::kUnimplemented) {
    return status_;
  }
  // A modifier that is not known explains an operand that does not fit.
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i]) {
      return absl::UnimplementedError(absl::StrCat(
          "the interpreter does not know '.", statement_.modifiers[i],
          "' in this place of '", statement_.opcode, "'"));
    }
  }
  if (!status_.ok()) {
    return status_;
  }
  if (instruction.execute == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("the interpreter does not know this form of '",
                     statement_.opcode, "'"));
  }
  return absl::OkStatus();
}

}  // namespace accel::ptx
