// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declaration of the options, and complaints about their use.
#include "tools/accelc/CommandLine.h"

#include "compiler/Phases.h"
#include "runtime/report/console.h"
#include "tools/accelc/AdapterOption.h"
#include "tools/accelc/GroupOptions.h"
#include "tools/accelc/HelpText.h"
#include "tools/accelc/InferenceOptions.h"
#include "tools/accelc/ModelOptions.h"
#include "tools/accelc/OptimizerOptions.h"
#include "tools/accelc/PrecisionOptions.h"
#include "tools/accelc/RuleOptions.h"
#include "tools/accelc/TargetOptions.h"
#include "tools/accelc/Validators.h"
#include "tools/command-line/config.h"
#include "tools/command-line/empty_paths.h"
#include "tools/command-line/parse.h"
#include "tools/command-line/response_file.h"
#include "tools/command-line/value_checks.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <limits>
#include <optional>
#include <unistd.h>

namespace accel {
namespace {

constexpr int kCommandLineError = 2;
// The groups of the help: what a first user needs comes first.
constexpr const char *kPlan = "The plan";
constexpr const char *kShape = "Model and shapes";
constexpr const char *kInference = "Inference";
constexpr const char *kParameters = "What trains";
constexpr const char *kPrecision = "Precision";
constexpr const char *kSchedule = "Learning rate";
constexpr const char *kOptimizer = "Optimizer";
constexpr const char *kParallelism = "Ranks";
constexpr const char *kInspection = "Look instead of compiling";
constexpr const char *kMessages = "Messages";
constexpr const char *kBuild = "Build systems";

/// An option that is also written as other compilers write it.
struct Spelling {
  const char *word;
  const char *option;
  bool takesValue; ///< behind it, or as the next word
};

constexpr Spelling kSpellings[] = {
    {"-MD", "--dependencies", false},
    {"-MF", "--dependency-file", true},
    {"-Werror", "--warnings-as-errors", false},
    {"-Wno-", "--ignore-warning", true},
};

std::vector<std::string> getPhaseNames() {
  std::vector<std::string> names;
  for (const PhaseInfo &info : getPhases()) {
    names.push_back(info.name.str());
  }
  return names;
}

void addParallelismOptions(CLI::App &app, CommandLine &line) {
  app.add_flag("--fsdp", line.fsdp,
               "Every rank keeps its part of parameters, gradients and "
               "optimizer state; the parameters of one layer at a time are "
               "gathered when they are used (ZeRO's third stage). Without "
               "--fsdp and --zero every rank keeps all of them")
      ->group(kParallelism);
  app.add_option("--zero", line.zero,
                 "1: every rank keeps its part of the optimizer state, and all "
                 "parameters and gradients; 2: its part of the gradients, too")
      ->type_name("1|2")
      ->check(zeroStage())
      ->group(kParallelism);
  app.add_option("--max-ranks", line.maxRanks,
                 "Most ranks that accel-run may train the plan on")
      ->type_name("N")
      ->check(wholeNumberFrom(1, "--max-ranks=1024"))
      ->capture_default_str()
      ->group(kParallelism);
}

void addNumber(CLI::App &app, const char *name, double &value,
               const char *group, const CLI::Validator &check,
               const char *meaning) {
  app.add_option(name, value, meaning)
      ->type_name("X")
      ->check(check)
      ->capture_default_str()
      ->group(group);
}

void addSteps(CLI::App &app, const char *name, int64_t &value,
              const char *example, const char *meaning) {
  app.add_option(name, value, meaning)
      ->type_name("N")
      ->check(wholeNumberFrom(0, example))
      ->capture_default_str()
      ->group(kSchedule);
}

void addOptimizerOptions(CLI::App &app, CommandLine &line) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  addOptimizerKind(app, line, kOptimizer);
  addOptimizerNumbers(app, line, kOptimizer);
  addNumber(
      app, "--weight-decay", line.weightDecay, kOptimizer,
      numberFrom(0, infinity, "that is not negative", "--weight-decay=0.1"),
      "Of what --decay says, unless --group says otherwise");
  addNumber(app, "--clip-norm", line.clipNorm, kOptimizer,
            numberFrom(0, infinity, "that is not negative", "--clip-norm=1"),
            "Largest norm of all gradients together; 0: no clipping");
  addGroupOptions(app, line, kOptimizer);
  addNonFinitePolicy(app, line, kOptimizer);
}

void addScheduleOptions(CLI::App &app, CommandLine &line) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  addNumber(app, "--lr", line.lr, kSchedule,
            numberFrom(0, infinity, "that is not negative", "--lr=3e-4"),
            "Largest learning rate");
  app.add_option("--schedule", line.schedule,
                 "constant, linear, cosine, or wsd (constant, then a decay)")
      ->type_name("KIND")
      ->check(tools::OneOf({"constant", "linear", "cosine", "wsd"}))
      ->capture_default_str()
      ->group(kSchedule);
  addNumber(app, "--min-lr", line.minLr, kSchedule,
            numberFrom(0, infinity, "that is not negative", "--min-lr=3e-5"),
            "At the end of the schedule");
  addSteps(app, "--warmup-steps", line.warmupSteps, "--warmup-steps=100",
           "Steps in which the learning rate grows to --lr");
  addSteps(app, "--schedule-steps", line.scheduleSteps, "--schedule-steps=1000",
           "Where the schedule ends; 0: at the run's last step");
  addSteps(app, "--decay-steps", line.decaySteps, "--decay-steps=200",
           "wsd: steps of the decay at the end");
}

