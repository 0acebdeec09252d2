// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One option: what it makes of a model is the importer's.
#include "tools/accelc/AdapterOption.h"

#include "tools/accelc/Validators.h"

namespace accel {

void addAdapterOption(CLI::App &app, CommandLine &line, const char *group) {
  app.add_option("--lora", line.lora,
                 "Add low-rank adapters and train them alone, as PEFT's LoRA "
                 "does: rank=8,alpha=16,dropout=0.1,targets=REGEX, where the "
                 "pattern comes last and is found in names of linear layers "
                 "(c_attn|c_proj). Defaults: rank 8, alpha 8, no dropout, all "
                 "linear layers but the output head. Or a folder that PEFT or "
                 "accel-run --export wrote, to begin with its adapters. "
                 "--train and --freeze come behind it")
      ->type_name("KEY=VALUE,...|DIR")
      ->check(notEmpty("KEY=VALUE,... or a folder of adapters",
                       "--lora rank=8,alpha=16"))
      ->group(group);
}

} // namespace accel
