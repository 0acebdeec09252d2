// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of every kind whose operands and results are floats of 16 and 8 bits,
// with casts inside. Where the arithmetic between the casts is exact, so must
// the result be.
#include "test/passes/lower/KernelCases.h"

namespace accel::test {

namespace {

constexpr const char *kFormats[] = {"bf16", "f16", "f8E4M3FN", "f8E5M2",
                                    "f8E8M0FNU"};
/// With a sign.
constexpr const char *kNumbers[] = {"bf16", "f16", "f8E4M3FN", "f8E5M2"};

bool isByte(const std::string &element) { return element[1] == '8'; }

/// `%to = accel.cast %from`, between tensors of one shape.
std::string cast(const std::string &to, const std::string &from,
                 const std::vector<int64_t> &shape, const std::string &source,
                 const std::string &target) {
  bool saturates = isByte(target) && target != "f8E8M0FNU";
  return "  %" + to + " = accel.cast %" + from +
         (saturates ? " saturate : " : " : ") + tensorOf(shape, source) +
         " -> " + tensorOf(shape, target) + "\n";
}

/// An adjacent format's unit in the last place, relative to the number: sums in
/// double and in f32 may round to neighbours.
double neighbour(const std::string &element) {
  return element == "bf16" ? 0x1p-7 : element == "f16" ? 0x1p-10 : 0x1p-2;
}

/// From and to every other type.
void addPairs(std::vector<KernelCase> &cases) {
  for (const std::string format : kFormats) {
    for (const std::string other : {"f32", "f64", "i64", "i32", "i1", "bf16",
                                    "f16", "f8E4M3FN", "f8E5M2", "f8E8M0FNU"}) {
      bool isFloat = other[0] != 'i';
      if (other == format || (isByte(format) && !isFloat)) {
        continue;
      }
      for (bool isFirst : {true, false}) {
        std::string from = isFirst ? format : other;
        std::string to = isFirst ? other : format;
        std::string range = from == "i1"     ? ""
                            : from[0] == 'i' ? " {accel.range = [-400, 400]}"
                                             : " {accel.range = [-9.0, 9.0]}";
        cases.push_back(
            {"cast_" + from + "_" + to,
             makeKernel("flat", 1, 67, "%x: " + tensorOf({67}, from) + range,
                        tensorOf({67}, to),
                        cast("y", "x", {67}, from, to) +
                            "  return %y : " + tensorOf({67}, to)),
             0});
      }
    }
  }
}

/// A product of two numbers of 11 bits is exact in f32; what is chosen, a
/// constant among it, stays as it is.
void addFlat(std::vector<KernelCase> &cases) {
  for (const std::string format : kNumbers) {
    for (int64_t size : {1, 7, 64, 131, 20000}) {
      std::string type = tensorOf({size}, format);
      std::string single = tensorOf({size}, "f32");
      std::string bools = tensorOf({size}, "i1");
      std::string body = cast("a", "x", {size}, format, "f32") +
                         cast("b", "y", {size}, format, "f32") +
                         "  %p = accel.mul %a, %b : " + single + "\n" +
                         cast("q", "p", {size}, "f32", format) +
                         "  %c = accel.constant dense<1.5> : " + type +
                         "\n  %m = accel.compare lt, %a, %b : " + single +
                         " -> " + bools +
                         "\n  %z = accel.select %m, %q, %c : " + bools + ", " +
                         type + "\n  return %z, %q : " + type + ", " + type;
      cases.push_back(
          {"product_of_" + format + "_" + text(size),
           makeKernel("flat", 1, size, "%x: " + type + ", %y: " + type,
                      type + ", " + type, body),
           0,
           {{0, 0}, {1, 1}}});
    }
    // As an update writes: the sum stays in f32, and a copy is cast.
    std::vector<std::string> types = {tensorOf({5001}, "f32"),
                                      tensorOf({5001}, format)};
    cases.push_back(
        {"update_with_copy_" + format,
         makeKernel("flat", 1, 5001, substitute("%x: $0, %g: $1", types),
                    substitute("$0, $1, $0 {plan.accumulate}", types),
                    cast("h", "g", {5001}, format, "f32") +
                        substitute("  %s = accel.add %x, %h : $0\n", types) +
                        cast("c", "s", {5001}, "f32", format) +
                        substitute("  return %s, %c, %h : $0, $1, $0", types)),
         neighbour(format),
         {{0, 0}, {1, 1}}});
  }
}

void addRows(std::vector<KernelCase> &cases) {
  for (const std::string format : kNumbers) {
    for (int64_t columns : {2, 63, 64, 65, 300}) {
      std::vector<int64_t> shape = {5, columns};
      std::vector<std::string> types = {
          tensorOf(shape, format),     tensorOf(shape, "f32"),
          tensorOf({columns}, format), tensorOf({columns}, "f32"),
          tensorOf({5}, "f32"),        tensorOf({5}, format)};
      std::string single = cast("a", "x", shape, format, "f32");
      cases.push_back(
          {"softmax_of_" + format + "_" + text(columns),
           makeKernel("rows", 5, columns, "%x: " + types[0], types[0],
                      single +
                          substitute("  %s = accel.softmax %a : $1\n", types) +
                          cast("y", "s", shape, "f32", format) +
                          "  return %y : " + types[0]),
           neighbour(format),
           {{0, 0}}});
      cases.push_back(
          {"layer_norm_of_" + format + "_" + text(columns),
           makeKernel(
               "rows", 5, columns, substitute("%x: $0, %g: $2, %b: $3", types),
               substitute("$0, $4, $4", types),
               single + cast("h", "g", {columns}, format, "f32") +
                   substitute("  %n, %m, %r = accel.layer_norm %a, %h, %b "
                              "epsilon 1.0e-5 : $1, $3, $3 -> $1, $4, $4\n",
                              types) +
                   cast("y", "n", shape, "f32", format) +
                   substitute("  return %y, %m, %r : $0, $4, $4", types)),
           neighbour(format)});
      // The largest magnitude, as scales need it; of a row it is exact.
      cases.push_back(
          {"largest_of_" + format + "_" + text(columns),
           makeKernel("rows", 5, columns, "%x: " + types[0],
                      types[5] + ", " + tensorOf({5}, "f8E8M0FNU"),
                      single +
                          substitute("  %v = accel.abs %a : $1\n"
                                     "  %l = accel.reduce_max %v [1] : $1 -> "
                                     "$4\n",
                                     types) +
                          cast("y", "l", {5}, "f32", format) +
                          cast("z", "l", {5}, "f32", "f8E8M0FNU") +
                          "  return %y, %z : " + types[5] + ", " +
                          tensorOf({5}, "f8E8M0FNU")),
           0});
    }
  }
}

void addColumns(std::vector<KernelCase> &cases) {
  for (const std::string format : kNumbers) {
    for (int64_t columns : {1, 63, 64, 65, 130}) {
      std::vector<int64_t> shape = {70, columns};
      std::vector<std::string> types = {
          tensorOf(shape, format), tensorOf(shape, "f32"),
          tensorOf({columns}, "f32"), tensorOf({columns}, format)};
      // A sum in f32, one that is cast, and one of other numbers that is.
      cases.push_back(
          {"sums_of_" + format + "_" + text(columns),
           makeKernel(
               "columns", 70, columns, "%x: " + types[0],
               substitute("$2 {plan.accumulate}, $3, $3", types),
               cast("a", "x", shape, format, "f32") +
                   substitute("  %s = accel.reduce_sum %a [0] : $1 -> "
                              "$2\n  %d = accel.neg %a : $1\n"
                              "  %t = accel.reduce_sum %d [0] : $1 -> "
                              "$2\n",
                              types) +
                   cast("y", "s", {columns}, "f32", format) +
                   cast("z", "t", {columns}, "f32", format) +
                   substitute("  return %s, %y, %z : $2, $3, $3", types)),
           neighbour(format)});
    }
    std::vector<std::string> types = {
        tensorOf({4, 15}, "i64"), tensorOf({4, 15, 65}, format),
        tensorOf({4, 15, 65}, "f32"), tensorOf({11, 65}, "f32")};
    cases.push_back(
        {"scatter_of_" + format,
         makeKernel("columns", 60, 65,
                    substitute("%i: $0 {accel.range = [0, 10]}, %x: $1", types),
                    types[3],
                    cast("u", "x", {4, 15, 65}, format, "f32") +
                        substitute("  %s = accel.scatter_add %i, %u : $0, $2 "
                                   "-> $3\n  return %s : $3",
                                   types)),
         2e-6});
  }
}

/// Bits are moved, and cast where they are read.
void addMoves(std::vector<KernelCase> &cases) {
  for (const std::string format : kFormats) {
    std::vector<std::string> types = {
        tensorOf({50, 65}, format),   tensorOf({3, 5}, "i64"),
        tensorOf({3, 5, 65}, format), tensorOf({2, 3, 65}, format),
        tensorOf({2, 3, 7}, format),  tensorOf({2, 3, 72}, format),
        tensorOf({7, 11}, format),    tensorOf({11, 7}, format),
        tensorOf({7}, format),        tensorOf({5, 7}, format)};
    std::string indices = "%i: " + types[1] + " {accel.range = [0, 49]}";
    cases.push_back(
        {"rows_of_" + format,
         makeKernel(
             "rows", 15, 65, "%t: " + types[0] + ", " + indices,
             types[2] + ", " + tensorOf({3, 5, 65}, "f32"),
             substitute("  %e = accel.gather %t, %i : $0, $1 -> $2\n", types) +
                 cast("y", "e", {3, 5, 65}, format, "f32") +
                 "  return %e, %y : " + types[2] + ", " +
                 tensorOf({3, 5, 65}, "f32")),
         0});
    cases.push_back(
        {"concat_of_" + format,
         makeKernel(
             "concat", 6, 72,
             substitute("%x: $3, %y: ", types) + tensorOf({2, 3, 7}, "bf16"),
             types[5],
             (format == "bf16" ? "  %z = accel.reshape %y : " + types[4] +
                                     " -> " + types[4] + "\n"
                               : cast("z", "y", {2, 3, 7}, "bf16", format)) +
                 substitute("  %c = accel.concat %x, %z axis 2 : $3, $4 "
                            "-> $5\n  return %c : $5",
                            types)),
         0});
    cases.push_back(
        {"transpose_of_" + format,
         makeKernel("rows", 77, 1, "%x: " + types[6], types[7],
                    substitute("  %t = accel.transpose %x [1, 0] : $6 -> $7\n"
                               "  %y = accel.reshape %t : $7 -> $7\n"
                               "  return %y : $7",
                               types)),
         0});
    cases.push_back(
        {"broadcast_of_" + format,
         makeKernel("rows", 5, 7, "%x: " + types[8],
                    types[9] + ", " + tensorOf({5, 7}, "f32"),
                    substitute("  %b = accel.broadcast %x [1] : $8 -> $9\n"
                               "  %r = accel.reshape %b : $9 -> $9\n",
                               types) +
                        cast("y", "b", {5, 7}, format, "f32") +
                        "  return %r, %y : " + types[9] + ", " +
                        tensorOf({5, 7}, "f32")),
         0});
  }
}

/// Both ends of the ranges, infinities, NaN and zeros.
void addSpecials(std::vector<KernelCase> &cases) {
  std::string values =
      "dense<[0x7F800000, 0xFF800000, 0x7FC00000, -0.0, 65519.0,"
      " 65520.0, -448.0, 465.0, 1.0e38, -3.4e38, 1.0e-45, "
      "2.0e-8, -5.8e-39]> : tensor<13xf32>";
  for (const std::string format : kFormats) {
    std::string type = tensorOf({13}, format);
    cases.push_back(
        {"specials_to_" + format,
         makeKernel("flat", 1, 13,
                    "%x: tensor<13xf32> {accel.value = " + values + "}", type,
                    cast("y", "x", {13}, "f32", format) +
                        "  return %y : " + type),
         0});
  }
}

} // namespace

std::vector<KernelCase> getSmallFloatCases() {
  std::vector<KernelCase> cases;
  addPairs(cases);
  addFlat(cases);
  addRows(cases);
  addColumns(cases);
  addMoves(cases);
  addSpecials(cases);
  return cases;
}

} // namespace accel::test
