"""Samples from files: the same run identity as from arrays, and one message for each fault in a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import alpha_build as ab
from alpha_build.learner.program import LearnerProgram
from alpha_build.learner.trace import trace_learner
from alpha_build.learner.trace_data import Narrowing, to_samples, to_weights
from alpha_build.system.errors import LearnerFailure
from learner.learners import X, Y, learner

SMALL_X = np.round(X[:20, :3] * 64) / 64  # short in decimals
SMALL_Y = np.round(Y[:20] * 64) / 64
HEADER = "age,bmi,pressure,target"


def trace(samples: Any) -> LearnerProgram:
    return trace_learner(learner(state={"w": np.zeros(3, np.float32), "b": 0.0}, samples=samples, batch=8))


def arrays(samples: Any) -> dict[str, np.ndarray]:
    """By parameter, or by position from "0"."""
    read = to_samples(samples, "samples", Narrowing())
    names = read.keywords or tuple(map(str, range(len(read.arrays))))
    return dict(zip(names, read.arrays, strict=True))


def write_csv(path: Path, header: str = HEADER) -> Path:
    rows = [",".join(map(str, (*x, y))) for x, y in zip(SMALL_X, SMALL_Y, strict=True)]
    path.write_text("\n".join([header, *rows] if header else rows) + "\n")
    return path


# ---- what is read -----------------------------------------------------------------------------


def test_the_same_data_in_any_file_is_the_same_learner(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", y=SMALL_Y, x=SMALL_X, unused=np.array(["text"]))
    np.savez_compressed(tmp_path / "packed.npz", x=SMALL_X, y=SMALL_Y)
    save_file({"x": SMALL_X, "y": SMALL_Y}, tmp_path / "data.safetensors")
    csv = write_csv(tmp_path / "data.csv")
    bare = write_csv(tmp_path / "bare.csv", "")
    columns = {"x": ["age", "bmi", "pressure"], "y": "target"}
    expected = trace((SMALL_X, SMALL_Y)).digest
    for samples in (
        ab.Samples(tmp_path / "data.npz", arrays=("x", "y")),
        ab.Samples(str(tmp_path / "packed.npz"), arrays=["x", "y"]),
        ab.Samples(tmp_path / "packed.npz"),
        ab.Samples(tmp_path / "data.npz", arrays={"x": "x", "y": "y"}),
        ab.Samples(tmp_path / "data.safetensors"),
        ab.Samples(csv, arrays=columns),
        ab.Samples(csv, arrays=(range(3), 3)),
        ab.Samples(bare, arrays=(range(3), 3)),
        ab.Samples(csv, arrays=columns, header=1, embed=False),
        ab.Samples((SMALL_X, SMALL_Y), embed=True),
    ):
        traced = trace(samples)
        assert traced.digest == expected, samples
        assert not traced.notices


def test_names_become_arguments_and_a_file_without_names_is_one_array(tmp_path: Path) -> None:
    np.save(tmp_path / "alone.npy", SMALL_X)
    assert list(arrays(ab.Samples(tmp_path / "alone.npy"))) == ["0"]
    named = arrays(ab.Samples(write_csv(tmp_path / "named.csv")))
    assert list(named) == HEADER.split(",") and all(array.ndim == 1 for array in named.values())
    (whole,) = arrays(ab.Samples(write_csv(tmp_path / "bare.csv", ""))).values()
    np.testing.assert_array_equal(whole, np.c_[SMALL_X, SMALL_Y])
    weights = to_weights(ab.Samples(tmp_path / "named.csv", arrays="target"), 20, "float32", Narrowing())
    np.testing.assert_array_equal(weights, SMALL_Y)


def test_a_path_is_taken_from_the_folder_of_the_file_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    np.save(tmp_path / "project" / "x.npy", SMALL_X)
    code = compile('samples = ab.Samples("x.npy")', str(tmp_path / "project" / "system.py"), "exec")
    (tmp_path / "project" / "system.py").write_text("")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"ab": ab, "__name__": "system"}
    exec(code, names)
    assert len(arrays(names["samples"])["0"]) == 20


def test_numbers_of_a_csv_file(tmp_path: Path) -> None:
    """Quotes, blank lines, spaces, a byte order mark, CRLF; integers stay integers."""
    path = tmp_path / "quoted.csv"
    path.write_bytes(b'\xef\xbb\xbf"a", "b" ,c\r\n\r\n"1", 2.5 ,-3\r\n+4,.5e1,0\r\n')
    read = arrays(ab.Samples(path, arrays={"a": "a", "b": "b", "c": "c"}))
    assert [array.dtype.name for array in read.values()] == ["int32", "float32", "int32"]
    assert [array.tolist() for array in read.values()] == [[1, 4], [2.5, 5.0], [-3, 0]]
    path.write_text("150,4,setosa\n5.1,3.5,0\n4.9,3.0,1\n")  # as scikit-learn's own files begin
    assert arrays(ab.Samples(path, header=1))["0"].shape == (2, 3)


def test_arrays_of_any_layout_and_byte_order(tmp_path: Path) -> None:
    np.savez(
        tmp_path / "odd.npz",
        fortran=np.asfortranarray(SMALL_X),
        big=SMALL_X.astype(">f4"),
        steps=np.arange(120, dtype=">i2").reshape(20, 6)[:, ::2],
    )
    read = arrays(ab.Samples(tmp_path / "odd.npz"))
    assert all(array.dtype.isnative and array.flags.c_contiguous for array in read.values())
    np.testing.assert_array_equal(read["fortran"], SMALL_X)
    np.testing.assert_array_equal(read["big"], SMALL_X)
    assert read["steps"].tolist() == np.arange(120).reshape(20, 6)[:, ::2].tolist()
    swapped = SMALL_X.astype(">f4"), SMALL_Y.astype(">f4")
    assert trace(swapped).digest == trace((SMALL_X, SMALL_Y)).digest


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "bfloat16"])
def test_every_width_of_a_safetensors_file(tmp_path: Path, dtype: str) -> None:
    import ml_dtypes  # noqa: F401 - NumPy knows bfloat16 once this is imported

    save_file({"x": (SMALL_X > 0).astype(dtype)}, tmp_path / "data.safetensors")
    (read,) = arrays(ab.Samples(tmp_path / "data.safetensors")).values()
    assert read.dtype == dtype
    np.testing.assert_array_equal(read.astype(np.float32), SMALL_X > 0)


# ---- what is refused --------------------------------------------------------------------------

Write = Callable[[Path], Any]


def text(name: str, content: str, **options: Any) -> Write:
    def write(folder: Path) -> Any:
        (folder / name).write_text(content)
        return ab.Samples(folder / name, **options)

    return write


def saved(name: str, array: Any, **options: Any) -> Write:
    def write(folder: Path) -> Any:
        with open(folder / name, "wb") as file:
            np.save(file, array)
        return ab.Samples(folder / name, **options)

    return write


def archive(options: dict[str, Any], **held: Any) -> Write:
    def write(folder: Path) -> Any:
        np.savez(folder / "data.npz", **held)
        return ab.Samples(folder / "data.npz", **options)

    return write


def nothing(name: str) -> Write:
    return lambda folder: ab.Samples(folder / name)


def folder_named(folder: Path) -> Any:
    (folder / "data.npz").mkdir()
    return ab.Samples(folder / "data.npz")


def pipe(folder: Path) -> Any:
    os.mkfifo(folder / "data.csv")
    return ab.Samples(folder / "data.csv")


def cut(folder: Path) -> Any:
    np.savez(folder / "data.npz", x=SMALL_X)
    data = (folder / "data.npz").read_bytes()
    (folder / "data.npz").write_bytes(data[: len(data) // 2])
    return ab.Samples(folder / "data.npz")


def cut_array(folder: Path) -> Any:
    np.save(folder / "data.npy", SMALL_X)
    data = (folder / "data.npy").read_bytes()
    (folder / "data.npy").write_bytes(data[:-9])
    return ab.Samples(folder / "data.npy")


def not_numpy(folder: Path) -> Any:
    (folder / "data.npy").write_bytes(b"\x80\x04K\x01.")  # a pickle
    return ab.Samples(folder / "data.npy")


def narrow_tensors(folder: Path) -> Any:
    header = b'{"x":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}}'
    (folder / "data.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"ab")
    return ab.Samples(folder / "data.safetensors")


NAN = np.array([[1, 2], [3, np.nan]], np.float32)
REFUSED: dict[str, tuple[Write, str]] = {
    "missing": (nothing("absent.npz"), "file absent.npz: there is no such file"),
    "ending": (nothing("data.xlsx"), "its ending is not one that is read"),
    "folder": (folder_named, "this is no regular file"),
    "pipe": (pipe, "this is no regular file"),
    "name": (archive({"arrays": ("x", "labels")}, x=SMALL_X), "no array 'labels' in it; it holds x"),
    "name-number": (archive({"arrays": (0,)}, x=SMALL_X), "asks for 0, which is no name"),
    "empty-archive": (archive({}), "samples is empty"),
    "cut": (cut, "damaged or no NumPy file"),
    "cut-array": (cut_array, "damaged or no NumPy file"),
    "not-numpy": (not_numpy, "pickled Python objects"),
    "objects": (saved("data.npy", np.array([[1], "a"], object)), "pickled Python objects"),
    "objects-in-archive": (archive({}, x=np.array([1, None])), "array 'x': it holds pickled"),
    "one-in-npz": (saved("data.npz", SMALL_X), "name it .npy"),
    "names-of-npy": (saved("data.npy", SMALL_X, arrays=("x",)), "leave it out"),
    "header-of-npy": (saved("data.npy", SMALL_X, header=1), "header= is for CSV files"),
    "strings": (saved("data.npy", np.array(["a", "b"])), "has dtype <U1, which is no number"),
    "dates": (saved("data.npy", np.array(["2020-01-01"], "M8[D]")), "which is no number"),
    "structured": (saved("data.npy", np.zeros(3, [("a", "f4")])), "array['a']"),
    "complex": (saved("data.npy", SMALL_X + 1j), "samples is complex"),
    "long-double": (saved("data.npy", np.zeros(3, np.longdouble)), "which is no number"),
    "nan": (saved("data.npy", NAN), "it holds NaN at [1, 1], 1 in all"),
    "nan-in-archive": (archive({}, x=NAN), "array 'x' holds NaN at [1, 1]"),
    "scalar": (saved("data.npy", np.float32(1)), "has shape (), so no sample"),
    "no-rows": (saved("data.npy", SMALL_X[:0]), "so no sample"),
    "lengths": (archive({}, x=SMALL_X, y=SMALL_Y[1:]), 'samples["y"] has 19 samples'),
    "not-safetensors": (text("data.safetensors", "x"), "it is no safetensors file"),
    "narrow-tensors": (narrow_tensors, "array 'x' has dtype F8_E4M3"),
    "csv-word": (text("d.csv", "1,2\n3,x\n"), "file d.csv: line 2, column 2: 'x' is no finite number"),
    "csv-named-word": (text("d.csv", "a,b\n1,2\n3,x\n"), "line 3, column 2 (b): 'x'"),
    "csv-nan": (text("d.csv", "1\nnan\n"), "line 2, column 1: 'nan' is no finite number"),
    "csv-infinite": (text("d.csv", "1\n-inf\n"), "'-inf' is no finite number"),
    "csv-underscore": (text("d.csv", "1\n1_000\n"), "'1_000' is no finite number"),
    "csv-digits": (text("d.csv", "1\n٣\n"), "is no finite number"),
    "csv-missing": (text("d.csv", "1,2\n3,\n"), "line 2, column 2: the number is missing"),
    "csv-ragged": (text("d.csv", "1,2\n\n3\n"), "line 3 has 1 numbers, line 1 has 2"),
    "csv-first-line": (text("d.csv", "150,4,setosa\n1,2,3\n"), "give header=1"),
    "csv-first-width": (text("d.csv", "150,4\n1,2,3\n"), "give header=1"),
    "csv-semicolons": (text("d.csv", "a;b\n1;2\n"), "separate numbers by commas"),
    "csv-empty": (text("d.csv", ""), "it holds no row of numbers"),
    "csv-header-only": (text("d.csv", "a,b\n"), "it holds no row of numbers"),
    "csv-header-option": (text("d.csv", "1\n", header=-1), "header=-1 is no number of lines"),
    "csv-column": (text("d.csv", "a,b\n1,2\n", arrays=("c",)), "no column 'c' in it; it has a, b"),
    "csv-unnamed": (text("d.csv", "1,2\n", arrays=("a",)), "it has no header"),
    "csv-number": (text("d.csv", "1,2\n", arrays=(2,)), "no column 2 in it; columns are 0 to 1"),
    "csv-truth": (text("d.csv", "1,2\n", arrays=(True,)), "no column True"),
    "csv-no-column": (text("d.csv", "1,2\n", arrays=([],)), "asks for no column"),
    "csv-large": (text("d.csv", "1\n99999999999999999999\n"), "line 2, column 1: an integer of over 64"),
    "csv-not-utf-8": (lambda folder: latin(folder), "it is not UTF-8"),
    "csv-quote": (text("d.csv", '1,"2\n3,4\n'), "line 2, column 2"),
    "csv-fit": (text("d.csv", "1e300\n2.5\n"), "does not fit in float32"),
    "arrays-of-arrays": (lambda _: ab.Samples(SMALL_X, arrays=("x",)), "arrays= is for files"),
    "header-of-arrays": (lambda _: ab.Samples(SMALL_X, header=1), "header= is for files"),
    "embed": (lambda _: ab.Samples(SMALL_X, embed="no"), "embed='no'"),
    "bare-path": (lambda _: "data.npz", "is the text 'data.npz'; a file is given as ab.Samples(path)"),
    "masked": (lambda _: np.ma.masked_less(SMALL_X, 0), "samples is masked"),
}  # fmt: skip


def latin(folder: Path) -> Any:
    (folder / "d.csv").write_bytes("größe\n1\n".encode("latin-1"))
    return ab.Samples(folder / "d.csv")


@pytest.mark.parametrize("name", REFUSED)
def test_a_fault_is_one_message_with_place_and_remedy(tmp_path: Path, name: str) -> None:
    write, said = REFUSED[name]
    with pytest.raises(LearnerFailure) as caught:
        arrays(write(tmp_path))
    assert said in str(caught.value)
    assert caught.value.hint
    assert "\n" not in str(caught.value)
    if caught.value.kind == "sample-file":
        assert str(caught.value).startswith("test_sample_files.py:")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "data.csv")
    path.chmod(0)
    with pytest.raises(LearnerFailure, match="it cannot be read: Permission denied"):
        arrays(ab.Samples(path))
