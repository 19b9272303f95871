// Unpacks the data of a replay: deflate with the dictionary of the game, in base 85.
(() => {
  "use strict";
  const packed = document.getElementById("replay-packed");
  const dictionary = new TextEncoder().encode(window.Courtyard.dictionary);
  const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%/()*+-;,=.?@^_`{|}~";

  // Five letters are four bytes; the last group may be shorter.
  const bytes = (text) => {
    const worth = new Uint8Array(128);
    for (let i = 0; i < LETTERS.length; i += 1) worth[LETTERS.charCodeAt(i)] = i;
    const found = new Uint8Array(4 * Math.ceil(text.length / 5));
    const view = new DataView(found.buffer);
    for (let i = 0; i < text.length; i += 5) {
      let value = 0;
      for (let j = i; j < i + 5; j += 1) value = 85 * value + (j < text.length ? worth[text.charCodeAt(j)] : 84);
      view.setUint32((4 * i) / 5, value);
    }
    return found.subarray(0, Math.floor((4 * text.length) / 5));
  };

  const data = fflate.inflateSync(bytes(packed.textContent), { dictionary });
  window.Courtyard.data = new TextDecoder().decode(data);
  packed.remove();
})();
