// Unpacks the data of a replay: raw deflate, in base 64, which goes on from what this script knows.
// Browsers have been able to since 2023.
(() => {
  "use strict";
  const packed = document.getElementById("replay-packed");
  if (!window.DecompressionStream) {
    document.getElementById("replay").append("The replay needs a newer browser; the result follows.");
    return;
  }
  const { known } = window.Courtyard;
  const size = known.length;
  // What is known is unpacked first, from a block of deflate that stores it as it is.
  const stored = new Uint8Array([0, size & 255, size >> 8, ~size & 255, (~size >> 8) & 255]);
  const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
  packed.remove();
  const whole = new Blob([stored, known, bytes]).stream();
  const unpacked = new Response(whole.pipeThrough(new DecompressionStream("deflate-raw"))).text();
  window.Courtyard.data = unpacked.then((text) => JSON.parse(text.slice(size)));
})();
