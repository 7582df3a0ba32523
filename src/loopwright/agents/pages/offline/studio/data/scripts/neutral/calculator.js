App.$$("[data-calculator]").forEach(function (part) {
  var field = App.$("input", part);
  field.addEventListener("input", function () {
    App.$$("[data-amount]", part).forEach(function (each) {
      each.textContent = App.number(Number(each.getAttribute("data-amount")) * Number(field.value || 0) / Number(field.getAttribute("data-base")), 1);
    });
  });
});
