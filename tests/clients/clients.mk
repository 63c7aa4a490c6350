# `make clients-test`: other people's programs, and the examples in their own tools, at a real
# station. It installs what they need: from Debian where a program is missing, and below .venv/.
CLIENTS := .venv/clients
PROGRAMS := node:nodejs npm:npm g++:g++ chromium:chromium

.PHONY: clients-test clients-programs

clients-test: $(TEST)/.ready clients-programs $(CLIENTS)/node/.ready $(CLIENTS)/visa/.ready
	$(TEST)/bin/python -m pytest tests/clients -m clients

clients-programs:
	@missing=; for each in $(PROGRAMS); do \
	  command -v $${each%%:*} >/dev/null || missing="$$missing $${each##*:}"; \
	done; \
	if [ -n "$$missing" ]; then \
	  as=; [ "$$(id -u)" = 0 ] || as=sudo; \
	  $$as apt-get update -qq && \
	  $$as env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing; \
	fi

$(CLIENTS)/node/.ready: tests/clients/package.json tests/clients/package-lock.json | clients-programs
	rm -rf $(@D)
	mkdir -p $(@D)
	cp tests/clients/package.json tests/clients/package-lock.json $(@D)
	cd $(@D) && npm ci --silent --no-audit --no-fund
	touch $@

$(CLIENTS)/visa/.ready: tests/clients/requirements.txt
	rm -rf $(@D)
	mkdir -p $(CLIENTS)
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r $<
	touch $@
