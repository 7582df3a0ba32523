App.$$("[data-quiz]").forEach(function (part) {
  var cards = App.$$("details", part), at = 0;
  App.$("[data-known]", part).addEventListener("click", function () {
    cards.forEach(function (card) { card.open = false; });
    App.$("[data-score]", part).textContent = at + 1;
    cards[at % cards.length].open = true;
    at += 1;
  });
});
