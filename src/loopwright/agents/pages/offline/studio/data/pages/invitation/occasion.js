var App = window.App;
var occasion = App.occasion({{ data.details.when|tojson }});
function showWhen() {
  if (!App.$("#when")) { return; }
  App.$("#when-weekday").textContent = App.dayName(occasion, { weekday: "long" });
  App.$("#when-day").textContent = occasion.getDate();
  App.$("#when-month").textContent = App.dayName(occasion, { month: "long", year: "numeric" });
}
function tick() {
  var left = Math.max(0, Math.floor((occasion - new Date()) / 1000));
  var parts = { days: Math.floor(left / 86400), hours: Math.floor(left / 3600) % 24, minutes: Math.floor(left / 60) % 60, seconds: left % 60 };
  App.$$("[data-unit]").forEach(function (place) { place.textContent = parts[place.dataset.unit]; });
}
function myReply() { return App.records("Lead").get(App.load("reply", "")); }
showWhen();
if (App.$("#countdown")) { tick(); window.setInterval(tick, 1000); }
