
// Raises of a live price, signed as the library signs them, by a key that this browser makes and keeps.
const KEY = "tacit-auction key";

async function bidderKey() {
  const kept = read(KEY);
  if (kept.length === 0) {
    const made = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
    const secret = hex(new Uint8Array(await crypto.subtle.exportKey("pkcs8", made.privateKey)));
    const open = hex(new Uint8Array(await crypto.subtle.exportKey("raw", made.publicKey)));
    kept.push({ secret, public: open });
    write(KEY, kept);
  }
  return kept[0];
}

// Whom raises of this browser's come from, if there were any.
function bidder() {
  return read(KEY)[0]?.public ?? null;
}

// A raise to a price: servers, deadline and auction are signed with it.
async function signedRaise(price, auction, keys) {
  const own = await bidderKey();
  const servers = keys.map((key) => bytesOf(key.replace("tacit-key:ed25519:", "")));
  const text = joined("tacit 2026 raise of an auction's price, version 1\0", ...servers, number64(auction.deadline), number64(price), auction.id);
  const secret = await crypto.subtle.importKey("pkcs8", bytesOf(own.secret), "Ed25519", false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", secret, text));
  return { price, bidder: own.public, signature: hex(signature) };
}

// The key as a file that the command line reads.
function keyFile(own) {
  const lines = btoa(String.fromCharCode(...bytesOf(own.secret))).match(/.{1,64}/g);
  return ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n");
}