void addInspectionOptions(CLI::App &app, CommandLine &line) {
  app.add_flag("--check", line.check,
               "List everything that keeps the model from training, each kind "
               "once, with its code, nodes, lines of Python and remedy; no "
               "plan")
      ->group(kInspection);
  app.add_flag("--estimate", line.estimate,
               "Print the memory that each rank needs, by class, and what "
               "ranks send each other, for 1, 2, 4 ... --max-ranks ranks; no "
               "plan")
      ->group(kInspection);
  app.add_flag("--json", line.json, "The estimate, or the operators, as JSON")
      ->group(kInspection);
  app.add_option("--explain", line.explain,
                 "Say what a code means and what to do; `all` "
                 "lists the codes. No model needed")
      ->type_name("CODE")
      ->check(notEmpty("a code or all", "--explain E0507"))
      ->group(kInspection);
  app.add_flag("--list-ops", line.listOps,
               "List the operators that the importer knows, with operator "
               "sets and attributes. No model needed")
      ->group(kInspection);
  app.add_option("--compile-to", line.compileTo,
                 "Stop after a phase and print the program, to -o or standard "
                 "output; the phases are listed below")
      ->type_name("PHASE")
      ->check(tools::OneOf(getPhaseNames()))
      ->group(kInspection);
  addEmit(app, line, kInspection);
  app.add_option("--dump-phases", line.dumpPhases,
                 "Also write the program after every phase, DIR/NN-PHASE.mlir")
      ->type_name("DIR")
      ->group(kInspection);
  app.add_option("--remarks", line.remarks,
                 "Print what these phases decided and why, for example fuse: "
                 "which operations are not computed in one kernel")
      ->type_name("PHASE,...")
      ->delimiter(',')
      ->check(tools::OneOf(getPhaseNames()))
      ->group(kInspection);
}

void addPlanOptions(CLI::App &app, CommandLine &line) {
  app.add_option("-o,--output", line.output,
                 "The plan. Default: the model's name with .plan, in the "
                 "current folder; -: standard output")
      ->type_name("FILE")
      ->group(kPlan);
  addTargetOptions(app, line, kPlan);
  app.add_option(
         "--weights", line.weights,
         "Weights: plan (copied), or external (left in the model's files)")
      ->type_name("WHERE")
      ->check(tools::OneOf({"plan", "external"}))
      ->capture_default_str()
      ->group(kPlan);
  app.add_option("--memory-limit", line.memoryLimit,
                 "Memory that a rank may need, with one thread: says from how "
                 "many ranks on it is enough, and fails if it never is. "
                 "Does not change the plan")
      ->type_name("SIZE")
      ->default_str("")
      ->transform(byteCount("--memory-limit=16GiB"))
      ->group(kPlan);
}

