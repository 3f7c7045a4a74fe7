package shim

import "strings"

// readCUDA reads nvcc's command line. A link there begins with nvlink, also of
// one source without relocatable device code (nvcc --dryrun shows it), and
// nvcc puts its own directory before PATH: nothing of ours would be asked. So
// a ticket is taken for the whole call unless the device link is switched off.
func readCUDA(args []string) Call {
	var c Call
	inputs, sources, stopped, device := 0, 0, false, true
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !strings.HasPrefix(a, "-"):
			inputs++
			if kindOf(a) == source {
				sources++
			}
		case cudaStops(a):
			stopped = true
		case a == "-run", a == "--run":
			c.Wraps = true
		case a == "-nodlink", a == "--no-device-link":
			device = false
		case isOptionsFile(a): // what is in it is not known
			inputs++
			i += separate(a)
		case cudaTakesNext(a):
			i++
		}
	}
	c.Links = inputs > 0 && !stopped
	c.Compiles = sources > 0
	c.Hidden = device
	c.Linker = "ld"
	return c
}

func cudaStops(a string) bool {
	switch a {
	case "-c", "--compile", "-dc", "--device-c", "-dw", "--device-w", "-cuda", "--cuda", "-cubin", "--cubin",
		"-ptx", "--ptx", "-fatbin", "--fatbin", "-optix-ir", "--optix-ir", "-ltoir", "--ltoir",
		"-E", "--preprocess", "-M", "--generate-dependencies", "-MM", "--generate-nonsystem-dependencies",
		"-lib", "--lib", "-dryrun", "--dryrun", "-V", "--version", "-h", "--help",
		"-code-ls", "--list-gpu-code", "-arch-ls", "--list-gpu-arch", "-clean", "--clean-targets":
		return true
	}
	return false
}

func isOptionsFile(a string) bool {
	name, _, _ := strings.Cut(a, "=")
	return name == "-optf" || name == "--options-file"
}

// separate is 1 when the value of option a is the next argument.
func separate(a string) int {
	if strings.Contains(a, "=") {
		return 0
	}
	return 1
}

// cudaTakesNext says whether the next argument belongs to option a.
func cudaTakesNext(a string) bool {
	switch a {
	case "-o", "--output-file", "-include", "--pre-include", "-l", "--library", "-D", "--define-macro",
		"-U", "--undefine-macro", "-I", "--include-path", "-isystem", "--system-include", "-L", "--library-path",
		"-odir", "--output-directory", "-ccbin", "--compiler-bindir", "-arbin", "--archiver-binary",
		"-cudart", "--cudart", "-cudadevrt", "--cudadevrt", "-ldir", "--libdevice-directory",
		"-target-dir", "--target-directory", "-opt-info", "--optimization-info", "-O", "--optimize",
		"-Ofc", "--Ofast-compile", "-dopt", "--dopt", "-ftemplate-backtrace-limit", "--ftemplate-backtrace-limit",
		"-ftemplate-depth", "--ftemplate-depth", "-x", "--x", "-std", "--std", "-m", "--machine",
		"-Xcompiler", "--compiler-options", "-Xlinker", "--linker-options", "-Xarchive", "--archive-options",
		"-Xptxas", "--ptxas-options", "-Xnvlink", "--nvlink-options", "-t", "--threads",
		"-split-compile", "--split-compile", "-split-compile-extended", "--split-compile-extended",
		"-fdevice-time-trace", "--fdevice-time-trace", "-keep-dir", "--keep-dir", "-time", "--time",
		"-run-args", "--run-args", "-idp", "--input-drive-prefix", "-ddp", "--dependency-drive-prefix",
		"-dp", "--drive-prefix", "-MF", "--dependency-output", "-MT", "--dependency-target-name",
		"-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code",
		"-rdc", "--relocatable-device-code", "-e", "--entries", "-maxrregcount", "--maxrregcount",
		"-ftz", "--ftz", "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt", "-fmad", "--fmad",
		"-default-stream", "--default-stream", "-Werror", "--Werror", "-diag-error", "--diag-error",
		"-diag-suppress", "--diag-suppress", "-diag-warn", "--diag-warn", "-hls", "--host-linker-script",
		"-brief-diag", "--brief-diagnostics", "-jtd", "--jump-table-density",
		"-device-stack-protector", "--device-stack-protector", "-compress-mode", "--compress-mode",
		"-frandom-seed", "--frandom-seed", "-sanitize", "--sanitize",
		"-static-global-template-stub", "--static-global-template-stub":
		return true
	}
	return false
}
