App.$$("[data-seating]").forEach(function (part) {
  var key = "seats:" + part.getAttribute("data-seating"), seats = App.load(key, {}), places = Number(part.getAttribute("data-places"));
  function at(number) { return Object.keys(seats).filter(function (name) { return seats[name] === String(number); }); }
  function draw() {
    App.$$("[data-seat]", part).forEach(function (choice) { choice.value = seats[choice.getAttribute("data-seat")] || ""; });
    App.$$("[data-table]", part).forEach(function (table) {
      var names = at(table.getAttribute("data-table"));
      App.$("[data-taken]", table).textContent = names.length;
      App.$("[data-names]", table).textContent = names.join(", ");
    });
    var pair = App.$$("[data-apart]", part).map(function (choice) { return choice.value; });
    App.$("[data-conflict]", part).hidden = !(pair[0] !== pair[1] && seats[pair[0]] && seats[pair[0]] === seats[pair[1]]);
  }
  function seat(name, number) {
    if (number && at(number).length >= places && seats[name] !== String(number)) { draw(); return; }
    seats[name] = String(number);
    App.save(key, seats);
    draw();
  }
  part.addEventListener("change", function (event) {
    var name = event.target.getAttribute("data-seat");
    if (name) { seat(name, event.target.value); } else { draw(); }
  });
  part.addEventListener("dragstart", function (event) { event.dataTransfer.setData("text/plain", event.target.getAttribute("data-guest")); });
  App.$$("[data-table]", part).forEach(function (table) {
    table.addEventListener("dragover", function (event) { event.preventDefault(); });
    table.addEventListener("drop", function (event) { event.preventDefault(); seat(event.dataTransfer.getData("text/plain"), table.getAttribute("data-table")); });
  });
  draw();
});
