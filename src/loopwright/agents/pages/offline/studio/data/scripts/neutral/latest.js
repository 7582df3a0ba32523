// What the other pages hold: how many records there are, and the newest of them.
App.$$("[data-latest]").forEach(function (place) {
  var records = App.records(place.getAttribute("data-latest")).all();
  if (!records.length) { return; }
  place.innerHTML = '<span class="tag">' + records.length + "</span> <span>" + App.escape(records[records.length - 1].name) + "</span>";
});
