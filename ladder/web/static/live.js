// Looks now and then whether the page has something new, and puts it in place without a jump.
(() => {
  "use strict";
  const EVERY_MS = 5000;

  const refresh = async () => {
    if (document.hidden) return;
    const answer = await fetch(location.href, { cache: "no-cache" });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [now, then] = [fresh, document].map((page) => page.querySelector("main"));
    if (now.innerHTML === then.innerHTML) return;
    const focused = document.activeElement;
    if (then.contains(focused) && focused !== then) return; // the reader is at work in there
    then.replaceChildren(...now.childNodes);
  };

  setInterval(() => refresh().catch(() => {}), EVERY_MS); // a server that is away may come back
})();
