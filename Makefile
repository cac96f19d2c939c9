# make run · make test · make check · make bench: each sets up what it needs first.
PYTHON ?= $(shell for one in python3.13 python3.12 python3.11 python3; do \
	$$one -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$one && break; done)
BIN := .venv/bin
WORKERS ?= 2

.PHONY: run test check format bench profile-tools test-model browser clean

run: .venv/.runtime
	$(if $(PORT),GLASSDESK_PORT=$(PORT)) $(BIN)/python app.py

test: .venv/.dev browser
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

check: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@$(BIN)/python scripts/audit.py

format: .venv/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/.dev
	$(BIN)/python -m benchmarks $(BENCH)

profile-tools: .venv/.dev
	$(BIN)/python -m scripts.profile_tools $(PROFILE)

test-model: .venv/.dev
	$(BIN)/python -m benchmarks.real_model "$(MODEL)"

browser: .venv/.dev
	@$(BIN)/python scripts/browser.py

.venv/.runtime: requirements.txt constraints.txt scripts/environment.py
	@$(PYTHON) scripts/environment.py requirements.txt
	@touch $@

.venv/.dev: requirements-dev.txt requirements.txt constraints.txt scripts/environment.py
	@$(PYTHON) scripts/environment.py requirements-dev.txt
	@touch $@ .venv/.runtime

clean:
	rm -rf .venv
