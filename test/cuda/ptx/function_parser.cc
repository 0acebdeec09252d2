// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/function_parser.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/control.h"
#include "test/cuda/ptx/parser.h"

namespace accel::ptx {

void FunctionParser::ReadBody() {
  const size_t outer = scopes_.size();
  scopes_.emplace_back();
  uint32_t last_line = cursor_.line();
  while (cursor_.ok() && scopes_.size() > outer) {
    last_line = cursor_.line();
    if (cursor_.AtEnd()) {
      cursor_.Fail("the function does not end");
    } else if (cursor_.Accept("{")) {
      scopes_.emplace_back();
    } else if (cursor_.Accept("}")) {
      scopes_.pop_back();
    } else {
      ReadStatement();
    }
  }
  Instruction end;
  end.execute = ReturnInstruction();
  end.line = last_line;
  function_.code.push_back(end);
  ResolveJumps();
  function_.is_defined = true;
}

void FunctionParser::ReadStatement() {
  const Token& token = cursor_.Peek();
  if (token.Is("@") || token.kind != Token::Kind::kWord) {
    ReadInstruction();
  } else if (cursor_.Peek(1).Is(":")) {
    ReadLabel();
  } else if (absl::StartsWith(token.text, ".")) {
    ReadDirective(cursor_.Next().text);
  } else {
    ReadInstruction();
  }
}

void FunctionParser::ReadDirective(absl::string_view name) {
  if (name == ".reg") {
    ReadRegisters();
  } else if (name == ".loc") {
    cursor_.SkipLine();
  } else if (name == ".pragma") {
    ReadPragma();
  } else if (name == ".shared") {
    for (Variable& variable :
         ReadVariables(cursor_, Space::kShared, /*is_extern=*/false)) {
      DeclareShared(std::move(variable));
    }
  } else if (name == ".local" || name == ".param") {
    const Space space = name == ".local" ? Space::kLocal : Space::kParam;
    for (Variable& variable :
         ReadVariables(cursor_, space, /*is_extern=*/false)) {
      DeclareFrameVariable(function_, scopes_, std::move(variable));
    }
  } else {
    cursor_.FailUnknown(absl::StrCat("the interpreter does not know '", name,
                                     "' within a function"));
  }
}

void FunctionParser::DeclareShared(Variable variable) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::kVariable;
  symbol.index = static_cast<uint32_t>(program_.variables.size());
  symbol.space = Space::kShared;
  scopes_.back()[variable.name] = symbol;
  program_.variables.push_back(std::move(variable));
}

// .reg .b32 %r<10>, %x;
void FunctionParser::ReadRegisters() {
  const absl::string_view type_name = cursor_.ExpectWord();
  const std::optional<Type> type =
      type_name.empty() ? std::nullopt : TypeNamed(type_name.substr(1));
  if (!type.has_value()) {
    cursor_.FailUnknown(
        absl::StrCat("the interpreter does not know registers of ", type_name));
    return;
  }
  const int bits = BitsOf(*type);
  do {
    const std::string name(cursor_.ExpectWord());
    int64_t count = -1;
    if (cursor_.Accept("<")) {
      count = cursor_.ExpectInteger();
      cursor_.Expect(">");
    }
    if (count > 1 << 20) {
      cursor_.Fail("there are too many registers");
      return;
    }
    for (int64_t k = 0; k < std::max<int64_t>(count, 1); ++k) {
      Symbol symbol;
      symbol.index = registers_.Declare(bits);
      symbol.bits = bits;
      scopes_.back()[count < 0 ? name : absl::StrCat(name, k)] = symbol;
    }
  } while (cursor_.Accept(","));
  cursor_.Expect(";");
}

void FunctionParser::ReadPragma() {
  constexpr absl::string_view kUsedBytes = "used_bytes_mask ";
  absl::string_view text = cursor_.Next().text;
  if (text.size() >= 2) {
    text = text.substr(1, text.size() - 2);
  }
  int64_t mask = 0;
  if (absl::StartsWith(text, kUsedBytes) &&
      ParseInteger(text.substr(kUsedBytes.size()), &mask)) {
    used_ = static_cast<uint32_t>(mask);
    has_used_ = true;
  } else if (text != "nounroll") {
    cursor_.FailUnknown(
        absl::StrCat("the interpreter does not know the pragma '", text, "'"));
  }
  cursor_.Expect(";");
}

