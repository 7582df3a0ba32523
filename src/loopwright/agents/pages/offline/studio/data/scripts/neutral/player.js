App.$$("[data-player]").forEach(function (part) {
  var button = App.$("[data-play]", part), bar = App.$("[data-played]", part), played = 0, timer = 0;
  function stop() { window.clearInterval(timer); timer = 0; button.textContent = button.getAttribute("data-start"); }
  function start() {
    window.clearInterval(timer);
    button.textContent = button.getAttribute("data-pause");
    timer = window.setInterval(function () { played = Math.min(100, played + 1); bar.style.width = played + "%"; if (played === 100) { stop(); } }, 1000);
  }
  button.addEventListener("click", function () { if (timer) { stop(); } else { start(); } });
  App.$$("[data-track]", part).forEach(function (each) {
    each.addEventListener("click", function () { App.$("[data-now]", part).textContent = each.getAttribute("data-track"); played = 0; start(); });
  });
});
