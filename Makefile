# Everything that a contributor runs. Needs Python >= 3.11 (3.12 for the tests, as jax does), git and make; each target
# makes the virtual environment that it needs under .venv. PYTHON=... picks another interpreter.

SHELL := /bin/sh
RUN := .venv/run
DEV := .venv/dev
CORPUS := .venv/corpus
# python3 comes first, so that .python-version and an active environment count; the plain paths come last, for machines
# whose version manager has no interpreter of the version that .python-version asks for.
CANDIDATES := $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 /usr/local/bin/python3 /usr/bin/python3

# $(call make-venv,FOLDER,MINOR,REQUIREMENT): the first candidate of at least Python 3.MINOR makes the environment.
define make-venv
	@found=; for python in $(CANDIDATES); do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, $(2)))' >/dev/null 2>&1; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "error: this needs Python 3.$(2) or newer, and none of these is: $(strip $(CANDIDATES))" >&2; \
	  echo "       install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; \
	fi; \
	echo "$(1): $$($$found --version)"; \
	$$found -m venv --clear $(1) || { \
	  echo "error: $$found cannot make a virtual environment (on Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check $(3)
	@touch $@
endef

.PHONY: help demo test coverage corpus lint format types docs clean

help:
	@echo "make demo      the dry run on examples/legacy_ops"
	@echo "make test      the whole test suite (make test ARGS='-k diff')"
	@echo "make coverage  the same, with branch coverage"
	@echo "make corpus    what is found in jax, flax, optax and qwix, against Python's own answer (make corpus ARGS=jax)"
	@echo "make lint      ruff; make format lets it repair what it can"
	@echo "make types     mypy --strict"
	@echo "make docs      write docs/rules/ from the rules"
	@echo "make clean     remove .venv and caches"

$(RUN)/.done: pyproject.toml
	$(call make-venv,$(RUN),11,-e .)

$(DEV)/.done: pyproject.toml
	$(call make-venv,$(DEV),12,-e '.[dev$(comma)jax]')

# The released packages of tools/corpus.txt; half a gigabyte.
$(CORPUS)/.done: pyproject.toml tools/corpus.txt
	$(call make-venv,$(CORPUS),12,-e . -r tools/corpus.txt)

comma := ,

demo: $(RUN)/.done
	@$(RUN)/bin/python cli.py diff examples/legacy_ops

test: $(DEV)/.done
	$(DEV)/bin/python -m pytest $(ARGS)

coverage: $(DEV)/.done
	$(DEV)/bin/python -m pytest --cov --cov-report=term-missing $(ARGS)

corpus: $(CORPUS)/.done
	$(CORPUS)/bin/python tools/corpus.py $(ARGS)

lint: $(DEV)/.done
	$(DEV)/bin/python -m ruff check .
	$(DEV)/bin/python -m ruff format --check .

format: $(DEV)/.done
	$(DEV)/bin/python -m ruff check --fix .
	$(DEV)/bin/python -m ruff format .

types: $(DEV)/.done
	$(DEV)/bin/python -m mypy codemods tests tools cli.py
	$(DEV)/bin/python -m mypy --python-version 3.11 codemods cli.py

docs: $(RUN)/.done
	$(RUN)/bin/python docs/generate.py

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .coverage htmlcov build dist
