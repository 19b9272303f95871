// Makes the pages of authors quicker: takes what is dropped, shows a log as it grows, and reads the
// token of an invitation link, which the server never sees as an address. All but the drop works
// without this script.
(() => {
  "use strict";

  const invited = () => {
    const token = location.hash.slice(1);
    if (!token.startsWith("courtyard_")) return;
    const field = document.getElementById("token");
    if (!field) {
      location.replace(new URL("/me/in", location) + location.hash); // signed in, perhaps as another
      return;
    }
    history.replaceState(null, "", location.pathname);
    field.value = token;
    field.form.querySelector("[type=submit]").focus();
  };
  invited();
  addEventListener("hashchange", invited);

  // A log that grows.
  const follow = async (log) => {
    let next = Number(log.dataset.next);
    for (;;) {
      const answer = await fetch(`${log.dataset.follow}?after=${next}&wait=20`);
      if (answer.status === 429 || answer.status >= 500) {
        await new Promise((done) => setTimeout(done, 5000));
        continue;
      }
      if (!answer.ok) break;
      const submission = await answer.json();
      const atEnd = log.scrollTop + log.clientHeight > log.scrollHeight - 8;
      log.append(submission.log);
      if (atEnd) log.scrollTop = log.scrollHeight;
      next = submission.next;
      if (submission.state !== "running") break;
    }
    location.reload();
  };
  for (const log of document.querySelectorAll("[data-follow]")) {
    follow(log).catch(() => setTimeout(() => location.reload(), 5000)); // the server may come back
  }

  // What is dropped.
  const SKIPPED = new Set([".git", ".hg", ".svn", ".DS_Store", "__pycache__", "node_modules", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache"]);

  const files = async (entry, path, form) => {
    if (SKIPPED.has(entry.name)) return;
    if (entry.isFile) {
      const file = await new Promise((done, failed) => entry.file(done, failed));
      form.append("files", file, path + entry.name);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) return;
      for (const each of some) await files(each, `${path}${entry.name}/`, form);
    }
  };

  const place = document.querySelector("form[data-api]");
  if (!place) return;
  const failure = document.getElementById("failure");
  place.querySelector(".onto").hidden = false;

  const send = async (entries) => {
    failure.textContent = "";
    const form = new FormData();
    for (const entry of entries) await files(entry, "", form);
    const answer = await fetch(`${place.dataset.api}submissions`, { method: "POST", body: form });
    const submission = await answer.json();
    if (answer.ok) location.assign(`submissions/${submission.sha256}/`);
    else failure.textContent = submission.detail;
  };

  const over = (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    place.classList.add("dragged");
  };
  document.addEventListener("dragover", over);
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) place.classList.remove("dragged");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("dragged");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    send(entries).catch((error) => {
      failure.textContent = `The upload failed: ${error.message}`;
    });
  });
})();