void addMessageOptions(CLI::App &app, CommandLine &line) {
  app.add_flag("-q,--quiet", line.quiet, "Print errors and warnings only")
      ->group(kMessages);
  app.add_option("--color", line.color,
                 "When to colour: auto (on a terminal, unless NO_COLOR is "
                 "set), always or never")
      ->type_name("WHEN")
      ->check(tools::OneOf({"auto", "always", "never"}))
      ->capture_default_str()
      ->group(kMessages);
  app.add_flag("--warnings-as-errors", line.warningsAsErrors,
               "Warnings are errors: exit status 1, no plan")
      ->group(kMessages);
  app.add_option("--ignore-warning", line.ignoredWarnings,
                 "Leave out a warning by its code (-Wno-W0401), repeatable")
      ->type_name("CODE")
      ->take_all()
      ->allow_extra_args(false)
      ->group(kMessages);
  app.add_option("--diagnostics-format", line.diagnosticsFormat,
                 "How errors, warnings and remarks are printed: text, json (an "
                 "object per line; --check prints one object) or sarif (one "
                 "log, SARIF 2.1.0)")
      ->type_name("FORMAT")
      ->check(tools::OneOf({"text", "json", "sarif"}))
      ->capture_default_str()
      ->group(kMessages);
  app.add_flag("--time-report", line.timeReport,
               "Print where the compilation's time went, by phase and pass, "
               "to standard error; --time-report=json for programs")
      ->transform(timeReport())
      ->configurable(false)
      ->group(kMessages);
}

/// Returns where options come from that the line does not give.
std::shared_ptr<tools::ConfigFile> addBuildOptions(CLI::App &app,
                                                   CommandLine &line) {
  auto config = tools::ConfigFile::AddTo(app, kBuild);
  app.add_flag("--dependencies", line.dependencies,
               "Also write what the plan was made of, as a rule for Make and "
               "Ninja: the model, its external data, files of options, accelc "
               "itself. To PLAN.d, or to -MF FILE")
      ->group(kBuild);
  app.add_option("--dependency-file", line.dependencyFile, "The rule's file")
      ->type_name("FILE")
      ->group(kBuild);
  app.add_option("-j,--threads", line.threads,
                 "Threads of the compiler, which do not change the plan; "
                 "0: one per core")
      ->type_name("N")
      ->check(wholeNumberFrom(0, "-j 2"))
      ->capture_default_str()
      ->group(kBuild);
  return config;
}

/// The options that shape the plan, as they were given.
std::vector<std::pair<std::string, std::string>>
getWritten(const CLI::App &app, const CommandLine &line) {
  std::vector<std::pair<std::string, std::string>> written;
  addWritten(line.trainingRules, kTrainingRules, written);
  addWritten(line.precisionRules, kPrecisionRules, written);
  for (const CLI::Option *option : app.get_options()) {
    std::string group = option->get_group();
    bool shapes =
        group == kShape || group == kParallelism || group == kOptimizer ||
        group == kSchedule || group == kInference ||
        option->get_name() == "--bf16" || option->get_name() == "--fp16" ||
        option->get_name().rfind("--fp8", 0) == 0 ||
        option->get_name() == "--loss-scale" ||
        option->get_name() == "--residual-dtype" ||
        option->get_name() == "--padding-row" ||
        option->get_name() == "--lora" || option->get_name() == "--params";
    if (!shapes) {
      continue;
    }
    for (const std::string &value : option->results()) {
      written.emplace_back(option->get_name().substr(2), value);
    }
  }
  return written;
}

/// An option that does nothing unless another one has one of some values.
struct Dependence {
  std::string option;
  const char *other;
  const std::string &value;
  std::vector<std::string> values;
};

bool writesFile(const CommandLine &line) {
  return !line.estimate && !line.check;
}

/// Whether the output is a text for people, which goes to standard output
/// unless there is a file for it.
bool isText(const CommandLine &line) {
  return !line.compileTo.empty() || !line.emit.empty();
}

