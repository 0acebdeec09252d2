// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise kernels: every operation and element type, odd lengths, results
// in place and accumulated, optimizer and schedule arithmetic, initial values.
#include "test/passes/lower/KernelCases.h"

namespace accel::test {

namespace {

constexpr const char *kUnary = "  %y = accel.$0 %x : $1\n  return %y : $1";

void addUnary(std::vector<KernelCase> &cases) {
  struct Unary {
    const char *op, *range;
    double single, twice;
  };
  const Unary all[] = {{"neg", "[-3.0, 3.0]", 0, 0},
                       {"abs", "[-3.0, 3.0]", 0, 0},
                       {"exp", "[-90.0, 80.0]", 2e-7, 1e-15},
                       {"log", "[1.0e-3, 50.0]", 2e-7, 1e-15},
                       {"sqrt", "[0.0, 50.0]", 1e-7, 3e-16},
                       {"rsqrt", "[1.0e-3, 50.0]", 2e-7, 1e-15},
                       {"tanh", "[-12.0, 12.0]", 5e-7, 1e-15},
                       {"erf", "[-5.0, 5.0]", 5e-7, 1e-15},
                       {"sigmoid", "[-50.0, 50.0]", 3e-7, 1e-15},
                       {"relu", "[-3.0, 3.0]", 0, 0},
                       {"sin", "[-1000.0, 1000.0]", 1e-7, 1e-15},
                       {"cos", "[-1000.0, 1000.0]", 1e-7, 1e-15}};
  for (const Unary &unary : all) {
    for (auto [element, tolerance] :
         {std::pair("f32", unary.single), std::pair("f64", unary.twice)}) {
      for (int64_t size : {1, 7, 2500}) {
        std::string type = tensorOf({size}, element);
        cases.push_back(
            {std::string(unary.op) + "_" + element + "_" + std::to_string(size),
             makeKernel("flat", 1, size,
                        "%x: " + type + " {accel.range = " + unary.range + "}",
                        type, substitute(kUnary, {unary.op, type})),
             tolerance});
      }
    }
  }
}

void addBinary(std::vector<KernelCase> &cases) {
  auto add = [&](const std::string &op, const std::string &element,
                 const std::string &right, int64_t size, double tolerance) {
    std::string type = tensorOf({size}, element);
    std::string arguments =
        "%x: " + type + ", %y: " + type +
        (right.empty() ? "" : " {accel.range = " + right + "}");
    cases.push_back(
        {op + "_" + element + "_" + std::to_string(size),
         makeKernel("flat", 1, size, arguments, type,
                    substitute("  %z = accel.$0 %x, %y : $1\n  return %z : $1",
                               {op, type})),
         tolerance});
  };
  for (const char *op : {"add", "sub", "mul", "max", "min"}) {
    add(op, "f32", "", 1025, 1e-7);
    add(op, "f64", "", 65, 3e-16);
    add(op, "i64", "", 129, 0);
    add(op, "i32", "", 63, 0);
  }
  add("div", "f32", "[0.5, 4.0]", 127, 1e-7);
  add("div", "f64", "[0.5, 4.0]", 1, 3e-16);
  add("div", "i64", "[-7, -1]", 100, 0);
  add("div", "i32", "[1, 5]", 17, 0);
  for (const char *op : {"and", "or"}) {
    add(op, "i1", "", 1100, 0);
    add(op, "i1", "", 1, 0);
  }
}

void addBits(std::vector<KernelCase> &cases) {
  for (const char *function :
       {"and", "or", "xor", "shift_left", "shift_right"}) {
    for (const char *element : {"i32", "i64"}) {
      std::string type = tensorOf({301}, element);
      cases.push_back(
          {std::string("bitwise_") + function + "_" + element,
           makeKernel(
               "flat", 1, 301,
               substitute("%x: $0 {accel.range = [-2147483648, "
                          "2147483647]}, %y: $0 {accel.range = [-4, 70]}",
                          {type}),
               type,
               substitute("  %z = accel.bitwise $0, %x, %y : $1\n"
                          "  return %z : $1",
                          {function, type})),
           0});
    }
  }
  for (auto [from, to] : {std::pair("f32", "i32"), std::pair("i32", "f32"),
                          std::pair("f64", "i64"), std::pair("i64", "f64")}) {
    // Of integers normal floats only: 1 to 2 and their neighbours.
    const char *range = from[0] == 'f'   ? "[-9.0, 9.0]"
                        : from[1] == '3' ? "[1065353216, 1073741824]"
                                         : "[4607182418800017408, "
                                           "4611686018427387904]";
    std::string source = tensorOf({131}, from), target = tensorOf({131}, to);
    cases.push_back(
        {std::string("bitcast_") + from + "_" + to,
         makeKernel("flat", 1, 131,
                    substitute("%x: $0 {accel.range = $1}", {source, range}),
                    target,
                    substitute("  %y = accel.bitcast %x : $0 -> $1\n"
                               "  return %y : $1",
                               {source, target})),
         0});
  }
}

void addPowers(std::vector<KernelCase> &cases) {
  for (auto [element, tolerance] :
       {std::pair("f32", 1e-6), std::pair("f64", 1e-13)}) {
    std::string type = tensorOf({200}, element);
    cases.push_back(
        {std::string("pow_") + element,
         makeKernel("flat", 1, 200,
                    substitute("%x: $0 {accel.range = [0.01, 9.0]}, %y: $0 "
                               "{accel.range = [-8.0, 8.0]}",
                               {type}),
                    type,
                    substitute("  %z = accel.pow %x, %y : $0\n  return %z : $0",
                               {type})),
         tolerance});
  }
  for (const char *exponent :
       {"0.0", "1.0", "2.0", "3.0", "-1.0", "7.0", "0.5", "-0.5", "1.5"}) {
    std::string type = tensorOf({70}, "f32");
    cases.push_back(
        {std::string("pow_constant_") + exponent,
         makeKernel(
             "flat", 1, 70, "%x: " + type + " {accel.range = [0.1, 3.0]}", type,
             substitute("  %c = accel.constant dense<$1> : tensor<f32>\n"
                        "  %b = accel.broadcast %c [] : tensor<f32> -> $0\n"
                        "  %z = accel.pow %x, %b : $0\n  return %z : $0",
                        {type, exponent})),
         1e-6});
  }
  cases.push_back(
      {"pow_negative_base",
       makeKernel("flat", 1, 8,
                  "%x: tensor<8xf32> {accel.value = dense<[-2.0, -2.0, -2.0, "
                  "-1.0, 0.0, 0.0, 2.0, -3.0]> "
                  ": tensor<8xf32>}, %y: tensor<8xf32> {accel.value = "
                  "dense<[2.0, 3.0, 0.5, 0.0, 2.0, 0.0, -3.0, 5.0]> : "
                  "tensor<8xf32>}",
                  "tensor<8xf32>",
                  "  %z = accel.pow %x, %y : tensor<8xf32>\n  return %z : "
                  "tensor<8xf32>"),
       1e-6});
}

void addComparisons(std::vector<KernelCase> &cases) {
  for (const char *predicate : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    for (const char *element : {"f32", "f64", "i64", "i32", "i1"}) {
      std::string type = tensorOf({75}, element);
      std::string bools = tensorOf({75}, "i1");
      cases.push_back(
          {std::string("compare_") + predicate + "_" + element,
           makeKernel("flat", 1, 75, substitute("%x: $0, %y: $0", {type}),
                      bools,
                      substitute("  %z = accel.compare $0, %x, %y : $1 -> $2\n "
                                 " return %z : $2",
                                 {predicate, type, bools})),
           0});
    }
  }
  std::string nan =
      "dense<[0x7FC00000, 1.0, 0xFF800000, 0x7F800000, -0.0]> : tensor<5xf32>";
  cases.push_back(
      {"is_nan_and_not",
       makeKernel("flat", 1, 5, "%x: tensor<5xf32> {accel.value = " + nan + "}",
                  "tensor<5xi1>, tensor<5xi1>",
                  "  %y = accel.is_nan %x : tensor<5xf32> -> tensor<5xi1>\n"
                  "  %z = accel.not %y : tensor<5xi1>\n  return %y, %z : "
                  "tensor<5xi1>, tensor<5xi1>"),
       0});
  cases.push_back(
      {"extrema_keep_nan",
       makeKernel(
           "flat", 1, 5,
           "%x: tensor<5xf32> {accel.value = " + nan + "}, %y: tensor<5xf32>",
           "tensor<5xf32>, tensor<5xf32>, tensor<5xf32>",
           "  %a = accel.max %x, %y : tensor<5xf32>\n  %b = accel.min %y, %x : "
           "tensor<5xf32>\n"
           "  %c = accel.relu %x : tensor<5xf32>\n"
           "  return %a, %b, %c : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>"),
       0});
  cases.push_back(
      {"exp_of_extremes",
       makeKernel(
           "flat", 1, 5, "%x: tensor<5xf32> {accel.value = " + nan + "}",
           "tensor<5xf32>",
           "  %a = accel.exp %x : tensor<5xf32>\n  return %a : tensor<5xf32>"),
       1e-6});
  cases.push_back(
      {"select_i64",
       makeKernel(
           "flat", 1, 1300,
           "%c: tensor<1300xi1>, %x: tensor<1300xi64>, %y: tensor<1300xi64>",
           "tensor<1300xi64>",
           "  %z = accel.select %c, %x, %y : tensor<1300xi1>, "
           "tensor<1300xi64>\n"
           "  return %z : tensor<1300xi64>"),
       0});
}

void addCasts(std::vector<KernelCase> &cases) {
  for (const char *from : {"f32", "f64", "i64", "i32", "i1"}) {
    for (const char *to : {"f32", "f64", "i64", "i32", "i1"}) {
      if (std::string(from) == to) {
        continue;
      }
      std::string source = tensorOf({67}, from);
      std::string target = tensorOf({67}, to);
      bool isBool = std::string(from) == "i1";
      bool isFloat = from[0] == 'f';
      std::string range = isBool    ? ""
                          : isFloat ? " {accel.range = [-9.0, 9.0]}"
                                    : " {accel.range = [-9, 9]}";
      cases.push_back(
          {std::string("cast_") + from + "_" + to,
           makeKernel(
               "flat", 1, 67, substitute("%x: $0$1", {source, range}), target,
               substitute("  %y = accel.cast %x : $0 -> $1\n  return %y : $1",
                          {source, target})),
           1e-7});
    }
  }
}

constexpr const char *kAdamw = R"(
  %one = accel.constant dense<1.0> : tensor<f32>
  %nb1 = accel.sub %one, %b1 : tensor<f32>
  %beta1 = accel.broadcast %b1 [] : tensor<f32> -> $0
  %beta2 = accel.broadcast %b2 [] : tensor<f32> -> $0
  %c = accel.constant dense<1.0> : $0
  %rest1 = accel.sub %c, %beta1 : $0
  %rest2 = accel.sub %c, %beta2 : $0
  %s = accel.broadcast %scale [] : tensor<f32> -> $0
  %gs = accel.mul %g, %s : $0
  %m0 = accel.mul %m, %beta1 : $0
  %m1 = accel.mul %gs, %rest1 : $0
  %mn = accel.add %m0, %m1 : $0
  %v0 = accel.mul %v, %beta2 : $0
  %g2 = accel.mul %gs, %gs : $0
  %v1 = accel.mul %g2, %rest2 : $0
  %vn = accel.add %v0, %v1 : $0
  %root = accel.sqrt %vn : $0
  %k2 = accel.broadcast %c2 [] : tensor<f32> -> $0
  %rootn = accel.div %root, %k2 : $0
  %eps = accel.constant dense<1.0e-8> : $0
  %den = accel.add %rootn, %eps : $0
  %q = accel.div %mn, %den : $0
  %lrs = accel.broadcast %lr [] : tensor<f32> -> $0
  %st = accel.mul %q, %lrs : $0
  %wds = accel.broadcast %wd [] : tensor<f32> -> $0
  %pd = accel.mul %p, %wds : $0
  %pn = accel.sub %pd, %st : $0
  return %pn, %mn, %vn : $0, $0, $0)";

void addOptimizer(std::vector<KernelCase> &cases) {
  for (int64_t size : {65, 5001, 8192}) {
    std::string type = tensorOf({size}, "f32");
    std::string body = kAdamw;
    body.erase(body.find("  %one ="),
               body.find("  %beta1 =") - body.find("  %one ="));
    std::string scalars;
    for (auto [name, range] :
         {std::pair("b1", "[0.9, 0.9]"), std::pair("b2", "[0.99, 0.99]"),
          std::pair("scale", "[0.5, 0.5]"), std::pair("c2", "[0.3, 0.3]"),
          std::pair("lr", "[0.01, 0.01]"), std::pair("wd", "[0.999, 0.999]")}) {
      scalars += std::string(", %") + name +
                 ": tensor<f32> {accel.range = " + range + "}";
    }
    std::string arguments =
        substitute("%p: $0, %g: $0, %m: $0, %v: $0 {accel.range = [0.0, 2.0]}",
                   {type}) +
        scalars;
    cases.push_back(
        {"adamw_" + std::to_string(size),
         makeKernel("flat", 1, size, arguments,
                    substitute("$0, $0, $0", {type}), substitute(body, {type})),
         1e-6,
         {{0, 0}, {1, 2}, {2, 3}}});
  }
}

void addOthers(std::vector<KernelCase> &cases) {
  cases.push_back(
      {"cosine_schedule",
       makeKernel(
           "flat", 1, 1,
           "%s: tensor<f64> {accel.range = [0.0, 1.0]}, %lr: tensor<f64>",
           "tensor<f64>, tensor<f32>",
           "  %pi = accel.constant dense<3.141592653589793> : tensor<f64>\n"
           "  %half = accel.constant dense<0.5> : tensor<f64>\n"
           "  %one = accel.constant dense<1.0> : tensor<f64>\n"
           "  %t = accel.mul %s, %pi : tensor<f64>\n  %c = accel.cos %t : "
           "tensor<f64>\n"
           "  %d = accel.add %c, %one : tensor<f64>\n  %e = accel.mul %d, "
           "%half : tensor<f64>\n"
           "  %f = accel.mul %e, %lr : tensor<f64>\n  %g = accel.cast %f : "
           "tensor<f64> -> tensor<f32>\n"
           "  return %f, %g : tensor<f64>, tensor<f32>"),
       1e-7});
  for (int64_t size : {1, 1024, 1025, 3000}) {
    std::string type = tensorOf({size}, "f32");
    cases.push_back(
        {"accumulated_" + std::to_string(size),
         makeKernel("flat", 1, size, substitute("%x: $0, %y: $0", {type}),
                    substitute("$0 {plan.accumulate}, $0", {type}),
                    substitute("  %z = accel.mul %x, %y : $0\n  %w = accel.add "
                               "%x, %y : $0\n  return %z, %w : $0, $0",
                               {type})),
         3e-7,
         {{1, 0}}});
    for (int keeps : {0, 1}) {
      cases.push_back(
          {(keeps ? "kept_" : "begun_") + std::to_string(size),
           makeKernel("flat", 1, size,
                      substitute("%x: $0, %y: $0, ", {type}) +
                          makeKeepArgument(keeps),
                      substitute("$0 {plan.accumulate = 2 : i64}", {type}),
                      substitute("  %z = accel.mul %x, %y : $0\n  return %z : "
                                 "$0",
                                 {type})),
           3e-7});
    }
    cases.push_back(
        {"filled_" + std::to_string(size),
         makeKernel("flat", 1, size, "", type,
                    substitute("  %z = accel.constant dense<2.5> : $0\n  %w = "
                               "accel.reshape %z : $0 -> $0\n  return %w : $0",
                               {type})),
         0});
    cases.push_back(
        {"random_normal_" + std::to_string(size),
         makeKernel(
             "rows", 1, size,
             "%s: tensor<i64> {accel.range = [-5000000000, 5000000000]}", type,
             substitute("  %z = accel.random_normal %s mean 1.0 deviation 0.5 "
                        "site 77 : tensor<i64> -> $0\n  return %z : $0",
                        {type})),
         2e-7});
  }
  // Lanes that call a function and are summed.
  cases.push_back(
      {"random_normal_sum",
       makeKernel("rows", 1, 1003,
                  "%s: tensor<i64> {accel.range = [-5000000000, 5000000000]}",
                  "tensor<1xf32>",
                  "  %z = accel.random_normal %s mean 1.0 deviation 0.5 site "
                  "77 : tensor<i64> -> tensor<1x1003xf32>\n"
                  "  %t = accel.reduce_sum %z [1] : tensor<1x1003xf32> -> "
                  "tensor<1xf32>\n"
                  "  return %t : tensor<1xf32>"),
       2e-6});
}

} // namespace

std::vector<KernelCase> getFlatCases() {
  std::vector<KernelCase> cases;
  addUnary(cases);
  addBinary(cases);
  addBits(cases);
  addPowers(cases);
  addComparisons(cases);
  addCasts(cases);
  addOptimizer(cases);
  addOthers(cases);
  return cases;
}

} // namespace accel::test
