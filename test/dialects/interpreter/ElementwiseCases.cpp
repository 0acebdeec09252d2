// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases of the element-wise operations.
#include "test/dialects/interpreter/OpCases.h"

namespace accel::test {
namespace {

/// `%x -> accel.<operation> %x` on 3x5 elements; `range` restricts the argument
/// to where the operation is defined.
OpCase makeUnary(const std::string &operation, const std::string &range = "") {
  std::string attributes =
      range.empty() ? "" : " {accel.range = " + range + "}";
  return makeCase(operation, "%x: tensor<3x5xf64>" + attributes,
                  "tensor<3x5xf64>",
                  "%y = accel." + operation + " %x : tensor<3x5xf64>",
                  "%y : tensor<3x5xf64>");
}

OpCase makeBinary(const std::string &name, const std::string &operation,
                  const std::string &lhsRange = "[-2.0, 2.0]",
                  const std::string &rhsRange = "[-2.0, 2.0]") {
  return makeCase(name,
                  "%x: tensor<3x5xf64> {accel.range = " + lhsRange +
                      "}, %y: tensor<3x5xf64> {accel.range = " + rhsRange + "}",
                  "tensor<3x5xf64>",
                  "%z = accel." + operation + " %x, %y : tensor<3x5xf64>",
                  "%z : tensor<3x5xf64>");
}

/// A power with a constant exponent, as in the tanh form of GELU: the base may
/// be negative.
OpCase makeConstantPower(const std::string &name, const std::string &exponent,
                         const std::string &attributes = "") {
  return makeCase(
      name, "%x: tensor<7xf64>" + attributes, "tensor<7xf64>",
      "%e = accel.constant dense<" + exponent +
          "> : tensor<7xf64>\n  %y = accel.pow %x, %e : tensor<7xf64>",
      "%y : tensor<7xf64>");
}

std::vector<OpCase> getUnaryCases() {
  return {makeUnary("neg"), makeUnary("abs"), makeUnary("exp"),
          makeUnary("log", "[0.2, 3.0]"), makeUnary("sqrt", "[0.2, 3.0]"),
          makeUnary("rsqrt", "[0.2, 3.0]"), makeUnary("tanh"), makeUnary("erf"),
          makeUnary("sigmoid"), makeUnary("relu"), makeUnary("sin"),
          makeUnary("cos"), makeUnary("gelu none,"), makeUnary("gelu tanh,"),
          // Where the functions are flat or nearly linear.
          makeUnary("sigmoid", "[-20.0, 20.0]"),
          makeUnary("gelu none,", "[-6.0, 6.0]"),
          makeUnary("gelu tanh,", "[-6.0, 6.0]")};
}

std::vector<OpCase> getBinaryCases() {
  return {makeBinary("add", "add"),
          makeBinary("sub", "sub"),
          makeBinary("mul", "mul"),
          makeBinary("div", "div", "[-2.0, 2.0]", "[0.5, 2.0]"),
          makeBinary("div_negative", "div", "[-2.0, 2.0]", "[-2.0, -0.5]"),
          makeBinary("max", "max"),
          makeBinary("min", "min"),
          makeBinary("pow", "pow", "[0.3, 2.0]"),
          makeConstantPower("pow_cube", "3.0"),
          makeConstantPower("pow_square", "2.0"),
          makeConstantPower("pow_one", "1.0"),
          makeConstantPower("pow_zero", "0.0"),
          makeConstantPower("pow_inverse", "-1.0",
                            " {accel.range = [-2.0, -0.5]}")};
}

} // namespace

std::vector<OpCase> getElementwiseCases() {
  std::vector<OpCase> cases = getUnaryCases();
  for (const OpCase &binary : getBinaryCases()) {
    cases.push_back(binary);
  }
  cases.push_back(makeCase("add_same_value", "%x: tensor<5xf64>",
                           "tensor<5xf64>",
                           "%y = accel.add %x, %x : tensor<5xf64>\n  %z = "
                           "accel.mul %y, %x : tensor<5xf64>",
                           "%z : tensor<5xf64>"));
  cases.push_back(makeCase("mul_scalar", "%x: tensor<f64>, %y: tensor<f64>",
                           "tensor<f64>", "%z = accel.mul %x, %y : tensor<f64>",
                           "%z : tensor<f64>"));
  cases.push_back(makeCase(
      "select", "%c: tensor<3x5xi1>, %x: tensor<3x5xf64>, %y: tensor<3x5xf64>",
      "tensor<3x5xf64>",
      "%z = accel.select %c, %x, %y : tensor<3x5xi1>, tensor<3x5xf64>",
      "%z : tensor<3x5xf64>"));
  cases.push_back(
      makeCase("cast", "%x: tensor<3x5xf64>", "tensor<3x5xf64>",
               "%y = accel.cast %x : tensor<3x5xf64> -> tensor<3x5xf32>\n"
               "  %z = accel.cast %y : tensor<3x5xf32> -> tensor<3x5xf64>",
               "%z : tensor<3x5xf64>"));
  // Of what has a derivative it would have none: the factor x has all of it.
  cases.push_back(makeCase(
      "stop_gradient", "%x: tensor<7xf64>, %n: tensor<7xi64>", "tensor<7xf64>",
      "%i = accel.cast %n : tensor<7xi64> -> tensor<7xf64>\n  %s = "
      "accel.stop_gradient %i : tensor<7xf64>\n  %z = accel.mul %x, %s : "
      "tensor<7xf64>",
      "%z : tensor<7xf64>"));
  // Nothing flows through integers: the derivative of the whole is that of the
  // factor x.
  cases.push_back(
      makeCase("cast_through_integer", "%x: tensor<7xf64>, %n: tensor<7xi64>",
               "tensor<7xf64>",
               "%i = accel.cast %n : tensor<7xi64> -> tensor<7xf64>\n  %z = "
               "accel.mul %i, %x : tensor<7xf64>",
               "%z : tensor<7xf64>"));
  // As exporters write a softmax that is guarded against rows without any
  // allowed column.
  cases.push_back(makeCase(
      "select_of_nan", "%x: tensor<7xf64>", "tensor<7xf64>",
      "%nan = accel.is_nan %x : tensor<7xf64> -> tensor<7xi1>\n"
      "  %zero = accel.constant dense<0.0> : tensor<7xf64>\n"
      "  %y = accel.select %nan, %zero, %x : tensor<7xi1>, tensor<7xf64>",
      "%y : tensor<7xf64>"));
  return cases;
}

std::vector<OpCase> getOtherCases() {
  const std::string pair = "%x: tensor<3x5xf64>, %y: tensor<3x5xf64>";
  const std::string booleans = "%a: tensor<3x5xi1>, %b: tensor<3x5xi1>";
  std::vector<OpCase> cases;
  for (std::string predicate : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    cases.push_back(makeCase("compare_" + predicate, pair, "tensor<3x5xi1>",
                             "%z = accel.compare " + predicate +
                                 ", %x, %y : tensor<3x5xf64> -> tensor<3x5xi1>",
                             "%z : tensor<3x5xi1>"));
  }
  cases.push_back(makeCase("and", booleans, "tensor<3x5xi1>",
                           "%z = accel.and %a, %b : tensor<3x5xi1>",
                           "%z : tensor<3x5xi1>"));
  cases.push_back(makeCase("or", booleans, "tensor<3x5xi1>",
                           "%z = accel.or %a, %b : tensor<3x5xi1>",
                           "%z : tensor<3x5xi1>"));
  cases.push_back(makeCase("not", booleans, "tensor<3x5xi1>",
                           "%z = accel.not %a : tensor<3x5xi1>",
                           "%z : tensor<3x5xi1>"));
  cases.push_back(makeCase("bitwise", "%i: tensor<3x5xi64>", "tensor<3x5xi64>",
                           "%z = accel.bitwise xor, %i, %i : tensor<3x5xi64>",
                           "%z : tensor<3x5xi64>"));
  cases.push_back(
      makeCase("bitcast", pair, "tensor<3x5xi64>",
               "%z = accel.bitcast %x : tensor<3x5xf64> -> tensor<3x5xi64>",
               "%z : tensor<3x5xi64>"));
  cases.push_back(
      makeCase("is_nan", pair, "tensor<3x5xi1>",
               "%z = accel.is_nan %x : tensor<3x5xf64> -> tensor<3x5xi1>",
               "%z : tensor<3x5xi1>"));
  cases.push_back(makeCase("sum_over_ranks", pair, "tensor<3x5xf64>",
                           "%z = accel.sum_over_ranks %x : tensor<3x5xf64>",
                           "%z : tensor<3x5xf64>"));
  for (std::string code : {"dynamic_signed", "dynamic_unsigned"}) {
    cases.push_back(
        makeCase(code, "%x: tensor<3x5xf64>", "tensor<3x5xf64>",
                 "%c = accel.quantize " + code +
                     ", %x : tensor<3x5xf64> -> tensor<3x5xui8>\n  %z = "
                     "accel.dequantize " +
                     code + ", %c : tensor<3x5xui8> -> tensor<3x5xf64>",
                 "%z : tensor<3x5xf64>"));
  }
  cases.push_back(
      makeCase("constant", "", "tensor<2xf64>",
               "%z = accel.constant dense<[1.0, 2.0]> : tensor<2xf64>",
               "%z : tensor<2xf64>"));
  cases.push_back(makeCase("iota", "", "tensor<2x3xi64>",
                           "%z = accel.iota 1 : tensor<2x3xi64>",
                           "%z : tensor<2x3xi64>"));
  cases.push_back(makeCase(
      "gather_nd",
      "%x: tensor<3x5xf64>, %i: tensor<4x1xi64> {accel.range = [-3, 2]}",
      "tensor<4x5xf64>",
      "%z = accel.gather_nd %x, %i batch_dims 0 : tensor<3x5xf64>, "
      "tensor<4x1xi64> -> tensor<4x5xf64>",
      "%z : tensor<4x5xf64>"));
  for (const char *form : {"none", "tanh"}) {
    cases.push_back(makeCase(std::string("gelu_grad_") + form,
                             "%g: tensor<3x5xf64>, %x: tensor<3x5xf32>",
                             "tensor<3x5xf64>",
                             std::string("%z = accel.gelu_grad ") + form +
                                 ", %g, %x : tensor<3x5xf64>, tensor<3x5xf32>",
                             "%z : tensor<3x5xf64>"));
  }
  cases.push_back(
      makeCase("attention_grad",
               "%q: tensor<1x2x3x5xf64>, %k: tensor<1x2x4x5xf64>, %v: "
               "tensor<1x2x4x2xf64>, %y: tensor<1x2x3x2xf64>, "
               "%lse: tensor<1x2x3xf64>",
               "tensor<1x2x3x5xf64>, tensor<1x2x4x5xf64>, tensor<1x2x4x2xf64>",
               "%dq, %dk, %dv = accel.attention_grad %y, %q, %k, %v, %y, %lse "
               "scale 0.5 : tensor<1x2x3x5xf64>, "
               "tensor<1x2x4x5xf64>, tensor<1x2x4x2xf64>, tensor<1x2x3x2xf64>, "
               "tensor<1x2x3xf64>",
               "%dq, %dk, %dv : tensor<1x2x3x5xf64>, tensor<1x2x4x5xf64>, "
               "tensor<1x2x4x2xf64>"));
  cases.push_back(makeCase("random_normal", "%s: tensor<i64>",
                           "tensor<3x5xf64>",
                           "%z = accel.random_normal %s mean 0.0 deviation 1.0 "
                           "site 3 : tensor<i64> -> tensor<3x5xf64>",
                           "%z : tensor<3x5xf64>"));
  return cases;
}

OpCase makeCase(std::string name, const std::string &arguments,
                const std::string &results, const std::string &body,
                const std::string &returned) {
  for (char &letter : name) {
    letter = std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
  }
  return {std::move(name), "func.func @f(" + arguments + ") -> (" + results +
                               ") {\n  " + body + "\n  return " + returned +
                               "\n}\n"};
}

std::vector<OpCase> getDifferentiableCases() {
  std::vector<OpCase> all;
  for (auto *getCases :
       {getElementwiseCases, getShapeCases, getReductionCases, getLinearCases,
        getNormalizationCases, getAttentionCases}) {
    for (OpCase &opCase : getCases()) {
      all.push_back(std::move(opCase));
    }
  }
  return all;
}

} // namespace accel::test
