App.$$("[data-week]").forEach(function (part) {
  var key = "week:" + part.getAttribute("data-week"), kept = App.load(key, {});
  App.$$("[data-day]", part).forEach(function (field) {
    var day = field.getAttribute("data-day");
    if (kept[day] !== undefined) { field.value = kept[day]; }
    field.addEventListener("input", function () { kept[day] = field.value; App.save(key, kept); });
  });
});
