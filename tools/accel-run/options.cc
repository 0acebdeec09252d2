// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declaration of accel-run's options and its help.
#include "tools/accel-run/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "tools/accel-run/exit_code.h"
#include "tools/accel-run/familiar_options.h"
#include "tools/accel-run/inference_options.h"
#include "tools/command-line/config.h"
#include "tools/command-line/empty_paths.h"
#include "tools/command-line/help_format.h"
#include "tools/command-line/parse.h"
#include "tools/command-line/value_checks.h"

namespace accel::tools {
namespace {

constexpr char kDescription[] =
    "Trains a model, or asks it: executes a plan that accelc compiled.";

constexpr char kFooter[] = R"(
Examples:
  accel-run plan                                  20 steps on synthetic data: does it run, how fast
  accel-run plan --data text.bin --steps 200      a stream of tokens; accel-data pack makes one of a text
  accel-run plan --data 'shards/*.bin'            all of them, sorted by name, as one stream
  accel-run plan --data mix.toml --steps 1000     datasets mixed by weight
  accel-inspect metrics runs/plan-001             the curve of the losses
  accel-run plan --data x=images.npy --data labels=classes.npy
                                                  one array per input and target; accel-inspect plan lists them
  accel-run plan --data text.bin --set lr=1e-4 --set warmup_steps=50
                                                  hyperparameters, without compiling again
  accel-run plan --data text.bin -n 4             on four ranks; the losses stay those of one
  accel-run plan --data text.bin --run-dir run --checkpoint-every 10m
  accel-run plan --data text.bin --run-dir run --checkpoint-every 10m --resume auto
                                                  goes on after any end, on any number of ranks
  accel-run plan --data text.bin --run-dir run --checkpoint-every 10m -n 4 --max-restarts 3
                                                  goes on by itself when a rank dies or hangs
  accel-run plan --data text.bin --eval-data held.bin --eval-every 50
                                                  also measures the loss on data that it does not train on
  accel-run plan --evaluate --eval-data held.bin --run-dir run
                                                  only measures it, of the newest checkpoint
  accel-run answers --input x=x.npy --output y=y.npy
                                                  asks a plan of accelc --inference once
  torchrun --nproc-per-node 4 --no-python accel-run plan --data text.bin
                                                  the same; RANK and WORLD_SIZE alone will do, too
  accel-run plan -n 8 --data text.bin --run-dir run --check
                                                  what would fail before the first step, all at once; starts nothing
  accel-run plan --tune && accel-run plan --data text.bin
                                                  measures a GPU's algorithms once, then trains with the best
  accel-run plan --data text.bin --weights model.safetensors
                                                  begins with these weights instead of the plan's
  accel-run plan --data text.bin --run-dir run --export trained.onnx
                                                  the original model with the trained weights; also .safetensors
  accel-run plan --steps 10 --profile --run-dir run && accel-inspect trace run/trace.json
                                                  where the time goes, by module of the model

The run directory holds metrics.jsonl: one object per step with step, loss, lr, grad_norm, tokens, step_seconds,
data_wait_seconds, tokens_per_second, peak_bytes, epoch, time and run, and one per evaluation with step and eval_loss.
accel-inspect metrics DIR draws it.

Outputs appear complete or not at all and keep the mode of the file that was there. None may be a file that the run
reads. A FIFO or device is written to, and - is standard output.

Exit status:
  0 done; 2 command line; 3 plan of another release or for another machine; 4 file or folder, damaged plan;
  5 not enough memory or threads; 6 plan fails verification; 10 loss or gradient not finite; 11 a stream or rank did not
  answer in time, or another rank has failed; 12 data; 70 internal error; 129 stopped by SIGHUP after the microbatch in
  progress; 130 by SIGINT; 138 by SIGUSR1; 143 by SIGTERM. With -n it is that of the rank that failed first, 128 + N
  where signal N has killed it. A run that had begun ends with what is left of it and the command that goes on
)";

// Whoever says 0 wants what needs no step.
CLI::Validator StepCount() {
  return CLI::Validator(
      [check = WholeNumber(1, int64_t{1} << 31)](std::string& text) {
        std::string complaint = check(text);
        if (!complaint.empty() && text == "0") {
          complaint +=
              "; without a step, --evaluate measures the loss, and "
              "accel-inspect "
              "run RUN --export FILE writes the model of a checkpoint";
        }
        return complaint;
      },
      "");
}

void AddTrainingOptions(CLI::App& app, RunOptions& options) {
  app.add_option("--data", options.data,
                 "Training data, repeatable; none: synthetic data. A stream of "
                 "tokens FILE.bin (16-bit\nwords or llm.c's format; "
                 "FILE.bin:u32 for 32-bit words; FILE.idx with its index,\n"
                 "Megatron's), a blend of datasets FILE.toml, or an array for "
                 "each input and target,\nNAME=FILE.npy, its first axis = "
                 "samples. A quoted pattern ('shards/*.bin') or several\n"
                 "flags are one stream, or one array, in that order")
      ->type_name("[NAME=]FILE")
      ->group("Training")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("--reset-attention", options.reset_attention,
               "Asks that no token attends to another document. An error, as "
               "no input of a plan\ntakes the ends of documents from a stream")
      ->group("Training");
  app.add_option("--weights-dir", options.weights_dir,
                 "Folder of the weights that a plan of accelc "
                 "--weights=external refers to;\ndefault: the plan's")
      ->type_name("DIR")
      ->group("Training");
  app.add_option("--steps", options.steps,
                 "Optimizer steps; default: one epoch, what a blend allows, or "
                 "20 on synthetic data")
      ->type_name("N")
      ->check(StepCount())
      ->group("Training");
  app.add_option("--set", options.set,
                 "Sets a hyperparameter of the plan (lr, weight_decay, ...), "
                 "repeatable;\nbitwise the run of a plan compiled with that "
                 "value")
      ->type_name("NAME=VALUE")
      ->group("Training")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--global-batch", options.global_batch,
                 "Samples of one step; default: the plan's")
      ->type_name("N")
      ->check(WholeNumber(1, int64_t{1} << 31))
      ->group("Training");
  app.add_option_function<std::string>(
         "--on-nonfinite",
         [&options](const std::string& value) {
           options.skip_nonfinite = value == "skip";
         },
         "When a loss or gradient is not finite: halt, or skip the step and go "
         "on. Neither\nupdates the weights, and both name the instruction that "
         "was first; default: the plan's")
      ->type_name("halt|skip")
      ->check(OneOf({"halt", "skip"}))
      ->group("Training");
  app.add_option("--seed", options.seed,
                 "Of the order of samples, of dropout and of initial weights")
      ->type_name("N")
      ->capture_default_str()
      ->check(WholeNumber(0))
      ->group("Training");
  app.add_option_function<std::string>(
         "--shuffle",
         [&options](const std::string& value) {
           options.shuffle = value == "on";
         },
         "off takes the rows in order")
      ->type_name("on|off")
      ->default_str("on")
      ->check(OneOf({"on", "off"}))
      ->group("Training");
}

