App.$$("[data-split]").forEach(function (part) {
  function draw() {
    var who = App.$$("input[type=checkbox]:checked", part).length;
    App.$("[data-share]", part).textContent = App.money(who ? Number(App.$("input[type=number]", part).value) / who : 0);
  }
  part.addEventListener("input", draw);
  draw();
});