void findComplaintsAboutFiles(const CommandLine &line,
                              std::vector<std::string> &complaints) {
  if (line.model.empty()) {
    complaints.push_back("expected a model, got none; for example accelc "
                         "model.onnx -o plan");
  }
  if (line.model == "-" && line.output.empty() && writesFile(line) &&
      !isText(line)) {
    complaints.push_back("expected -o FILE for a model from standard input, "
                         "got none; -o - writes to standard output");
  }
  if (!line.dependencyFile.empty() && !line.dependencies) {
    complaints.push_back("-MF: expected -MD with it, got none");
  }
  if (line.dependencies && !writesFile(line)) {
    complaints.push_back(std::string("-MD: expected a plan to be written, got "
                                     "--") +
                         (line.check ? "check" : "estimate"));
  }
  if (line.dependencies && line.dependencyFile.empty() &&
      (line.output == "-" || (line.output.empty() && isText(line)))) {
    complaints.push_back("-MD: expected -MF FILE where the output is standard "
                         "output, got none");
  }
}

/// Everything that is wrong with the line as a whole.
std::vector<std::string> findComplaints(const CLI::App &app,
                                        const CommandLine &line) {
  std::vector<std::string> complaints;
  std::vector<Dependence> dependences;
  for (const std::string &name : getOptimizerNumbers()) {
    dependences.push_back(
        {"--" + name, "--optimizer", line.optimizer, getOptimizersWith(name)});
  }
  const std::vector<std::string> ending = {"linear", "cosine", "wsd"};
  for (const char *option : {"--min-lr", "--schedule-steps"}) {
    dependences.push_back({option, "--schedule", line.schedule, ending});
  }
  dependences.push_back(
      {"--decay-steps", "--schedule", line.schedule, {"wsd"}});
  for (const Dependence &each : dependences) {
    bool holds = std::find(each.values.begin(), each.values.end(),
                           each.value) != each.values.end();
    if (app.count(each.option) > 0 && !holds) {
      complaints.push_back(each.option + ": expected " + each.other + "=" +
                           tools::ListChoices(each.values) + " with it, got " +
                           each.value + "; without it the option does nothing");
    }
  }
  if (line.schedule == "wsd" && line.decaySteps == 0) {
    complaints.push_back(
        "--schedule=wsd: expected the length of the decay with it, got none; "
        "for example --decay-steps=200. For no decay write "
        "--schedule=constant");
  }
  findComplaintsAboutPrecision(app, line, complaints);
  findComplaintsAboutInference(
      app, line, {kParameters, kSchedule, kOptimizer, kParallelism},
      complaints);
  findComplaintsAboutGroups(line, complaints);
  if (line.fsdp && line.zero != 0) {
    complaints.push_back(
        "expected --fsdp or --zero=" + std::to_string(line.zero) +
        ", got both; --fsdp shards all that --zero does");
  }
  if (line.json && !line.estimate && !line.listOps) {
    complaints.push_back(
        "--json: expected --estimate or --list-ops with it, got neither");
  }
  if (line.check && (line.estimate || !line.compileTo.empty())) {
    complaints.push_back("expected --check, --estimate or --compile-to, got "
                         "several");
  }
  if (line.listOps || !line.explain.empty()) {
    return complaints;
  }
  if (line.estimate && !line.compileTo.empty()) {
    complaints.push_back("expected --estimate or --compile-to, got both");
  }
  if (line.memoryLimit > 0 && !line.compileTo.empty()) {
    complaints.push_back("expected --memory-limit or --compile-to, got both; "
                         "memory is known when everything is compiled");
  }
  findComplaintsAboutCode(line, complaints);
  findComplaintsAboutFiles(line, complaints);
  return complaints;
}

/// `m.plan` of `folder/m.onnx`.
std::string nameOutput(const std::string &model) {
  const std::string ending = ".onnx";
  std::string name = model.substr(model.find_last_of('/') + 1);
  bool ends =
      name.size() > ending.size() &&
      name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  return (ends ? name.substr(0, name.size() - ending.size()) : name) + ".plan";
}

