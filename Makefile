# Every command of the project. `make help` lists them; CI runs the same words.

SHELL := /bin/bash
PYTHON ?= python3
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)

# What the demo and pytest are told, e.g. `make test PYTEST_ARGS='-x -k matmul'`.
DEMO_ARGS ?=
PYTEST_ARGS ?= -n auto
BENCH_ARGS ?=
SOAK_CASES ?= 20000
# How many times more seeds than usual the simulated wire has: a million for each of its two tests.
SOAK_TIMES ?= 100
# How long random programs run.
SOAK_SECONDS ?= 600
# Where random tests begin: every `make soak` elsewhere, and where it is told to.
SOAK_SEED := $(or $(SOAK_SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d " "))
# How many mutations each decoder meets in `make soak`.
SOAK_MUTATIONS ?= 300000

VENV := .venv
BIN := $(VENV)/bin
PACKAGES := $(VENV)/.packages
INSTALLED := $(VENV)/.installed
ORACLE := $(VENV)/.oracle
EXTENSION := python/gt/_gt.abi3.so
# Python is linted where it stands; a folder without Python is no error.
PYTHON_FOLDERS := $(wildcard python tests examples benchmarks)

# PyO3 is compiled again whenever these differ between two commands, so everything that
# compiles gt-py outside maturin gets what maturin sets. The file is there once gt-py is built.
PYO3_ENV = PYO3_BUILD_EXTENSION_MODULE=1 \
	PYO3_CONFIG_FILE="$$(ls -t $(abspath $(TARGET_DIR))/maturin/pyo3-config-*.txt | head -n 1)"

# gt-py has no Rust tests (pytest tests it) and is not compiled here. It stays in the selection,
# so that cargo chooses the same features as for the extension and shares what maturin built.
CARGO_TEST := cargo test --release --workspace

# How cargo spells this platform in the name of a variable.
HOST_VARIABLE = $(shell rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')
MEMCHECK = GT_SIM_SEEDS=20 CARGO_TARGET_$(HOST_VARIABLE)_RUNNER="valgrind -q --error-exitcode=99" $(CARGO_TEST)

# Prints the requirements of the named lists of pyproject.toml, without building the project.
REQUIREMENTS = $(BIN)/python -c 'import sys, tomllib; \
	project = tomllib.load(open("pyproject.toml", "rb")); \
	lists = project["project"]["optional-dependencies"] | { \
		"build": project["build-system"]["requires"], \
		"run": project["project"]["dependencies"]}; \
	print(*(line for name in sys.argv[1:] for line in lists[name]), sep="\n")'

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help build demo test oracles check bench soak loom memcheck oracle clean

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

# Cargo knows best what has changed, so it is always asked; with nothing to do it takes a second.
build: $(INSTALLED) ## set up .venv and build the extension into it
	$(BIN)/maturin develop --release --skip-install

demo: build ## train a small network to read digits
	$(BIN)/python examples/demo.py $(DEMO_ARGS)

test: build ## all tests, Rust and Python
	$(CARGO_TEST)
	cargo run --release -q --example quickstart
	$(BIN)/python -m pytest $(PYTEST_ARGS)

oracles: build oracle ## the tests that need PyTorch or Chromium, none of which may be left out
	GT_REQUIRE_TORCH=1 $(BIN)/python -m pytest $(PYTEST_ARGS) --oracles

check: build ## format, lints, tidiness, stale generated files, licences
	cargo fmt --all --check
	$(PYO3_ENV) cargo clippy --release --workspace --all-targets -- -D warnings
	$(BIN)/ruff check $(PYTHON_FOLDERS)
	$(BIN)/ruff format --check $(PYTHON_FOLDERS)
	cargo xtask tidy
	cargo xtask generate --check
	cargo xtask deny

bench: build oracle ## compare with PyTorch in one run
	$(BIN)/python benchmarks/compare.py --compiled $(BENCH_ARGS)
	$(BIN)/python benchmarks/processes.py
	$(BIN)/python benchmarks/dispatcher.py
	$(BIN)/python benchmarks/neighbours.py
	$(BIN)/python benchmarks/faults.py
	$(BIN)/python benchmarks/parallel.py
	$(BIN)/python benchmarks/watching.py
	$(BIN)/python benchmarks/traffic.py
	$(BIN)/python benchmarks/more_workers.py

soak: build loom memcheck ## the random tests with many more cases, and those that run for minutes
	@echo "random tests: SOAK_SEED=$(SOAK_SEED)"
	PROPTEST_CASES=$(SOAK_CASES) PROPTEST_RNG_SEED=$(SOAK_SEED) GT_MUTATIONS=$(SOAK_MUTATIONS) $(CARGO_TEST) -- --include-ignored
	GT_SIM_FIRST=$(SOAK_SEED) GT_SIM_TIMES=$(SOAK_TIMES) cargo test --release --workspace --test wire --test transfers
	SOAK_SECONDS=$(SOAK_SECONDS) $(BIN)/python -m pytest -n auto --full -m '' --timeout 0 --hypothesis-profile soak --hypothesis-seed $(SOAK_SEED) --seed $(SOAK_SEED)

# With its own flags and folder: `--cfg loom` would compile everything else again.
loom: ## run the models of threads that share memory, in every order
	RUSTFLAGS="--cfg loom" cargo test --release -p gt-loom --target-dir $(TARGET_DIR)/loom

# Sanitizers need a nightly Rust. Valgrind does not, and finds reads of memory that nothing wrote.
# It rounds and converts a few numbers in its own way, and is fifty times slower: the kernels that
# compute positions and move elements run under it, and products and comparisons of bits do not.
memcheck: build ## look for wrong uses of memory in kernels, plans and the data plane with valgrind
	@command -v valgrind > /dev/null || { echo "make memcheck needs valgrind; install it" >&2; exit 1; }
	$(MEMCHECK) --test plan --test transfers -- --test-threads=1
	$(MEMCHECK) --test engine -- --test-threads=1 --skip large_ --skip long_ movement:: positions:: order::

oracle: $(ORACLE) ## add PyTorch to .venv: the peer of bench, the oracle of the tests

clean: ## remove everything that was built
	rm -rf $(VENV) $(TARGET_DIR) $(EXTENSION) dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find $(PYTHON_FOLDERS) -name __pycache__ -type d -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "GT needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

# Order-only: the interpreter's own date says nothing about the packages beside it.
$(PACKAGES): pyproject.toml | $(BIN)/python
	$(REQUIREMENTS) build run test lint examples > $(VENV)/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/requirements.txt
	touch $@

$(ORACLE): $(PACKAGES)
	$(REQUIREMENTS) oracle > $(VENV)/oracle.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/oracle.txt
	touch $@

# Makes `import gt` in .venv mean this checkout, so that a build only has to replace the extension.
$(INSTALLED): $(PACKAGES)
	$(BIN)/maturin develop --release
	touch $@
