(function () {
  "use strict";
  var root = document.documentElement, key = "colour-scheme";
  var controls = document.querySelectorAll("[data-scheme-switch]");
  function remembered() {
    try { return window.localStorage.getItem(key); } catch (error) { return null; }
  }
  function now() {
    if (root.dataset.mode) { return root.dataset.mode; }
    return getComputedStyle(root).getPropertyValue("--mode").trim() === "dark" ? "dark" : "light";
  }
  function show(mode) {
    root.dataset.mode = mode;
    controls.forEach(function (control) { control.setAttribute("aria-pressed", String(mode === "dark")); });
  }
  controls.forEach(function (control) {
    control.addEventListener("click", function () {
      var mode = now() === "dark" ? "light" : "dark";
      show(mode);
      // Storage throws in private windows and sandboxed previews: the choice then holds for this page alone.
      try { window.localStorage.setItem(key, mode); } catch (error) { control.dataset.forgotten = "true"; }
    });
  });
  if (remembered()) { show(remembered()); }
})();