void FunctionParser::ReadLabel() {
  const std::string name(cursor_.ExpectWord());
  cursor_.Expect(":");
  if (cursor_.Accept(".branchtargets")) {
    std::vector<std::string>& targets = target_lists_[name];
    do {
      targets.emplace_back(cursor_.ExpectWord());
    } while (cursor_.Accept(","));
    cursor_.Expect(";");
    return;
  }
  const auto next = static_cast<uint32_t>(function_.code.size());
  if (!labels_.try_emplace(name, next).second) {
    cursor_.Fail(absl::StrCat("the label '", name, "' exists already"));
  }
}

void FunctionParser::ReadInstruction() {
  uint32_t guard = kNone;
  bool negated = false;
  const uint32_t line = cursor_.line();
  if (cursor_.Accept("@")) {
    negated = cursor_.Accept("!");
    const absl::string_view name = cursor_.ExpectWord();
    for (const auto& scope : scopes_) {
      const auto found = scope.find(name);
      if (found != scope.end() && found->second.bits == 1) {
        guard = found->second.index;
      }
    }
    if (guard == kNone) {
      cursor_.Fail(absl::StrCat("'", name, "' is no predicate"));
    }
  }
  Statement statement;
  statement.line = cursor_.line();
  const std::vector<absl::string_view> parts =
      absl::StrSplit(cursor_.ExpectWord(), '.');
  statement.opcode = parts.front();
  statement.modifiers.assign(parts.begin() + 1, parts.end());
  while (cursor_.ok() && !cursor_.Accept(";")) {
    statement.operands.push_back(ReadOperand(cursor_, scopes_));
    if (!cursor_.Peek().Is(";")) {
      cursor_.Expect(",");
    }
  }
  if (cursor_.ok()) {
    statement.line = line;
    Append(statement, guard, negated);
  }
}

Decode FunctionParser::FindFamily(absl::string_view opcode) const {
  for (const auto find :
       {&FindIntegerInstruction, &FindBitInstruction, &FindFloatInstruction,
        &FindCompareInstruction, &FindApproximation, &FindConversion,
        &FindMemoryInstruction, &FindAtomicInstruction, &FindControlInstruction,
        &FindWarpInstruction, &FindMatrixInstruction}) {
    if (const Decode decode = find(opcode)) {
      return decode;
    }
  }
  return nullptr;
}

void FunctionParser::Append(const Statement& statement, uint32_t guard,
                            bool negated) {
  const Decode decode = FindFamily(statement.opcode);
  if (decode == nullptr) {
    cursor_.FailAt(statement.line, absl::UnimplementedError(absl::StrCat(
                                       "the interpreter does not know '",
                                       statement.opcode, "'")));
    return;
  }
  Decoder decoder(statement, program_, scopes_, function_, registers_);
  decode(decoder);
  cursor_.FailAt(statement.line, decoder.Finish());
  const bool jumps = statement.opcode == "bra" || statement.opcode == "brx";
  if (cursor_.ok() && jumps) {
    jumps_.push_back({static_cast<uint32_t>(function_.code.size()),
                      std::string(statement.operands.back().text)});
  }
  decoder.instruction.guard = guard;
  decoder.instruction.guard_negated = negated;
  if (has_used_) {
    if (statement.opcode != "ld") {
      cursor_.FailAt(statement.line, absl::InvalidArgumentError(
                                         "used_bytes_mask is of a load"));
    }
    decoder.instruction.used = used_;
    has_used_ = false;
  }
  function_.code.push_back(decoder.instruction);
}

uint32_t FunctionParser::TargetOf(const Jump& jump, const std::string& label) {
  const auto found = labels_.find(label);
  if (found == labels_.end()) {
    cursor_.FailAt(function_.code[jump.instruction].line,
                   absl::InvalidArgumentError(
                       absl::StrCat("there is no label '", label, "'")));
    return 0;
  }
  return found->second;
}

void FunctionParser::ResolveJump(const Jump& jump) {
  Instruction& instruction = function_.code[jump.instruction];
  const auto list = target_lists_.find(jump.label);
  if (instruction.a == kNone) {  // bra
    instruction.target = TargetOf(jump, jump.label);
    return;
  }
  if (list == target_lists_.end()) {
    cursor_.FailAt(instruction.line,
                   absl::InvalidArgumentError(absl::StrCat(
                       "there is no list of targets '", jump.label, "'")));
    return;
  }
  instruction.list = static_cast<uint32_t>(function_.lists.size());
  function_.lists.push_back(static_cast<uint32_t>(list->second.size()));
  for (const std::string& label : list->second) {
    function_.lists.push_back(TargetOf(jump, label));
  }
}

void FunctionParser::ResolveJumps() {
  for (const Jump& jump : jumps_) {
    if (cursor_.ok()) {
      ResolveJump(jump);
    }
  }
}

}  // namespace accel::ptx
