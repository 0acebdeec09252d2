// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/parser.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/function_parser.h"

namespace accel::ptx {
namespace {

class ModuleParser {
 public:
  ModuleParser(Cursor& cursor, Program& program)
      : cursor_(cursor), program_(program), scopes_(1) {}

  void Read() {
    while (cursor_.ok() && !cursor_.AtEnd()) {
      ReadDirective(cursor_.Next().text);
    }
    if (cursor_.ok()) {
      CheckCallees();
    }
  }

 private:
  void ReadDirective(absl::string_view name);
  void ReadVariablesOfModule(Space space);
  void ReadFunction(bool is_kernel);
  void ReadLimits(Function& function);
  Dim3 ReadDim3();
  void SkipSection();
  void DeclareParameters(Function& function);
  Function& FindOrAddFunction(const std::string& name);
  void CheckCallees();

  Cursor& cursor_;
  Program& program_;
  Scopes scopes_;
  bool is_extern_ = false;  // of the declaration that follows
};

void ModuleParser::ReadDirective(absl::string_view name) {
  if (name == ".version") {
    program_.version = std::string(cursor_.Next().text);
  } else if (name == ".target") {
    program_.target = std::string(cursor_.ExpectWord());
    cursor_.SkipLine();
  } else if (name == ".address_size") {
    if (cursor_.ExpectInteger() != 64) {
      cursor_.FailUnknown("expected addresses of 64 bits");
    }
  } else if (name == ".file") {
    cursor_.SkipLine();
  } else if (name == ".section") {
    SkipSection();
  } else if (name == ".visible" || name == ".weak" || name == ".common") {
    is_extern_ = false;
  } else if (name == ".extern") {
    is_extern_ = true;
  } else if (name == ".global") {
    ReadVariablesOfModule(Space::kGlobal);
  } else if (name == ".const") {
    ReadVariablesOfModule(Space::kConst);
  } else if (name == ".shared") {
    ReadVariablesOfModule(Space::kShared);
  } else if (name == ".entry" || name == ".func") {
    is_extern_ = false;
    ReadFunction(name == ".entry");
  } else {
    cursor_.FailUnknown(
        absl::StrCat("the interpreter does not know '", name, "' in a module"));
  }
}

// Debugging data: a list of bytes and names within braces.
void ModuleParser::SkipSection() {
  cursor_.ExpectWord();
  cursor_.Expect("{");
  while (!cursor_.AtEnd() && !cursor_.Accept("}")) {
    cursor_.Next();
  }
}

void ModuleParser::ReadVariablesOfModule(Space space) {
  for (Variable& variable : ReadVariables(cursor_, space, is_extern_)) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::kVariable;
    symbol.index = static_cast<uint32_t>(program_.variables.size());
    symbol.space = space;
    if (!scopes_.front().try_emplace(variable.name, symbol).second) {
      cursor_.Fail(absl::StrCat("'", variable.name, "' exists already"));
    }
    program_.variables.push_back(std::move(variable));
  }
  is_extern_ = false;
}

Function& ModuleParser::FindOrAddFunction(const std::string& name) {
  const auto found = scopes_.front().find(name);
  if (found != scopes_.front().end() &&
      found->second.kind == Symbol::Kind::kFunction) {
    Function& function = *program_.functions[found->second.index];
    if (function.is_defined) {
      cursor_.Fail(absl::StrCat("'", name, "' exists already"));
    }
    function.parameters.clear();
    function.results.clear();
    function.locals.clear();
    function.parameter_bytes = 0;
    return function;
  }
  Symbol symbol;
  symbol.kind = Symbol::Kind::kFunction;
  symbol.index = static_cast<uint32_t>(program_.functions.size());
  scopes_.front()[name] = symbol;
  program_.functions.push_back(std::make_unique<Function>());
  program_.functions.back()->name = name;
  return *program_.functions.back();
}

void ModuleParser::ReadFunction(bool is_kernel) {
  std::vector<Parameter> results;
  uint32_t end = 0;
  if (!is_kernel && cursor_.Accept("(")) {
    results.push_back(ReadParameter(cursor_, end));
    cursor_.Expect(")");
  }
  Function& function = FindOrAddFunction(std::string(cursor_.ExpectWord()));
  function.is_kernel = is_kernel;
  if (cursor_.Accept("(")) {
    // The results of a function lie behind its parameters.
    end = 0;
    while (cursor_.ok() && !cursor_.Accept(")")) {
      function.parameters.push_back(ReadParameter(cursor_, end));
      if (!cursor_.Peek().Is(")")) {
        cursor_.Expect(",");
      }
    }
  }
  function.results = std::move(results);
  ReadLimits(function);
  scopes_.emplace_back();
  DeclareParameters(function);
  if (!cursor_.Accept(";")) {
    cursor_.Expect("{");
    FunctionParser(cursor_, program_, scopes_, function).ReadBody();
  }
  scopes_.resize(1);
}

void ModuleParser::DeclareParameters(Function& function) {
  const auto declare = [&](Parameter& parameter) {
    Variable variable;
    variable.name = parameter.name;
    variable.space = Space::kParam;
    variable.size_bytes = parameter.size_bytes;
    variable.alignment = parameter.alignment;
    DeclareFrameVariable(function, scopes_, std::move(variable));
    parameter.offset = function.locals.back().offset;
  };
  for (Parameter& parameter : function.parameters) {
    declare(parameter);
  }
  for (Parameter& result : function.results) {
    declare(result);
  }
}

Dim3 ModuleParser::ReadDim3() {
  Dim3 dim;
  dim.x = static_cast<uint32_t>(cursor_.ExpectInteger());
  if (cursor_.Accept(",")) {
    dim.y = static_cast<uint32_t>(cursor_.ExpectInteger());
  }
  if (cursor_.Accept(",")) {
    dim.z = static_cast<uint32_t>(cursor_.ExpectInteger());
  }
  return dim;
}

void ModuleParser::ReadLimits(Function& function) {
  while (cursor_.ok() && !cursor_.Peek().Is("{") && !cursor_.Peek().Is(";")) {
    const absl::string_view name = cursor_.ExpectWord();
    if (name == ".reqntid") {
      function.required_block = ReadDim3();
    } else if (name == ".maxntid") {
      function.maximum_block = ReadDim3();
    } else if (name == ".minnctapersm" || name == ".maxnreg") {
      cursor_.ExpectInteger();  // These change speed only.
    } else if (name != ".noreturn") {
      cursor_.FailUnknown(absl::StrCat("the interpreter does not know '", name,
                                       "' of a function"));
    }
  }
}

// A prototype is enough to call a function, but not to run it.
void ModuleParser::CheckCallees() {
  for (const auto& function : program_.functions) {
    for (const uint32_t callee : function->callees) {
      if (!program_.functions[callee]->is_defined) {
        cursor_.Fail(absl::StrCat("'", function->name, "' calls '",
                                  program_.functions[callee]->name,
                                  "', which this module does not define"));
        return;
      }
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Program>> ParseProgram(absl::string_view text) {
  auto program = std::make_unique<Program>();
  program->lines = SplitLines(text);
  absl::StatusOr<std::vector<Token>> tokens = ReadTokens(text);
  if (!tokens.ok()) {
    return tokens.status();
  }
  Cursor cursor(*std::move(tokens), program->lines);
  ModuleParser(cursor, *program).Read();
  if (!cursor.ok()) {
    return cursor.status();
  }
  return program;
}

}  // namespace accel::ptx
