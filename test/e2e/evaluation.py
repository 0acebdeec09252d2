# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the loss of models that are exported with dropout, as accel-run --eval-data and --evaluate do.

usage: evaluation.py pytorch MODELS_DIR WORK_DIR MODEL [--mode=MODE] [--flags=FLAG,...] [--tolerance=X] [--layouts=LAYOUT,...]
       evaluation.py training MODELS_DIR WORK_DIR MODEL [--mode=MODE] [--flags=FLAG,...] [--microbatch=N]

pytorch: the losses of MODEL over the first samples of its data, an odd number mostly, against those of PyTorch's eval()
(MODEL/evaluation.json), in every layout: tN is N ranks as threads, pN as processes.
training: a run that evaluates has the losses of one that does not; its evaluations are those of its checkpoints and of the model that
it exports; a run that is resumed evaluates where the whole one does.

Needs accelc and accel-run in PATH and nothing but the standard library.
"""

import argparse
import ast
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys

MODES = {"plain": [], "zero1": ["--zero=1"], "zero2": ["--zero=2"], "fsdp": ["--fsdp"]}
# Ranks add up the same f64 in another order; what is printed has 9 digits.
BETWEEN_RANKS = 2e-8


def run(command, cwd=None, status=0):
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != status:
        print("$", " ".join(map(str, command)))
        print(done.stdout, done.stderr)
        sys.exit(f"expected exit code {status}, got {done.returncode}")
    return done.stdout + done.stderr


def layout_flags(layout):
    return [{"t": "--ranks-as-threads", "p": "--ranks"}[layout[0]], layout[1:]]


def first_rows(path, count, out):
    """The first rows of an array, or of a stream of 16-bit tokens in rows of 32 and one more."""
    content = path.read_bytes()
    if path.suffix != ".npy":
        out.write_bytes(content[: 2 * (32 * count + 1)])
        return
    length = int.from_bytes(content[8:10], "little")
    header = ast.literal_eval(content[10 : 10 + length].decode("latin-1"))
    rows = header["shape"][0]
    header["shape"] = (count, *header["shape"][1:])
    text = repr(header).ljust(length - 1) + "\n"
    data = content[10 + length :]
    out.write_bytes(content[:10] + text.encode("latin-1") + data[: len(data) // rows * count])


def data_flags(flag, golden, models, count, folder):
    folder.mkdir(exist_ok=True)
    flags = []
    for name, file in golden["data"].items():
        part = folder / pathlib.Path(file).name
        first_rows(models / file, count, part)
        flags += [flag, f"{name}={part}" if name else part]
    return flags


def evaluate(plan, flags, layout):
    """The loss, and how many targets it is the mean of."""
    text = run(["accel-run", plan, "--evaluate", "-q", "--device=cpu", "--threads=1", *flags, *layout_flags(layout)])
    found = re.fullmatch(r"loss (\S+) over ([\d,]+) targets?, (\d+) samples?\n", text)
    if not found:
        sys.exit(f"expected a loss, got:\n{text}")
    return float(found[1]), int(found[2].replace(",", "")), int(found[3])


def compile_model(options, work):
    plan = work / "plan"
    run(["accelc", options.models / options.model / "model.onnx", "-o", plan, "--dim", f"batch={options.microbatch}", "--global-batch=8",
         *MODES[options.mode], *options.flags])
    return plan


def check_pytorch(options, golden, work):
    plan = compile_model(options, work)
    for expected in golden["evaluations"]:
        flags = data_flags("--eval-data", golden, options.models, expected["samples"], work / "data")
        losses = []
        for layout in options.layouts:
            loss, targets, samples = evaluate(plan, flags, layout)
            error = abs(loss - expected["loss"])
            print(f"{options.mode} {layout} {samples} samples: loss {loss}, PyTorch {expected['loss']:.9g}, error {error:.1e}")
            if (samples, targets) != (expected["samples"], expected["targets"]):
                sys.exit(f"expected {expected['targets']} targets of {expected['samples']} samples, got {targets} of {samples}")
            if not error <= options.tolerance:
                sys.exit(f"expected an error of at most {options.tolerance}")
            losses.append(loss)
        if max(losses) - min(losses) > BETWEEN_RANKS:
            sys.exit(f"expected the same loss in all layouts, got {losses}")


def read_metrics(path):
    """The losses of steps, and the evaluations, each by its step; and in which order the lines stand."""
    steps, evaluations, order = {}, {}, []
    for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        kind = evaluations if "eval_loss" in line else steps
        if line["step"] in kind:
            sys.exit(f"expected one line of step {line['step']}, got two of a kind")
        kind[line["step"]] = (line["eval_loss"], line["eval_tokens"]) if "eval_loss" in line else (line["loss"], line["grad_norm"])
        order.append((line["step"], kind is evaluations))
    if order != sorted(order):
        sys.exit(f"expected each evaluation behind its step, got {order}")
    return steps, evaluations


def expect(what, expected, got):
    if expected != got:
        sys.exit(f"{what}: expected {expected}, got {got}")


def check_training(options, golden, work):
    plan = compile_model(options, work)
    train = data_flags("--data", golden, options.models, 37, work / "train")
    held = data_flags("--eval-data", golden, options.models, 7, work / "held")
    common = ["accel-run", plan, "-q", "--device=cpu", "--threads=1", "--ranks-as-threads=2", *train]
    run([*common, "--steps=7", "--run-dir", work / "without"])
    evaluated = [*common, *held, "--eval-every=3", "--checkpoint-every=2", "--keep=9", "--run-dir", work / "run"]
    run([*evaluated, "--steps=7", "--export", work / "trained.onnx"])
    steps, evaluations = read_metrics(work / "run" / "metrics.jsonl")
    expect("losses of a run that evaluates", read_metrics(work / "without" / "metrics.jsonl")[0], steps)
    expect("steps of evaluations", [3, 6, 7], sorted(evaluations))
    print("evaluations", evaluations, "steps", steps)

    # What is measured later is what was measured then.
    loss, tokens, _ = evaluate(plan, [*held, "--run-dir", work / "run"], "p2")
    expect("targets", evaluations[7][1], tokens)
    if not math.isclose(loss, evaluations[7][0], abs_tol=BETWEEN_RANKS):
        sys.exit(f"expected the newest checkpoint to have the loss {evaluations[7][0]}, got {loss}")
    loss, _, _ = evaluate(plan, [*held, "--resume", work / "run" / "checkpoints" / "step-00000006"], "t1")
    if not math.isclose(loss, evaluations[6][0], abs_tol=BETWEEN_RANKS):
        sys.exit(f"expected the checkpoint of step 6 to have the loss {evaluations[6][0]}, got {loss}")
    again = work / "again"
    run(["accelc", work / "trained.onnx", "-o", again, "--dim", f"batch={options.microbatch}", *options.flags])
    loss, _, _ = evaluate(again, held, "t1")
    if not math.isclose(loss, evaluations[7][0], abs_tol=options.tolerance):
        sys.exit(f"expected the exported model to have the loss {evaluations[7][0]}, got {loss}")

    check_resumed(options, work, evaluated, (steps, evaluations))


def check_resumed(options, work, evaluated, whole):
    """Goes on from each checkpoint; the line that an evaluation had before is kept or written once."""
    for step in (2, 4, 6):
        resumed = work / f"resumed-{step}"
        shutil.copytree(work / "run", resumed)
        for folder in (resumed / "checkpoints").iterdir():
            if int(folder.name[-8:]) > step:
                shutil.rmtree(folder)
        metrics = resumed / "metrics.jsonl"
        if step == 6:
            # As if somebody had stopped it meanwhile.
            lines = metrics.read_text(encoding="utf-8").splitlines(keepends=True)
            kept = [line for line in lines if '"eval_loss"' not in line or json.loads(line)["step"] != 6]
            expect("lines without the evaluation of step 6", len(lines) - 1, len(kept))
            metrics.write_text("".join(kept), encoding="utf-8")
        run([*evaluated[:-1], resumed, "--steps=7", "--resume=auto"])
        expect(f"metrics of the run that goes on from step {step}", whole, read_metrics(metrics))
        run(["accel-inspect", "metrics", resumed, "--json"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pytorch", "training"))
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("model")
    parser.add_argument("--mode", choices=MODES, default="plain")
    parser.add_argument("--flags", default="", help="of accelc, separated by commas")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    parser.add_argument("--microbatch", type=int, default=3, help="divides few numbers of samples")
    parser.add_argument("--layouts", default="t1,t2,t3,t4")
    options = parser.parse_args()
    options.flags = [flag for flag in options.flags.split(",") if flag]
    options.layouts = options.layouts.split(",")
    golden = json.loads((options.models / options.model / "evaluation.json").read_text(encoding="utf-8"))
    work = options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    {"pytorch": check_pytorch, "training": check_training}[options.what](options, golden, work)


if __name__ == "__main__":
    main()
