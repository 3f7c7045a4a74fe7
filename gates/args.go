package gates

import "regexp"

// argsUse finds a use of the positional parameters in a shell string.
var argsUse = regexp.MustCompile(`\$[@*1-9]|\$\{[@*1-9]`)

func usesArgs(shell string) bool { return argsUse.MatchString(shell) }
