App.$$("[data-timer]").forEach(function (part) {
  var field = App.$("input", part), clock = App.$("[data-clock]", part), left = Number(part.getAttribute("data-timer")), ticking = 0;
  function draw() { clock.textContent = String(Math.floor(left / 60)).padStart(2, "0") + ":" + String(left % 60).padStart(2, "0"); }
  function halt() { window.clearInterval(ticking); ticking = 0; }
  function zero() { halt(); left = Math.max(1, Number(field.value)) * 60; draw(); }
  App.$("[data-go]", part).addEventListener("click", function () {
    halt();
    ticking = window.setInterval(function () { left -= 1; if (left <= 0) { left = 0; halt(); } draw(); }, 1000);
  });
  App.$("[data-halt]", part).addEventListener("click", halt);
  App.$("[data-zero]", part).addEventListener("click", zero);
  field.addEventListener("input", zero);
});
