# make        the environment, then the study of Panther, Firefly and Sherman with its tables and plots, and the referee
# make help   all targets
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PLAYWRIGHT := playwright==1.65.2
STUDY := studies/panther_vs_sherman.yaml
RUN := results/panther_vs_sherman
OUTPUTS := $(RUN)/.outputs
MISSING := $(shell while read -r file; do test -e "$$file" || echo missing; done 2>/dev/null < $(OUTPUTS))
SOURCES := $(shell find simlab -name '*.py' 2>/dev/null)
export PYTHONWARNINGS :=

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: FORCE all results test check compiled test-long browser test-browser bench notebooks rules lock clean help

all: $(RUN)/referee.json  ## environment, check of the units, study, tables and plots, referee
	@echo "tables and plots: $(RUN)/"
	@sed "/^## /,\$$d" $(RUN)/summary.md

# Python compiles what is used when it is first used, which is much less than what is installed. `compat` puts the
# project on the path, so that a folder of its name in the place where Python is started does not hide it.
$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "simlab needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --config-settings editable_mode=compat --editable .
	touch $@

# The list of what the run wrote: where a file of it is gone, the run makes it again.
$(OUTPUTS): $(STAMP) $(STUDY) $(SOURCES) $(wildcard units/blitzkrieg/*.yaml) $(if $(MISSING),FORCE)
	$(BIN)/simlab check
	$(BIN)/simlab run $(STUDY)
	@find $(RUN) -type f ! -name 'journal*' ! -name '.*' ! -name referee.json > $@

# Duels that take more than a second of work are skipped and named. While a test fails there is no record.
$(RUN)/referee.json: $(OUTPUTS)
	$(BIN)/simlab referee $(RUN) --bound 1e-6 --time-limit 1
	@touch $@

results: $(STAMP)  ## all units against each other, what they are worth, six of them in three games: some minutes
	$(BIN)/simlab check
	$(BIN)/simlab run studies/roster.yaml
	$(BIN)/simlab price roster
	$(BIN)/simlab report roster
	$(BIN)/simlab across studies/three_systems.yaml

test: $(STAMP)  ## all checks and all tests
	$(MAKE) --no-print-directory -j2 --output-sync check compiled
	$(BIN)/python -m pytest -n logical --dist worksteal

compiled: $(STAMP)
	$(BIN)/python -m tests.compile_ahead

check: $(STAMP)  ## style, types, import contract, units
	$(BIN)/ruff check simlab tests benchmarks
	$(BIN)/ruff format --check simlab tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/simlab check
	for system in blitzkrieg tank_d20 wwiisim; do $(BIN)/simlab draft all --check --system $$system || exit 1; done

test-long: $(STAMP)  ## all tests, the slow ones and more examples included
	SIMLAB_TESTS=long $(BIN)/python -m pytest -m 'not browser' -n logical --dist worksteal

# Chromium is the system's; PLAYWRIGHT drives it, pinned here and left out of requirements.lock, for it is large.
browser: $(STAMP)  ## what the tests in a browser need: says if there is no Chromium, installs what drives it
	@command -v chromium > /dev/null || { echo "there is no Chromium: apt-get install chromium"; exit 1; }
	@$(BIN)/python -c 'import playwright' 2> /dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check $(PLAYWRIGHT)

test-browser: browser  ## the page of a run in a real Chromium
	$(BIN)/python -m pytest -m browser -n logical --dist worksteal

bench: $(STAMP)  ## speed against hand-written C, NumPy and plain Python, measured side by side
	$(BIN)/python -m pytest benchmarks -s --benchmark-only --benchmark-disable-gc -m '' -o python_files='bench_*.py'

notebooks: $(STAMP)  ## run the notebooks and keep their output
	$(BIN)/python -m tests.run_notebooks

rules: $(STAMP)  ## docs/rules.md anew from the tests' markers
	$(BIN)/python -m tests.rule_index

lock:  ## requirements.lock anew
	$(BIN)/python -m pip install --quiet pip-tools
	$(BIN)/pip-compile --quiet --extra dev --extra notebooks --no-emit-options --strip-extras --no-annotate --no-header --output-file requirements.lock pyproject.toml

clean:  ## remove the environment, results and caches
	rm -rf $(VENV) $(RUN) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16
