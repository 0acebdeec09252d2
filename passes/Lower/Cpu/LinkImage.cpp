// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout, relocations and symbols of an image.
#include "passes/Lower/Cpu/LinkImage.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace llvm;
using namespace llvm::object;
using namespace accel;

namespace {

class Linker {
public:
  explicit Linker(const ELFObjectFileBase &file) : file(file) {}

  Expected<CodeImage> run();

private:
  Error place(bool isText);
  Error relocateSections();
  Error relocate(const SectionRef &section, const RelocationRef &relocation);
  Error collectEntries();
  Expected<uint64_t> addressOf(const SymbolRef &symbol) const;

  const ELFObjectFileBase &file;
  CodeImage image;
  DenseMap<uint64_t, uint64_t> bases; ///< section index -> offset in the image
};

Error Linker::place(bool isText) {
  for (ELFSectionRef section : file.sections()) {
    if (!(section.getFlags() & ELF::SHF_ALLOC) || section.isText() != isText ||
        section.getSize() == 0) {
      continue;
    }
    Expected<StringRef> name = section.getName();
    if (!name) {
      return name.takeError();
    }
    if (section.getFlags() & ELF::SHF_WRITE) {
      return createStringError("the code has writable data in section '%s'",
                               name->str().c_str());
    }
    Expected<StringRef> data = section.getContents();
    if (!data) {
      return data.takeError();
    }
    image.code.resize(alignTo(image.code.size(), section.getAlignment()), 0);
    bases[section.getIndex()] = image.code.size();
    image.code.insert(image.code.end(), data->begin(), data->end());
  }
  return Error::success();
}

Expected<uint64_t> Linker::addressOf(const SymbolRef &symbol) const {
  Expected<section_iterator> section = symbol.getSection();
  if (!section) {
    return section.takeError();
  }
  Expected<StringRef> name = symbol.getName();
  if (!name) {
    return name.takeError();
  }
  if (*section == file.section_end() ||
      !bases.contains((*section)->getIndex())) {
    return createStringError("the code refers to '%s', which is outside it",
                             name->str().c_str());
  }
  Expected<uint64_t> value = symbol.getValue();
  if (!value) {
    return value.takeError();
  }
  return bases.lookup((*section)->getIndex()) + *value;
}

Error Linker::relocate(const SectionRef &section,
                       const RelocationRef &relocation) {
  if (relocation.getType() != ELF::R_X86_64_PC32 &&
      relocation.getType() != ELF::R_X86_64_PLT32) {
    SmallString<32> name;
    relocation.getTypeName(name);
    return createStringError("the code has a relocation of type %s",
                             name.c_str());
  }
  Expected<uint64_t> target = addressOf(*relocation.getSymbol());
  if (!target) {
    return target.takeError();
  }
  Expected<int64_t> addend = ELFRelocationRef(relocation).getAddend();
  if (!addend) {
    return addend.takeError();
  }
  uint64_t place = bases.lookup(section.getIndex()) + relocation.getOffset();
  int64_t distance =
      static_cast<int64_t>(*target) + *addend - static_cast<int64_t>(place);
  if (!isInt<32>(distance) || place + 4 > image.code.size()) {
    return createStringError(
        "the code is too large: expected at most 2 GiB, got %zu bytes",
        image.code.size());
  }
  support::endian::write32le(&image.code[place],
                             static_cast<uint32_t>(distance));
  return Error::success();
}

Error Linker::relocateSections() {
  for (const SectionRef &section : file.sections()) {
    Expected<section_iterator> target = section.getRelocatedSection();
    if (!target) {
      return target.takeError();
    }
    if (*target == file.section_end() ||
        !bases.contains((*target)->getIndex())) {
      continue;
    }
    for (const RelocationRef &relocation : section.relocations()) {
      if (Error error = relocate(**target, relocation)) {
        return error;
      }
    }
  }
  return Error::success();
}

Error Linker::collectEntries() {
  for (ELFSymbolRef symbol : file.symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags) {
      return flags.takeError();
    }
    if (!(*flags & BasicSymbolRef::SF_Global)) {
      continue;
    }
    Expected<uint64_t> address = addressOf(symbol);
    if (!address) {
      return address.takeError();
    }
    image.entries.push_back(
        {cantFail(symbol.getName()).str(), *address, symbol.getSize()});
  }
  llvm::sort(image.entries, [](const CodeEntry &a, const CodeEntry &b) {
    return a.offset < b.offset;
  });
  return Error::success();
}

Expected<CodeImage> Linker::run() {
  if (Error error = place(/*isText=*/true)) {
    return error;
  }
  image.code.resize(alignTo(image.code.size(), plan::kAlignment), 0);
  if (Error error = place(/*isText=*/false)) {
    return error;
  }
  if (Error error = relocateSections()) {
    return error;
  }
  if (Error error = collectEntries()) {
    return error;
  }
  return std::move(image);
}

} // namespace

Expected<CodeImage> accel::linkImage(MemoryBufferRef object) {
  Expected<std::unique_ptr<ObjectFile>> file =
      ObjectFile::createELFObjectFile(object);
  if (!file) {
    return file.takeError();
  }
  return Linker(cast<ELFObjectFileBase>(**file)).run();
}
