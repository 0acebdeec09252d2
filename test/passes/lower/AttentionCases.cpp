// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient: lengths beside multiples of a tile, head sizes
// beside multiples of a vector, grouped and transposed heads, every kind of
// mask, biases, bounded scores, dropout, tensors of 16 bits.
#include "test/passes/lower/KernelCases.h"

#include "llvm/ADT/StringSwitch.h"

#include <numeric>

namespace accel::test {

namespace {

struct Attention {
  std::string name;
  int64_t batch = 2, heads = 2, keyHeads = 2, rows = 64, columns = 64;
  int64_t depth = 16, width = 16;
  bool causal = true;
  std::string mask = {}; ///< its type
  bool drops = false;
  bool transposed = false; ///< heads lie behind tokens, in one tensor
  std::string scale = "0.25";
  std::string bias = {};       ///< its type
  std::string softcap = {};    ///< empty: scores have no bound
  std::string element = "f32"; ///< of all but the mask and the sums
};

/// The scores that it is made of.
std::string describe(const Attention &a) {
  int64_t rows = a.batch * a.heads * a.rows;
  return "attributes {plan.kernel = {kind = \"attention\", elements = " +
         text(rows * a.columns) + " : i64, rows = " + text(rows) +
         " : i64, columns = " + text(a.columns) + " : i64}}";
}

/// Query, key and value, each an argument, or all three in one [b, t, 3, h, d].
struct Operands {
  std::string arguments, prologue, query, key, value, result, lse;
};

Operands describeOperands(const Attention &a) {
  Operands o;
  o.query = tensorOf({a.batch, a.heads, a.rows, a.depth}, a.element);
  o.key = tensorOf({a.batch, a.keyHeads, a.columns, a.depth}, a.element);
  o.value = tensorOf({a.batch, a.keyHeads, a.columns, a.width}, a.element);
  o.result = tensorOf({a.batch, a.heads, a.rows, a.width}, a.element);
  o.lse = tensorOf({a.batch, a.heads, a.rows}, "f32");
  std::string range = " {accel.range = [-2.0, 2.0]}";
  if (!a.transposed) {
    o.arguments = "%q: " + o.query + range + ", %k: " + o.key + range +
                  ", %v: " + o.value + range;
  } else {
    std::string all =
        tensorOf({a.batch * a.rows, 3 * a.heads * a.depth}, a.element);
    std::string part =
        tensorOf({a.batch * a.rows, a.heads * a.depth}, a.element);
    std::string split =
        tensorOf({a.batch, a.rows, a.heads, a.depth}, a.element);
    o.arguments = "%qkv: " + all + range;
    o.prologue = substitute(
        "  %q0, %k0, %v0 = accel.split %qkv axis 1 : $0 -> $1, $1, $1\n",
        {all, part});
    for (std::string each : {"q", "k", "v"}) {
      o.prologue +=
          substitute("  %$01 = accel.reshape %$00 : $1 -> $2\n"
                     "  %$0 = accel.transpose %$01 [0, 2, 1, 3] : $2 -> $3\n",
                     {each, part, split, o.query});
    }
  }
  if (!a.mask.empty()) {
    o.arguments += ", %mask: " + a.mask;
    o.arguments += a.mask.find("i1") == std::string::npos
                       ? " {accel.range = [-4.0, 4.0]}"
                       : "";
  }
  if (!a.bias.empty()) {
    o.arguments += ", %bias: " + a.bias + " {accel.range = [-4.0, 4.0]}";
  }
  if (a.drops) {
    o.arguments += ", %samples: " + tensorOf({a.batch}, "i64") +
                   " {accel.range = [0, 9]}, %seed: tensor<i64> "
                   "{accel.range = [0, 99]}, %site: tensor<i64> {accel.range = "
                   "[0, 9]}";
  }
  return o;
}

std::string attributes(const Attention &a) {
  std::string words;
  if (!a.mask.empty()) {
    words += " mask %mask : " + a.mask;
  }
  if (!a.bias.empty()) {
    words += " bias %bias : " + a.bias;
  }
  if (a.drops) {
    words += " dropout %samples, %seed probability 0.25 site 3 : " +
             tensorOf({a.batch}, "i64") + ", tensor<i64> plus %site";
  }
  return words + " scale " + a.scale +
         (a.softcap.empty() ? "" : " softcap " + a.softcap) +
         (a.causal ? " causal" : "");
}

/// Numbers on both sides of a tie are a unit of bf16 apart.
constexpr double kRounded = 8e-3;

KernelCase makeForward(const Attention &a) {
  Operands o = describeOperands(a);
  std::string body =
      o.prologue +
      substitute("  %y, %lse = accel.attention %q, %k, %v$0 : $1, "
                 "$2, $3 -> $4, $5\n",
                 {attributes(a), o.query, o.key, o.value, o.result, o.lse});
  std::string result = o.result;
  if (a.transposed) {
    result = tensorOf({a.batch, a.rows, a.heads, a.width}, a.element);
    body += substitute("  %t = accel.transpose %y [0, 2, 1, 3] : $0 -> $1\n",
                       {o.result, result});
  }
  return {a.name,
          "func.func @k(" + o.arguments + ") -> (" + result + ", " + o.lse +
              ") " + describe(a) + " {\n" + body + "  return " +
              (a.transposed ? "%t" : "%y") + ", %lse : " + result + ", " +
              o.lse + "\n}\n",
          a.element == "f32" ? 4e-6 : kRounded};
}

KernelCase makeGradient(const Attention &a) {
  Operands o = describeOperands(a);
  // The result and the sums are what forward gives: the range of any others
  // would make probabilities of no distribution.
  std::string ofBias = tensorOf({1, a.heads, a.rows, a.columns}, "f32");
  bool isBiased = !a.bias.empty();
  std::string body =
      o.prologue +
      substitute("  %dq, %dk, %dv$6 = accel.attention_grad %dy, %q, %k, %v, "
                 "%y, %lse$0 : $1, $2, $3, $4, $5$7\n",
                 {attributes(a), o.query, o.key, o.value, o.result, o.lse,
                  isBiased ? ", %db" : "", isBiased ? " -> " + ofBias : ""});
  std::vector<std::string> types = {o.query, o.key, o.value};
  std::vector<std::string> names = {"%dq", "%dk", "%dv"};
  if (a.transposed) {
    std::string split =
        tensorOf({a.batch, a.rows, a.heads, a.depth}, a.element);
    for (int i = 0; i < 3; ++i) {
      body += substitute("  $0t = accel.transpose $0 [0, 2, 1, 3] : $1 -> $2\n",
                         {names[i], types[i], split});
      names[i] += "t";
      types[i] = split;
    }
  }
  std::string list = types[0] + ", " + types[1] + ", " + types[2] +
                     (isBiased ? ", " + ofBias : "");
  return {a.name + "_gradient",
          "func.func @k(" + o.arguments + ", %y: " + o.result +
              " {accel.range = [-1.0, 1.0]}, %lse: " + o.lse +
              " {accel.range = [4.0, 6.0]}, %dy: " + o.result + ") -> (" +
              list + ") " + describe(a) + " {\n" + body + "  return " +
              names[0] + ", " + names[1] + ", " + names[2] +
              (isBiased ? ", %db" : "") + " : " + list + "\n}\n",
          a.element == "f32" ? 8e-6 : kRounded};
}

void addSizes(std::vector<Attention> &all) {
  for (int64_t rows : {1, 37, 64, 100, 130}) {
    all.push_back(
        {.name = "causal_" + text(rows), .rows = rows, .columns = rows});
    all.push_back({.name = "full_" + text(rows),
                   .rows = rows,
                   .columns = rows,
                   .causal = false});
  }
  for (auto [depth, width] :
       std::initializer_list<std::pair<int64_t, int64_t>>{{5, 5},
                                                          {40, 24},
                                                          {48, 112},
                                                          {64, 64},
                                                          {80, 80},
                                                          {96, 96},
                                                          {128, 128}}) {
    all.push_back({.name = "depth_" + text(depth),
                   .heads = 1,
                   .keyHeads = 1,
                   .rows = 70,
                   .columns = 70,
                   .depth = depth,
                   .width = width,
                   .scale = depth < 16 ? "0.25" : "0.125"});
  }
}

void addHeads(std::vector<Attention> &all) {
  all.push_back({.name = "cross", .rows = 70, .columns = 130, .causal = false});
  all.push_back({.name = "causal_longer", .rows = 70, .columns = 135});
  all.push_back({.name = "causal_shorter", .rows = 135, .columns = 70});
  all.push_back({.name = "grouped",
                 .heads = 4,
                 .keyHeads = 2,
                 .rows = 90,
                 .columns = 90});
  all.push_back({.name = "grouped_drops",
                 .heads = 4,
                 .keyHeads = 1,
                 .rows = 66,
                 .columns = 66,
                 .drops = true});
  all.push_back(
      {.name = "negative_scale", .rows = 66, .columns = 66, .scale = "-0.25"});
}

void addMasks(std::vector<Attention> &all) {
  for (int64_t rows : {64, 101}) {
    all.push_back({.name = "drops_" + text(rows),
                   .rows = rows,
                   .columns = rows,
                   .drops = true});
    all.push_back({.name = "full_drops_" + text(rows),
                   .rows = rows,
                   .columns = rows,
                   .causal = false,
                   .drops = true});
    all.push_back({.name = "transposed_" + text(rows),
                   .rows = rows,
                   .columns = rows,
                   .transposed = true});
    for (bool causal : {true, false}) {
      for (std::string type : {"f32", "i1"}) {
        if (rows == 64 && causal == (type == "f32")) {
          continue;
        }
        std::string name = type + (causal ? "_causal_" : "_") + text(rows);
        all.push_back({.name = "mask_" + name,
                       .rows = rows,
                       .columns = rows,
                       .causal = causal,
                       .mask = tensorOf({1, 1, rows, rows}, type)});
        all.push_back({.name = "mask_each_" + name,
                       .rows = rows,
                       .columns = rows,
                       .causal = causal,
                       .mask = tensorOf({2, 2, rows, rows}, type)});
        all.push_back({.name = "mask_columns_" + name,
                       .rows = rows,
                       .columns = rows,
                       .causal = causal,
                       .mask = tensorOf({2, 1, 1, rows}, type)});
      }
    }
  }
}

void addBiases(std::vector<Attention> &all) {
  for (int64_t rows : {64, 101}) {
    for (bool causal : {true, false}) {
      std::string name = (causal ? "_causal_" : "_") + text(rows);
      all.push_back({.name = "bias" + name,
                     .batch = 3,
                     .rows = rows,
                     .columns = rows,
                     .causal = causal,
                     .bias = tensorOf({1, 2, rows, rows}, "f32")});
      all.push_back({.name = "softcap" + name,
                     .rows = rows,
                     .columns = rows,
                     .causal = causal,
                     .scale = "0.5",
                     .softcap = "1.5"});
    }
  }
  // Padding hides columns of a sample, the bias is one for all samples.
  all.push_back({.name = "bias_padded",
                 .rows = 70,
                 .columns = 130,
                 .causal = false,
                 .mask = tensorOf({2, 1, 1, 130}, "i1"),
                 .bias = tensorOf({1, 2, 70, 130}, "f32")});
  all.push_back({.name = "bias_columns",
                 .heads = 4,
                 .keyHeads = 2,
                 .rows = 66,
                 .columns = 90,
                 .mask = tensorOf({2, 1, 1, 90}, "f32"),
                 .bias = tensorOf({1, 4, 1, 90}, "f32")});
  all.push_back({.name = "softcap_biased",
                 .heads = 4,
                 .keyHeads = 2,
                 .rows = 77,
                 .columns = 77,
                 .mask = tensorOf({1, 1, 77, 77}, "i1"),
                 .drops = true,
                 .scale = "-0.5",
                 .bias = tensorOf({1, 1, 77, 77}, "f32"),
                 .softcap = "2.0"});
}

/// Copies of some, with tensors of 16 bits.
void addNarrow(std::vector<Attention> &all) {
  for (const Attention &each : std::vector<Attention>(all)) {
    bool isChosen = llvm::StringSwitch<bool>(each.name)
                        .Cases({"causal_1", "causal_64", "full_100"}, true)
                        .Cases({"depth_5", "depth_40", "depth_48"}, true)
                        .Cases({"depth_64", "depth_80", "depth_96"}, true)
                        .Case("depth_128", true)
                        .Cases({"causal_longer", "causal_shorter"}, true)
                        .Cases({"cross", "grouped", "grouped_drops"}, true)
                        .Cases({"transposed_101", "everything"}, true)
                        .Cases({"drops_64", "mask_f32_101"}, true)
                        .Case("mask_each_f32_101", true)
                        .Cases({"bias_64", "softcap_64"}, true)
                        .Cases({"bias_padded", "softcap_biased"}, true)
                        .Default(false);
    if (isChosen) {
      for (const char *element : {"bf16", "f16"}) {
        Attention narrow = each;
        narrow.element = element;
        narrow.name += std::string("_") + element;
        all.push_back(narrow);
      }
    }
  }
}

std::vector<Attention> makeAttentions() {
  std::vector<Attention> all;
  addSizes(all);
  addHeads(all);
  addMasks(all);
  addBiases(all);
  all.push_back({.name = "everything",
                 .heads = 4,
                 .keyHeads = 4,
                 .rows = 77,
                 .columns = 77,
                 .depth = 20,
                 .width = 20,
                 .mask = tensorOf({2, 1, 77, 77}, "i1"),
                 .drops = true,
                 .transposed = true});
  addNarrow(all);
  return all;
}

} // namespace

std::vector<KernelCase> getAttentionCases() {
  std::vector<KernelCase> cases;
  for (const Attention &attention : makeAttentions()) {
    cases.push_back(makeForward(attention));
    cases.push_back(makeGradient(attention));
  }
  return cases;
}

} // namespace accel::test
