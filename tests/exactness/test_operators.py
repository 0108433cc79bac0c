"""A fixed sample of PyTorch's operator samples; `make exact` asks about all of them."""

from __future__ import annotations

import pytest

from benchmarks.exactness.operators import SAMPLE_OF_OPERATORS, measure_one, operators

SAMPLES = 2
LOOK_UP = ("gather", "index_select", "nn.functional.embedding")  # which indices these refuse is in the data


@pytest.fixture(scope="module")
def named() -> dict[str, object]:
    return operators()


@pytest.mark.filterwarnings("ignore:Using padding='same':UserWarning")  # an operator warns of its own cost
@pytest.mark.parametrize("name", SAMPLE_OF_OPERATORS)
def test_every_answer_about_the_operator_is_right(name: str, named: dict[str, object]) -> None:
    count = measure_one(name, named[name], SAMPLES, script=False)
    assert [fault for fault in count.faults if name not in LOOK_UP or not fault.startswith("missed")] == []
    assert count.right > 0
