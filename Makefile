# Builds, tests and measures Tacit. `make help` lists what there is.
.DEFAULT_GOAL := build
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

PYTHON ?= python3
export CARGO_NET_RETRY ?= 5
export PIP_RETRIES ?= 5
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# What the C compiler of the tests builds of its own library; one folder, since it takes a minute.
export ZIG_GLOBAL_CACHE_DIR ?= $(CURDIR)/target/tmp/zig-cache

VENV := .venv
BIN := $(VENV)/bin
# What the native module is made of; cargo looks closer.
NATIVE_SOURCES := Cargo.toml Cargo.lock pyproject.toml \
	$(shell find crates -path '*/tests' -prune -o -path '*/examples' -prune -o \
		\( -name '*.rs' -o -name Cargo.toml \) -print)
# Proofs are made by CaDiCaL, which is C++; where no C++ compiler works, by BatSat, which is Rust.
HASH := \#
CXX_WORKS := $(shell cxx="$${CXX:-c++}"; library=; program=$$(mktemp); \
	if $$cxx --version 2>/dev/null | grep -q clang; then library=-stdlib=libc++; fi; \
	if printf '$(HASH)include <vector>\nint main() { return (int)std::vector<int>().size(); }\n' \
		| $$cxx $$library -x c++ - -o "$$program" >/dev/null 2>&1; then echo yes; fi; rm -f "$$program")
SOLVER := $(if $(CXX_WORKS),CaDiCaL,BatSat (no C++ compiler works))
CARGO_FEATURES := $(if $(CXX_WORKS),--features tacit-check/cadical)
NATIVE_FEATURES := $(if $(CXX_WORKS),--features cadical)
BENCHES := kernels yao ot aby spine circuits fidelity language nparty he compare pfe auction tasty plan
# Processes that run Python tests side by side.
WORKERS ?= 2
PYTEST := $(BIN)/python -m pytest --numprocesses $(WORKERS)
STARTED := $(shell date +%s)
# Cargo uses all cores by itself; of make's jobs it knows nothing.
CARGO := env -u MAKEFLAGS -u MFLAGS cargo
print_time = @echo "make $@ took $$(($$(date +%s) - $(STARTED))) s"

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
	@echo "bench-NAME    measure; NAME is one of: $(BENCHES)"

# Python's files are compiled at once, as pip does with a wheel, so that no start of a program has to.
.PHONY: module
module: $(VENV)/.native
	@$(BIN)/python -m compileall -q python/tacit

.PHONY: build
build: module $(VENV)/.locked ## the native module, the command line and all extras, in .venv

$(VENV)/.python: tools/bootstrap_pip.py
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.10 or later is needed, this is " + sys.version) if sys.version_info < (3, 10) else None'
	rm -rf $(VENV)
	$(PYTHON) -c 'import ensurepip' 2>/dev/null \
		&& $(PYTHON) -m venv $(VENV) \
		|| { $(PYTHON) -m venv --without-pip --clear $(VENV) && $(BIN)/python tools/bootstrap_pip.py; }
	@touch $@

# What the module and the command line take is a small part of what extras, tests and lints take, and is there in a few seconds.
$(VENV)/.run-locked: requirements-run.lock $(VENV)/.python
	$(BIN)/python -m pip install --quiet --require-hashes --only-binary :all: -r requirements-run.lock
	@touch $@

$(VENV)/.locked: requirements.lock $(VENV)/.run-locked
	$(BIN)/python -m pip install --quiet --require-hashes --only-binary :all: -r requirements.lock
	@touch $@

$(VENV)/.native: $(NATIVE_SOURCES) $(VENV)/.run-locked
	@echo "solver of proofs: $(SOLVER)"
	@(exec {never}<> <(:); while ! read -rt 10 -u $$never; do echo "compiling the native module, $$SECONDS s so far"; done) & \
	trap "kill $$! 2>/dev/null || :" EXIT; \
	PIP_QUIET=1 VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --quiet --release --locked $(NATIVE_FEATURES)
	@touch $@

