// Follows the system's dark or light theme until the reader presses the button to choose one. Runs
// before the first paint, so that the page never flashes in the wrong colours.
(() => {
  "use strict";
  const KEY = "courtyard-theme";
  const root = document.documentElement;

  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage is forbidden: the system decides
    }
  };
  const store = (theme) => {
    try {
      if (theme) localStorage.setItem(KEY, theme);
      else localStorage.removeItem(KEY);
    } catch {
      // the choice holds for this page
    }
  };
  const chosen = stored();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "theme";
    button.setAttribute("aria-label", "Dark theme");
    button.append(document.createElement("i"));
    const system = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    const show = () => {
      button.setAttribute("aria-pressed", String(isDark()));
      document.dispatchEvent(new CustomEvent("courtyard-theme"));
    };
    button.addEventListener("click", () => {
      const theme = isDark() ? "light" : "dark";
      const asSystem = (theme === "dark") === system.matches;
      if (asSystem) delete root.dataset.theme;
      else root.dataset.theme = theme;
      store(asSystem ? null : theme);
      show();
    });
    system.addEventListener("change", show);
    show();
    document.querySelector(".top .wide").append(button);
  });
})();
