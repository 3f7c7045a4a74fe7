package metric

import "testing"

// strconv reads 1e-400 as 0 and says nothing of it; a 0 that is printed is one.
func TestUnderflow(t *testing.T) {
	for text, fine := range map[string]bool{
		"0": true, "-0.000": true, "0e-999": true, "0x0p-9": true, "5e-324": true, "0.0e5": true,
		"1e-400": false, "-0.01e-400": false, "0x1p-2000": false, "0xap-2000": false, "1E-330": false,
	} {
		if v, err := parse(text, ""); (err == nil) != fine {
			t.Errorf("%s is %v, %v", text, v, err)
		}
	}
}
