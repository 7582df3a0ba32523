// The cart's lines, totals and the order at the end; used by the pages for cart and checkout.
var App = window.App;
function drawCart() {
  var lines = App.cart.all();
  var list = App.$("#cart-lines");
  if (list) {
    App.render(list, lines.map(function (line) {
      var key = App.escape(line.key);
      return '<li class="list-item cart-line"><div class="list-media">' + App.art(line.id) + '</div><div class="list-text"><h3 class="list-title">' +
        App.escape(line.name) + "</h3>" + (line.options ? '<p class="muted">' + App.escape(line.options) + "</p>" : "") +
        '<div class="row-between"><span class="price">' + App.money(line.price * line.quantity) + '</span><div class="stepper" role="group" aria-label="{{ t("Quantity of ") }}' + App.escape(line.name) + '">' +
        '<button class="btn btn-icon" type="button" data-line="' + key + '" data-change="-1" aria-label={{ t("One less")|tojson }}>−</button><output>' + line.quantity +
        '</output><button class="btn btn-icon" type="button" data-line="' + key + '" data-change="1" aria-label={{ t("One more")|tojson }}>+</button></div></div></div></li>';
    }).join(""));
  }
  App.$$("[data-when-full]").forEach(function (part) { part.hidden = lines.length === 0; });
  App.$$("[data-when-empty]").forEach(function (part) { part.hidden = lines.length > 0; });
  var fee = Number(App.$("#totals").getAttribute("data-fee"));
  App.$("#subtotal").textContent = App.money(App.cart.total());
  App.$$("[data-cart-total]").forEach(function (place) { place.textContent = App.money(App.cart.total() + fee); });
}
App.on("[data-change]", "click", function (event, button) {
  var line = App.cart.all().find(function (each) { return each.key === button.getAttribute("data-line"); });
  App.cart.set(line.key, line.quantity + Number(button.getAttribute("data-change")));
});
document.addEventListener("app:change", function (event) { if (event.detail.key === "cart" && !App.ordered) { drawCart(); } });
document.addEventListener("form:done", function (event) {
  if (event.target.id !== "checkout-form") { return; }
  var lines = App.cart.all();
  var number = "#" + (1000 + App.load("orders", []).length * 7 + lines.length);
  var when = event.detail.get("when");
  App.save("orders", [{ number: number, when: when, lines: lines, total: App.cart.total(), at: new Date().toISOString() }].concat(App.load("orders", [])).slice(0, 20));
  App.save("stamps", App.load("stamps", {{ data.rewards.start }}) + 1);
  App.$("#done-text").textContent = event.detail.get("customer") + ", " + App.$("#checkout-form").getAttribute("data-thanks") + " " + when;
  App.$("#done-number").textContent = {{ t("Order ")|tojson }} + number;
  App.ordered = true;
  App.cart.clear();
  App.$$("[data-when-full]").forEach(function (part) { part.hidden = true; });
});
drawCart();
