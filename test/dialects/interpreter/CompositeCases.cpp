// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases of the composites: normalisation, losses, dropout, attention.
#include "test/dialects/interpreter/OpCases.h"

namespace accel::test {
namespace {

const std::string kQuery = "tensor<2x3x4x5xf64>";
const std::string kKey = "tensor<2x3x7x5xf64>";
const std::string kValue = "tensor<2x3x7x2xf64>";
const std::string kResult = "tensor<2x3x4x2xf64>";
const std::string kLse = "tensor<2x3x4xf64>";

/// Attention of 4 queries over 7 columns; `options` is what stands between the
/// operands and the types.
OpCase makeAttention(const std::string &name, const std::string &arguments,
                     const std::string &options) {
  return makeCase(
      name, "%q: " + kQuery + ", %k: " + kKey + ", %v: " + kValue + arguments,
      kResult,
      "%y, %lse = accel.attention %q, %k, %v " + options + " : " + kQuery +
          ", " + kKey + ", " + kValue + " -> " + kResult + ", " + kLse,
      "%y : " + kResult);
}

/// As many queries as columns.
OpCase makeSquareAttention(const std::string &name,
                           const std::string &arguments,
                           const std::string &options) {
  const std::string type = "tensor<2x2x5x3xf64>";
  return makeCase(
      name, "%q: " + type + ", %k: " + type + ", %v: " + type + arguments, type,
      "%y, %lse = accel.attention %q, %k, %v " + options + " : " + type + ", " +
          type + ", " + type + " -> " + type + ", tensor<2x2x5xf64>",
      "%y : " + type);
}

const std::string kRandomArguments =
    ", %s: tensor<2xi64> {accel.value = dense<[11, 5000000000]> : "
    "tensor<2xi64>}, "
    "%seed: tensor<i64> {accel.value = dense<81985529216486895> : tensor<i64>}";
const std::string kDropout =
    "dropout %s, %seed probability 0.3 site 4 : tensor<2xi64>, tensor<i64>";

OpCase makeLayerNorm(const std::string &name, const std::string &shape,
                     const std::string &rows, bool bias) {
  std::string type = "tensor<" + shape + "x5xf64>";
  std::string rowType = "tensor<" + rows + "xf64>";
  std::string value = bias ? ", %b" : "";
  return makeCase(name,
                  "%x: " + type + ", %g: tensor<5xf64>" +
                      (bias ? ", %b: tensor<5xf64>" : ""),
                  type,
                  "%y, %mean, %rstd = accel.layer_norm %x, %g" + value +
                      " epsilon 1.0e-5 : " + type + ", tensor<5xf64>" +
                      (bias ? ", tensor<5xf64>" : "") + " -> " + type + ", " +
                      rowType + ", " + rowType,
                  "%y : " + type);
}

/// With `weights` along a dimension, or without any.
OpCase makeBatchNorm(const std::string &name, const std::string &shape,
                     int64_t channels, const std::string &weights,
                     int64_t along) {
  std::string type = "tensor<" + shape + "xf64>";
  std::string vector = "tensor<" + std::to_string(channels) + "xf64>";
  int64_t count = std::count(weights.begin(), weights.end(), ',') + 1;
  std::string weighed = "tensor<" + std::to_string(count) + "xf64>";
  return makeCase(
      name,
      "%x: " + type + ", %g: " + vector + ", %b: " + vector +
          ", %m: " + vector + ", %v: " + vector,
      type,
      (weights.empty() ? ""
                       : "%w = accel.constant dense<[" + weights +
                             "]> : " + weighed + "\n") +
          "%y, %mean, %variance = accel.batch_norm %x, %g, %b, %m, %v" +
          (weights.empty() ? "" : " weights %w") + " along " +
          std::to_string(along) + " epsilon 1.0e-5 momentum 0.1 : " + type +
          ", " + vector + (weights.empty() ? "" : ", " + weighed),
      "%y : " + type);
}

OpCase makeCrossEntropy(const std::string &name, const std::string &labels,
                        const std::string &type) {
  return makeCase(name,
                  "%x: tensor<5x7xf64>, %l: tensor<5x" + type +
                      "> {accel.value = dense<" + labels + "> : tensor<5x" +
                      type + ">}",
                  "tensor<5xf64>",
                  "%loss, %lse = accel.softmax_cross_entropy %x, %l : "
                  "tensor<5x7xf64>, tensor<5x" +
                      type + "> -> tensor<5xf64>, tensor<5xf64>",
                  "%loss : tensor<5xf64>");
}

OpCase makeDropout(const std::string &name, const std::string &shape,
                   const std::string &probability) {
  std::string type = "tensor<" + shape + "xf64>";
  return makeCase(name, "%x: " + type + kRandomArguments, type,
                  "%y = accel.dropout %x, %s, %seed probability " +
                      probability + " site 3 : " + type +
                      ", tensor<2xi64>, tensor<i64>",
                  "%y : " + type);
}

} // namespace

std::vector<OpCase> getNormalizationCases() {
  return {
      makeLayerNorm("layer_norm", "3", "3", true),
      makeLayerNorm("layer_norm_without_bias", "3", "3", false),
      makeLayerNorm("layer_norm_3d", "2x3", "2x3", true),
      makeBatchNorm("batch_norm", "5x3", 3, "", 0),
      makeBatchNorm("batch_norm_images", "4x3x2x2", 3, "1.0, 0.0, 1.0, 1.0", 0),
      makeBatchNorm("batch_norm_along", "2x3x4", 3, "1.0, 1.0, 0.0, 0.0", 2),
      makeBatchNorm("batch_norm_single", "4x3", 3, "0.0, 1.0, 0.0, 0.0", 0),
      makeBatchNorm("batch_norm_empty", "2x3x2", 3, "0.0, 0.0", 0),
      makeCase("softmax", "%x: tensor<3x5xf64>", "tensor<3x5xf64>",
               "%y = accel.softmax %x : tensor<3x5xf64>",
               "%y : tensor<3x5xf64>"),
      makeCase("softmax_4d", "%x: tensor<2x1x3x5xf64>", "tensor<2x1x3x5xf64>",
               "%y = accel.softmax %x : tensor<2x1x3x5xf64>",
               "%y : tensor<2x1x3x5xf64>"),
      makeCrossEntropy("softmax_cross_entropy", "[0, 6, 3, 3, 1]", "i64"),
      makeCrossEntropy("softmax_cross_entropy_ignored", "[-100, 6, 7, -1, 1]",
                       "i64"),
      makeCrossEntropy("softmax_cross_entropy_i32", "[2, -100, 0, 4, 5]",
                       "i32"),
      makeDropout("dropout", "2x3x5", "0.3"),
      makeDropout("dropout_folded_samples", "6x5", "0.5"),
      makeDropout("dropout_zero", "2x7", "0.0"),
      makeDropout("dropout_uniform", "2x7", "0.0 factor uniform"),
      makeDropout("dropout_normal", "2x7", "0.0 factor normal"),
      makeCase("dropout_site_offset",
               "%x: tensor<2x7xf64>" + kRandomArguments +
                   ", %o: tensor<i64> {accel.value = dense<4294967293> : "
                   "tensor<i64>}",
               "tensor<2x7xf64>",
               "%y = accel.dropout %x, %s, %seed probability 0.3 site 5 plus "
               "%o : tensor<2x7xf64>, tensor<2xi64>, tensor<i64>",
               "%y : tensor<2x7xf64>"),
  };
}

std::vector<OpCase> getAttentionCases() {
  const std::string mask = ", %m: tensor<2x3x4x7xf64>";
  const std::string broadcastMask = ", %m: tensor<1x3x1x7xf64>";
  return {
      makeAttention("attention", "", "scale 0.4"),
      makeAttention("attention_causal", "", "scale 0.4 causal"),
      makeSquareAttention("attention_causal_square", "", "scale 0.5 causal"),
      makeAttention("attention_mask", mask,
                    "mask %m : tensor<2x3x4x7xf64> scale 0.4"),
      makeAttention("attention_mask_broadcast", broadcastMask,
                    "mask %m : tensor<1x3x1x7xf64> scale 0.4"),
      makeAttention("attention_mask_causal", ", %m: tensor<2x1x4x7xf64>",
                    "mask %m : tensor<2x1x4x7xf64> scale 0.4 causal"),
      makeAttention("attention_boolean_mask", ", %m: tensor<2x1x4x7xi1>",
                    "mask %m : tensor<2x1x4x7xi1> scale 0.4"),
      makeSquareAttention(
          "attention_empty_rows",
          ", %m: tensor<1x1x5x5xi1> {accel.value = dense<[[[[true, false, "
          "true, true, true], [false, false, false, "
          "false, false], [true, true, true, true, true], [false, false, "
          "false, true, true], [true, true, false, "
          "true, false]]]]> : tensor<1x1x5x5xi1>}",
          "mask %m : tensor<1x1x5x5xi1> scale 0.5 causal"),
      makeAttention("attention_dropout", kRandomArguments,
                    kDropout + " scale 0.4"),
      makeSquareAttention("attention_dropout_causal", kRandomArguments,
                          kDropout + " scale 0.5 causal"),
      makeAttention("attention_everything", mask + kRandomArguments,
                    "mask %m : tensor<2x3x4x7xf64> " + kDropout +
                        " scale 0.4 causal"),
      makeAttention("attention_softcap", mask,
                    "mask %m : tensor<2x3x4x7xf64> scale 0.4 softcap 0.7"),
      makeSquareAttention("attention_softcap_causal", "",
                          "scale 0.5 softcap 1.5 causal"),
      makeAttention("attention_bias", ", %b: tensor<1x3x4x7xf64>",
                    "bias %b : tensor<1x3x4x7xf64> scale 0.4"),
      makeAttention("attention_bias_broadcast", ", %b: tensor<1x3x1x7xf64>",
                    "bias %b : tensor<1x3x1x7xf64> scale 0.4 causal"),
      makeAttention("attention_bias_and_all",
                    mask + ", %b: tensor<1x1x4x7xf64>" + kRandomArguments,
                    "mask %m : tensor<2x3x4x7xf64> bias %b : "
                    "tensor<1x1x4x7xf64> " +
                        kDropout + " scale 0.4 softcap 0.9 causal"),
      // Two query heads for each key head.
      makeCase(
          "attention_grouped",
          "%q: tensor<2x4x3x2xf64>, %k: tensor<2x2x5x2xf64>, %v: "
          "tensor<2x2x5x3xf64>, %m: tensor<1x4x1x5xf64>" +
              kRandomArguments,
          "tensor<2x4x3x3xf64>",
          "%y, %lse = accel.attention %q, %k, %v mask %m : "
          "tensor<1x4x1x5xf64> " +
              kDropout +
              " scale 0.5 causal : tensor<2x4x3x2xf64>, tensor<2x2x5x2xf64>, "
              "tensor<2x2x5x3xf64> -> tensor<2x4x3x3xf64>, tensor<2x4x3xf64>",
          "%y : tensor<2x4x3x3xf64>"),
      // More queries than columns: with `causal` the first rows have none.
      makeCase(
          "attention_few_columns",
          "%q: tensor<1x2x5x3xf64>, %k: tensor<1x2x3x3xf64>, %v: "
          "tensor<1x2x3x4xf64>",
          "tensor<1x2x5x4xf64>",
          "%y, %lse = accel.attention %q, %k, %v scale 0.5 causal : "
          "tensor<1x2x5x3xf64>, tensor<1x2x3x3xf64>, tensor<1x2x3x4xf64> -> "
          "tensor<1x2x5x4xf64>, tensor<1x2x5xf64>",
          "%y : tensor<1x2x5x4xf64>"),
      // A float mask that excludes columns and whole rows.
      makeCase("attention_infinite_mask",
               "%q: tensor<1x2x5x3xf64>, %c: tensor<1x1x5x5xi1>, %b: "
               "tensor<1x1x5x5xf64>",
               "tensor<1x2x5x3xf64>",
               "%zero = accel.constant dense<0.0> : tensor<1x1x5x5xf64>\n"
               "  %infinity = accel.log %zero : tensor<1x1x5x5xf64>\n"
               "  %row = accel.iota 2 : tensor<1x1x5x5xi64>\n"
               "  %second = accel.constant dense<1> : tensor<1x1x5x5xi64>\n"
               "  %others = accel.compare ne, %row, %second : "
               "tensor<1x1x5x5xi64> -> tensor<1x1x5x5xi1>\n"
               "  %allowed = accel.and %c, %others : tensor<1x1x5x5xi1>\n"
               "  %m = accel.select %allowed, %b, %infinity : "
               "tensor<1x1x5x5xi1>, tensor<1x1x5x5xf64>\n"
               "  %y, %lse = accel.attention %q, %q, %q mask %m : "
               "tensor<1x1x5x5xf64> scale 0.5 : tensor<1x2x5x3xf64>, "
               "tensor<1x2x5x3xf64>, "
               "tensor<1x2x5x3xf64> -> tensor<1x2x5x3xf64>, tensor<1x2x5xf64>",
               "%y : tensor<1x2x5x3xf64>"),
  };
}

} // namespace accel::test