void AddWeightsOptions(CLI::App& app, RunOptions& options) {
  app.add_option("--weights", options.weights,
                 "Begins with the weights of a safetensors file under the "
                 "model's names, as --export\nwrites it, or of several "
                 "(model.safetensors.index.json); f16 and bf16 become f32. "
                 "What the\noptimizer keeps begins as new. A checkpoint that "
                 "--resume=auto finds goes before it")
      ->type_name("FILE")
      ->group("Training");
  app.add_option_function<std::vector<std::string>>(
         "--weights-allow",
         [&options](const std::vector<std::string>& words) {
           for (const std::string& word : words) {
             (word == "missing" ? options.weights_allowance.missing
                                : options.weights_allowance.unexpected) = true;
           }
         },
         "What --weights may lack of the plan's parameters (these begin as "
         "without it), and have\nbesides them; default: neither")
      ->type_name("missing,unexpected")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->take_all()
      ->check(OneOf({"missing", "unexpected"}))
      ->group("Training");
}

void AddCheckpointOptions(CLI::App& app, RunOptions& options) {
  app.add_option_function<std::string>(
         "--checkpoint-every",
         [&options](const std::string& text) {
           const auto interval = ParseInterval(text);
           if (!interval.ok()) {
             throw CLI::ValidationError(
                 "--checkpoint-every",
                 std::string(interval.status().message()));
           }
           options.checkpoint_every = *interval;
           options.checkpoint_every_text = text;
         },
         "Saves the whole state of training every N steps, or every so much "
         "time (90s, 10m, 2h),\nand at the end, in "
         "RUN/checkpoints/step-NNNNNNNN; default: never")
      ->type_name("N|TIME")
      ->group("Checkpoints");
  app.add_flag("--checkpoint-async", options.checkpoint_async,
               "Steps go on while a checkpoint is written: of a copy of the "
               "state in the host's memory,\nwhich accelc --estimate shows")
      ->group("Checkpoints");
  app.add_option("--keep", options.keep,
                 "How many of the newest checkpoints stay")
      ->type_name("N")
      ->capture_default_str()
      ->check(WholeNumber(1, int64_t{1} << 31))
      ->group("Checkpoints");
  app.add_option("--keep-every", options.keep_every,
                 "Also those of every Nth step stay; default: none")
      ->type_name("N")
      ->check(WholeNumber(1, int64_t{1} << 31))
      ->group("Checkpoints");
  app.add_option("--resume", options.resume,
                 "Goes on from the newest intact checkpoint of --run-dir "
                 "(auto; from the beginning if there\nis none), or from the "
                 "one in a folder. Ranks, threads, --global-batch, --set and "
                 "the plan\nmay be others; --steps counts from the beginning")
      ->type_name("auto|DIR")
      ->group("Checkpoints");
  app.add_flag("--allow-data-change", options.allow_data_change,
               "Resumes on other data than the checkpoint's")
      ->group("Checkpoints");
  app.add_option("--max-restarts", options.max_restarts,
                 "Starts all ranks again, from the newest checkpoint, when one "
                 "dies of a signal or ends with\nstatus 11 or 70; at most K "
                 "times without a new checkpoint in between")
      ->type_name("K")
      ->capture_default_str()
      ->check(WholeNumber(0, int64_t{1} << 31))
      ->group("Checkpoints");
}