# A wheel for many Linux systems, whose C library is as old as glibc 2.17: compiled and linked by the locked zig.
TARGET ?= $(shell uname -m)-unknown-linux-gnu
WHEELS := target/wheels
# So that the same sources give the same wheel, wherever they lie.
REMAP := --remap-path-prefix=$(or $(CARGO_HOME),$(HOME)/.cargo)=cargo --remap-path-prefix=$(CURDIR)=.
# As .cargo/config.toml has it for other builds.
CURVE := $(if $(filter x86_64-%,$(TARGET)),--cfg curve25519_dalek_backend=\"avx512\")

.PHONY: wheel
wheel: $(VENV)/.locked ## a wheel for TARGET=x86_64-unknown-linux-gnu or aarch64-unknown-linux-gnu, and an sdist, in target/wheels
	mkdir -p $(WHEELS)
	rm -f $(WHEELS)/tacit-*_$(firstword $(subst -, ,$(TARGET))).whl $(WHEELS)/tacit-*.tar.gz
	$(BIN)/python tools/licences.py --sbom target/sbom.cdx.json
	PATH="$(CURDIR)/$(BIN):$$PATH" RUSTFLAGS="$(REMAP) $(CURVE)" $(BIN)/maturin build --quiet --release --locked --features cadical --target $(TARGET) \
		--zig --compatibility manylinux_2_17 --auditwheel check --sbom-include target/sbom.cdx.json --compression-level 9 --out $(WHEELS)
	@said=$$($(BIN)/maturin sdist --out $(WHEELS) 2>&1) || { echo "$$said"; exit 1; }
	ls -l $(WHEELS)
	$(print_time)

.PHONY: test-wheel
test-wheel: $(VENV)/.python ## install the wheel into a clean environment, run it there, and compare sizes and times with their bars
	$(PYTHON) tools/test_wheel.py $(WHEELS)

.PHONY: demo
demo: module ## two programs between two processes over TLS
	@$(BIN)/python examples/demo.py
	$(print_time)

.PHONY: auction
auction: $(VENV)/.python ## the program of `tacit auction`, in .venv
	$(CARGO) build --release --locked --quiet --package tacit-auction
	install -m 755 "$${CARGO_TARGET_DIR:-target}/release/tacit-auction" $(BIN)/tacit-auction

.PHONY: demo-auction
demo-auction: auction ## two servers and an auction with ten bidders; stays open in a terminal, ends by itself elsewhere
	@if [ -t 1 ] && [ -z "$${CI:-}" ]; then $(BIN)/tacit-auction demo --keep-open; else $(BIN)/tacit-auction demo; fi
	$(print_time)

.PHONY: test
test: test-rust test-python ## all tests
	$(print_time)

.PHONY: test-rust
test-rust: $(VENV)/.locked
	$(CARGO) test --release --locked --workspace $(CARGO_FEATURES) --quiet

.PHONY: test-python
test-python: build
	$(PYTEST) tests

.PHONY: test-long
test-long: build ## the tests that take minutes too
	$(CARGO) test --release --locked --workspace $(CARGO_FEATURES) --quiet -- --include-ignored
	(ulimit -v 4194304; TACIT_FUZZ_SECONDS=60 $(CARGO) test --release --locked --package tacit-tests --quiet --test decoders)
	$(PYTEST) tests --long
	$(BIN)/python tools/new_domain.py
	$(print_time)

.PHONY: test-planted
test-planted: $(VENV)/.locked ## plant known bugs one at a time (PLANTED="NAME …", else all): each must fail its test; hours
	$(BIN)/python tools/planted.py $(PLANTED)
	$(print_time)

# The oldest Rust that is promised.
MSRV := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

.PHONY: test-msrv
test-msrv: $(VENV)/.locked ## check everything with the oldest Rust that Cargo.toml promises, which rustup installs
	rustup toolchain install --profile minimal $(MSRV)
	$(CARGO) +$(MSRV) check --release --locked --workspace --all-targets $(CARGO_FEATURES) --target-dir target/msrv

.PHONY: test-new-domain
test-new-domain: $(VENV)/.locked ## add a domain in a copy of the sources, and run its tests there
	$(BIN)/python tools/new_domain.py

# The site has an environment of its own, so that nothing of it is among what the project runs on.
.venv-docs/.locked: requirements-docs.lock $(VENV)/.python
	$(BIN)/python -m venv --without-pip --clear .venv-docs
	$(BIN)/python -m pip --python .venv-docs/bin/python install --quiet --require-hashes --only-binary :all: -r requirements-docs.lock
	@touch $@

.PHONY: docs
docs: .venv-docs/.locked ## the documentation as a site that needs no network, in target/site
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs build --quiet --strict
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --workspace --no-deps $(CARGO_FEATURES) --quiet
	rm -rf target/site/rust && cp -r "$${CARGO_TARGET_DIR:-target}/doc" target/site/rust
	@echo "read it by: $(BIN)/python -m http.server --bind 127.0.0.1 --directory target/site"
	$(print_time)

.PHONY: licences
licences: $(VENV)/.locked ## licences of all that is in a wheel, in THIRD_PARTY.md, and an SBOM in target/sbom.cdx.json
	$(BIN)/python tools/licences.py --sbom target/sbom.cdx.json

.PHONY: lint
lint: lint-python lint-rust ## formatting, lints, types, documentation, licences

.PHONY: lint-rust
lint-rust:
	cargo fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets $(CARGO_FEATURES) --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --workspace --no-deps $(CARGO_FEATURES) --quiet
	@if cargo deny --version >/dev/null 2>&1; then cargo deny --locked check --hide-inclusion-graph; \
		else echo "cargo-deny is not installed: licences and advisories not checked"; fi

.PHONY: lint-python
lint-python: $(VENV)/.locked
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

.PHONY: quick
quick: $(VENV)/.locked ## format, lint and test what changed since BASE=… and what depends on it, without slow tests
	@$(BIN)/python tools/quick.py --base '$(BASE)' --workers $(WORKERS) \
		$(if $(CXX_WORKS),--features tacit-check/cadical)

.PHONY: fmt
fmt: $(VENV)/.locked ## format everything
	cargo fmt --all
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

.PHONY: $(addprefix bench-,$(BENCHES))
$(addprefix bench-,$(BENCHES)): bench-%: build
	$(BIN)/python -m tacit.bench $*

.PHONY: bench-papers
bench-papers: build ## every number of the papers beside ours, in target/bench/papers.html; QUICK=1 takes under 5 minutes
	$(BIN)/python -m tacit bench papers $(if $(QUICK),--quick)

.PHONY: bench-compare-runs
bench-compare-runs: build ## two files of tacit bench, A=… and B=…, side by side; fails where B is worse
	@$(BIN)/python -m tacit.measure.compare '$(A)' '$(B)'

.PHONY: lock
lock: ## compile requirements*.in to requirements*.lock (needs uv)
	uv pip compile --quiet --universal --generate-hashes --python-version 3.10 \
		--custom-compile-command "make lock" requirements.in -o requirements.lock
	uv pip compile --quiet --universal --generate-hashes --python-version 3.10 --constraints requirements.lock \
		--custom-compile-command "make lock" requirements-run.in -o requirements-run.lock
	uv pip compile --quiet --universal --generate-hashes --python-version 3.10 \
		--custom-compile-command "make lock" requirements-docs.in -o requirements-docs.lock

.PHONY: clean
clean: ## remove what was built
	rm -rf $(VENV) .venv-docs target python/tacit/*.so
