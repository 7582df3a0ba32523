App.$$("[data-swipe]").forEach(function (part) {
  var cards = App.$$("[data-deck] > article", part), at = 0, key = "liked:" + part.getAttribute("data-swipe"), liked = App.load(key, []);
  var list = App.$("[data-liked]", part), from = null;
  function draw() {
    cards.forEach(function (card, place) { card.hidden = place !== at % cards.length; });
    App.render(list, liked.map(function (name) { return '<li class="list-item">' + App.escape(name) + "</li>"; }).join("") || '<li class="list-item muted">' + App.escape(list.getAttribute("data-empty")) + "</li>");
  }
  function choose(yes) {
    var name = cards[at % cards.length].getAttribute("data-name");
    if (yes && liked.indexOf(name) < 0) { liked.push(name); App.save(key, liked); }
    at += 1;
    draw();
  }
  App.$("[data-swipe-yes]", part).addEventListener("click", function () { choose(true); });
  App.$("[data-swipe-no]", part).addEventListener("click", function () { choose(false); });
  App.$("[data-deck]", part).addEventListener("pointerdown", function (event) { from = event.clientX; });
  App.$("[data-deck]", part).addEventListener("pointerup", function (event) { if (from !== null && Math.abs(event.clientX - from) > 60) { choose(event.clientX > from); } from = null; });
  draw();
});
