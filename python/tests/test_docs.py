# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/python.md run as they stand."""
import pathlib
import re

import pytest

import berth

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_there_are_examples():
    assert len(BLOCKS) >= 4


@pytest.mark.parametrize("code", BLOCKS)
def test_an_example(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "to_pandas" in code:
        pytest.importorskip("pandas")
    if "berth.problem(" in code:
        pytest.importorskip("numpy")
    if "# needs gymnasium" in code:
        pytest.importorskip("gymnasium")
    if "# needs the program" in code and "go" not in berth.planners():
        pytest.skip("no program berth on PATH")
    try:
        exec(compile("import berth\n" + code, str(PAGE), "exec"), {})
    except berth.BerthError as error:
        if "no HTML report" not in str(error):  # built without esbuild
            raise
