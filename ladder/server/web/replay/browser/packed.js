// Unpacks the data of a replay: deflate, in base 64. Browsers have been able to since 2023.
window.Courtyard = {};
(() => {
  "use strict";
  const packed = document.getElementById("replay-packed");
  if (!window.DecompressionStream) {
    document.getElementById("replay").append("The replay needs a newer browser; the result follows.");
    return;
  }
  const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
  packed.remove();
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  window.Courtyard.data = new Response(unpacked).json();
})();
