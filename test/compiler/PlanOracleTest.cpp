// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of real plans against the oracle, on the
// values that training gives them: `init` and two steps of two microbatches
// each are replayed instruction by instruction, in memory that is poisoned
// beforehand; gradients are poisoned again before each step, as nothing of the
// step before may be read.
#include "compiler/SavedParameters.h"
#include "dialects/Accel/IR/Fp8Recipe.h"
#include "runtime/io/posix_vfs.h"
#include "test/compiler/CompiledModel.h"
#include "test/compiler/OracleCheck.h"
#include "test/compiler/OtherTarget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

using namespace mlir;

namespace accel::test {
namespace {

constexpr int kSteps = 2;
constexpr int kMicrobatches = 2;
/// How often a piece of code is compared: in two layers of the first microbatch
/// and in the second one, or in both steps.
constexpr int kChecks = 3;
/// What a float of such bytes is: NaN.
constexpr char kPoison = '\xFF';

/// Numbers that look random: functions of the field, the microbatch, the index.
int64_t hashOf(const std::string &name, int64_t microbatch, int64_t index) {
  uint64_t state = std::hash<std::string>()(name) + 977 * microbatch;
  state = (state ^ (index + 1)) * 0x9E3779B97F4A7C15;
  return static_cast<int64_t>((state ^ (state >> 29)) >> 17);
}

template <typename T, typename Value>
std::string makeElements(uint64_t count, Value value) {
  std::string bytes;
  for (uint64_t i = 0; i < count; ++i) {
    T element = static_cast<T>(value(i));
    bytes.append(reinterpret_cast<const char *>(&element), sizeof(T));
  }
  return bytes;
}

/// What the data pipeline would bring. Every fifth target is ignored, and the
/// last sample of an odd microbatch is padding.
std::string makeField(const planpb::SignatureField &field, int64_t microbatch) {
  uint64_t count = 1;
  for (uint64_t size : field.shape()) {
    count *= size;
  }
  auto number = [&](uint64_t i) { return hashOf(field.name(), microbatch, i); };
  if (field.name() == "seed") {
    return makeElements<int64_t>(count, [](uint64_t) { return 81985529; });
  }
  if (field.name() == "sample_indices") {
    return makeElements<int64_t>(count, [&](uint64_t i) {
      return int64_t(5000000000) + 100 * microbatch + i;
    });
  }
  if (field.name() == "sample_weights") {
    return makeElements<float>(count, [&](uint64_t i) {
      return microbatch % 2 == 1 && i + 1 == count ? 0.0 : 1.0;
    });
  }
  if (field.dtype() == planpb::ELEMENT_F32) {
    return makeElements<float>(count, [&](uint64_t i) {
      return static_cast<double>(number(i) % 2001 - 1000) / 500.0;
    });
  }
  EXPECT_EQ(field.dtype(), planpb::ELEMENT_I64) << field.name();
  // Nothing is said of a mask: ones, and zeros at the end of some rows.
  if (field.name() == "attention_mask") {
    return makeElements<int64_t>(
        count, [&](uint64_t i) { return i % 32 < 27 || i % 64 < 32 ? 1 : 0; });
  }
  EXPECT_LE(field.min_value(), field.max_value()) << field.name();
  int64_t range =
      std::max<int64_t>(1, field.max_value() - field.min_value() + 1);
  return makeElements<int64_t>(count, [&](uint64_t i) {
    bool isIgnored =
        field.role() == planpb::SignatureField::ROLE_TARGET && i % 5 == 3;
    return isIgnored ? -100 : field.min_value() + number(i) % range;
  });
}

class Replay {
public:
  explicit Replay(const CompiledModel &model)
      : model(model), manifest(model.getManifest()) {
    for (const planpb::Buffer &buffer : manifest.buffers()) {
      uint64_t bytes = buffer.bytes().alternatives(0).terms(0).factor();
      // What outlives a step begins with zeros. Elsewhere all bits are set: a
      // float that is read before it is written is NaN.
      bool isZeroed = buffer.region() == planpb::REGION_PERSISTENT;
      memory.emplace_back(bytes * buffer.copies(), isZeroed ? '\0' : kPoison);
      if (buffer.region() == planpb::REGION_CONSTANT) {
        memory.back() = model.getConstants().substr(buffer.content().offset(),
                                                    buffer.content().size());
      }
    }
    for (const VariantCode &variant : model.getCode().variants) {
      bool isPtx = variant.variant.device == plan::DeviceKind::Cuda;
      images.push_back(isPtx ? nullptr
                             : std::make_unique<MappedImage>(variant.image));
      ptx.push_back(isPtx ? std::make_unique<PtxImage>(variant.image)
                          : nullptr);
    }
  }

