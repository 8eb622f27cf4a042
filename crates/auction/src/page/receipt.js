
// Checks what servers sign, as the library does. `key` is a server's public key as both servers name it.
function bytesOf(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function joined(...parts) {
  const bytes = parts.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const all = new Uint8Array(bytes.reduce((sum, part) => sum + part.length, 0));
  bytes.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

function number64(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number), true);
  return bytes;
}

// Whether a server has signed a receipt for this half of this bid.
async function isReceipt(receipt, bid, server) {
  const opened = joined("tacit 2026 commitment to a half of a sealed bid, version 1\0", bytesOf(bid.blindings[server]), bytesOf(bid.halves[server]));
  const commitment = new Uint8Array(await crypto.subtle.digest("SHA-256", opened));
  if (hex(commitment) !== receipt.commitment) return false;
  const text = joined("tacit 2026 receipt of a half of a sealed bid, version 1\0", "ab"[server], bytesOf(bid.name), commitment,
    number64(receipt.sequence), number64(receipt.time), bytesOf(receipt.chain), bid.auction);
  const key = await crypto.subtle.importKey("raw", bytesOf(bid.keys[server].replace("tacit-key:ed25519:", "")), "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, bytesOf(receipt.signature), text);
}

// The keys of both servers in what both say they have alike.
function keysOf(parameters) {
  const found = /; A is (tacit-key:ed25519:[0-9a-f]{64}); B is (tacit-key:ed25519:[0-9a-f]{64})$/.exec(parameters);
  if (!found) throw new Error("The servers name no keys. Do not bid.");
  return found.slice(1);
}
