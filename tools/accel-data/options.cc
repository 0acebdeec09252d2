// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declaration of accel-data's commands, their options and their help.
#include "tools/accel-data/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>

#include "tools/accel-data/exit_code.h"
#include "tools/command-line/help_format.h"
#include "tools/command-line/parse.h"
#include "tools/command-line/value_checks.h"

namespace accel::tools {
namespace {

constexpr char kFooter[] = R"(
Examples:
  accel-data pack text.txt -o text.bin            then: accel-run plan --data text.bin
  accel-data pack books/*.txt -o books.bin        several files, a document each
  accel-data pack web.jsonl -o web.bin            JSON Lines, a document a line: {"text": "..."}
  accel-data pack web.jsonl --tokenizer llama.model -o web.bin
                                                  the tokens of a SentencePiece model
  accel-data-hf web.jsonl --tokenizer tokenizer.json -o web.bin
                                                  those of Hugging Face's tokenizer.json
  accel-data info web.bin                         tokens, ids, documents, digest
  accel-data verify web-*.bin --vocabulary 32000  can a model of that vocabulary train on them?
  accel-data head web.bin --tokenizer llama.model
                                                  the first tokens, and the text that they are

accel-data COMMAND --help lists the options of a command.

Exit status:
  0 done; 2 command line; 4 a file or folder; 12 what is in a file; 130 and 143: stopped by SIGINT or SIGTERM, nothing
  written
)";

constexpr char kPackFooter[] = R"(
A text file is one document, and so is each line of a .jsonl or .ndjson file. Every document is followed by a token that
ends it. With --tokenizer bytes the tokens are the bytes of the text and 0 ends a document, a byte that text does not have: a
vocabulary of 256 is enough. Tokens are 16-bit words without a header (nanoGPT's format) for a vocabulary of up to 65,536,
otherwise 32-bit words behind llm.c's header; accel-run reads both as they are. The file appears complete or not at all and
keeps the mode of the file that was there. A FIFO or device is written to, and - is standard output.
)";

void AddPack(CLI::App& app, PackOptions& options) {
  CLI::App* command =
      app.add_subcommand("pack", "Writes texts as a stream of tokens");
  command->footer(kPackFooter);
  command->add_option("inputs", options.inputs, "Text files, or JSON Lines")
      ->type_name("FILE")
      ->required();
  command->add_option("-o,--output", options.output, "The stream of tokens")
      ->type_name("FILE.bin")
      ->required();
  command
      ->add_option("--tokenizer", options.tokenizer,
                   "bytes, the default, or a SentencePiece model")
      ->type_name("bytes|FILE.model");
  command
      ->add_option("--field", options.field,
                   "All inputs are JSON Lines and NAME is the field of the "
                   "text; default: only\n.jsonl and .ndjson files are, and "
                   "the field is text")
      ->type_name("NAME");
  command
      ->add_option("--end-of-document", options.end_of_document,
                   "The token that ends each document, or none; default: 0 "
                   "with bytes, otherwise\nthe model's end-of-sentence token")
      ->type_name("ID|none");
  options.threads =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  command
      ->add_option("--threads", options.threads,
                   "Threads that a SentencePiece model encodes on; default: "
                   "one per core")
      ->type_name("N")
      ->check(WholeNumber(1, 1024));
  command->add_flag("-q,--quiet", options.quiet,
                    "Prints errors only, no progress and no summary");
}

void AddFiles(CLI::App& command, ReportOptions& options) {
  command
      .add_option("files", options.files,
                  "Streams of tokens; FILE.bin:u32 of 32-bit words without a "
                  "header")
      ->type_name("FILE.bin")
      ->required();
}

void AddReports(CLI::App& app, DataOptions& options) {
  ReportOptions& report = options.report;
  CLI::App* info = app.add_subcommand(
      "info", "Prints tokens, ids, documents and digest of streams");
  AddFiles(*info, report);
  info->add_option("--end-of-document", report.end_of_document,
                   "The token that ends documents, to count them")
      ->type_name("ID")
      ->check(WholeNumber(0, UINT32_MAX));
  CLI::App* verify = app.add_subcommand(
      "verify", "Reads streams whole and says whether one can train on them");
  AddFiles(*verify, report);
  verify
      ->add_option("--vocabulary", report.vocabulary,
                   "Token ids must be below N, the model's vocabulary")
      ->type_name("N")
      ->check(WholeNumber(1, int64_t{1} << 32));
  CLI::App* head = app.add_subcommand(
      "head", "Prints the first tokens of a stream, and their text");
  head->add_option_function<std::string>(
          "file", [&report](const std::string& file) { report.files = {file}; },
          "A stream of tokens; FILE.bin:u32 of 32-bit words without a header")
      ->type_name("FILE.bin")
      ->required();
  head->add_option("-n,--count", report.count, "So many tokens; default: 64")
      ->type_name("N")
      ->check(WholeNumber(1, 1 << 20));
  head->add_option("--tokenizer", report.tokenizer,
                   "Decodes them; default: bytes, if all ids are below 256")
      ->type_name("bytes|FILE.model");
}

}  // namespace

std::variant<DataOptions, int> ParseDataOptions(int argc, char** argv) {
  DataOptions options;
  CLI::App app("Makes training data of text, and shows what is in it.",
               "accel-data");
  app.formatter(MakeHelpFormatter(32));
  app.footer(kFooter);
  app.set_version_flag("--version", "accel-data " ACCEL_VERSION);
  app.require_subcommand(1);
  AddPack(app, options.pack);
  AddReports(app, options);
  if (const std::optional<int> exit =
          ParseCommandLine(app, argc, argv,
                           {static_cast<int>(DataExitCode::kCommandLine),
                            "accel-data --help shows examples"})) {
    return *exit;
  }
  using Command = DataOptions::Command;
  const std::string& name = app.get_subcommands()[0]->get_name();
  options.command = name == "pack"     ? Command::kPack
                    : name == "info"   ? Command::kInfo
                    : name == "verify" ? Command::kVerify
                                       : Command::kHead;
  return options;
}

}  // namespace accel::tools
