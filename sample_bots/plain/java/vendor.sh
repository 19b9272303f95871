#!/bin/sh
# Fetches the libraries that pom.xml names into lib/, so that builds need neither Maven nor a network.
set -eu
mvn dependency:copy-dependencies
