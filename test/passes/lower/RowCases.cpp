// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of rows: softmax, layer norm, cross entropy, attention's masks and
// dropout, in rows of odd lengths.
#include "test/passes/lower/KernelCases.h"

namespace accel::test {

namespace {

const int64_t kColumns[] = {2, 7, 16, 63, 64, 65, 127, 768};

std::string sized(const std::string &name, int64_t columns) {
  return name + "_" + std::to_string(columns);
}

void addSoftmax(std::vector<KernelCase> &cases, int64_t rows, int64_t columns) {
  std::string type = tensorOf({rows, columns}, "f32");
  std::string row = tensorOf({rows}, "f32");
  std::string spread = "{accel.range = [-30.0, 30.0]}";
  cases.push_back(
      {sized("softmax", columns),
       makeKernel("rows", rows, columns, "%x: " + type + " " + spread, type,
                  substitute("  %y = accel.softmax %x : $0\n  return %y : $0",
                             {type})),
       2e-6});
  cases.push_back(
      {sized("softmax_in_place", columns),
       makeKernel("rows", rows, columns, "%x: " + type + " " + spread, type,
                  substitute("  %y = accel.softmax %x : $0\n  return %y : $0",
                             {type})),
       2e-6,
       {{0, 0}}});
  // Two results: the exponentials must not be kept where an operand may lie
  // that is read again.
  cases.push_back(
      {sized("softmax_and_residual", columns),
       makeKernel("rows", rows, columns,
                  "%x: " + type + " " + spread + ", %r: " + type,
                  type + ", " + type,
                  substitute("  %y = accel.softmax %x : $0\n  %z = accel.add "
                             "%x, %r : $0\n  return %z, %y : $0, $0",
                             {type})),
       2e-6,
       {{0, 1}, {1, 0}}});
  cases.push_back(
      {sized("softmax_backward", columns),
       makeKernel("rows", rows, columns, "%y: " + type + ", %dy: " + type, type,
                  substitute("  %p = accel.mul %dy, %y : $0\n  %s = "
                             "accel.reduce_sum %p [1] : $0 -> $1\n"
                             "  %b = accel.broadcast %s [0] : $1 -> $0\n  %c = "
                             "accel.sub %dy, %b : $0\n"
                             "  %dx = accel.mul %y, %c : $0\n  return %dx : $0",
                             {type, row})),
       2e-5,
       {{0, 1}}});
}

void addLayerNorm(std::vector<KernelCase> &cases, int64_t rows,
                  int64_t columns) {
  std::vector<std::string> types = {tensorOf({rows, columns}, "f32"),
                                    tensorOf({columns}, "f32"),
                                    tensorOf({rows}, "f32")};
  cases.push_back(
      {sized("layer_norm", columns),
       makeKernel("rows", rows, columns,
                  substitute("%x: $0, %g: $1, %b: $1", types),
                  substitute("$0, $2, $2", types),
                  substitute("  %y, %m, %r = accel.layer_norm %x, %g, %b "
                             "epsilon 1.0e-5 : $0, $1, $1 -> $0, $2, $2\n"
                             "  return %y, %m, %r : $0, $2, $2",
                             types)),
       2e-5,
       {{0, 0}}});
  std::vector<std::string> more = types;
  more.push_back(std::to_string(1.0 / columns));
  cases.push_back({sized("layer_norm_backward", columns),
                   makeKernel("rows", rows, columns,
                              substitute("%dy: $0, %x: $0, %g: $1, %m: $2, %r: "
                                         "$2 {accel.range = [0.5, 2.0]}",
                                         types),
                              types[0],
                              substitute(R"(
  %k = accel.constant dense<$3> : $2
  %ms = accel.broadcast %m [0] : $2 -> $0
  %rs = accel.broadcast %r [0] : $2 -> $0
  %gs = accel.broadcast %g [1] : $1 -> $0
  %d = accel.sub %x, %ms : $0
  %n = accel.mul %d, %rs : $0
  %t = accel.mul %dy, %gs : $0
  %s = accel.reduce_sum %t [1] : $0 -> $2
  %sm = accel.mul %s, %k : $2
  %tn = accel.mul %t, %n : $0
  %q = accel.reduce_sum %tn [1] : $0 -> $2
  %qm = accel.mul %q, %k : $2
  %smb = accel.broadcast %sm [0] : $2 -> $0
  %qmb = accel.broadcast %qm [0] : $2 -> $0
  %a = accel.sub %t, %smb : $0
  %b = accel.mul %n, %qmb : $0
  %c = accel.sub %a, %b : $0
  %dx = accel.mul %rs, %c : $0
  return %dx : $0)",
                                         more)),
                   3e-5,
                   {{0, 0}}});
}

void addCrossEntropy(std::vector<KernelCase> &cases, int64_t rows,
                     int64_t columns) {
  std::vector<std::string> types = {
      tensorOf({rows, columns}, "f32"), tensorOf({rows}, "i64"),
      tensorOf({rows}, "f32"), std::to_string(columns)};
  std::string labels = substitute("%l: $1 {accel.range = [-1, $2]}",
                                  {"", types[1], std::to_string(columns)});
  cases.push_back(
      {sized("cross_entropy", columns),
       makeKernel("rows", rows, columns,
                  substitute("%x: $0 {accel.range = [-20.0, 20.0]}, ", types) +
                      labels,
                  substitute("$2, $2", types),
                  substitute("  %y, %e = accel.softmax_cross_entropy %x, %l : "
                             "$0, $1 -> $2, $2\n  return %y, %e : $2, $2",
                             types)),
       1e-6});
  std::vector<std::string> more = {types[0], types[1], types[2],
                                   tensorOf({rows, columns}, "i64"),
                                   tensorOf({rows, columns}, "i1")};
  cases.push_back(
      {sized("cross_entropy_backward", columns),
       makeKernel(
           "rows", rows, columns,
           substitute("%x: $0, %e: $2 {accel.range = [4.0, 9.0]}, %w: $2, ",
                      types) +
               labels,
           types[0],
           substitute(R"(
  %i = accel.iota 1 : $3
  %lb = accel.broadcast %l [0] : $1 -> $3
  %hit = accel.compare eq, %i, %lb : $3 -> $4
  %eb = accel.broadcast %e [0] : $2 -> $0
  %d = accel.sub %x, %eb : $0
  %p = accel.exp %d : $0
  %one = accel.constant dense<-1.0> : $0
  %pm = accel.add %p, %one : $0
  %c = accel.select %hit, %pm, %p : $4, $0
  %wb = accel.broadcast %w [0] : $2 -> $0
  %g = accel.mul %c, %wb : $0
  return %g : $0)",
                      more)),
       2e-6,
       {{0, 0}}});
}

