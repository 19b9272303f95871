// Unpacks the data of a replay into the element that the player reads, while the scripts of the
// player are still on their way, and tells them. The data go on with the stream (deflate, in base64)
// that begins with the dictionary of the game.
(() => {
  "use strict";
  const packed = document.getElementById("replay-packed");
  const [length, dictionary] = window.Courtyard.dictionary;
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

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
