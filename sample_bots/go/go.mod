module bot

go 1.24.0

require google.golang.org/protobuf v1.36.11

tool google.golang.org/protobuf/cmd/protoc-gen-go