/// Scores of causal attention with dropout, as ExpandComposites leaves them
/// between the two matrix products.
void addAttention(std::vector<KernelCase> &cases, int64_t batch, int64_t heads,
                  int64_t length) {
  std::vector<int64_t> shape{batch, heads, length, length};
  std::vector<std::string> types = {
      tensorOf(shape, "f32"), tensorOf(shape, "i64"), tensorOf(shape, "i1"),
      tensorOf({batch, heads, length}, "f32"), tensorOf({batch}, "i64")};
  std::string arguments = substitute(
      "%x: $0, %samples: $4 {accel.range = [0, 100000]}, %seed: tensor<i64>",
      types);
  std::string masked = substitute(R"(
  %k = accel.constant dense<0.125> : $0
  %xs = accel.mul %x, %k : $0
  %row = accel.iota 2 : $1
  %col = accel.iota 3 : $1
  %ok = accel.compare le, %col, %row : $1 -> $2
  %no = accel.constant dense<0xFF800000> : $0
  %s = accel.select %ok, %xs, %no : $2, $0
)",
                                  types);
  int64_t rows = batch * heads * length;
  cases.push_back(
      {sized("causal_attention", length),
       makeKernel("rows", rows, length, arguments, substitute("$0, $3", types),
                  masked + substitute(R"(
  %m = accel.reduce_max %s [3] : $0 -> $3
  %mb = accel.broadcast %m [0, 1, 2] : $3 -> $0
  %d = accel.sub %s, %mb : $0
  %e = accel.exp %d : $0
  %t = accel.reduce_sum %e [3] : $0 -> $3
  %one = accel.constant dense<1.0> : $3
  %i = accel.div %one, %t : $3
  %ib = accel.broadcast %i [0, 1, 2] : $3 -> $0
  %p = accel.mul %e, %ib : $0
  %y = accel.dropout %p, %samples, %seed probability 0.25 site 3 : $0, $4, tensor<i64>
  %lt = accel.log %t : $3
  %lse = accel.add %m, %lt : $3
  return %y, %lse : $0, $3)",
                                      types)),
       2e-6,
       {{0, 0}}});
  cases.push_back(
      {sized("causal_attention_backward", length),
       makeKernel(
           "rows", rows, length,
           arguments +
               substitute(
                   ", %lse: $3 {accel.range = [1.0, 4.0]}, %dp: $0, %delta: $3",
                   types),
           substitute("$0, $0", types),
           masked + substitute(R"(
  %lb = accel.broadcast %lse [0, 1, 2] : $3 -> $0
  %d = accel.sub %s, %lb : $0
  %p = accel.exp %d : $0
  %dd = accel.dropout %dp, %samples, %seed probability 0.25 site 3 : $0, $4, tensor<i64>
  %db = accel.broadcast %delta [0, 1, 2] : $3 -> $0
  %c = accel.sub %dd, %db : $0
  %ds = accel.mul %p, %c : $0
  %pd = accel.dropout %p, %samples, %seed probability 0.25 site 3 : $0, $4, tensor<i64>
  return %ds, %pd : $0, $0)",
                               types)),
       2e-6,
       {{0, 1 + 3}}});
}