void AddEvaluationOptions(CLI::App& app, RunOptions& options) {
  app.add_option("--eval-data", options.eval_data,
                 "Data to measure the loss on, without dropout and in order, "
                 "every sample once: as --data,\nrepeatable. It is measured at "
                 "the end, and trains nothing")
      ->type_name("[NAME=]FILE")
      ->group("Evaluation")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--eval-every", options.eval_every,
                 "Measures it behind every Nth step, too")
      ->type_name("N")
      ->check(WholeNumber(1, int64_t{1} << 31))
      ->group("Evaluation");
  app.add_flag("--evaluate", options.evaluate,
               "Trains and writes nothing: prints the loss on --eval-data of "
               "the newest intact checkpoint\nof --run-dir, of the one in "
               "--resume DIR, or of the plan's own weights if neither is "
               "given")
      ->group("Evaluation");
  app.add_flag("--eval-ema", options.eval_ema,
               "--evaluate measures the checkpoint's averages of parameters "
               "(accelc --ema)")
      ->group("Evaluation");
}

void AddOutputOptions(CLI::App& app, RunOptions& options) {
  app.add_option("--run-dir", options.run_dir,
                 "Folder of the run; default: runs/PLAN-NNN, the first free "
                 "number")
      ->type_name("DIR")
      ->group("Output");
  app.add_option(
         "--export", options.export_path,
         "Writes the trained model at the end: FILE.onnx is the "
         "original graph,\nFILE.safetensors the weights under their "
         "original names,\nadapter_model.safetensors the adapters of accelc "
         "--lora as PEFT reads them")
      ->type_name("FILE")
      ->group("Output");
  app.add_option("--export-ema", options.export_ema,
                 "Writes the averages of the parameters (accelc --ema) as "
                 "--export writes the parameters;\nboth may be given")
      ->type_name("FILE")
      ->group("Output");
  app.add_flag("-q,--quiet", options.quiet, "Prints errors and warnings only")
      ->group("Output");
  static const std::map<std::string, runtime::ColorMode> kColors = {
      {"auto", runtime::ColorMode::kAuto},
      {"always", runtime::ColorMode::kAlways},
      {"never", runtime::ColorMode::kNever}};
  app.add_option_function<std::string>(
         "--color",
         [&options](const std::string& when) {
           options.color = kColors.at(when);
         },
         "When to colour")
      ->type_name("auto|always|never")
      ->default_str("auto")
      ->check(OneOf({"auto", "always", "never"}))
      ->group("Output");
  app.add_option("--log-dir", options.log_dir,
                 "Keeps what every rank says in DIR/rank-N.log; without it "
                 "rank 0 alone speaks,\nand another only of its failure")
      ->type_name("DIR")
      ->group("Output");
}

