# `make deb`, `make install`, `make uninstall`, `make vm-test`. Included by the Makefile, whose RUN
# and TEST environments it uses; everything is built below build/.
DESTDIR ?=
PREFIX ?= /usr/local
PACKAGE := build/package
WHEELS := $(PACKAGE)/wheels
VERSION ?= $(shell packaging/version)
# Evaluated once, as sources that are edited meanwhile would change the name.
VERSION := $(VERSION)
DEB := $(PACKAGE)/dice-station_$(VERSION)_all.deb
# A tree for each prefix: one staged for /usr/local within that of the package would get into it.
LOCAL := $(PACKAGE)/for$(subst /,-,$(PREFIX))
SHIPPED := $(shell find rules hardware station systemd packaging docs -type f -not -path '*/__pycache__/*')

.PHONY: deb install uninstall vm-test

deb: $(DEB)
	@echo "$(DEB)"

# One package at a time, so that a pattern finds the newest alone.
$(DEB): $(PACKAGE)/tree/usr/.ready
	rm -f $(PACKAGE)/dice-station_*_all.deb
	packaging/build-deb $(PACKAGE)/tree $(VERSION) $@

# Beside the libraries of Debian named by packaging/deb/control, which `dice-station` looks for itself.
install: $(LOCAL)$(PREFIX)/.ready
	packaging/install $(LOCAL) "$(PREFIX)" "$(DESTDIR)"

uninstall:
	packaging/uninstall "$(PREFIX)" "$(DESTDIR)"

# The version before is the same tree under a lower number.
vm-test: $(DEB) $(LOCAL)$(PREFIX)/.ready $(TEST)/.ready
	packaging/build-deb $(PACKAGE)/tree 0.0.1 $(PACKAGE)/older.deb
	tests/vm/prepare build/vm $(DEB)
	$(RUN)/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
	  --only-binary :all: --python-version 3.11 --platform manylinux_2_34_x86_64 \
	  --dest build/vm/wheels --requirement tests/vm/lgpio.txt
	VM=build/vm DEB=$(DEB) OLDER_DEB=$(PACKAGE)/older.deb LOCAL=$(LOCAL) PREFIX=$(PREFIX) \
	  $(TEST)/bin/python -m pytest tests/vm --timeout 900 -v $(VM_TESTS)

$(PACKAGE)/tree/usr/.ready: $(WHEELS)/.ready packaging/stage $(SHIPPED)
	packaging/stage $(WHEELS) $(PACKAGE)/tree /usr $(RUN)/bin/python
	@touch $@

$(LOCAL)$(PREFIX)/.ready: $(WHEELS)/.ready packaging/stage $(SHIPPED)
	packaging/stage $(WHEELS) $(LOCAL) "$(PREFIX)" $(RUN)/bin/python
	@touch $@

# Also the wheel of the station itself, so that what is installed is what a wheel holds.
$(WHEELS)/.ready: $(RUN)/.ready packaging/vendored.txt packaging/fetch $(SHIPPED)
	packaging/fetch $(RUN)/bin/python $(WHEELS)
	@touch $@