/// "0.0 factor normal": normal.
std::string nameOf(const std::string &words) {
  return words.substr(words.rfind(' ') + 1);
}

void addDropout(std::vector<KernelCase> &cases) {
  struct Shape {
    int64_t samples, rows, columns;
  };
  for (const Shape &s : {Shape{2, 3, 9}, Shape{1, 5, 64}, Shape{3, 1, 130}}) {
    for (const char *p :
         {"0.0", "0.1", "0.99", "0.0 factor uniform", "0.0 factor normal"}) {
      std::vector<std::string> types = {
          tensorOf({s.samples, s.rows, s.columns}, "f32"),
          tensorOf({s.samples}, "i64"), p};
      cases.push_back(
          {sized("dropout_" + nameOf(p), s.columns),
           makeKernel(
               "rows", s.samples * s.rows, s.columns,
               substitute("%x: $0, %s: $1 {accel.range = [0, 6000000000]}, "
                          "%seed: tensor<i64>",
                          types),
               types[0],
               substitute("  %y = accel.dropout %x, %s, %seed probability $2 "
                          "site 9 : $0, $1, tensor<i64>\n  return %y : $0",
                          types)),
           // An angle is as exact as a float, and 1 + z may be small.
           nameOf(p) == "normal" ? 2e-6 : 2e-7});
    }
  }
}

