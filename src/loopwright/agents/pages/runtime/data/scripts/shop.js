(function () {
  "use strict";
  var App = window.App;

  // A line is one item in one choice of options; the same item in another size is another line.
  function lineKey(id, options) { return options ? id + "|" + options : id; }

  App.cart = {
    all: function () { return App.load("cart", []); },
    add: function (id, quantity, choice) {
      var lines = App.cart.all();
      var options = choice && choice.options ? choice.options : "";
      var key = lineKey(id, options);
      var line = lines.find(function (each) { return each.key === key; });
      if (line) { line.quantity += quantity || 1; }
      else {
        var item = App.items[id] || {};
        lines.push({
          key: key, id: id, options: options, quantity: quantity || 1, name: item.name || id,
          price: choice && choice.price !== undefined ? choice.price : item.price || 0
        });
      }
      App.save("cart", lines);
    },
    set: function (key, quantity) {
      var lines = App.cart.all();
      lines.forEach(function (line) { if (line.key === key) { line.quantity = quantity; } });
      App.save("cart", lines.filter(function (line) { return line.quantity > 0; }));
    },
    clear: function () { App.save("cart", []); },
    count: function () { return App.cart.all().reduce(function (sum, line) { return sum + line.quantity; }, 0); },
    total: function () {
      return App.cart.all().reduce(function (sum, line) { return sum + line.quantity * line.price; }, 0);
    }
  };

  App.favorites = {
    all: function () { return App.load("favorites", []); },
    has: function (id) { return App.favorites.all().indexOf(id) >= 0; },
    toggle: function (id) {
      var kept = App.favorites.all();
      var has = kept.indexOf(id) >= 0;
      App.save("favorites", has ? kept.filter(function (each) { return each !== id; }) : kept.concat([id]));
      return !has;
    }
  };

  function nameOf(id) { return App.items[id] ? App.items[id].name : App.text("It"); }

  App.refresh = function () {
    var count = App.cart.count();
    App.$$("[data-cart-count]").forEach(function (badge) {
      badge.textContent = count;
      badge.hidden = count === 0;
    });
    App.$$("[data-favorite]").forEach(function (button) {
      button.setAttribute("aria-pressed", String(App.favorites.has(button.getAttribute("data-favorite"))));
    });
  };

  App.on("[data-add]", "click", function (event, button) {
    event.preventDefault();
    var id = button.getAttribute("data-add");
    App.cart.add(id, 1);
    button.classList.add("is-added");
    window.setTimeout(function () { button.classList.remove("is-added"); }, 600);
    App.toast(nameOf(id) + App.text(" added"));
  });

  App.on("[data-favorite]", "click", function (event, button) {
    event.preventDefault();
    var id = button.getAttribute("data-favorite");
    App.toast(nameOf(id) + (App.favorites.toggle(id) ? App.text(" is now a favourite") : App.text(" is no longer a favourite")));
  });

  document.addEventListener("app:change", App.refresh);
  document.addEventListener("DOMContentLoaded", App.refresh);
})();
