#!/bin/sh
# Fetches the packages that package-lock.json names into node_modules/, so that builds need no network.
set -eu
npm ci --no-bin-links
cd node_modules/typescript/lib
rm -r [a-z][a-z] [a-z][a-z]-[a-z]* typescript.js # other languages, and the library for editors