void addReductions(std::vector<KernelCase> &cases) {
  for (const char *element : {"f32", "f64", "i64", "i32"}) {
    for (int64_t columns : {1, 9, 64, 200}) {
      std::vector<std::string> types = {tensorOf({4, columns}, element),
                                        tensorOf({4}, element)};
      cases.push_back(
          {sized(std::string("reductions_") + element, columns),
           makeKernel("rows", 4, columns, "%x: " + types[0],
                      substitute("$1 {plan.accumulate}, $1, $1", types),
                      substitute("  %s = accel.reduce_sum %x [1] : $0 -> $1\n  "
                                 "%h = accel.reduce_max %x [1] : $0 -> $1\n"
                                 "  %l = accel.reduce_min %x [1] : $0 -> $1\n  "
                                 "return %s, %h, %l : $1, $1, $1",
                                 types)),
           2e-6});
      // A number a row and one an element.
      for (int keeps : {0, 1}) {
        cases.push_back(
            {sized(std::string(keeps ? "kept_" : "begun_") + element, columns),
             makeKernel("rows", 4, columns,
                        "%x: " + types[0] + ", " + makeKeepArgument(keeps),
                        substitute("$1 {plan.accumulate = 1 : i64}, $0 "
                                   "{plan.accumulate = 1 : i64}",
                                   types),
                        substitute("  %s = accel.reduce_sum %x [1] : $0 -> $1\n"
                                   "  %y = accel.add %x, %x : $0\n"
                                   "  return %s, %y : $1, $0",
                                   types)),
             2e-6});
      }
    }
  }
  cases.push_back(
      {"sum_of_squares_in_double",
       makeKernel(
           "rows", 1, 5000, "%x: tensor<5000xf32>", "tensor<f64>",
           "  %y = accel.cast %x : tensor<5000xf32> -> tensor<5000xf64>\n"
           "  %z = accel.mul %y, %y : tensor<5000xf64>\n"
           "  %s = accel.reduce_sum %z [0] : tensor<5000xf64> -> tensor<f64>\n "
           " return %s : tensor<f64>"),
       1e-14});
  cases.push_back(
      {"sum_of_what_is_not_in_memory",
       makeKernel("rows", 3, 40, "", "tensor<3xf32>",
                  "  %c = accel.constant dense<0.5> : tensor<3x40xf32>\n"
                  "  %s = accel.reduce_sum %c [1] : tensor<3x40xf32> -> "
                  "tensor<3xf32>\n  return %s : tensor<3xf32>"),
       0});
  cases.push_back(
      {"booleans_per_row",
       makeKernel("rows", 3, 65, "%x: tensor<3x65xf32>, %b: tensor<3x65xi1>",
                  "tensor<3x65xi1>, tensor<3xi1>, tensor<3xi64>",
                  R"(
  %s = accel.reduce_max %x [1] : tensor<3x65xf32> -> tensor<3xf32>
  %t = accel.broadcast %s [0] : tensor<3xf32> -> tensor<3x65xf32>
  %e = accel.compare ge, %x, %t : tensor<3x65xf32> -> tensor<3x65xi1>
  %f = accel.or %e, %b : tensor<3x65xi1>
  %z = accel.constant dense<1.5> : tensor<3xf32>
  %g = accel.compare gt, %s, %z : tensor<3xf32> -> tensor<3xi1>
  %i = accel.cast %f : tensor<3x65xi1> -> tensor<3x65xi64>
  %n = accel.reduce_sum %i [1] : tensor<3x65xi64> -> tensor<3xi64>
  return %f, %g, %n : tensor<3x65xi1>, tensor<3xi1>, tensor<3xi64>)"),
       0,
       {{0, 1}}});
}

} // namespace

std::vector<KernelCase> getRowCases() {
  std::vector<KernelCase> cases;
  for (int64_t columns : kColumns) {
    addSoftmax(cases, 5, columns);
    addLayerNorm(cases, 6, columns);
    addCrossEntropy(cases, 7, columns);
  }
  addSoftmax(cases, 2, 50257);
  addCrossEntropy(cases, 2, 50257);
  addAttention(cases, 2, 3, 5);
  addAttention(cases, 2, 1, 33);
  addAttention(cases, 1, 2, 64);
  addDropout(cases);
  addReductions(cases);
  return cases;
}

} // namespace accel::test
