// Unpacks the data of a replay into the element that the player reads, while the scripts of the
// player are still on their way, and tells them. The data go on with the stream (deflate, in base
// 85) that begins with the dictionary of the game.
(() => {
  "use strict";
  const packed = document.getElementById("replay-packed");
  const [length, dictionary] = window.Courtyard.dictionary;
  const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%/()*+-;,=.?@^_`{|}~";

  // Five letters are four bytes; the last group may be shorter.
  const bytes = (text) => {
    const worth = new Uint8Array(128);
    [...LETTERS].forEach((letter, i) => (worth[letter.charCodeAt(0)] = i));
    const found = new Uint8Array(4 * Math.ceil(text.length / 5));
    const view = new DataView(found.buffer);
    for (let i = 0; i < text.length; i += 5) {
      let value = 0;
      for (let j = i; j < i + 5; j += 1) value = 85 * value + (j < text.length ? worth[text.charCodeAt(j)] : 84);
      view.setUint32((4 * i) / 5, value);
    }
    return found.subarray(0, Math.floor((4 * text.length) / 5));
  };

  const unpacked = async () => {
    const stream = new DecompressionStream("deflate-raw");
    const writer = stream.writable.getWriter();
    for (const part of [dictionary, packed.textContent]) writer.write(bytes(part));
    writer.close();
    const found = await new Response(stream.readable).arrayBuffer();
    return new TextDecoder().decode(new Uint8Array(found, length));
  };

  const run = async () => {
    const data = document.createElement("script");
    data.type = "application/json";
    data.id = "replay-data";
    data.textContent = await unpacked();
    packed.replaceWith(data);
    document.dispatchEvent(new CustomEvent("courtyard-replay"));
  };

  run();
})();
