// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of accel-data.
#include "tools/accel-data/accel_data.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "runtime/base/format.h"
#include "runtime/io/posix_vfs.h"
#include "tools/accel-data/pack_text.h"
#include "tools/command-line/parse.h"

namespace accel::tools {
namespace {

constexpr int kCommandLineError = 2;
constexpr int kFileError = 4;

constexpr char kFooter[] = R"(
Examples:
  accel-data pack text.txt -o text.bin            then: accel-run plan --data text.bin
  accel-data pack chapter-*.txt -o book.bin       several files, one after the other

The tokens are the bytes of the text, 0 to 255, so the model needs a vocabulary of at least 256.

Exit status: 0 done; 2 command line; 4 a file
)";

struct PackOptions {
  std::vector<std::string> inputs;
  std::string output;
};

int Pack(const PackOptions& options) {
  const auto vfs = runtime::MakePosixVfs();
  const auto count = PackText(*vfs, options.inputs, options.output);
  if (!count.ok()) {
    std::cerr << "error: " << count.status().message() << "\n";
    return kFileError;
  }
  std::cout << options.output << ": "
            << runtime::FormatCount(static_cast<int64_t>(*count))
            << " tokens of 16 bits\n";
  return 0;
}

}  // namespace

int AccelDataMain(int argc, char** argv) {
  CLI::App app("Makes training data.", "accel-data");
  app.footer(kFooter);
  app.set_version_flag("--version", "accel-data " ACCEL_VERSION);
  app.require_subcommand(1);
  PackOptions pack;
  CLI::App* pack_command = app.add_subcommand(
      "pack", "Writes the bytes of text files as a stream of 16-bit tokens");
  pack_command->add_option("inputs", pack.inputs, "Text files")
      ->type_name("FILE")
      ->required();
  pack_command->add_option("-o,--output", pack.output, "The token stream")
      ->type_name("FILE.bin")
      ->required();
  if (const std::optional<int> exit = ParseCommandLine(
          app, argc, argv,
          {kCommandLineError, "accel-data --help shows examples"})) {
    return *exit;
  }
  return Pack(pack);
}

}  // namespace accel::tools