void nameFiles(CommandLine &line) {
  if (line.output.empty() && writesFile(line) && !isText(line)) {
    line.output = nameOutput(line.model);
  }
  if (line.dependencies && line.dependencyFile.empty()) {
    line.dependencyFile = line.output + ".d";
  }
}

/// Compilers' spellings as the parser knows them, up to `--`.
std::vector<std::string> spellOut(std::vector<std::string> words) {
  for (std::string &word : words) {
    if (word == "--") {
      break;
    }
    for (const Spelling &spelling : kSpellings) {
      std::string start = spelling.word;
      if (word == start) {
        word = spelling.option;
      } else if (spelling.takesValue &&
                 word.compare(0, start.size(), start) == 0) {
        word = spelling.option + ("=" + word.substr(start.size()));
      }
    }
  }
  return words;
}

int complain(const std::vector<std::string> &complaints) {
  for (const std::string &complaint : complaints) {
    std::cerr << "error: " << complaint << "\n";
  }
  return kCommandLineError;
}

/// Of the terminal, or of paper.
size_t getPageWidth() {
  constexpr int paper = 100;
  auto traits = runtime::TerminalTraits::OfDescriptor(
      STDOUT_FILENO, runtime::ColorMode::kNever);
  int columns = traits.is_terminal ? traits.width() : 0;
  return columns > 0 ? columns : paper;
}

std::shared_ptr<tools::ConfigFile> declareOptions(CLI::App &app,
                                                  CommandLine &line) {
  auto formatter = std::make_shared<HelpFormatter>(getPageWidth());
  for (const Spelling &spelling : kSpellings) {
    formatter->addSpelling(spelling.option, spelling.word);
  }
  app.formatter(formatter);
  app.add_option("model", line.model,
                 "The ONNX file, as torch.onnx.export wrote it; -: standard "
                 "input")
      ->type_name("MODEL");
  addPlanOptions(app, line);
  addShapeOptions(app, line, kShape);
  addParameterOptions(app, line, kParameters);
  addAdapterOption(app, line, kParameters);
  addScheduleOptions(app, line);
  addOptimizerOptions(app, line);
  addPrecisionOptions(app, line, kPrecision);
  addParallelismOptions(app, line);
  addInferenceOptions(app, line, kInference);
  addInspectionOptions(app, line);
  addMessageOptions(app, line);
  std::shared_ptr<tools::ConfigFile> config = addBuildOptions(app, line);
  // Declared last, so that the help does not begin with them.
  app.set_help_flag("-h,--help", "Print this page")->group(kMessages);
  app.set_version_flag("--version", "accelc " ACCEL_VERSION,
                       "Print the version")
      ->group(kMessages);
  return config;
}

} // namespace

std::variant<CommandLine, int> parseCommandLine(int argc, char **argv) {
  auto words = tools::ExpandResponseFiles(argc, argv);
  if (!words.ok()) {
    return complain({std::string(words.status().message())});
  }
  CommandLine line;
  CLI::App app(kDescription, "accelc");
  app.footer(makeFooter());
  std::shared_ptr<tools::ConfigFile> config = declareOptions(app, line);
  if (std::optional<int> status =
          tools::ParseWords(app, spellOut(words->words),
                            {kCommandLineError, "accelc --help lists them"})) {
    return *status;
  }
  std::vector<std::string> complaints =
      tools::FindEmptyPaths(app, {"--output", "--dump-phases", "--params",
                                  "--cuda-path", "--dependency-file"});
  if (complaints.empty()) {
    complaints = findComplaints(app, line);
  }
  if (!complaints.empty()) {
    return complain(complaints);
  }
  line.trainingRules = getRules(app, *config, kTrainingRules);
  line.precisionRules = getRules(app, *config, kPrecisionRules);
  line.written = getWritten(app, line);
  nameFiles(line);
  line.optionFiles = words->files;
  if (!config->path().empty()) {
    line.optionFiles.push_back(config->path());
  }
  return line;
}

} // namespace accel
