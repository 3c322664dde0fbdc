# What a person types; CI types the same.
.PHONY: help setup demo test bench harness exhaustive bits docs lint format clean
PYTEST_ARGS ?=
FUZZ_SECONDS ?= 300
VENV := .venv/bin
CXX_FILES = $(shell find cpp -name '*.h' -o -name '*.cpp' -o -name '*.cu')
# A change of any of these asks for a new installation; Python sources take effect as they are.
SOURCES := pyproject.toml CMakeLists.txt tools/setup.sh $(filter-out cpp/learner/%,$(wildcard cpp/*.* cpp/*/*.*))

help:
	@echo 'make demo    train a classifier with four executables, and compare every byte with one process'
	@echo 'make test    all tests that this machine can run; PYTEST_ARGS="-k frame" narrows them'
	@echo 'make bench   figures of speed and memory: a table; JSON lines and a picture in build/bench'
	@echo 'make harness the primitive cases inside the jax wheel through the lowering, all of them: ten minutes'
	@echo 'make bits    the programs of the examples by every compiler, level and instruction set here: equal bytes'
	@echo 'make exhaustive  elementary functions over all 2^32 inputs against quadruple precision: two to four hours of one core'
	@echo 'make fuzz    what reads a peer bytes, five minutes each target; FUZZ_SECONDS changes that'
	@echo 'make docs    the documentation as a site, in build/site'
	@echo 'make lint    formatters, linters, types and layers'
	@echo 'make format  rewrite sources as the formatters want them'
	@echo 'make clean   remove .venv, build and dist'
	@echo 'Each brings what it needs on its own (tools/setup.sh); as root on Debian that includes compilers and qemu.'

demo: .venv/ready
	@PATH="$$PWD/$(VENV):$$PWD/.venv/debian/usr/bin:$$PATH" $(VENV)/alpha-build demo

test: .venv/ready
	@PATH="$$PWD/$(VENV):$$PWD/.venv/debian/usr/bin:$$PATH" $(VENV)/python -m pytest -rs -n 2 --dist loadscope $(PYTEST_ARGS)

bench: .venv/ready
	@PATH="$$PWD/$(VENV):$$PWD/.venv/debian/usr/bin:$$PATH" $(VENV)/python benchmarks/report.py

harness: .venv/ready
	@PATH="$$PWD/$(VENV):$$PWD/.venv/debian/usr/bin:$$PATH" $(VENV)/python tests/learner/harness.py

bits: .venv/ready
	@cd tests && PATH="$(CURDIR)/$(VENV):$(CURDIR)/.venv/debian/usr/bin:$$PATH" $(CURDIR)/$(VENV)/python -m learner.bits

exhaustive: .venv/ready
	@PATH="$$PWD/$(VENV):$$PWD/.venv/debian/usr/bin:$$PATH" $(VENV)/python tests/learner/exhaustive.py

fuzz: .venv/ready
	@$(VENV)/python tests/fuzz/fuzz.py $(FUZZ_SECONDS)

docs: .venv/ready
	$(VENV)/python tools/command_reference.py
	$(VENV)/pip install -q -e '.[docs]'
	$(VENV)/mkdocs build --quiet

lint: .venv/ready-lint
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy
	$(VENV)/lint-imports
	$(VENV)/clang-format --dry-run -Werror $(CXX_FILES)
	@echo clang-tidy cpp
	@clang-tidy --quiet $(filter-out cpp/bind/% cpp/simulate/%,$(filter %.cpp,$(CXX_FILES))) -- -std=c++20 -ffreestanding -Icpp 2>/dev/null

format: .venv/ready-lint
	$(VENV)/ruff check --fix-only .
	$(VENV)/ruff format .
	$(VENV)/clang-format -i $(CXX_FILES)

setup: .venv/ready

.venv/ready: $(SOURCES)
	@tools/setup.sh run
	@touch $@

.venv/ready-lint: .venv/ready
	@tools/setup.sh lint
	@touch $@

clean:
	rm -rf .venv build dist
