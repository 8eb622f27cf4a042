//! Floating-point numbers as JSON, bit for bit.

use serde_json::{Number, Value};

use super::DataError;
use super::decode::{Path, kind, shortened};

/// A binary format of IEEE 754, by the number of bits of its fields.
struct Format {
    exponent: u32,
    fraction: u32,
}

impl Format {
    fn of(bits: u32) -> Self {
        if bits == 32 { Format { exponent: 8, fraction: 23 } } else { Format { exponent: 11, fraction: 52 } }
    }

    fn sign(&self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    /// The bits of infinity.
    fn infinity(&self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    /// The fraction of a quiet NaN without a payload.
    fn quiet(&self) -> u64 {
        1 << (self.fraction - 1)
    }
}

/// The bits of a number, or of one of the texts for values that JSON numbers cannot represent.
pub(super) fn decode(path: &Path<'_>, value: &Value, bits: u32) -> Result<u64, DataError> {
    match value {
        Value::Number(number) => {
            let beyond =
                || DataError::FloatRange { path: path.to_string(), value: shortened(number.as_str()), bits };
            finite(number.as_str(), bits).ok_or_else(beyond)
        }
        Value::String(text) => {
            special(text, &Format::of(bits)).ok_or_else(|| kind(path, value, &wanted(bits)))
        }
        _ => Err(kind(path, value, &wanted(bits))),
    }
}

fn wanted(bits: u32) -> String {
    format!("a float of {bits} bits (a number, \"Infinity\", \"-Infinity\" or \"NaN\")")
}

/// The float nearest to a decimal number; none if it is infinite.
fn finite(text: &str, bits: u32) -> Option<u64> {
    match bits {
        32 => text.parse::<f32>().ok().filter(|value| value.is_finite()).map(|value| value.to_bits().into()),
        _ => text.parse::<f64>().ok().filter(|value| value.is_finite()).map(f64::to_bits),
    }
}

fn special(text: &str, format: &Format) -> Option<u64> {
    let (sign, name) = match text.strip_prefix('-') {
        Some(name) => (format.sign(), name),
        None => (0, text),
    };
    let fraction = match name {
        "Infinity" => 0,
        "NaN" => format.quiet(),
        _ => {
            let digits = name.strip_prefix("NaN(0x")?.strip_suffix(')')?;
            let hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            let fraction = u64::from_str_radix(digits, 16).ok().filter(|_| hexadecimal)?;
            Some(fraction).filter(|fraction| (1..1 << format.fraction).contains(fraction))?
        }
    };
    Some(sign | format.infinity() | fraction)
}

/// A float as a JSON value that [`decode`] maps to the same bits.
pub(super) fn encode(word: u64, bits: u32) -> Value {
    let format = Format::of(bits);
    let magnitude = word & !format.sign();
    if magnitude < format.infinity() {
        let digits = match bits {
            32 => format!("{:?}", f32::from_bits(word as u32)),
            _ => format!("{:?}", f64::from_bits(word)),
        };
        return Value::Number(digits.parse::<Number>().expect("a finite float is a JSON number"));
    }
    let name = match magnitude - format.infinity() {
        0 => "Infinity".into(),
        fraction if fraction == format.quiet() => "NaN".into(),
        fraction => format!("NaN({fraction:#x})"),
    };
    Value::String(if word & format.sign() != 0 { format!("-{name}") } else { name })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn bits(value: Value, width: u32) -> Result<u64, String> {
        decode(&Path::Variable("x"), &value, width).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_are_rounded_once() {
        // Above the midpoint of two neighbouring floats by less than a double resolves.
        let text = "1.00000005960464477539062500000000000000000000000001";
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(bits(value, 32), Ok(0x3f80_0001));
        assert_eq!(bits(json!(1), 64), Ok(1f64.to_bits()));
        assert_eq!(bits(serde_json::from_str("-0").unwrap(), 32), Ok(0x8000_0000));
        assert_eq!(bits(serde_json::from_str("-0.0").unwrap(), 64), Ok(1 << 63));
        assert_eq!(bits(serde_json::from_str("4.9e-324").unwrap(), 64), Ok(1));
    }

    #[test]
    fn what_is_no_number_has_a_name() {
        for (name, word) in [
            ("Infinity", 0x7f80_0000),
            ("-Infinity", 0xff80_0000),
            ("NaN", 0x7fc0_0000),
            ("-NaN", 0xffc0_0000),
            ("NaN(0x1)", 0x7f80_0001),
            ("-NaN(0x7fffff)", 0xffff_ffff),
        ] {
            assert_eq!(bits(json!(name), 32), Ok(word), "{name}");
            assert_eq!(encode(word, 32), json!(name));
        }
    }

    #[test]
    fn other_values_are_refused() {
        let large = serde_json::from_str("3.5e+38").unwrap();
        assert_eq!(bits(large, 32).unwrap_err(), "x: 3.5e+38 is beyond the range of a float of 32 bits");
        assert!(bits(serde_json::from_str("1e400").unwrap(), 64).unwrap_err().contains("beyond the range"));
        for value in
            [json!("1.5"), json!("nan"), json!("NaN(0x0)"), json!("NaN(0x800000)"), json!("NaN(0x+1)")]
        {
            assert!(bits(value, 32).unwrap_err().contains("where a float of 32 bits"));
        }
        for value in [json!(true), json!(null), json!([1.0]), json!({})] {
            assert!(bits(value, 64).unwrap_err().contains("where a float of 64 bits"));
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_as_the_same_bits(word: u64, special in 0..4u32) {
            let edge = |word: u64, format: Format| match special {
                0 => word | format.infinity(),
                1 => word & !format.infinity(),
                _ => word,
            };
            for (width, mask, format) in [(32, 0xffff_ffff, Format::of(32)), (64, u64::MAX, Format::of(64))] {
                let word = edge(word, format) & mask;
                let text = encode(word, width).to_string();
                prop_assert_eq!(bits(serde_json::from_str(&text).unwrap(), width), Ok(word));
            }
        }
    }
}