void AddMachineOptions(CLI::App& app, RunOptions& options) {
  app.add_flag("--check", options.check,
               "Starts and writes nothing: lists every fault that can be known "
               "before the first step,\nas on N ranks with -n N")
      ->group("Machine");
  app.add_option("-n,--ranks", options.ranks,
                 "Trains on N ranks, each of them a process of this machine; "
                 "default: 1, or what\ntorchrun, mpirun or srun say in the "
                 "environment")
      ->type_name("N")
      ->check(WholeNumber(1, 1024))
      ->group("Machine");
  app.add_option("--threads", options.threads,
                 "Threads of each rank's compute stream; default: the cores, "
                 "divided among the ranks")
      ->type_name("N")
      ->check(WholeNumber(1, 4096))
      ->group("Machine");
  app.add_option("--device", options.device,
                 "Executes the plan on this device: planned (the one that it "
                 "is made for), or cpu\n(its code for CPUs: the same program, "
                 "with other bits where a GPU calls libraries)")
      ->type_name("DEVICE")
      ->capture_default_str()
      ->check(OneOf({"planned", "cpu"}))
      ->group("Machine");
  app.add_option("--cuda-libs", options.cuda_libs,
                 "Opens NVIDIA's libraries in this folder; default: where the "
                 "loader looks, then\nthe packages of VIRTUAL_ENV")
      ->type_name("DIR")
      ->group("Machine");
  app.add_option("--collectives", options.collectives,
                 "What carries tensors between GPUs: nccl (default for ranks "
                 "that are processes), card\n(copies and sums on the one GPU "
                 "that threads share; their default), or host (slow)")
      ->type_name("auto|nccl|card|host")
      ->default_str("auto")
      ->check(OneOf({"auto", "nccl", "card", "host"}))
      ->group("Machine");
  app.add_option("--graphs", options.graphs,
                 "Whether a GPU replays the step as CUDA graphs: auto (where "
                 "nothing looks between\ninstructions and collectives allow "
                 "it), or off")
      ->type_name("auto|off")
      ->default_str("auto")
      ->check(OneOf({"auto", "off"}))
      ->group("Machine");
  app.add_flag("--tune", options.tune,
               "Trains nothing: measures all algorithms that cuBLASLt has for "
               "each product of the plan\non this GPU, in seconds, and writes "
               "the fastest to PLAN.tuned. Runs of PLAN use that\nfile as long "
               "as it lies there; bits are those of other algorithms")
      ->group("Machine");
  app.add_option("--ranks-as-threads", options.ranks_as_threads,
                 "Trains on N ranks, all of them threads of this process")
      ->type_name("N")
      ->capture_default_str()
      ->check(WholeNumber(1, 1 << 20))
      ->group("Machine");
  app.add_option("--timeout", options.timeout_seconds,
                 "Longest wait of a stream while no stream finishes an "
                 "instruction")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(Number(0.001, 1e6))
      ->group("Machine");
}

