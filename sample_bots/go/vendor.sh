#!/bin/sh
# Fetches the modules that go.mod names into vendor/, so that builds need no network.
set -eu
go mod vendor
