App.$$("[data-game]").forEach(function (part) {
  var cells = App.$$("[data-cell]", part), score = 0, target = 4;
  function mark() { cells.forEach(function (cell, place) { cell.classList.toggle("btn-primary", place === target); }); }
  cells.forEach(function (cell, place) {
    cell.addEventListener("click", function () {
      score = place === target ? score + 1 : Math.max(0, score - 1);
      App.$("[data-score]", part).textContent = score;
      target = (target + 2 + score % 5) % cells.length;
      mark();
    });
  });
  mark();
});
