// Unpacks the data of a replay (base64 of zlib) into the element that the player reads, and then
// runs the scripts of the player, in the order of their numbers.
(() => {
  "use strict";
  const own = document.currentScript;
  const packed = document.getElementById("replay-packed");

  const unpacked = async () => {
    const bytes = Uint8Array.from(atob(packed.textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  };

  const run = async () => {
    const data = document.createElement("script");
    data.type = "application/json";
    data.id = "replay-data";
    data.textContent = await unpacked();
    packed.replaceWith(data);
    for (let i = 1; own.getAttribute(`data-then-${i}`); i += 1) {
      const script = document.createElement("script");
      script.src = own.getAttribute(`data-then-${i}`);
      script.async = false; // in this order
      document.body.append(script);
    }
  };

  run();
})();
