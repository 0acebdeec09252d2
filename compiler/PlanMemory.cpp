// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory a plan takes, by class and by space.
#include "compiler/PlanMemory.h"

#include "compiler/PlanBuffers.h"
#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

using namespace mlir;
using namespace accel;

/// Adds `term` to a term that differs in the factor only, or as a new one.
static void addTerm(planpb::SizeSum &sum, const planpb::SizeTerm &term) {
  auto withoutFactor = [](planpb::SizeTerm bare) {
    bare.clear_factor();
    return bare.SerializeAsString();
  };
  std::string bare = withoutFactor(term);
  auto same = llvm::find_if(*sum.mutable_terms(), [&](const auto &other) {
    return withoutFactor(other) == bare;
  });
  // Rounding to whole bytes is done once per term, and changes nothing: shards
  // are whole granules.
  if (same != sum.mutable_terms()->end()) {
    same->set_factor(same->factor() + term.factor());
  } else {
    *sum.add_terms() = term;
  }
}

void accel::addPersistentUses(planpb::Manifest &manifest) {
  std::map<planpb::MemoryClass, planpb::SizeSum> sums;
  for (const planpb::Buffer &buffer : manifest.buffers()) {
    if (buffer.region() == planpb::REGION_TRANSIENT) {
      continue;
    }
    if (buffer.bytes().alternatives_size() != 1) {
      planpb::MemoryUse *use = manifest.mutable_memory()->add_persistent();
      use->set_memory_class(buffer.memory_class());
      *use->mutable_bytes() = buffer.bytes();
      continue;
    }
    for (planpb::SizeTerm term : buffer.bytes().alternatives(0).terms()) {
      term.set_factor(term.factor() * std::max<uint32_t>(1, buffer.copies()));
      addTerm(sums[buffer.memory_class()], term);
    }
  }
  for (auto &[klass, sum] : sums) {
    planpb::MemoryUse *use = manifest.mutable_memory()->add_persistent();
    use->set_memory_class(klass);
    *use->mutable_bytes()->add_alternatives() = sum;
  }
}

static uint64_t getLargestArena(const planpb::Manifest &manifest,
                                planpb::Space space) {
  uint64_t bytes = 0;
  for (const planpb::Function &function : manifest.functions()) {
    for (const planpb::Arena &each : function.arenas()) {
      bytes = each.space() == space ? std::max(bytes, each.bytes()) : bytes;
    }
  }
  return bytes;
}

void accel::addPeak(ModuleOp module, planpb::Manifest &manifest) {
  if (auto peak = module->getAttrOfType<plan::PeakAttr>(plan::kPeakAttr)) {
    manifest.mutable_memory()->set_peak_function(
        peak.getFunction().getValue().str());
    manifest.mutable_memory()->set_peak_instruction(peak.getInstruction());
  }
}

void accel::addGatheredUses(ModuleOp module, planpb::Manifest &manifest) {
  auto name = module->getAttrOfType<FlatSymbolRefAttr>(plan::kGathersMostAttr);
  if (!name) {
    return;
  }
  module.lookupSymbol<func::FuncOp>(name).walk([&](plan::BufferOp buffer) {
    ArrayAttr gathers = buffer.getGathersAttr();
    if (!gathers) {
      return;
    }
    planpb::MemoryUse *use = manifest.mutable_memory()->add_transient_at_peak();
    use->set_memory_class(planpb::CLASS_GATHERED);
    for (auto bucket : gathers.getAsRange<ArrayAttr>()) {
      planpb::SizeSum *sum = use->mutable_bytes()->add_alternatives();
      for (auto size : bucket.getAsRange<plan::SizeAttr>()) {
        fillTerm(*sum->add_terms(), size);
      }
    }
  });
}

void accel::addArenas(uint64_t alignment, planpb::Manifest &manifest) {
  for (auto [name, attribute] : plan::kArenaAttrs) {
    planpb::Space space = toSpace(name);
    uint64_t bytes = getLargestArena(manifest, space);
    if (bytes == 0) {
      continue;
    }
    planpb::Arena *message = manifest.add_arenas();
    message->set_space(space);
    message->set_bytes(bytes);
    message->set_alignment(alignment);
    if (space == planpb::SPACE_DEVICE) {
      planpb::MemoryUse *use =
          manifest.mutable_memory()->add_transient_at_peak();
      use->set_memory_class(planpb::CLASS_ACTIVATIONS);
      setConstant(*use->mutable_bytes(), bytes);
    }
  }
}
