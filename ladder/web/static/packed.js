// Unpacks the data of a replay (base64 of zlib) into the element that the player reads, while the
// scripts of the player are still on their way, and tells them.
(() => {
  "use strict";
  const packed = document.getElementById("replay-packed");

  const unpacked = () => {
    const bytes = Uint8Array.from(atob(packed.textContent), (c) => c.charCodeAt(0));
    const stream = new DecompressionStream("deflate");
    const writer = stream.writable.getWriter();
    writer.write(bytes);
    writer.close();
    return new Response(stream.readable).text();
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
