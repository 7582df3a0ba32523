# Every verb works as the only command on a fresh clone: it makes .venv first if need be.
# Needs Python 3.11 or newer (PYTHON=python3.12 names one), make, and a package index that pip can reach.

.DEFAULT_GOAL := help
.PHONY: help setup demo test quick test-all test-dates lanes interop wheels serve bench check soak lock contact-sheet client docs docs-serve api-check

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

# mypy keeps one core busy for a minute without its cache, so the other rules run beside it; it is waited for, and shown last.
check: setup ## Check format, lint, strict types and the rules of the repository
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@echo "$(BIN)/mypy & $(BIN)/pytest -q tests/shape"; \
	mkdir -p build; $(BIN)/mypy >build/mypy.log 2>&1 & types=$$!; \
	$(BIN)/pytest -q tests/shape; rules=$$?; \
	wait $$types; typed=$$?; cat build/mypy.log; exit $$((rules + typed))

# A quarter of the tests' time is waiting, in which the check has its turn; a failure of either fails both.
test: setup ## Run check, and beside it the quick lane of the tests
	@$(MAKE) --no-print-directory --jobs=2 --keep-going check quick

quick: setup
	$(BIN)/pytest -q -n 2 --lane quick --ignore=tests/shape

test-all: check ## Run check, then all that CI runs: grids, browsers, kills
	$(BIN)/pytest -q -n 2 --lane ci --ignore=tests/shape

lanes: setup ## Run every test and write tests/large_lane.txt from what each cost (on an idle machine)
	@rm -rf build/cpu-log
	$(BIN)/pytest -q -n 2 --cpu-log build/cpu-log --ignore=tests/shape
	$(BIN)/python -m tests.lanes build/cpu-log/*.tsv

test-dates: setup ## Run what knows dates at other moments and in other time zones (needs faketime)
	$(BIN)/python -m tests.support.dates

soak: setup ## Run the long tests: crash marathons, large properties, the cases of grids that CI leaves out
	$(BIN)/pytest -q -m soak --timeout=3600
	$(BIN)/pytest -q -n 2 --lane thinned

# The servers of npm and the public conformance suite of MCP: docs/mcp.md says what they show.
INTEROP := build/interop
interop: setup ## Run MCP servers from npm and the public conformance suite (needs npm and its index)
	@npm install --silent --prefix $(INTEROP) node@24 @modelcontextprotocol/conformance@0.2.0-alpha.12 \
	  @modelcontextprotocol/server-everything @modelcontextprotocol/server-memory
	LOOPWRIGHT_TEST_MCP_NODE=$(CURDIR)/$(INTEROP) $(BIN)/pytest -q tests/mcp/test_real_servers.py
	$(BIN)/python -m bench.conformance.run --node $(INTEROP)

wheels: setup ## Build the wheel, install it alone and with each extra, and let each agent work (needs a package index)
	$(BIN)/pytest -q -m wheels tests/wheels

bench: setup ## Measure side by side with peers, as ratios within one run
	@set -e; for file in bench/*.py; do echo "== $$file"; $(BIN)/python "$$file"; done

contact-sheet: setup ## Draw docs/images/pages-contact-sheet.webp: forty briefs, built and photographed (needs Chromium)
	$(BIN)/python -m tests.support.contact_sheet

client: setup ## Write the generated part of clients/typescript anew
	$(BIN)/python clients/generate_typescript.py

# The tools of the site have an environment of their own: they are not in the lock (docs/decisions/0036-documentation.md).
DOCS_BIN := build/docs-env/bin
DOCS_STAMP := build/docs-env/.set-up
$(DOCS_STAMP): pyproject.toml
	@echo "Installing the tools of the site (takes half a minute the first time)"
	@$(BIN)/python -m venv --clear build/docs-env
	@$(DOCS_BIN)/python -m pip --disable-pip-version-check --no-input install -qq --upgrade 'pip>=25.1'
	@$(DOCS_BIN)/python -m pip --disable-pip-version-check --no-input install -qq --group docs
	@touch $@

# What draws diagrams comes from npm when the site is built, and lies on the site: readers fetch nothing from elsewhere.
MERMAID := build/mermaid/package/dist/mermaid.min.js
$(MERMAID):
	@command -v npm >/dev/null || { echo "npm is not installed; the site's diagrams are drawn by its package mermaid" >&2; exit 1; }
	@mkdir -p build/mermaid
	@cd build/mermaid && npm pack mermaid@12 --silent >/dev/null && tar -xzf mermaid-*.tgz package/dist/mermaid.min.js package/LICENSE

docs: setup ## Build the documentation's site in build/site
	@$(MAKE) --no-print-directory $(DOCS_STAMP) $(MERMAID)
	$(BIN)/python docs/build_site.py
	@cp $(MERMAID) build/docs/assets/mermaid.min.js
	$(DOCS_BIN)/zensical build --strict
	@echo "Open build/site/index.html, or call make docs-serve"

docs-serve: docs ## Build the site and show it on http://127.0.0.1:8701
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site 8701

api-check: setup ## Compare the public API with the last tag, or the last commit (AGAINST=… names another)
	@$(MAKE) --no-print-directory $(DOCS_STAMP)
	$(DOCS_BIN)/python docs/api_check.py $(AGAINST)

lock: setup ## Make requirements.lock anew from pyproject.toml (UPGRADE=1 takes newer versions)
	@$(BIN)/python -m venv --clear build/lock
	@build/lock/bin/python -m pip --disable-pip-version-check install --quiet uv
	build/lock/bin/uv pip compile --quiet --universal --all-extras --generate-hashes --python-version 3.11 \
	  --no-header --no-emit-index-url --no-emit-find-links --no-annotate $(if $(UPGRADE),--upgrade) \
	  --output-file requirements.lock pyproject.toml
	@rm -rf build/lock
