// Lists of records: shown by their view, added, edited and deleted; every page of the app sees the same records.
App.$$("[data-records]").forEach(function (part) {
  var store = App.records(part.getAttribute("data-records"));
  var view = part.getAttribute("data-view");
  var setup = JSON.parse(App.$("[data-setup]", part).textContent);
  var list = App.$("[data-list]", part);
  var sheet = App.$("dialog.sheet", part);
  var find = App.$("[data-find]", part);
  var editing = null;

  function icon(name) { return App.$('template[data-icon="' + name + '"]', part).innerHTML; }
  function day(value) { return typeof value === "number" ? App.day(value) : new Date(value + "T12:00:00"); }
  function shown(field, value) {
    if (value === undefined || value === "" || value === null) { return ""; }
    if (field.kind === "date") { return App.dayName(day(value), { day: "numeric", month: "long", year: "numeric" }); }
    if (field.kind === "money") { return App.money(value); }
    return String(value) + (field.unit ? " " + field.unit : "");
  }
  function amount(record) {
    var field = setup.fields.filter(function (each) { return each.kind === "money" || each.kind === "number"; })[0];
    return field ? Number(record[field.key]) || 0 : 0;
  }
  function row(record, most) {
    var id = App.escape(record.id), name = App.escape(record.name);
    var details = setup.fields.map(function (field) {
      if (field.kind === "photo") { return record[field.key] ? '<img class="record-photo" alt="' + name + '" src="' + App.escape(record[field.key]) + '">' : ""; }
      var value = shown(field, record[field.key]);
      return value === "" ? "" : "<div><dt>" + App.escape(field.label) + "</dt><dd>" + App.escape(value) + "</dd></div>";
    });
    var before = "", after = "";
    if (view === "checklist") { before = '<label class="check tick"><input type="checkbox" data-done="' + id + '" aria-label="' + name + '"' + (record.done ? " checked" : "") + "></label>"; }
    if (view === "favourites") { before = '<button class="btn btn-icon favorite-button" type="button" data-kept="' + id + '" aria-pressed="' + Boolean(record.kept) + '" aria-label="' + App.escape(setup.keep) + ": " + name + '">' + icon("heart") + "</button>"; }
    if (view === "limits" || view === "chart" || view === "progress") { after = '<div class="progress" aria-hidden="true"><span style="width: ' + Math.round(100 * amount(record) / (most || 1)) + '%"></span></div>'; }
    if (view === "poll") { after = '<button class="btn btn-soft" type="button" data-vote="' + id + '">' + App.escape(setup.vote) + ": " + name + "</button><span>" + (record.votes || 0) + " " + App.escape(setup.votes) + "</span>"; }
    if (setup.action) { after += '<button class="btn btn-soft" type="button" data-act="' + id + '" aria-pressed="' + Boolean(record.acted) + '">' + App.escape(setup.action) + '<span class="visually-hidden">: ' + name + "</span></button>"; }
    if (view === "shop") { after = '<button class="btn btn-soft" type="button" data-buy="' + id + '">' + App.escape(setup.cart) + "</button>"; }
    details = details.join("") ? '<dl class="record-fields">' + details.join("") + "</dl>" : "";
    return '<li class="list-item record' + (record.done ? " is-done" : "") + '">' + before + '<div class="list-text"><h3 class="list-title">' + name + "</h3>" + details + after + (setup.fixed ? "</div></li>" :
      '</div><div class="record-actions"><button class="btn btn-icon" type="button" data-change-record="' + id + '" aria-label="' + App.escape(setup.edit) + ": " + name + '">' + icon("edit") + '</button><button class="btn btn-icon" type="button" data-remove-record="' + id + '" aria-label="' + App.escape(setup.remove) + ": " + name + '">' + icon("trash") + "</button></div></li>");
  }
  function draw() {
    var records = store.all();
    var date = setup.fields.filter(function (field) { return field.kind === "date"; })[0];
    if (date && view === "calendar") { records = records.slice().sort(function (one, other) { return day(one[date.key]) - day(other[date.key]); }); }
    var word = find ? find.value.trim().toLowerCase() : "";
    if (word) { records = records.filter(function (each) { return JSON.stringify(Object.keys(each).map(function (key) { return key === "id" ? "" : each[key]; })).toLowerCase().indexOf(word) >= 0; }); }
    var most = Math.max.apply(null, records.map(amount).concat([1]));
    App.render(list, records.map(function (each) { return row(each, most); }).join("") || '<li class="list-item muted">' + App.escape(word ? setup.nothing : setup.empty) + "</li>");
  }
  function values(form, done) {
    var made = {}, files = [];
    App.$$("input, select, textarea", form).forEach(function (field) {
      if (field.type === "file") { if (field.files[0]) { files.push(field); } return; }
      made[field.name] = field.type === "number" && field.value !== "" ? Number(field.value) : field.value;
    });
    if (!files.length) { done(made); return; }
    var reader = new FileReader();
    reader.onload = function () { made[files[0].name] = reader.result; done(made); };
    reader.readAsDataURL(files[0].files[0]);
  }
  function open(record) {
    editing = record;
    var form = App.$("form", sheet);
    form.reset();
    if (record) {
      App.$$("input:not([type=file]), select, textarea", form).forEach(function (field) {
        var value = record[field.name];
        if (value === undefined) { return; }
        field.value = field.type === "date" && typeof value === "number" ? App.day(value).toISOString().slice(0, 10) : value;
      });
    }
    sheet.showModal();
  }
  if (find) { find.addEventListener("input", draw); }
  if (sheet) { App.$("form", sheet).addEventListener("submit", function (event) {
    event.preventDefault();
    if (!App.validate(event.target)) { return; }
    values(event.target, function (made) {
      if (editing) { store.change(editing.id, made); } else { store.add(made); }
      sheet.close();
      draw();
    });
  }); }
  var own = App.$("[data-own-form]", part);
  if (own) {
    own.addEventListener("submit", function (event) {
      event.preventDefault();
      if (!App.validate(own)) { return; }
      values(own, function (made) { store.add(made); own.reset(); App.$("[data-sent]", own).textContent = setup.sent; draw(); });
    });
  }
  part.addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (!button) { return; }
    if (button.hasAttribute("data-new")) { open(null); }
    var id = button.getAttribute("data-change-record");
    if (id) { open(store.get(id)); }
    if ((id = button.getAttribute("data-remove-record"))) { store.remove(id); draw(); }
    if ((id = button.getAttribute("data-act"))) {
      var acted = !store.get(id).acted;
      if (setup.choice) { store.all().forEach(function (each) { if (each.acted) { store.change(each.id, { acted: false }); } }); }
      store.change(id, { acted: acted });
      draw();
    }
    if ((id = button.getAttribute("data-kept"))) { store.change(id, { kept: !store.get(id).kept }); draw(); }
    if ((id = button.getAttribute("data-vote"))) { store.change(id, { votes: (store.get(id).votes || 0) + 1 }); draw(); }
    if ((id = button.getAttribute("data-buy"))) {
      var record = store.get(id);
      App.items[id] = { id: id, name: record.name, price: amount(record) };
      App.cart.add(id, 1);
      App.toast(record.name);
    }
  });
  part.addEventListener("change", function (event) {
    var id = event.target.getAttribute("data-done");
    if (id) { store.change(id, { done: event.target.checked }); draw(); }
  });
  draw();
});
