"use strict";

// Splits a number as the library does: a share below u for each bit, lowest first, by rejection from random bytes, then a name of 16
// bytes. `random(n)` gives n random bytes. The first half has the shares, the second what is missing to the bits modulo u.
function seal(number, bits, u, random) {
  if (!Number.isSafeInteger(bits) || bits < 1 || bits > 64) throw new RangeError("bits");
  if (!Number.isSafeInteger(u) || u <= bits + 2 || u > 255) throw new RangeError("u");
  if (typeof number !== "bigint" || number < 0n || number >> BigInt(bits) !== 0n) throw new RangeError("number");
  let mask = 1;
  while (mask < u) mask *= 2;
  const halves = [new Uint8Array(16 + bits), new Uint8Array(16 + bits)];
  for (let i = 0; i < bits; i++) {
    let share;
    do share = random(1)[0] & (mask - 1); while (share >= u);
    halves[0][16 + i] = share;
    halves[1][16 + i] = (Number((number >> BigInt(i)) & 1n) + u - share) % u;
  }
  const name = random(16);
  halves.forEach((half) => half.set(name, 0));
  return halves;
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
