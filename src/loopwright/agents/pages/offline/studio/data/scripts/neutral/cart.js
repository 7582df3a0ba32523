App.$$("[data-basket]").forEach(function (part) {
  function draw() {
    var lines = App.cart.all();
    App.render(App.$("[data-basket-lines]", part), lines.map(function (line) {
      var key = App.escape(line.key), name = App.escape(line.name);
      function button(step, label) { return '<button class="btn btn-icon" type="button" data-step-line="' + step + '" data-key="' + key + '" aria-label="' + App.escape(part.getAttribute(label)) + ": " + name + '">' + (step > 0 ? "+" : "−") + "</button>"; }
      return '<li class="list-item"><div class="list-text"><h3 class="list-title">' + name + '</h3><span class="price">' + App.money(line.price * line.quantity) + "</span></div>" + button(-1, "data-less") + "<output>" + line.quantity + "</output>" + button(1, "data-plus") + "</li>";
    }).join("") || '<li class="list-item muted">' + App.escape(part.getAttribute("data-nothing")) + "</li>");
    App.$("[data-basket-total]", part).textContent = App.money(App.cart.total());
  }
  part.addEventListener("click", function (event) {
    var button = event.target.closest("[data-step-line]");
    if (!button) { return; }
    var line = App.cart.all().find(function (each) { return each.key === button.getAttribute("data-key"); });
    App.cart.set(line.key, line.quantity + Number(button.getAttribute("data-step-line")));
  });
  App.$("[data-basket-order]", part).addEventListener("click", function () {
    if (!App.cart.count()) { return; }
    App.cart.clear();
    App.$("[data-basket-done]", part).textContent = part.getAttribute("data-placed");
  });
  document.addEventListener("app:change", draw);
  draw();
});
