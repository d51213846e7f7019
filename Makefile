# Every command that a person or CI needs. Each installs what it lacks: Node.js 20 or later, npm and make are enough.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

# The project's own Node.js 24, from npm, whatever the machine has.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
INSTALLED := node_modules/.installed
DEMO_ARGS ?=
BENCH ?=
TESTS ?=
BUILD := rm -rf dist && npm run -s build

.PHONY: help install demo test e2e soak verify check build release bench generate test-table clean

help: ## List these commands
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

install: $(INSTALLED) ## Install what the project needs (done by the others, too)

# Not `npm ci`: it deletes node_modules first, and the results of tests that are kept there.
$(INSTALLED): package.json package-lock.json $(wildcard packages/*/package.json)
	npm install --no-save --no-audit --no-fund --no-update-notifier --loglevel=error
	@touch $@

demo: $(INSTALLED) ## Run Evenkeel on an embedded cluster; DEMO_ARGS="--speed 300" passes options
	@trap : INT; npm run -s evenkeel -- demo $(DEMO_ARGS) || [ $$? -eq 130 ] # 130: ended by Ctrl-C, which is no error

# Programs are started dozens of times: compiled once, each start costs half the CPU.
test e2e soak: export NODE_COMPILE_CACHE := $(CURDIR)/node_modules/.cache/node-compile

# $(call JEST,script of package.json,result file): Jest in a process group of its own. A SIGTERM of make reaches this shell alone,
# which ends the group: Jest, its workers and the programs that they started.
JEST = { trap 'kill -- -$$!; wait; exit 143' TERM INT; set -m; npm run -s $(1) -- --json --outputFile=$(2) $(TESTS) </dev/null & set +m; wait $$!; }

test: $(INSTALLED) ## Run unit tests, the API contract and one short journey (3 minutes on 2 idle cores); TESTS=path runs a part
	@rm -f node_modules/.test-results.json
	@node hack/check-test-paths.ts test $(TESTS)
	@status=0; $(call JEST,test,node_modules/.test-results.json) || status=1; \
	  node hack/test-totals.ts node_modules/.test-results.json || status=1; exit $$status

# Suites of test/e2e/ need no Go, Prometheus or PostgreSQL: a part of these only is run without.
E2E_NEEDS := $(if $(TESTS),$(if $(filter-out test/e2e/%,$(TESTS)),hack/e2e-needs,true),hack/e2e-needs)

# One recipe, so that a total is printed also where the build fails.
e2e: $(INSTALLED) ## Run long journeys and all that needs a real control plane (Go 1.26; at most 12 minutes warm on 2 idle cores, 10 more cold); TESTS=path runs a part
	@rm -f node_modules/.e2e-results.json
	@node hack/check-test-paths.ts e2e $(TESTS)
	@status=0; { $(BUILD) && $(E2E_NEEDS) && $(call JEST,test:e2e,node_modules/.e2e-results.json); } || status=1; \
	  node hack/test-totals.ts node_modules/.e2e-results.json || status=1; exit $$status

soak: $(INSTALLED) ## Run the fortnight, 1,000 random kills and wide random seeds (hours); TESTS=path runs one
	@rm -f node_modules/.soak-results.json
	@node hack/check-test-paths.ts soak $(TESTS)
	@status=0; $(call JEST,test:soak,node_modules/.soak-results.json) || status=1; \
	  node hack/test-totals.ts node_modules/.soak-results.json || status=1; exit $$status

check: $(INSTALLED) ## Format, types, lint, import rules, unused code, vocabulary, generated files (3 minutes)
	npm run -s format:check
	npm run -s typecheck
	npm run -s lint
	npm run -s depcruise
	npm run -s knip
	node hack/check-vocabulary.ts
	node hack/generate.ts --check

verify: check ## Run check, then test: what must pass before a commit
	@if [ "$(SKIP_TESTS)" = "" ]; then $(MAKE) --no-print-directory test; fi

build: $(INSTALLED) ## Compile to dist/
	$(BUILD)

release: $(INSTALLED) ## Write sources, chart, SBOM, digests and notes into release/; IMAGE=REGISTRY/evenkeel@sha256:DIGEST
	@node hack/release/main.ts release $(IMAGE)

bench: $(INSTALLED) ## Print figures, one JSON line each; BENCH=name runs one
	@node hack/bench.ts $(BENCH)

test-table: $(INSTALLED) ## Write the seconds of the last make test, e2e and soak into test/README.md
	@node hack/test-table.ts

generate: $(INSTALLED) ## Write every generated file anew
	node hack/generate.ts

clean: ## Remove what was installed and built
	rm -rf dist dist-embedded-cluster node_modules
