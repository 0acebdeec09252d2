# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adapters on their way through PEFT's two files, a checkpoint and an exported model. Standard library only.

usage: adapters.py MODELS_DIR WORK_DIR MODEL

MODEL has a folder `adapters` that PEFT wrote, and a golden of that name. A plan of it that learns nothing must export PEFT's own numbers, and a
configuration that says of all keys which it has what PEFT's does. Behind the golden's steps the exported pairs must be those of PEFT, also on two ranks that
share them; the exported ONNX model, which has none, must have PyTorch's next loss without them, and so must a plan that begins with the exported pairs. A run
that goes on from a checkpoint must end with the bytes of one that nothing has ended.
"""

import json
import pathlib
import shutil
import subprocess
import sys

from safetensors_files import read

TOLERANCE = 5e-6


def run(*command, cwd=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"$ {' '.join(map(str, command))}\n{done.stdout}{done.stderr}exit code {done.returncode}")
    return done.stdout


def without_adapters(flags):
    return [flag for flag in flags if not flag.startswith("--lora")]


class Trial:
    def __init__(self, models, work, model):
        self.folder = pathlib.Path(models).resolve() / model
        self.golden = json.loads((self.folder / "golden-adapters.json").read_text(encoding="utf-8"))
        self.work = pathlib.Path(work).resolve()
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def compile(self, name, model, flags):
        run("accelc", "-q", model, "-o", self.work / name, *flags, cwd=self.folder)
        return self.work / name

    def train(self, plan, name, *options):
        """The metrics of a run of the plan, by step."""
        flags = [flag for flag in self.golden["run_flags"] if not flag.startswith("--steps")]
        folder = self.work / name
        run("accel-run", "-q", plan, "--threads=1", *flags, "--run-dir", folder, *options, cwd=self.folder)
        lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
        return {line["step"]: line for line in lines if "loss" in line}

    def check_files(self, plan):
        out = self.work / "same"
        out.mkdir()
        self.train(plan, "still", "--steps=1", "--set=lr=0", "--export", out / "adapter_model.safetensors")
        theirs = self.folder / "adapters"
        assert read(out / "adapter_model.safetensors") == read(theirs / "adapter_model.safetensors"), "not the pairs of PEFT"
        ours, peft = (json.loads((at / "adapter_config.json").read_text(encoding="utf-8")) for at in (out, theirs))
        ours["target_modules"].sort()
        # PEFT names modules as it was asked to.
        names = [name for name in ours["target_modules"] if not name.endswith(tuple(peft["target_modules"]))]
        assert not names, names
        ours["target_modules"] = peft["target_modules"]
        assert ours == {key: peft[key] for key in ours}, (ours, peft)

    def check_pairs(self, path):
        """Of a run of all steps: the pairs are PEFT's, and nothing else is there."""
        pairs = {name.removeprefix("base_model.model."): entry for name, entry in read(path).items()}
        final = {name: entry for name, entry in read(self.folder / "final-adapters.safetensors").items() if ".lora_" in name}
        assert sorted(pairs) == sorted(final), sorted(pairs)
        for name, (dtype, shape, data) in final.items():
            assert pairs[name][:2] == (dtype, shape), (name, pairs[name][:2])
            ours, theirs = (memoryview(bytes_).cast("f") for bytes_ in (pairs[name][2], data))
            norm = sum(value * value for value in theirs) ** 0.5
            apart = sum((a - b) ** 2 for a, b in zip(ours, theirs, strict=True)) ** 0.5
            assert apart <= 5e-5 * norm, (name, apart / norm)

    def check_next_loss(self, what, loss):
        apart = abs(loss - self.golden["next_loss"])
        print(f"{what}: next loss {loss:.7f}, {apart:.1e} from PEFT's")
        assert apart <= TOLERANCE, what

    def check_training(self, plan):
        steps = self.golden["steps"]
        out = self.work / "trained"
        out.mkdir()
        pairs, merged = out / "adapter_model.safetensors", self.work / "merged.onnx"
        self.train(plan, "run", f"--steps={steps}", "--export", pairs, "--checkpoint-every=5", "--keep=9")
        self.check_pairs(pairs)
        self.train(plan, "again", f"--steps={steps}", "--export", self.work / "again.safetensors")
        resume = self.work / "run" / "checkpoints" / "step-00000010"
        self.train(plan, "resumed", f"--steps={steps}", "--resume", resume, "--export", self.work / "resumed.safetensors")
        same = (self.work / f"{name}.safetensors" for name in ("again", "resumed"))
        assert len({path.read_bytes() for path in same}) == 1, "another end after a checkpoint"
        run("accel-inspect", "run", self.work / "run", "--export", merged)
        flags = without_adapters(self.golden["flags"])
        self.check_next("merged", self.compile("merged", merged, flags))
        again = [*flags, f"--lora={out}"]
        self.check_next("pairs again", self.compile("more", self.folder / "model.onnx", again))

    def check_next(self, what, plan):
        """Learns nothing until the step whose loss the golden has."""
        steps = self.golden["steps"] + 1
        metrics = self.train(plan, f"next of {what}", f"--steps={steps}", "--set=lr=0")
        self.check_next_loss(what, metrics[steps]["loss"])

    def check_shared(self):
        plan = self.compile("fsdp", self.folder / "model.onnx", [*self.golden["flags"], "--fsdp"])
        for ranks in ("--ranks-as-threads=2", "--ranks=2"):
            out = self.work / ranks.strip("-")
            out.mkdir()
            pairs = out / "adapter_model.safetensors"
            self.train(plan, f"run {out.name}", f"--steps={self.golden['steps']}", "--export", pairs, ranks)
            self.check_pairs(pairs)
            merged = out / "merged.onnx"
            self.train(plan, f"merging {out.name}", f"--steps={self.golden['steps']}", "--export", merged, ranks)
            self.check_next(out.name, self.compile(f"{out.name}.plan", merged, without_adapters(self.golden["flags"])))

    def check_bf16(self):
        """Adapters train in bf16, too: near what they do in float32, and not the same."""
        plan = self.compile("bf16", self.folder / "model.onnx", [*self.golden["flags"], "--bf16"])
        metrics = self.train(plan, "run of bf16", f"--steps={self.golden['steps']}")
        apart = [abs(metrics[step + 1]["loss"] - loss) for step, loss in enumerate(self.golden["loss"])]
        assert 1e-6 < max(apart) < 5e-3, apart


def main():
    trial = Trial(*sys.argv[1:4])
    plan = trial.compile("plan", trial.folder / "model.onnx", trial.golden["flags"])
    trial.check_files(plan)
    trial.check_training(plan)
    trial.check_shared()
    trial.check_bf16()


if __name__ == "__main__":
    main()
