// Parameters that are numbers, truth values, arrays and structures; iterators, traits, closures, options, statics.
#![allow(non_snake_case)]

#[derive(Clone, Copy)]
pub struct Bidder {
    limit: u16,
    eager: bool,
}

trait Offer {
    fn offer(&self, price: u32) -> Option<u32>;
}

impl Offer for Bidder {
    fn offer(&self, price: u32) -> Option<u32> {
        let raise = if self.eager { price * 2 } else { price + 1 };
        (raise <= u32::from(self.limit)).then_some(raise)
    }
}

#[unsafe(no_mangle)]
pub static mut OUTPUT_BOB_rounds: [u8; 2] = [0; 2];

pub fn auction(
    INPUT_ALICE_prices: [u32; 4],
    INPUT_BOB_bidder: Bidder,
    INPUT_ALICE_reserve: i64,
    INPUT_BOB_double: bool,
    INPUT_BOB_rate: f64,
) -> u64 {
    let mut total = 0u64;
    for (position, price) in INPUT_ALICE_prices.iter().map(|price| price % 1000).enumerate() {
        let offered = INPUT_BOB_bidder.offer(price).unwrap_or(position as u32);
        total += if INPUT_BOB_double { u64::from(offered) * 2 } else { offered.into() };
    }
    let largest = INPUT_ALICE_prices.iter().copied().max().unwrap_or(0);
    unsafe {
        OUTPUT_BOB_rounds[0] = (largest % 251) as u8;
        OUTPUT_BOB_rounds[1] = INPUT_ALICE_prices[(largest % 4) as usize] as u8;
    }
    let above = INPUT_ALICE_reserve.wrapping_abs() as u64 ^ total;
    if INPUT_BOB_rate > 0.5 { above.rotate_left(7) } else { above }
}
