App.$$("[data-signature]").forEach(function (part) {
  var pad = App.$("canvas", part), pen = pad.getContext("2d"), drawing = false, form = App.$("form", part), note = App.$("[data-signed]", part);
  function place(event) { var box = pad.getBoundingClientRect(); return [(event.clientX - box.left) * pad.width / box.width, (event.clientY - box.top) * pad.height / box.height]; }
  pad.addEventListener("pointerdown", function (event) { drawing = true; var at = place(event); pen.strokeStyle = getComputedStyle(pad).color; pen.lineWidth = 2; pen.beginPath(); pen.moveTo(at[0], at[1]); });
  pad.addEventListener("pointermove", function (event) { if (drawing) { var at = place(event); pen.lineTo(at[0], at[1]); pen.stroke(); } });
  window.addEventListener("pointerup", function () { drawing = false; });
  App.$("[data-clear]", part).addEventListener("click", function () { pen.clearRect(0, 0, pad.width, pad.height); note.textContent = ""; });
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    if (!App.validate(form)) { return; }
    note.textContent = note.getAttribute("data-text") + " " + App.$("input", form).value + ", " + App.dayName(new Date(), { day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" });
    App.save("signed:" + part.getAttribute("data-signature"), note.textContent);
  });
});
