// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of 8-bit codes: every byte, numbers of all decades, and blocks with
// their scales in place.
#include "test/passes/lower/KernelCases.h"

namespace accel::test {

namespace {

constexpr const char *kCodes[] = {"dynamic_signed", "dynamic_unsigned"};

/// 0, 1, ... 255
std::string listBytes() {
  std::string list = "dense<[0";
  for (int byte = 1; byte < 256; ++byte) {
    list += ", " + text(byte);
  }
  return list + "]> : tensor<256xui8>";
}

void addBytes(std::vector<KernelCase> &cases) {
  for (const std::string code : kCodes) {
    cases.push_back(
        {"dequantize_" + code,
         makeKernel("flat", 1, 256,
                    "%c: tensor<256xui8> {accel.value = " + listBytes() + "}",
                    "tensor<256xf32>",
                    "  %x = accel.dequantize " + code +
                        ", %c : tensor<256xui8> -> tensor<256xf32>\n"
                        "  return %x : tensor<256xf32>"),
         1e-6});
    // The number of a byte is nearest to itself.
    cases.push_back(
        {"every_byte_" + code,
         makeKernel("flat", 1, 256,
                    "%c: tensor<256xui8> {accel.value = " + listBytes() + "}",
                    "tensor<256xui8>",
                    "  %x = accel.dequantize " + code +
                        ", %c : tensor<256xui8> -> tensor<256xf32>\n"
                        "  %d = accel.quantize " +
                        code +
                        ", %x : tensor<256xf32> -> tensor<256xui8>\n"
                        "  return %d : tensor<256xui8>"),
         0,
         {{0, 0}}});
  }
}

/// Numbers from -1 to 1 whose magnitudes are spread over nine decades: x y^8.
void addNumbers(std::vector<KernelCase> &cases) {
  for (const std::string code : kCodes) {
    for (int64_t size : {1, 7, 131, 20000}) {
      std::vector<std::string> types = {tensorOf({size}, "f32"),
                                        tensorOf({size}, "ui8"), code};
      cases.push_back(
          {"quantize_" + code + "_" + text(size),
           makeKernel("flat", 1, size,
                      substitute("%x: $0 {accel.range = [-1.0, 1.0]}, %y: $0 "
                                 "{accel.range = [0.0, 1.0]}",
                                 types),
                      types[1],
                      substitute("  %p = accel.mul %y, %y : $0\n"
                                 "  %q = accel.mul %p, %p : $0\n"
                                 "  %r = accel.mul %q, %q : $0\n"
                                 "  %z = accel.mul %x, %r : $0\n"
                                 "  %c = accel.quantize $2, %z : $0 -> $1\n"
                                 "  return %c : $1",
                                 types)),
           0});
    }
    // What is outside becomes the number at the end, what is none 0.
    cases.push_back(
        {"quantize_outside_" + code,
         makeKernel("flat", 1, 6,
                    "%x: tensor<6xf32> {accel.value = dense<[1.5, 1.0e30, "
                    "-1.5, -1.0e30, 0x7FC00000, -0.0]> : tensor<6xf32>}",
                    "tensor<6xui8>",
                    "  %c = accel.quantize " + code +
                        ", %x : tensor<6xf32> -> tensor<6xui8>\n"
                        "  return %c : tensor<6xui8>"),
         0});
  }
}

/// As an optimizer reads and writes its state: a moment moves towards x, and
/// its codes and scales take the places of the old ones.
void addBlocks(std::vector<KernelCase> &cases) {
  for (int64_t rows : {1, 5}) {
    std::vector<std::string> types = {
        tensorOf({rows, 256}, "f32"), tensorOf({rows, 256}, "ui8"),
        tensorOf({rows}, "f32"), tensorOf({rows}, "i1")};
    cases.push_back(
        {"blocks_" + text(rows),
         makeKernel(
             "rows", rows, 256,
             substitute("%x: $0, %c: $1, %s: $2 {accel.range = [0.5, 2.0]}",
                        types),
             substitute("$0, $1, $2", types),
             substitute(R"(
  %n = accel.dequantize dynamic_signed, %c : $1 -> $0
  %sb = accel.broadcast %s [0] : $2 -> $0
  %m = accel.mul %n, %sb : $0
  %d = accel.sub %x, %m : $0
  %k = accel.constant dense<0.25> : $0
  %dk = accel.mul %d, %k : $0
  %t = accel.add %m, %dk : $0
  %a = accel.abs %t : $0
  %r = accel.reduce_max %a [1] : $0 -> $2
  %one = accel.constant dense<1.0> : $2
  %i = accel.div %one, %r : $2
  %ib = accel.broadcast %i [0] : $2 -> $0
  %q = accel.mul %t, %ib : $0
  %e = accel.quantize dynamic_signed, %q : $0 -> $1
  return %t, %e, %r : $0, $1, $2)",
                        types)),
         2e-6,
         {{0, 0}, {1, 1}, {2, 2}}});
  }
}

} // namespace

std::vector<KernelCase> getQuantizeCases() {
  std::vector<KernelCase> cases;
  addBytes(cases);
  addNumbers(cases);
  addBlocks(cases);
  return cases;
}

} // namespace accel::test
