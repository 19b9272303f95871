# Everything that a developer runs. Needs make and Python 3.11 or newer; uses uv when it is there.
#   make test PYTHON=python3.13      another interpreter (.venv is made anew)
#   make test ARGS="-n0 -k clock"    more arguments for the command behind a target
#   make test UV=                    without uv, though it is there

PYTHON ?= python3
UV ?= $(filter-out $(CURDIR)/.venv/%,$(shell command -v uv 2>/dev/null))
ARGS ?=
# Of a file's longer proofs one in SAMPLE is tried, at least one, with one case in SAMPLE.
SAMPLE ?= 1
# The quick tests try one case in TEST_SAMPLE of a sweep.
TEST_SAMPLE := 20
# How many ladders of each world bench-ranking simulates; empty: what is published.
SEEDS ?=
# Not empty: the demo plays on a scheduler and two workers of this machine.
CLUSTER ?=
# What the monkey of `make chaos` does follows from SEED; it goes on for MATCHES. `make soak` takes HOURS.
SEED ?= 1
MATCHES ?= 1000
HOURS ?= 6

RUN := .venv/bin
PYTEST := $(RUN)/pytest --dist=worksteal
# Two more than there are cores: tests often wait for the processes that they have started.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
# Of a sample few are from the same file, so each worker takes the next one, the longest first.
PROOFS := $(if $(filter 1,$(SAMPLE)),\
	--numprocesses=auto -m "proof or sweep or server or costly or hypothesis",\
	--numprocesses=$(WORKERS) --dist=load --maxschedchunk=1 -m proof)

.DEFAULT_GOAL := help
.PHONY: help demo test proof collect chaos soak bench bench-ranking check lint types format proto proto-check openapi proto-lint playthroughs vectors pictures strengths dist lock openspiel setup clean

help: ## say what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: setup ## play a small tournament of the sample bots and show the standings (CLUSTER=1: on a cluster)
	@$(RUN)/ladder demo $(if $(CLUSTER),--cluster) $(ARGS)

test: setup ## run the tests, except for the longer proofs
	@COURTYARD_SAMPLE=$(TEST_SAMPLE) $(PYTEST) --numprocesses=$(WORKERS) $(ARGS)

proof: setup ## run the longer proofs (SAMPLE=20: a twentieth of each file's)
	@COURTYARD_SAMPLE=$(SAMPLE) $(PYTEST) $(PROOFS) --timeout=0 $(ARGS)

collect: setup ## import all tests, and say how many each file has
	@$(RUN)/pytest --collect-only -qq $(ARGS)

chaos: setup ## let a monkey stop, kill, starve and cut a ladder, then check all (SEED=7 MATCHES=200)
	@$(RUN)/python -m tests.chaos --seed $(SEED) --matches $(MATCHES) $(ARGS)

soak: setup ## serve and play a ladder for hours, and say on one page what grows (HOURS=6)
	@$(RUN)/python -m tests.soak --hours $(HOURS) $(ARGS)

bench: setup ## measure the speed of matches and of the ladder
	@$(RUN)/pytest -m bench --timeout=0 --capture=no tests/benchmarks $(ARGS)

bench-ranking: setup ## what a right ranking costs, ours and others', simulated (REAL=1: of real bots; SEEDS=200)
	@OPENBLAS_NUM_THREADS=1 $(RUN)/python -m tests.benchmarks.ranking.$(if $(REAL),real.)bench \
		$(if $(SEEDS),--seeds $(SEEDS)) $(ARGS)

check: lint types proto-check test ## run all that must pass before a commit

lint: setup ## check style and who imports whom
	@$(RUN)/ruff check $(ARGS)
	@$(RUN)/ruff format --check
	@$(RUN)/lint-imports --no-logo

types: setup ## check types
	@$(RUN)/mypy $(ARGS)

format: setup ## format the code and mend what ruff can mend
	@$(RUN)/ruff check --fix-only --quiet
	@$(RUN)/ruff format

proto: setup ## generate the Python code of the protocol
	@$(RUN)/python scripts/generate.py

proto-check: setup ## check that the generated code is what the .proto files give
	@$(RUN)/pytest --quiet tests/project/test_generated_code.py

openapi: setup ## describe the author API in docs/openapi.json, unless a change would break its clients
	@$(RUN)/python -m scripts.openapi

proto-lint: ## check the style of the .proto files; needs npx
	@npx --yes --loglevel=error @bufbuild/buf@1.75.0 lint proto

playthroughs: setup ## write the golden playthroughs of all games anew; review the difference
	@$(RUN)/python tests/referee/conformance/test_conformance.py

vectors: setup ## write the golden messages for bots in other languages anew; review the difference
	@$(RUN)/python scripts/vectors.py

pictures: setup ## draw the pictures of the README anew, from what the commands print
	@$(RUN)/python scripts/pictures.py

strengths: setup ## rate all sample bots in a ladder of each game, and write docs/strengths.md
	@$(RUN)/python scripts/strengths.py $(ARGS)

dist: setup ## build the wheel and the source distribution in dist/
	@rm -rf dist
	@$(RUN)/python -m hatchling build

lock: ## pin the packages that pyproject.toml asks for (ARGS=--upgrade: their newest versions)
	@$(or $(UV),$(wildcard $(RUN)/uv),$(error make lock needs uv: $(PYTHON) -m pip install uv)) \
		pip compile pyproject.toml --extra ladder --extra cluster --extra data --extra llm --extra mcp --extra postgresql --extra train --extra web --extra dev --group build --universal --python-version 3.11 \
		--generate-hashes --custom-compile-command "make lock" --quiet \
		--output-file requirements.lock $(ARGS)
	@sed -n 's/^ *"\(open-spiel[^"]*\)".*/\1/p' pyproject.toml | $(or $(UV),$(RUN)/uv) \
		pip compile - --constraint requirements.lock --universal --python-version 3.11 \
		--generate-hashes --custom-compile-command "make lock" --quiet --no-annotate \
		--output-file openspiel.lock $(ARGS)

openspiel: setup ## add OpenSpiel to .venv, whose games some tests play
	@$(if $(UV),$(UV) pip install --python $(RUN)/python,$(RUN)/python -m pip install --disable-pip-version-check) \
		--quiet --require-hashes -r openspiel.lock

setup: ## make .venv, or bring it up to date; the other targets do this first
	@sh scripts/setup.sh "$(PYTHON)" "$(UV)"

clean: ## remove .venv, caches and builds
	@rm -rf .venv build dist .hypothesis .*_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
