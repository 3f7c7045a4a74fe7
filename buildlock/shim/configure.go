package shim

import "strings"

// configures says whether a call of cmake looks for tools and notes where it
// found them. Every other way to call it builds, installs, scripts or asks.
func configures(args []string) bool {
	for _, a := range args {
		switch a {
		case "--build", "--install", "-E", "-P", "--version", "-version", "/V", "--open", "--workflow", "-h", "-H", "-help", "-usage", "/?", "-N":
			return false
		}
		if strings.HasPrefix(a, "--help") {
			return false
		}
	}
	return true
}