void AddInspectionOptions(CLI::App& app, RunOptions& options) {
  app.add_flag(
         "--profile", options.profile,
         "Adds to the trace what each instruction achieved, and on CPUs its "
         "share of what the\nmachine can do, which is measured first, "
         "in about a second. Without --trace the\ntrace is trace.json in the "
         "run directory. accel-inspect trace FILE shows where\nthe time went")
      ->group("Looking inside");
  app.add_option("--trace", options.trace,
                 "Writes when each instruction of the first steps ran, as a "
                 "Chrome trace: open FILE\nin ui.perfetto.dev. Ranks that are "
                 "processes add .rank-N to its name")
      ->type_name("FILE")
      ->group("Looking inside");
  app.add_option("--trace-steps", options.trace_steps, "Steps in the trace")
      ->type_name("N")
      ->capture_default_str()
      ->check(WholeNumber(1, 1000))
      ->group("Looking inside");
  app.add_flag("--time-report", options.time_report,
               "Prints where the time before the first step went")
      ->group("Looking inside");
  app.add_option("--dump-gradients", options.dump_gradients,
                 "Writes the first step's gradients of the exact mean loss, "
                 "before clipping,\nto FILE.safetensors")
      ->type_name("FILE")
      ->group("Looking inside");
  app.add_flag("--serial", options.serial,
               "One instruction after the other, in program order; the same "
               "bits, for debugging")
      ->group("Looking inside");
  app.add_option("--jitter", options.jitter,
                 "Pauses streams at random places drawn from SEED: a test that "
                 "no result depends on timing")
      ->type_name("SEED")
      ->check(WholeNumber(0))
      ->group("Looking inside");
  // A test; not in the help.
  app.add_option("--delay-collectives", options.delay_collectives_ms,
                 "Every collective takes so many milliseconds longer")
      ->type_name("MS")
      ->check(WholeNumber(0, 10000))
      ->group("");
}

// Options that do something besides --tune, or that it answers itself.
bool GoesWithTune(const CLI::Option& option) {
  static constexpr std::string_view kNames[] = {"plan",
                                                "words",
                                                "--tune",
                                                "--global-batch",
                                                "--quiet",
                                                "--color",
                                                "--device",
                                                "--cuda-libs",
                                                "--timeout",
                                                "--ranks",
                                                "--ranks-as-threads"};
  return option.get_group() == "Options from files" ||
         std::find(std::begin(kNames), std::end(kNames), option.get_name()) !=
             std::end(kNames);
}

// Likewise of --evaluate.
bool GoesWithEvaluate(const CLI::Option& option) {
  static constexpr std::string_view kNames[] = {
      "--evaluate", "--eval-ema",         "--eval-data", "--run-dir",
      "--resume",   "--weights-dir",      "--threads",   "--collectives",
      "--graphs",   "--serial",           "--log-dir",   "--time-report",
      "--jitter",   "--delay-collectives"};
  const std::string name = option.get_name();
  return (GoesWithTune(option) && name != "--tune" &&
          name != "--global-batch") ||
         std::find(std::begin(kNames), std::end(kNames), name) !=
             std::end(kNames);
}

void FindEvaluationFaults(const CLI::App& app, const RunOptions& options,
                          std::vector<std::string>& complaints) {
  for (const CLI::Option* option : app.get_options()) {
    if (options.evaluate && !options.tune && option->count() != 0 &&
        !GoesWithEvaluate(*option)) {
      complaints.push_back(option->get_name() +
                           " does nothing with --evaluate, which trains and "
                           "writes nothing; leave one of them out");
    }
  }
  if (options.eval_ema && (!options.evaluate || (options.run_dir.empty() &&
                                                 options.resume.empty()))) {
    complaints.push_back(
        "--eval-ema: expected --evaluate with it, and --run-dir or --resume, "
        "whose checkpoint has averages, got " +
        std::string(options.evaluate ? "no checkpoint" : "no --evaluate"));
  }
  if (!options.eval_data.empty()) {
    return;
  }
  for (const auto& [name, is_given] :
       {std::pair("--eval-every", options.eval_every > 0),
        std::pair("--evaluate", options.evaluate)}) {
    if (is_given) {
      complaints.push_back(
          std::string(name) +
          ": expected --eval-data, which is measured, got none; name it");
    }
  }
}

