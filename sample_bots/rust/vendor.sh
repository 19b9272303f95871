#!/bin/sh
# Fetches the crates that Cargo.toml names into vendor/, so that builds need no network.
set -eu
cargo vendor --quiet
