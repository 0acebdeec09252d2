#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes cases.tar.xz, the conformance cases of ONNX: make_cases.py [OUTPUT]

Needs the package onnx of the version below, which has the cases: those of operators as programs that make them, the others
as files. The archive is the same whoever writes it, but for digits of NumPy's functions.
"""

import io
import pathlib
import sys
import tarfile
import warnings

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.runner import Runner

VERSION = "1.23.2"
DATA = pathlib.Path(onnx.__file__).parent / "backend/test/data"


def to_proto(value, declaration):
    """The bytes of one input or output, as the files of ONNX hold it."""
    if hasattr(value, "SerializeToString"):
        return value.SerializeToString()
    if isinstance(value, list):
        return numpy_helper.from_list(value, declaration.name).SerializeToString()
    if declaration.type.HasField("map_type"):
        return numpy_helper.from_dict(value, declaration.name).SerializeToString()
    if value is None or declaration.type.HasField("optional_type"):
        return numpy_helper.from_optional(value, declaration.name).SerializeToString()
    return numpy_helper.from_array(value, declaration.name).SerializeToString()


def list_node_cases():
    """Pairs of a path and its bytes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Infinities and NaNs are meant.
        cases = collect_testcases(None)
    for case in cases:
        yield f"node/{case.name}/model.onnx", case.model.SerializeToString()
        for number, (inputs, outputs) in enumerate(case.data_sets):
            folder = f"node/{case.name}/test_data_set_{number}"
            for kind, values, declared in (("input", inputs, case.model.graph.input),
                                           ("output", outputs, case.model.graph.output)):
                for index, value in enumerate(values):
                    yield f"{folder}/{kind}_{index}.pb", to_proto(value, declared[index])


def list_stored_cases(suite):
    for path in sorted((DATA / suite).rglob("*")):
        if path.is_file():
            yield f"{suite}/{path.relative_to(DATA / suite)}", path.read_bytes()


def list_light_cases():
    """Known networks with constant weights: inputs are those of ONNX's own runner, outputs lie beside the models."""
    for path in sorted((DATA / "light").glob("*.onnx")):
        name = path.stem
        model = onnx.load(path)
        initializers = {tensor.name for tensor in model.graph.initializer}
        inputs = [value for value in model.graph.input if value.name not in initializers]
        yield f"light/{name}/model.onnx", path.read_bytes()
        for index, value in enumerate(inputs):
            array = Runner.generate_dummy_data(value, seed=0, name=name.removeprefix("light_"), random=False)
            yield f"light/{name}/test_data_set_0/input_{index}.pb", numpy_helper.from_array(
                array, value.name).SerializeToString()
        for output in sorted(DATA.glob(f"light/{name}_output_*.pb")):
            index = output.stem.rsplit("_", 1)[1]
            yield f"light/{name}/test_data_set_0/output_{index}.pb", output.read_bytes()


def main(arguments):
    if onnx.__version__ != VERSION:
        sys.exit(f"make_cases.py: expected onnx {VERSION}, got {onnx.__version__}; pip install onnx=={VERSION}")
    output = arguments[0] if arguments else str(pathlib.Path(__file__).with_name("cases.tar.xz"))
    numpy.random.seed(0)
    entries = dict(list_node_cases())
    for suite in ("simple", "pytorch-operator", "pytorch-converted"):
        entries.update(list_stored_cases(suite))
    entries.update(list_light_cases())
    with tarfile.open(output, "w:xz", preset=9) as archive:
        for path in sorted(entries):
            entry = tarfile.TarInfo(path)
            entry.size = len(entries[path])
            archive.addfile(entry, io.BytesIO(entries[path]))
    print(f"{output}: {len(entries)} files")


if __name__ == "__main__":
    main(sys.argv[1:])
