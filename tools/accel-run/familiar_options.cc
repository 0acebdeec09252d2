// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two tables: what accel-run sets itself, and what only the compiler decides.
#include "tools/accel-run/familiar_options.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace accel::tools {
namespace {

// Names with dashes, one blank between them.
struct Familiar {
  absl::string_view names;
  absl::string_view answer;
};

// What accel-run sets. VALUE is the number that was written.
constexpr Familiar kSetHere[] = {
    {"lr learning-rate", "write --set lr=VALUE"},
    {"weight-decay wd", "write --set weight_decay=VALUE"},
    {"warmup-steps warmup num-warmup-steps lr-warmup-steps",
     "write --set warmup_steps=VALUE"},
    {"min-lr", "write --set min_lr=VALUE"},
    {"schedule-steps", "write --set schedule_steps=VALUE"},
    {"decay-steps", "write --set decay_steps=VALUE"},
    {"schedule lr-scheduler lr-scheduler-type scheduler",
     "write --set schedule=KIND: constant, linear, cosine or wsd"},
    {"beta1 adam-beta1", "write --set beta1=VALUE"},
    {"beta2 adam-beta2", "write --set beta2=VALUE"},
    {"eps epsilon adam-epsilon", "write --set eps=VALUE"},
    {"momentum", "write --set momentum=VALUE"},
    {"clip-norm clip max-grad-norm grad-clip gradient-clip-val clip-grad",
     "write --set clip_norm=VALUE"},
    {"batch batch-size train-batch-size total-batch-size",
     "write --global-batch VALUE, the samples of one step"},
    {"per-device-train-batch-size micro-batch-size device-batch-size",
     "the samples that a rank computes at a time are fixed when compiling, "
     "accelc --dim batch=VALUE; --global-batch N are the samples of one step"},
    {"gradient-accumulation-steps grad-accum accumulation-steps",
     "write --global-batch N, the samples of one step; the accumulation steps "
     "follow from it"},
    {"epochs num-epochs num-train-epochs max-epochs epoch",
     "write --steps N; without it a run is one epoch, and its first lines say "
     "how many steps that is"},
    {"max-steps num-steps max-iters iters iterations train-steps "
     "max-train-steps",
     "write --steps VALUE"},
    {"resume-from resume-from-checkpoint load-checkpoint load",
     "--resume auto goes on from the newest checkpoint of --run-dir, --resume "
     "DIR from another one"},
    {"init-from init-weights load-weights pretrained pretrained-model "
     "model-name-or-path",
     "write --weights FILE.safetensors: the run begins with them"},
    {"checkpoint ckpt save-steps save-every save-interval checkpoint-interval",
     "--checkpoint-every N saves every N steps, --checkpoint-every 10m every "
     "ten minutes"},
    {"eval eval-steps eval-data val-data validation-file evaluate",
     "there is no evaluation during training yet; --export FILE.onnx writes "
     "the trained model"},
    {"output-dir out-dir out output logging-dir o",
     "write --run-dir DIR for metrics, --export FILE for the trained model"},
    {"train-file dataset train-data dataset-name", "write --data FILE"},
    {"nproc-per-node nproc num-processes np world-size num-ranks",
     "write -n VALUE"},
    {"nnodes num-machines node-rank machine-rank rdzv-endpoint rdzv-backend "
     "master-addr master-port main-process-ip standalone",
     "accel-run trains on the ranks of one host; write -n N, or start it with "
     "torchrun --nproc-per-node N --no-python accel-run PLAN"},
    {"num-workers dataloader-num-workers",
     "one thread of each rank loads the data while it computes; --threads N "
     "are those that compute"},
    {"device gpu gpus cuda use-cuda", "accel-run trains on CPUs only yet"},
    {"fp16 bf16 mixed-precision precision amp",
     "accel-run trains in fp32 only yet"},
    {"wandb report-to tensorboard",
     "metrics.jsonl in --run-dir has a JSON object per step; accel-inspect "
     "metrics DIR draws it"},
    {"random-seed", "write --seed VALUE"},
    {"verbose v", "everything is said without it; --quiet says less"},
};

// What the compiler decides: names, and accelc's flag.
constexpr Familiar kCompiled[] = {
    {"optimizer optim", "--optimizer=KIND"},
    {"dropout", "--dropout=P"},
    {"microbatch dim batch-dim", "--dim batch=N"},
    {"seq block-size seq-len sequence-length max-seq-length context-length",
     "--dim NAME=N"},
    {"fsdp sharding fully-shard", "--fsdp"},
    {"zero zero-stage deepspeed", "--zero=1|2"},
    {"max-ranks", "--max-ranks=N"},
    {"objective loss", "--objective=KIND"},
    {"loss-weight", "--loss-weight=targets|samples"},
    {"init", "--init=POLICY"},
    {"freeze", "--freeze=REGEX"},
    {"train", "--train=REGEX"},
    {"target", "--target=cpu"},
};

// Hyperparameters that some plans have, and what a plan must be compiled with
// to have them.
constexpr Familiar kOptional[] = {
    {"momentum beta1 beta2 eps",
     "--optimizer=KIND, of a kind that reads it (accelc --help)"},
};

std::vector<std::string> Split(absl::string_view names) {
  return absl::StrSplit(names, ' ');
}

template <size_t N>
const Familiar* FindIn(const Familiar (&table)[N], const std::string& name) {
  const auto found = std::find_if(
      std::begin(table), std::end(table), [&](const Familiar& entry) {
        const std::vector<std::string> names = Split(entry.names);
        return std::find(names.begin(), names.end(), name) != names.end();
      });
  return found == std::end(table) ? nullptr : found;
}

std::string CompileAgain(absl::string_view flag) {
  return absl::StrCat("the compiler decides it; compile the plan again with ",
                      "accelc MODEL.onnx -o PLAN ", flag);
}

}  // namespace

std::vector<FamiliarOption> FamiliarOptions() {
  std::vector<FamiliarOption> options;
  for (const Familiar& entry : kSetHere) {
    options.push_back({Split(entry.names), std::string(entry.answer)});
  }
  for (const Familiar& entry : kCompiled) {
    options.push_back({Split(entry.names), CompileAgain(entry.answer)});
  }
  return options;
}

std::string AnswerFor(const planpb::Manifest& manifest,
                      absl::string_view name) {
  const std::string dashed =
      absl::StrReplaceAll(absl::AsciiStrToLower(name), {{"_", "-"}});
  if (const Familiar* entry = FindIn(kOptional, dashed)) {
    return absl::StrCat(
        "the plan was compiled without it (", manifest.optimizer().kind(),
        ", schedule ", manifest.schedule().kind(),
        "); compile it again with accelc MODEL.onnx -o PLAN ", entry->answer);
  }
  if (const Familiar* entry = FindIn(kCompiled, dashed)) {
    return CompileAgain(entry->answer);
  }
  const Familiar* entry = FindIn(kSetHere, dashed);
  if (entry == nullptr) {
    // accel-run's own flags, as names.
    for (const absl::string_view flag :
         {"steps", "global-batch", "seed", "shuffle", "threads"}) {
      if (dashed == flag) {
        return absl::StrCat("it is no hyperparameter; write --", flag, " N");
      }
    }
    return "";
  }
  const absl::string_view answer = entry->answer;
  // An answer that says --set of another name: that is what was meant.
  return absl::StrReplaceAll(answer, {{"VALUE", "N"}});
}

}  // namespace accel::tools
