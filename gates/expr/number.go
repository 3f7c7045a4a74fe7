package expr

import (
	"fmt"
	"go/constant"
	"go/token"
	"math/big"
	"strconv"
	"strings"
)

// Bounds of one number. They hold any float64 in its usual notation (17 digits,
// powers of ten from -324 to 308) and keep every number below maxBits.
const (
	maxNumber   = 100 // bytes
	maxExponent = 999 // power of ten, either way
)

// maxBits is where go/constant stops to be exact and goes over to floats of 512
// bits; a result that needs more is an error. 2^4096 has 1234 digits.
const maxBits = 4096

// refuseNumber says why a literal is not a decimal number of the language.
func refuseNumber(lit string) string {
	if len(lit) > 1 && lit[0] == '0' && isDigit(lit[1]) {
		return "a number has no leading zeros: Go would read " + shorten(lit) + " as octal"
	}
	if err := decimal(lit); err != nil {
		return err.Error()
	}
	return ""
}

// decimal checks that s is digits with at most one point and a power of ten,
// without a sign, and inside the bounds.
func decimal(s string) error {
	if len(s) > maxNumber {
		return fmt.Errorf("the number %s is longer than %d bytes", shorten(s), maxNumber)
	}
	mantissa, power, hasPower := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || !digits(whole) || !digits(fraction) {
		return fmt.Errorf("%s is not a finite decimal number", shorten(s))
	}
	if !hasPower {
		return nil
	}
	if power != "" && (power[0] == '-' || power[0] == '+') {
		power = power[1:]
	}
	if power == "" || !digits(power) {
		return fmt.Errorf("%s is not a finite decimal number", shorten(s))
	}
	if n, err := strconv.Atoi(power); err != nil || n > maxExponent {
		return fmt.Errorf("the power of ten of %s is past %d", shorten(s), maxExponent)
	}
	return nil
}

// parseCounter reads the text of a counter: a decimal number with a sign or
// without. Leading zeros are fine here: programs print 0042 and mean 42.
func parseCounter(s string) (constant.Value, error) {
	body, negative := strings.TrimPrefix(s, "+"), false
	if body == s {
		body, negative = strings.CutPrefix(s, "-")
	}
	if err := decimal(body); err != nil {
		return nil, err
	}
	v := literal(body)
	if negative {
		v = constant.UnaryOp(token.SUB, v, 0)
	}
	return v, nil
}

// literal is the value of a text that decimal accepted. Go reads 010 as octal
// but 010.0 as ten, and makes both exact.
func literal(s string) constant.Value {
	if digits(s) {
		s += ".0"
	}
	return constant.MakeFromLiteral(s, token.FLOAT, 0)
}

// exact reports whether v is within the bounds in which go/constant is exact.
func exact(v constant.Value) bool {
	switch v := constant.Val(v).(type) {
	case int64:
		return true
	case *big.Int:
		return v.BitLen() <= maxBits
	case *big.Rat:
		return v.Num().BitLen() <= maxBits && v.Denom().BitLen() <= maxBits
	}
	return false // a *big.Float: rounded
}

func digits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
