package config

import _ "embed"

//go:embed reference.toml
var reference string

// Reference returns a gpuci.toml for people to read and copy from: every key
// with its default and unit. It loads as it stands, but its commands are
// examples.
func Reference() string { return reference }
