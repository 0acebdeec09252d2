// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scales of FP8's recipe `delayed` against the published rule, applied to
// the magnitudes that the run has found.
#include "test/compiler/RunFixture.h"

#include <cmath>
#include <deque>

using namespace mlir;

namespace accel::test {
namespace {

struct Case {
  std::string name, mode;
  int ranks;
  std::string amax = "max";
  int64_t history = 8;
  int64_t margin = 0;
};

void PrintTo(const Case &each, std::ostream *stream) { *stream << each.name; }

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  return info.param.name;
}

/// The rule as Transformer Engine documents it, for one tensor: the scale that
/// makes the largest magnitude of the history the largest number of the format,
/// divided by two to the power of the margin. A magnitude that is zero, or not
/// finite, changes nothing.
class Reference {
public:
  Reference(float largest, const Case &rule)
      : largest(std::ldexp(largest, static_cast<int>(-rule.margin))),
        steps(rule.amax == "max" ? rule.history : 1) {}

  void update(float amax) {
    history.push_back(amax);
    if (static_cast<int64_t>(history.size()) > steps) {
      history.pop_front();
    }
    float most = 0;
    for (float each : history) {
      most = std::isnan(each) || std::isnan(most) ? NAN : std::max(most, each);
    }
    if (std::isfinite(most) && most > 0) {
      // Ours alone: a scale has a finite inverse.
      scale = std::max(largest / most, 0x1p-126F);
    }
  }

  float largest;
  float scale = 1;

private:
  int64_t steps;
  std::deque<float> history;
};

class DelayedScaleTest : public RunFixture,
                         public testing::TestWithParam<Case> {
protected:
  static constexpr float kForward = 448, kGradient = 57344;

  void compile(const Case &rule) {
    CompilerOptions options;
    options.model = ACCEL_MODELS "/decoder16/model.onnx";
    options.frontend.dimensions["batch"] = kBatch;
    options.shard.mode = *dist::symbolizeShardingMode(rule.mode);
    options.accumulate.skipsNonFinite = true;
    options.precision.precision = "bf16";
    options.precision.fp8.recipe = "delayed";
    options.precision.fp8.amax = rule.amax;
    options.precision.fp8.history = rule.history;
    options.precision.fp8.margin = rule.margin;
    openModel(options);
  }

  /// From now on the microbatches of rank 0 find the magnitude `value` for
  /// tensor `element`.
  void spoilAmax(float value, uint64_t element) {
    uint32_t buffer = findState("delayed_amax").buffer();
    for (const planpb::Instruction &instruction : getStep().instructions()) {
      bool isInLoop = instruction.phase() == planpb::PHASE_FORWARD ||
                      instruction.phase() == planpb::PHASE_BACKWARD;
      for (int i = 0; i < instruction.accesses_size(); ++i) {
        const planpb::Access &access = instruction.accesses(i);
        if (isInLoop && instruction.has_launch() && access.buffer() == buffer &&
            access.mode() != planpb::Access::MODE_READ) {
          spoiling = {true, 0, &instruction, i, value, element};
          return;
        }
      }
    }
    ADD_FAILURE() << "no kernel of the loop writes the largest magnitudes";
  }

  /// Tells from the first scale what a magnitude is scaled to: after a step
  /// with scale 1 their product is that, but for its rounding.
  std::vector<Reference> makeReferences(const Numbers &amaxes,
                                        const Numbers &scales) {
    std::vector<Reference> references;
    int gradients = 0;
    for (size_t i = 0; i < amaxes.size(); ++i) {
      float product = std::ldexp(amaxes[i] * scales[i],
                                 static_cast<int>(GetParam().margin));
      bool isGradient = std::abs(product - kGradient) < 1;
      EXPECT_TRUE(isGradient || std::abs(product - kForward) < 0.01F)
          << product;
      gradients += isGradient ? 1 : 0;
      references.emplace_back(isGradient ? kGradient : kForward, GetParam());
    }
    EXPECT_GT(gradients, 2);
    EXPECT_LT(gradients + 2, static_cast<int>(amaxes.size()));
    return references;
  }
};

// 50 steps, in which tensors grow beyond what their scales were made for, and
// magnitudes are found that are no numbers, none, or very large.
TEST_P(DelayedScaleTest, ScalesAreThoseOfThePublishedRule) {
  ASSERT_NO_FATAL_FAILURE(compile(GetParam()));
  ASSERT_NO_FATAL_FAILURE(openRanks(GetParam().ranks));
  setScalar(*ranks, "lr", 0.01);
  std::vector<Reference> references;
  int overflows = 0;
  Numbers before(readNumbers("delayed_scale"));
  for (float scale : before) {
    ASSERT_EQ(scale, 1.0F);
  }
  for (int64_t step = 0; step < 50; ++step) {
    spoiling.isActive = false;
    if (step == 10) {
      spoilAmax(INFINITY, 0);
    } else if (step == 20) {
      spoilAmax(NAN, 1);
    } else if (step == 30) {
      spoilAmax(1e6F, 2);
    } else if (step == 40) {
      spoilAmax(3e38F, 3);
    }
    ASSERT_TRUE(runStep(*ranks, step));
    Numbers amaxes = readNumbers("delayed_amax"),
            scales = readNumbers("delayed_scale");
    Numbers inverses = readNumbers("delayed_inverse");
    if (step == 0) {
      references = makeReferences(amaxes, scales);
    }
    for (size_t i = 0; i < amaxes.size(); ++i) {
      overflows += amaxes[i] * before[i] > references[i].largest * 1.01F;
      references[i].update(amaxes[i]);
      ASSERT_EQ(scales[i], references[i].scale)
          << "tensor " << i << " in step " << step;
      ASSERT_EQ(inverses[i], 1.0F / references[i].scale);
    }
    before = scales;
  }
  EXPECT_GT(overflows, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, DelayedScaleTest,
    testing::Values(Case{"Max", "plain", 1}, Case{"MaxOnTwoRanks", "fsdp", 2},
                    Case{"MostRecent", "zero2", 2, "most_recent"},
                    Case{"Margin", "plain", 1, "max", 3, 2},
                    Case{"LargestMargin", "plain", 1, "max", 2, 20},
                    Case{"OneStep", "plain", 1, "max", 1}),
    nameOf);

class DelayedAmaxTest : public DelayedScaleTest {};

// What is found is a maximum over all samples, whoever has computed them.
TEST_P(DelayedAmaxTest, AmaxesOfTheFirstStepDoNotDependOnTheNumberOfRanks) {
  ASSERT_NO_FATAL_FAILURE(compile(GetParam()));
  Numbers expected;
  for (int count : {1, 2, 4}) {
    ASSERT_NO_FATAL_FAILURE(openRanks(count));
    ASSERT_TRUE(runStep(*ranks, 0));
    Numbers found = readNumbers("delayed_amax");
    if (count == 1) {
      expected = found;
    }
    EXPECT_EQ(found, expected) << count << " ranks";
  }
  EXPECT_GT(expected.size(), 8U);
}

INSTANTIATE_TEST_SUITE_P(Modes, DelayedAmaxTest,
                         testing::Values(Case{"Plain", "plain", 0},
                                         Case{"Fsdp", "fsdp", 0}),
                         nameOf);

} // namespace
} // namespace accel::test
