#!/bin/sh
# Fetches protobuf's library into lib/, and makes lib/messages.jar of the messages, so that builds need
# neither Maven nor a network.
set -eu
proto=reference/proto
[ -d "$proto" ] || proto=../../proto # where all of Courtyard is
mvn "-Dcourtyard.proto=$proto" generate-sources dependency:copy-dependencies
javac --release 17 -encoding UTF-8 -d target/messages -cp 'lib/*' target/generated-sources/protobuf/courtyard/v1/*.java
jar --create --file lib/messages.jar -C target/messages .