  void run(FunctionRole role) {
    const auto &instructions = model.getInstructions(role);
    for (size_t i = 0; i < instructions.size(); ++i) {
      if (!instructions[i].has_repeat()) {
        runOne(instructions[i], 0);
        continue;
      }
      uint32_t last = instructions[i].repeat().last();
      for (int microbatch = 0; microbatch < kMicrobatches; ++microbatch) {
        for (size_t j = i + 1; j <= last; ++j) {
          runOne(instructions[j], microbatch);
        }
      }
      i = last;
    }
    ++runs;
  }

  /// Where parameters lie; what is between them stays zero.
  void poisonGradients() {
    for (const planpb::Parameter &parameter : manifest.parameters()) {
      const planpb::Segment &segment =
          manifest.buckets(parameter.bucket()).segments(parameter.segment());
      uint64_t count = 1;
      for (uint64_t size : parameter.shape()) {
        count *= size;
      }
      for (const planpb::Slot &slot : segment.slots()) {
        if (slot.name() == "gradient") {
          memory[slot.buffer()].replace(
              parameter.element_offset() * sizeof(float), count * sizeof(float),
              count * sizeof(float), kPoison);
        }
      }
    }
  }

  /// Nothing of the plan's code is untested.
  void checkCoverage() const {
    for (const planpb::Kernel &kernel : manifest.kernels()) {
      EXPECT_TRUE(seen.count(kernel.name())) << kernel.name();
    }
  }

private:
  Place getPlace(const planpb::Access &access, int microbatch) {
    const planpb::Buffer &buffer = manifest.buffers(access.buffer());
    std::string &bytes = memory[access.buffer()];
    uint64_t size = bytes.size() / buffer.copies();
    uint64_t copy = (microbatch + access.rotate()) % buffer.copies();
    Place place;
    place.data = bytes.data() + copy * size + access.offset();
    place.bytes = access.bytes() == 0 ? size : access.bytes();
    place.isRead = access.mode() != planpb::Access::MODE_WRITE;
    place.isWritten = access.mode() != planpb::Access::MODE_READ;
    EXPECT_LE(access.offset() + place.bytes, size);
    return place;
  }

  void runOne(const planpb::Instruction &instruction, int microbatch) {
    if (testing::Test::HasFailure()) {
      return; // what follows would only repeat it
    }
    std::vector<Place> places;
    for (const planpb::Access &access : instruction.accesses()) {
      places.push_back(getPlace(access, microbatch));
    }
    if (instruction.has_launch()) {
      launch(instruction.launch(), places);
    } else if (instruction.has_fetch()) {
      fetch(instruction.fetch(), microbatch, places);
    } else if (instruction.has_load()) {
      const planpb::LoadPiece &piece = instruction.load().pieces(0);
      memcpy(places[0].data, model.getWeights().data() + piece.source_offset(),
             places[0].bytes);
    } else if (instruction.has_fill()) {
      const std::string &pattern = instruction.fill().pattern();
      EXPECT_LE(pattern.size(), 1u);
      memset(places[0].data, pattern.empty() ? 0 : pattern[0], places[0].bytes);
    } else {
      // A collective: a rank alone is its own sum.
      EXPECT_TRUE(instruction.has_metric() || instruction.has_collective())
          << instruction.ShortDebugString();
    }
  }