std::vector<std::string> FindUseless(const CLI::App& app,
                                     const RunOptions& options) {
  std::vector<std::string> complaints;
  for (const CLI::Option* option : app.get_options()) {
    if (options.tune && option->count() != 0 && !GoesWithTune(*option)) {
      complaints.push_back(option->get_name() +
                           " does nothing with --tune, which trains nothing; "
                           "leave one of them out");
    }
  }
  if (!options.weights.empty() && !options.resume.empty() &&
      options.resume != "auto") {
    complaints.push_back(
        "--weights does nothing with --resume=DIR, which has weights; leave "
        "one of them out");
  }
  if (options.checkpoint_async && !options.checkpoint_every.IsSet()) {
    complaints.push_back(
        "--checkpoint-async does nothing without --checkpoint-every; leave it "
        "out, or say when to save");
  }
  const runtime::WeightsAllowance& allowed = options.weights_allowance;
  if (options.weights.empty() && (allowed.missing || allowed.unexpected)) {
    complaints.push_back(
        "--weights-allow does nothing without --weights; leave it out, or name "
        "the file");
  }
  return complaints;
}

// What follows the plan, or the value of --data, is mostly a pattern that the
// shell has expanded.
int RefuseWords(const std::vector<std::string>& words) {
  std::cerr << "error: expected one PLAN, got '" << words[0]
            << (words.size() > 1 ? "' and more" : "'")
            << " too; give each file of data its own --data, or quote a "
               "pattern: --data 'shards/*.bin'\n";
  return static_cast<int>(ExitCode::kCommandLine);
}

}  // namespace

std::variant<RunOptions, int> ParseOptions(int argc, char** argv) {
  RunOptions options;
  CLI::App app(kDescription, "accel-run");
  app.footer(kFooter);
  app.formatter(MakeHelpFormatter(32));
  app.set_version_flag("--version", "accel-run " ACCEL_VERSION);
  app.add_option("plan", options.plan,
                 "The plan, written by accelc MODEL.onnx -o PLAN")
      ->type_name("PLAN")
      ->required();
  std::vector<std::string> words;
  app.add_option("words", words)->group("");
  AddTrainingOptions(app, options);
  AddWeightsOptions(app, options);
  AddCheckpointOptions(app, options);
  AddEvaluationOptions(app, options);
  AddInferenceOptions(app, options);
  AddOutputOptions(app, options);
  AddMachineOptions(app, options);
  AddInspectionOptions(app, options);
  ConfigFile::AddTo(app, "Options from files");
  if (const std::optional<int> exit = ParseCommandLine(
          app, argc, argv,
          {static_cast<int>(ExitCode::kCommandLine),
           "accel-run --help lists the options", FamiliarOptions()})) {
    return *exit;
  }
  if (!words.empty()) {
    return RefuseWords(words);
  }
  std::vector<std::string> complaints =
      FindEmptyPaths(app, {"--run-dir", "--resume", "--export", "--export-ema",
                           "--dump-gradients", "--log-dir", "--trace",
                           "--weights", "--weights-dir", "--cuda-libs"});
  for (std::string& complaint : FindUseless(app, options)) {
    complaints.push_back(std::move(complaint));
  }
  FindEvaluationFaults(app, options, complaints);
  FindInferenceFaults(app, options, complaints);
  for (const std::string& complaint : complaints) {
    std::cerr << "error: " << complaint << "\n";
  }
  if (!complaints.empty()) {
    return static_cast<int>(ExitCode::kCommandLine);
  }
  return options;
}

}  // namespace accel::tools
