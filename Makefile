# Every verb works as the only command on a fresh clone: it makes .venv first if need be.
# Needs Python 3.11 or newer (PYTHON=python3.12 names one), make, and a package index that pip can reach.

.DEFAULT_GOAL := help
.PHONY: help setup demo test serve bench check soak lock contact-sheet

# The stamp carries the name of the interpreter that was asked for, so that a later PYTHON=… is noticed.
STAMP := .venv/.set-up$(if $(PYTHON),-$(notdir $(PYTHON)))
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

BRIEF ?= A coffee shop app for a neighbourhood roastery: menu, cart and loyalty card
OUT ?= loopwright-out

help: ## Show these verbs
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

setup: $(STAMP) ## Make .venv with the locked dependencies and Loopwright itself

# An environment that is half made, or of another Python than the one asked for, is made anew.
# The stamp comes last, so that an interrupted set-up is taken up again. pip says only what went wrong.
$(STAMP): requirements.lock pyproject.toml
	@set -e; \
	for name in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python); do \
	  if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python="$$name"; break; fi; \
	done; \
	if [ -z "$$python" ]; then echo "No Python 3.11 or newer found; name one: make setup PYTHON=python3.12" >&2; exit 1; fi; \
	if ! $(BIN)/python -m pip --version >/dev/null 2>&1 \
	  || { [ -n "$(PYTHON)" ] && [ "$$($(BIN)/python -V)" != "$$("$$python" -V)" ]; }; then \
	  echo "Making .venv with $$("$$python" -V)"; "$$python" -m venv --clear .venv; \
	fi
	@echo "Installing the locked dependencies (takes a minute the first time)"
	@$(PIP) install -qq --require-hashes -r requirements.lock
	@$(PIP) install -qq --no-deps --no-build-isolation -e .
	@touch $@

# The demo leaves nothing outside of this folder.
demo: export LOOPWRIGHT_HOME ?= $(CURDIR)/.loopwright
demo: setup ## Turn a one-line brief into a mobile app prototype (BRIEF="…" OUT=folder)
	$(BIN)/loopwright pages "$(BRIEF)" --yes --out "$(OUT)"
	@echo "The demo's state is in $$LOOPWRIGHT_HOME; to refine it: export LOOPWRIGHT_HOME=$$LOOPWRIGHT_HOME"

serve: setup ## Serve the HTTP API on this machine
	$(BIN)/loopwright serve

check: setup ## Check format, lint, strict types and the house rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -q tests/shape

test: check ## Run check, then every test that takes seconds
	$(BIN)/pytest -q -n 2 --ignore=tests/shape

soak: setup ## Run the long tests: crash marathons, large properties
	$(BIN)/pytest -q -m soak --timeout=3600

bench: setup ## Measure side by side with peers, as ratios within one run
	@set -e; for file in bench/*.py; do echo "== $$file"; $(BIN)/python "$$file"; done

contact-sheet: setup ## Draw docs/images/pages-contact-sheet.webp: thirty briefs, built and photographed (needs Chromium)
	$(BIN)/python -m tests.support.contact_sheet

lock: setup ## Make requirements.lock anew from pyproject.toml (UPGRADE=1 takes newer versions)
	@$(BIN)/python -m venv --clear build/lock
	@build/lock/bin/python -m pip --disable-pip-version-check install --quiet uv
	build/lock/bin/uv pip compile --quiet --universal --all-extras --generate-hashes --python-version 3.11 \
	  --no-header --no-emit-index-url --no-emit-find-links --no-annotate $(if $(UPGRADE),--upgrade) \
	  --output-file requirements.lock pyproject.toml
	@rm -rf build/lock