  void launch(const planpb::Launch &launch, const std::vector<Place> &all) {
    const planpb::Kernel &kernel = manifest.kernels(launch.kernel());
    KernelCode code;
    code.definition = model.getKernel(kernel.name());
    SCOPED_TRACE(kernel.name());
    for (auto [image, text, variant, entry] : llvm::zip_equal(
             images, ptx, model.getCode().variants, kernel.entries())) {
      if (entry.has_call()) {
        continue;
      }
      if (text) {
        code.ptx.push_back({variant.variant.name, text.get(), kernel.name(),
                            static_cast<int64_t>(entry.tiles()),
                            static_cast<int64_t>(entry.threads())});
        continue;
      }
      code.variants.push_back(
          {variant.variant.name,
           image->getFunction(variant.image.entries[launch.kernel()]),
           static_cast<int64_t>(entry.tiles())});
    }
    std::vector<Place> places;
    for (uint32_t argument : launch.arguments()) {
      places.push_back(all[argument]);
    }
    // The last pointer may be a workspace, which the check provides itself.
    func::FuncOp definition = code.definition;
    places.resize(definition.getNumArguments() + definition.getNumResults());
    if (++seen[kernel.name()] > kChecks) {
      runLaunch(code, places);
    } else if (!checkLaunch(code, places)) {
      code.definition.dump();
    }
  }

  void fetch(const planpb::Fetch &fetch, int microbatch,
             const std::vector<Place> &places) {
    int64_t index = microbatch + fetch.ahead();
    if (index >= kMicrobatches) {
      return;
    }
    for (const planpb::FetchField &each : fetch.fields()) {
      std::string bytes = makeField(manifest.signature(each.field()),
                                    runs * kMicrobatches + index);
      ASSERT_EQ(bytes.size(), places[each.access()].bytes);
      memcpy(places[each.access()].data, bytes.data(), bytes.size());
    }
  }

