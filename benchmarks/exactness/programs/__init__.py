"""Small programs of the kinds that public trackers report, each traced once and asked about calls with known answers.

A call is `valid` where the program runs and decides as it did in the traced call; `invalid` where it raises or decides
otherwise. `tests/exactness/test_programs.py` holds both against the lines that run.
"""

from benchmarks.exactness.programs import control, layouts, models, shapes, structure
from benchmarks.exactness.programs.registry import PROGRAMS, Program

__all__ = ["PROGRAMS", "Program", "control", "layouts", "models", "shapes", "structure"]
