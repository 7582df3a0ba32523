window.App = (function () {
  "use strict";
  var embedded = JSON.parse(document.getElementById("app-data").textContent);
  var memory = {};
  var toastTimer = 0;
  var App = { items: {}, list: embedded.items, detailPage: embedded.detail };

  embedded.items.forEach(function (item) { App.items[item.id] = item; });

  function storageKey(key) { return embedded.key + ":" + key; }

  // Storage throws in private windows and sandboxed previews: the page then remembers until it is closed.
  App.load = function (key, fallback) {
    var name = storageKey(key);
    try {
      var text = window.localStorage.getItem(name);
      return text === null ? fallback : JSON.parse(text);
    } catch (error) {
      return name in memory ? JSON.parse(memory[name]) : fallback;
    }
  };

  App.save = function (key, value) {
    var name = storageKey(key);
    memory[name] = JSON.stringify(value);
    try { window.localStorage.setItem(name, memory[name]); } catch (error) { App.storageFailed = true; }
    document.dispatchEvent(new CustomEvent("app:change", { detail: { key: key, value: value } }));
    return value;
  };

  App.on = function (selector, event, handler) {
    document.addEventListener(event, function (happened) {
      var target = happened.target instanceof Element ? happened.target.closest(selector) : null;
      if (target) { handler.call(target, happened, target); }
    });
  };

  App.$ = function (selector, within) { return (within || document).querySelector(selector); };
  App.$$ = function (selector, within) { return Array.from((within || document).querySelectorAll(selector)); };

  App.escape = function (text) {
    var box = document.createElement("span");
    box.textContent = String(text);
    return box.innerHTML.replace(/"/g, "&quot;").replace(/'/g, "&#39;");
  };

  App.render = function (element, html) {
    var target = typeof element === "string" ? App.$(element) : element;
    if (target) { target.innerHTML = html; }
    return target;
  };

  App.money = function (amount) { return embedded.currency + Number(amount).toFixed(2); };

  // What the script says, in the language of the app; a page in another one than English brings the words.
  App.text = function (label) {
    return Object.prototype.hasOwnProperty.call(embedded.words, label) ? embedded.words[label] : label;
  };

  App.toast = function (text) {
    var box = document.getElementById("toast");
    box.textContent = text;
    box.classList.add("is-shown");
    window.clearTimeout(toastTimer);
    toastTimer = window.setTimeout(function () { box.classList.remove("is-shown"); }, 2400);
  };

  App.art = function (id) {
    var template = App.$('template[data-art="' + id + '"]');
    return template ? template.innerHTML : "";
  };

  // The item that the address names (`#id`), else the first one.
  App.current = function () {
    return App.items[decodeURIComponent(window.location.hash.slice(1))] || App.list[0];
  };

  App.mode = function (mode) {
    var root = document.documentElement;
    if (mode) { root.setAttribute("data-mode", mode); App.save("mode", mode); }
    return root.getAttribute("data-mode") ||
      getComputedStyle(root).getPropertyValue("--mode").trim() || "light";
  };

  var chosen = App.load("mode", null);
  if (chosen) { document.documentElement.setAttribute("data-mode", chosen); }
  return App;
})();
