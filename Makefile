# Two commands do all the set-up: `make guards` and `make test`. Needed: Python >= 3.10 (with venv) and make.

PYTHON ?= $(shell command -v python3 || command -v python)
BIN := .venv/bin
READY := .venv/.ready
PIP_INSTALL := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt
CHECKED := guardgen tests examples generated benchmarks

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help guards check test lint types layers pytest accept exact fuzz points clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

guards: $(READY) ## the main job: trace examples/, write generated/ and TorchScript in build/, type-check the result
	$(BIN)/guardgen build examples/*.py --out generated --torchscript build/torchscript
	$(BIN)/mypy --strict generated

check: $(READY) ## fail if generated/ is not what the sources give; changes nothing
	$(BIN)/guardgen build examples/*.py --out generated --check

test: lint types layers pytest ## everything that must pass: lint, types, layers, pytest

lint: $(READY) ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## mypy, strict
	$(BIN)/mypy $(CHECKED)

layers: $(READY) ## import-linter: imports point one way
	$(BIN)/lint-imports --no-logo

# Two workers use two cores; torch's own threads would only compete with them.
pytest: $(READY) ## all tests
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2

accept: $(READY) ## rewrite the golden files with what the code gives now; review the diff
	$(BIN)/pytest tests/golden --accept

exact: $(READY) ## measure how exact guards are, beside PyTorch's own systems; an hour, OF="programs" for a part
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.exactness $(OF)

fuzz: $(READY) ## random programs until stopped; each failure becomes a test in tests/exactness/found
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.exactness.random_programs

points: $(READY) ## compare the C++ form with the Python form on a million points, sanitized too; minutes
	OMP_NUM_THREADS=1 $(BIN)/pytest tests/unit/test_emit_cpp_numbers.py --points 1000000

clean: ## remove what builds and tools leave, .venv included
	rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp comes last, so an interrupted set-up is taken up again. The build backend is installed first, pinned like
# all else: pip's isolated builds would take it unpinned.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo 'guardgen needs Python >= 3.10; name one with: make PYTHON=/path/to/python3' >&2; exit 1; }
	@echo 'Setting up .venv: a few minutes the first time'
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	$(PIP_INSTALL) hatchling editables
	$(PIP_INSTALL) --no-build-isolation --editable '.[dev,prove,models,onnx]'
	@touch $@
