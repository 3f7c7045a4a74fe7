package device_test

import (
	"os"
	"testing"

	"gpuci/kernels/device/devicetest"
)

func TestMain(m *testing.M) {
	devicetest.Child()
	os.Exit(m.Run())
}
