# `make run` and `make test` set up everything they need below .venv/; nothing else on the machine is touched.
PYTHON ?= python3
RUN := .venv/run
TEST := .venv/test

.PHONY: run test test-slow check clean

run: $(RUN)/.ready
	@$(RUN)/bin/dice-station simulate

test: $(TEST)/.ready
	$(TEST)/bin/python -m pytest -n auto -m "not slow and not clients"

test-slow: $(TEST)/.ready
	$(TEST)/bin/python -m pytest -n auto -m slow --timeout 3600

check: $(TEST)/.ready
	$(TEST)/bin/ruff check .
	$(TEST)/bin/ruff format --check .
	$(TEST)/bin/mypy
	$(TEST)/bin/lint-imports

clean:
	rm -rf .venv build dist .coverage .coverage.* .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

include packaging/packaging.mk
include tests/clients/clients.mk

.venv/%/.ready: requirements/%.txt pyproject.toml requirements/python
	@requirements/python $(PYTHON)
	rm -rf .venv/$*
	$(PYTHON) -m venv .venv/$*
	.venv/$*/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements/$*.txt
	.venv/$*/bin/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	touch $@