  const CompiledModel &model;
  const planpb::Manifest &manifest;
  std::vector<std::string> memory;                  ///< by buffer
  std::vector<std::unique_ptr<MappedImage>> images; ///< by variant of CPUs
  std::vector<std::unique_ptr<PtxImage>> ptx;       ///< by variant of GPUs
  std::map<std::string, int> seen;                  ///< kernels by name
  int runs = 0;
};

struct ModelCase {
  const char *model;
  const char *optimizer;
  const char *schedule;
  const char *trained = ""; ///< which of its parameters; empty: all
  const char *precision = "f32";
  const char *residual = "";
  /// Whether it is checked for GPUs, too, where time matters: an interpreter
  /// runs the kernels, and other cases have nearly the same ones.
  bool isForGpus = false;
  bool isGrouped = false;    ///< rates and decays by name, averages
  const char *adapters = ""; ///< as --lora has them; empty: none
  const char *params = "";   ///< file of the model for --params; empty: none
};

class PlanOracleTest : public testing::TestWithParam<ModelCase> {
protected:
  /// Compiles for `target`, initializes, takes steps and evaluates, all of it
  /// checked.
  void check(const std::string &target);
};

class GpuPlanOracleTest : public PlanOracleTest {};

void PlanOracleTest::check(const std::string &target) {
  CompilerOptions options;
  options.target = target;
  options.frontend.dimensions["batch"] = 3;
  options.accumulate.optimizer = GetParam().optimizer;
  options.accumulate.schedule = GetParam().schedule;
  if (GetParam().isGrouped) {
    options.accumulate.groups = {"weight:lr=0.5x",
                                 "bias|norm:lr=3x,decay=0.25"};
    options.accumulate.decay = "hf";
    options.accumulate.layerDecay = 0.75;
    options.accumulate.ema = 0.875;
  }
  options.accumulate.warmupSteps = 1;
  options.accumulate.scheduleSteps = 3;
  options.accumulate.decaySteps = 1;
  options.accumulate.minLr = 1e-4;
  options.accumulate.clipNorm = 0.5;
  bool isFp8 = findFp8Recipe(GetParam().precision);
  options.precision.precision = isFp8 ? "bf16" : GetParam().precision;
  options.precision.fp8.recipe = isFp8 ? GetParam().precision : "";
  options.precision.residual = GetParam().residual;
  if (options.precision.precision == "f16") {
    options.differentiate.lossScale = "torch";
  }
  if (*GetParam().trained) {
    options.differentiate.trainingRules = {std::string("train=") +
                                           GetParam().trained};
  }
  if (*GetParam().adapters) {
    llvm::Expected<AdapterOptions> adapters =
        AdapterOptions::parse(GetParam().adapters);
    ASSERT_TRUE(static_cast<bool>(adapters));
    options.import.adapters = *adapters;
  }
  auto vfs = runtime::MakePosixVfs();
  if (*GetParam().params) {
    auto saved = readSavedParameters(*vfs, std::string(ACCEL_MODELS) + "/" +
                                               GetParam().model + "/" +
                                               GetParam().params);
    ASSERT_TRUE(saved.ok()) << saved.status().message();
    options.frontend.saved = *std::move(saved);
  }
  auto model = CompiledModel::compile(
      std::string(GetParam().model) + "/model.onnx", options);
  ASSERT_TRUE(model);
  Replay replay(*model);
  replay.run(FunctionRole::Initialize);
  for (int step = 0; step < kSteps; ++step) {
    if (model->hasFunction(FunctionRole::Count)) {
      replay.run(FunctionRole::Count);
    }
    replay.poisonGradients();
    replay.run(FunctionRole::Step);
  }
  // Models that mix samples have none.
  if (model->hasFunction(FunctionRole::Evaluate)) {
    replay.run(FunctionRole::Evaluate);
  }
  replay.checkCoverage();
}

TEST_P(PlanOracleTest, EveryInstructionGivesWhatTheInterpreterGives) {
  check("cpu");
}

/// Nothing above the target knows what it answers.
TEST_P(PlanOracleTest, SoItIsForATargetThatAnswersOtherwise) {
  OtherTarget::makeKnown();
  check(OtherTarget::kName);
}

/// A plan for GPUs and CPUs: one program, whose PTX runs in an interpreter.
TEST_P(GpuPlanOracleTest, SoItIsForGpus) {
  check(findFp8Recipe(GetParam().precision) ? "compute_90,cpu"
                                            : "compute_80,cpu");
}

// All models that PyTorch has trained, with all optimizers and schedules
// between them.
const ModelCase kModels[] = {
    {"gpt2", "adamw", "cosine"},
    {"gpt2-fresh", "adamw", "linear"},
    {"gpt2-dropout", "sgd", "wsd", "", "f32", "", true},
    {"decoder18", "sgd", "cosine"},
    {"decoder23", "adamw", "wsd"},
    {"mlp", "adamw", "constant", "", "f32", "", true},
    {"activations", "adamw", "linear", "", "f32", "", true},
    {"convnet", "adamw", "wsd", "", "f32", "", true},
    {"mlp-dropout", "sgd", "linear"},
    {"mistral", "lion", "constant"},
    {"gpt2-loss", "adamw", "linear"},
    {"llama20", "sgd", "wsd"},
    {"qwen3", "adamw8", "cosine", "", "f32", "", true},
    {"centered", "adamw", "linear", "", "f32", "", true},
    {"gpt2-lora", "lion", "cosine", "lora_"},
    {"mlp-smoothing", "adamw8", "wsd", "", "f32", "", true},
    {"mlp-weighted", "sgd", "linear"},
    {"masked-lm", "adamw", "cosine"},
    {"two-heads", "lion", "wsd", "", "f32", "", true},
    {"padding", "sgd", "constant", "", "f32", "", true},
    {"gemma", "adamw", "wsd"},
    {"folded", "sgd", "linear"},
    {"indexing", "adamw", "constant"},
    {"experts", "adamw", "cosine", "", "f32", "", true},
    {"lstm", "lion", "cosine", "", "f32", "", true},
    {"gru", "sgd", "wsd"},
    {"reducing", "adamw", "wsd"},
    {"batch-norm", "sgd", "cosine"},
    {"batch-norm-fresh", "adamw", "linear"},
    {"twins", "adamw", "cosine", "", "f32", "", true},
    {"gpt2", "adamw", "cosine", "", "bf16"},
    {"gpt2-dropout", "lion", "wsd", "", "bf16"},
    {"decoder23", "sgd", "linear", "", "bf16", "f32"},
    {"llama20", "adamw8", "cosine", "", "bf16"},
    {"gpt2-lora", "adamw", "wsd", "lora_", "bf16"},
    {"mlp", "sgd", "constant", "", "bf16"},
    {"convnet", "sgd", "constant", "", "bf16"},
    {"experts", "sgd", "linear", "", "bf16", "", true},
    {"gpt2", "adamw", "cosine", "", "f16"},
    {"mlp", "lion", "constant", "", "f16"},
    {"experts", "adamw", "constant", "", "f16"},
    {"mlp16", "lion", "constant", "", "f32", "", true},
    {"decoder16", "adamw", "cosine", "", "current", "", true},
    {"decoder16", "adamw8", "wsd", "widen", "current"},
    {"decoder16", "adamw", "wsd", "", "delayed"},
    {"decoder16", "adamw", "wsd", "", "block"},
    {"decoder16", "lion", "cosine", "", "mx"},
    {"mlp", "adamw", "cosine", "", "f32", "", true, true},
    {"gpt2", "sgd", "wsd", "", "f32", "", false, true},
    {"mistral", "lion", "linear", "", "bf16", "", false, true},
    {"decoder16", "adamw8", "constant", "", "current", "", false, true},
    {"gpt2", "adamw", "cosine", "lora_", "f32", "", false, false,
     "rank=3,dropout=0.25"},
    {"llama20", "sgd", "wsd", "lora_", "bf16", "", false, false,
     "rank=4,targets=q_proj|down_proj"},
    {"rebuilt", "adamw", "cosine", "", "f32", "", false, false, "",
     "initial.safetensors"}};

std::string nameOf(const testing::TestParamInfo<ModelCase> &info) {
  std::string name = info.param.model;
  name += *info.param.adapters ? "_with_adapters" : "";
  name += *info.param.trained ? std::string("_") + info.param.trained : "";
  std::replace(name.begin(), name.end(), '-', '_');
  name += info.param.isGrouped ? "_grouped" : "";
  std::string precision = info.param.precision;
  return precision == "f32" ? name : name + "_" + precision;
}

INSTANTIATE_TEST_SUITE_P(Models, PlanOracleTest, testing::ValuesIn(kModels),
                         nameOf);

/// GPUs have no scales of blocks. tools/check --cuda runs all others; those
/// that are marked have kernels of all kinds, and take the least time.
std::vector<ModelCase> getGpuModels() {
  std::vector<ModelCase> models;
  bool isAll = std::getenv("ACCEL_CHECK_CUDA");
  llvm::copy_if(
      kModels, std::back_inserter(models), [&](const ModelCase &each) {
        const Fp8Recipe *recipe = findFp8Recipe(each.precision);
        return each.isForGpus || (isAll && !(recipe && recipe->block > 0));
      });
  return models;
}

INSTANTIATE_TEST_SUITE_P(Models, GpuPlanOracleTest,
                         testing::ValuesIn(getGpuModels()), nameOf);

TEST(PlanOracleModelsTest, HasEveryModelThatPyTorchHasTrained) {
  size_t count = 0;
  for (const auto &each : std::filesystem::directory_iterator(ACCEL_MODELS)) {
    if (std::filesystem::exists(each.path() / "golden.json")) {
      std::string name = each.path().filename();
      EXPECT_TRUE(llvm::any_of(
          kModels, [&](const ModelCase &known) { return name == known.model; }))
          << name << ": expected a case in kModels, got none";
      ++count;
    }
  }
  EXPECT_GT(count, 0u);
}

TEST(PlanOracleVariantsTest, RunsEveryVariant) {
  // What other cases run: with none they would pass and have checked nothing.
  EXPECT_TRUE(llvm::any_of(getCpuVariants(), canRun));
  for (const CodeVariant &variant : getCpuVariants()) {
    if (!canRun(variant)) {
      GTEST_SKIP() << "this processor cannot run " << variant.name
                   << ": the kernels of real plans run without it";
    }
  }
}

} // namespace
} // namespace accel::test
