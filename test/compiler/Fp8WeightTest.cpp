// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What microbatches read of weights in 8 bits, against the published rules: the
// masters of a run times the scales of the whole, or of their squares, rounded.
#include "test/compiler/RunFixture.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;

namespace accel::test {
namespace {

struct Case {
  std::string recipe, mode;
  int ranks;
  uint64_t size;         ///< of a square; 0: a weight has one scale
  std::string only = ""; ///< the one weight that is in 8 bits; empty: all are
};

void PrintTo(const Case &each, std::ostream *stream) {
  *stream << each.recipe << " " << each.mode;
}

float decode(char byte) {
  llvm::APFloat number(llvm::APFloat::Float8E4M3FN(),
                       llvm::APInt(8, static_cast<uint8_t>(byte)));
  bool isInexact = false;
  number.convert(llvm::APFloat::IEEEsingle(),
                 llvm::APFloat::rmNearestTiesToEven, &isInexact);
  return number.convertToFloat();
}

float round(float number) {
  float bounded = std::min(std::max(number, -448.0F), 448.0F);
  llvm::APFloat rounded(bounded);
  bool isInexact = false;
  rounded.convert(llvm::APFloat::Float8E4M3FN(),
                  llvm::APFloat::rmNearestTiesToEven, &isInexact);
  return decode(static_cast<char>(rounded.bitcastToAPInt().getZExtValue()));
}

class Fp8WeightTest : public RunFixture, public testing::TestWithParam<Case> {
protected:
  void compile() {
    CompilerOptions options;
    options.model = ACCEL_MODELS "/decoder16/model.onnx";
    options.frontend.dimensions["batch"] = kBatch;
    options.shard.mode = *dist::symbolizeShardingMode(GetParam().mode);
    options.precision.precision = "bf16";
    options.precision.fp8.recipe = GetParam().recipe;
    if (!GetParam().only.empty()) {
      options.precision.rules = {"include=" + GetParam().only};
    }
    openModel(options, [&](ModuleOp program) {
      for (auto parameter : program.getOps<ParameterOp>()) {
        if (parameter.getScale()) {
          firstScale[parameter.getSymName().str()] = *parameter.getScale();
        }
      }
    });
  }

  std::string readSlotOf(const planpb::Parameter &parameter,
                         const std::string &name) {
    const planpb::Bucket &bucket = plan->manifest().buckets(parameter.bucket());
    const planpb::Segment &segment = bucket.segments(parameter.segment());
    for (const planpb::Slot &slot : segment.slots()) {
      if (slot.name() == name) {
        return readSlot(*ranks, bucket, segment, slot);
      }
    }
    ADD_FAILURE() << "no slot " << name;
    return {};
  }

  /// What the largest magnitude of a weight, or of a square, is scaled by.
  static float scaleOf(float amax) {
    if (GetParam().size == 0) {
      return 448.0F / amax;
    }
    int exponent = 0;
    float fraction = std::frexp(amax / 448.0F, &exponent);
    return std::ldexp(1.0F, fraction == 0.5F ? 1 - exponent : -exponent);
  }

  void checkParameter(const planpb::Parameter &parameter, const Numbers &scales,
                      const Numbers &inverses) {
    SCOPED_TRACE(parameter.name());
    uint64_t rows = parameter.shape(0), columns = parameter.shape(1);
    uint64_t offset = parameter.element_offset();
    Numbers masters = toNumbers(readSlotOf(parameter, "master"));
    std::string bytes = readSlotOf(parameter, "compute");
    ASSERT_GE(bytes.size(), offset + rows * columns);
    uint64_t size =
        GetParam().size == 0 ? std::max(rows, columns) : GetParam().size;
    uint64_t index = firstScale.at(parameter.name());
    int different = 0;
    for (uint64_t top = 0; top < rows; top += size) {
      for (uint64_t left = 0; left < columns; left += size, ++index) {
        uint64_t bottom = std::min(top + size, rows);
        uint64_t right = std::min(left + size, columns);
        float amax = 0;
        for (uint64_t row = top; row < bottom; ++row) {
          for (uint64_t column = left; column < right; ++column) {
            amax = std::max(amax,
                            std::abs(masters[offset + row * columns + column]));
          }
        }
        ASSERT_EQ(scales[index], scaleOf(amax)) << index;
        ASSERT_EQ(inverses[index], 1 / scales[index]);
        for (uint64_t row = top; row < bottom; ++row) {
          for (uint64_t column = left; column < right; ++column) {
            uint64_t place = offset + row * columns + column;
            different +=
                decode(bytes[place]) != round(masters[place] * scales[index]);
          }
        }
      }
    }
    EXPECT_EQ(different, 0);
    found += index - firstScale.at(parameter.name());
  }

  std::map<std::string, uint64_t> firstScale; ///< of parameters in 8 bits
  uint64_t found = 0; ///< scales that are as they should be
};

// As `init` leaves them and behind each of some steps.
TEST_P(Fp8WeightTest, NumbersAndScalesAreThoseOfTheRule) {
  ASSERT_NO_FATAL_FAILURE(compile());
  ASSERT_NO_FATAL_FAILURE(openRanks(GetParam().ranks));
  setScalar(*ranks, "lr", 0.05);
  for (int64_t step = 0; step < 4; ++step) {
    Numbers scales = readNumbers("weight_scale");
    Numbers inverses = readNumbers("weight_inverse");
    found = 0;
    for (const planpb::Parameter &parameter : plan->manifest().parameters()) {
      if (firstScale.count(parameter.name()) > 0) {
        ASSERT_NO_FATAL_FAILURE(checkParameter(parameter, scales, inverses));
      }
    }
    EXPECT_EQ(found, scales.size());
    EXPECT_GE(found, firstScale.size());
    ASSERT_TRUE(runStep(*ranks, step));
  }
  EXPECT_TRUE(GetParam().only.empty() ? firstScale.size() > 6
                                      : firstScale.size() == 1);
}

INSTANTIATE_TEST_SUITE_P(
    Recipes, Fp8WeightTest,
    testing::Values(Case{"current", "plain", 1, 0},
                    Case{"current", "fsdp", 3, 0},
                    Case{"delayed", "zero1", 2, 0},
                    Case{"block", "plain", 1, 128},
                    Case{"block", "fsdp", 2, 128}, Case{"mx", "plain", 1, 32},
                    Case{"mx", "zero2", 2, 32}, Case{"mx", "fsdp", 3, 32},
                    // A segment of one parameter.
                    Case{"mx", "fsdp", 2, 32, "blocks.0.attention.query"}),
    [](const testing::TestParamInfo<Case> &info) {
      return info.param.recipe + "_" + info.param.mode +
             (info.param.only.empty() ? "" : "_one");
    });

} // namespace
} // namespace accel::test
