# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a model, exports it as ONNX, compiles the export and goes on.

usage: continue_training.py MODELS_DIR WORK_DIR MODEL

After the golden's steps the exported file must hold the initializers of the input, with their shapes, and those of the
untied and re-created parameters, and nothing else; compiled, it must have the same parameters as before. The loss of the
next step, by a plan that was compiled from it, must be the one that ONNX Runtime computed from such a file
(models/onnxruntime.json, made by check_export.py) and the one that PyTorch had.
"""

import ast
import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "frontends" / "onnx"))
from compare_onnx import fields, varint  # noqa: E402

TOLERANCE = 1e-5
NEW = ('kind = "untied"', 'kind = "recreated"')  # in a parameter's provenance


def read_parameters(plan):
    """What the runtime says of a plan's parameters, by name."""
    shown = subprocess.run(["accel-inspect", plan, "--json"], check=True, capture_output=True, text=True).stdout
    entries = json.loads(shown)["manifest"]["parameters"]
    return {entry["name"]: (entry["shape"], entry.get("provenance", "")) for entry in entries}


def read_shape(tensor):
    """Dimensions of a TensorProto: packed or one by one."""
    shape = []
    for number, contents in fields(tensor):
        if number != 1:
            continue
        if isinstance(contents, int):
            shape.append(contents)
            continue
        position = 0
        while position < len(contents):
            size, position = varint(contents, position)
            shape.append(size)
    return shape


def read_initializers(path):
    graph = dict(fields(path.read_bytes()))[7]
    tensors = [contents for number, contents in fields(graph) if number == 5]
    return {dict(fields(tensor))[8].decode(): read_shape(tensor) for tensor in tensors}


def check_names(model, trained, parameters):
    new = {name: shape for name, (shape, provenance) in parameters.items() if any(kind in provenance for kind in NEW)}
    expected, found = read_initializers(model), read_initializers(trained)
    expected.update({name: list(map(int, shape)) for name, shape in new.items()})
    for name in sorted(set(expected) | set(found)):
        if expected.get(name) != found.get(name):
            sys.exit(f"initializer {name}: expected {expected.get(name)}, got {found.get(name)}")
    print(f"{len(found)} initializers, {len(new)} of them new")


def skip_rows(source, target, rows, sequence):
    """A copy of a data file that begins at row `rows`, counted round the end."""
    data = source.read_bytes()
    if source.suffix == ".bin":  # tokens of 16 bits
        count = (len(data) // 2 - 1) // sequence
        target.write_bytes(data[rows % count * sequence * 2 :])
        return
    begin = 10 + int.from_bytes(data[8:10], "little")
    shape = ast.literal_eval(data[10:begin].decode().strip())["shape"]
    size = (len(data) - begin) // shape[0]
    skipped = rows % shape[0] * size
    target.write_bytes(data[:begin] + data[begin + skipped :] + data[begin : begin + skipped])


def main():
    models, work, name = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    folder = models / name
    golden = json.loads((folder / "golden.json").read_text(encoding="utf-8"))
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)

    def run(program, *options, cwd=folder):
        one_thread = ["--threads=1"] if program == "accel-run" else []  # tests run side by side
        subprocess.run([program, *options, *one_thread], check=True, cwd=cwd)

    trained = work / "trained.onnx"
    run("accelc", "model.onnx", "-o", work / "plan", "--quiet", *golden["flags"])
    run("accel-run", work / "plan", "--quiet", *golden["run_flags"], "--run-dir", work / "run", "--export", trained)
    parameters = read_parameters(work / "plan")
    check_names(folder / "model.onnx", trained, parameters)

    run("accelc", trained, "-o", work / "again", "--quiet", *golden["flags"])
    before = {key: shape for key, (shape, _) in parameters.items()}
    after = {key: shape for key, (shape, _) in read_parameters(work / "again").items()}
    if not before or before != after:
        sys.exit(f"parameters differ: {before} and {after}")

    for file in golden["data"].values():
        skip_rows(folder / file, work / file, golden["steps"] * golden["global_batch"], golden["dims"].get("seq"))
    flags = [flag for flag in golden["run_flags"] if not flag.startswith("--steps")]
    run("accel-run", work / "again", "--quiet", *flags, "--steps=1", "--run-dir", work / "next", cwd=work)
    loss = json.loads((work / "next" / "metrics.jsonl").read_text(encoding="utf-8"))["loss"]
    runtime = json.loads((models / "onnxruntime.json").read_text(encoding="utf-8"))[name]
    print(f"{name}: next loss {loss:.7f}, ONNX Runtime {runtime:.7f}, PyTorch {golden['next_loss']:.7f}")
    if not max(abs(loss - runtime), abs(loss - golden["next_loss"])) <= TOLERANCE:
        sys.exit(f"the exported model is not the trained one: expected at most {TOLERANCE} between them")


if __name__ == "__main__":
    main()
