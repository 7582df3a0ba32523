// Lists of records: shown by their view and their state, added, changed and deleted; every page of the app sees the
// same records, and each figure of them follows.
(function () {
  "use strict";
  var App = window.App;

  function day(value) { return typeof value === "number" ? App.day(value) : new Date(value + "T12:00:00"); }
  function shown(field, value) {
    if (value === undefined || value === "" || value === null) { return ""; }
    if (field.kind === "date") { return App.dayName(day(value), { day: "numeric", month: "long", year: "numeric" }); }
    if (field.kind === "money") { return App.money(value); }
    return String(value) + (field.unit ? " " + field.unit : "");
  }

  // A figure: how many records there are, or the sum or the mean of a field; of a time or a state, or for each of something.
  function sameTime(date, span) {
    var now = App.day(0), start = App.day(0);
    if (span === "week") { start.setDate(now.getDate() - (now.getDay() + 6) % 7); }
    if (span === "month") { start.setDate(1); }
    if (span === "year") { start.setMonth(0, 1); }
    var end = new Date(start);
    if (span === "week") { end.setDate(start.getDate() + 7); }
    else if (span === "month") { end.setMonth(start.getMonth() + 1); }
    else if (span === "year") { end.setFullYear(start.getFullYear() + 1); }
    else { end.setDate(start.getDate() + 1); }
    return date >= start && date < end;
  }
  function measured(records, said) {
    var values = records.map(function (each) { return (Number(each[said.field]) || 0) * (said.times ? Number(each[said.times]) || 0 : 1); });
    var sum = values.reduce(function (one, other) { return one + other; }, 0);
    if (said.op === "count") { return said.limit ? said.limit - records.length : records.length; }
    if (said.op === "mean") { return values.length ? sum / values.length : 0; }
    return said.limit ? said.limit - sum : sum;
  }
  function told(value, said) {
    if (said.kind === "money") { return App.money(value); }
    return String(Math.round(10 * value) / 10) + (said.unit ? " " + said.unit : "");
  }
  function figure(place) {
    var said = JSON.parse(place.getAttribute("data-figure"));
    function draw() {
      var records = App.records(said.entity).where(function (each) {
        if (said.state && said.states.indexOf(each[said.state]) < 0) { return false; }
        var date = each[said.date];
        return !said.span || date === undefined || date === "" || sameTime(day(date), said.span);
      });
      if (!said.by) { place.textContent = told(measured(records, said), said); return; }
      var groups = {};
      records.forEach(function (each) { var of = String(each[said.by] || "–"); (groups[of] = groups[of] || []).push(each); });
      var rows = Object.keys(groups).map(function (of) { return { name: of, value: measured(groups[of], said) }; });
      rows.sort(function (one, other) { return other.value - one.value; });
      var most = Math.max.apply(null, rows.map(function (each) { return each.value; }).concat([1]));
      App.render(place, rows.map(function (each) {
        return '<li class="list-item"><div class="list-text"><h3 class="list-title">' + App.escape(each.name) + '</h3><div class="progress" aria-hidden="true"><span style="width: ' + Math.max(0, Math.round(100 * each.value / most)) + '%"></span></div></div><strong>' + App.escape(told(each.value, said)) + "</strong></li>";
      }).join(""));
    }
    document.addEventListener("app:change", draw);
    draw();
  }

  function list(part) {
    var store = App.records(part.getAttribute("data-records"));
    var view = part.getAttribute("data-view");
    var setup = JSON.parse(App.$("[data-setup]", part).textContent);
    var place = App.$("[data-list]", part);
    var sheet = App.$("dialog.sheet", part);
    var find = App.$("[data-find]", part);
    var state = setup.fields.filter(function (field) { return field.key === setup.state; })[0];
    var editing = null, only = "";

    function icon(name) { return App.$('template[data-icon="' + name + '"]', part).innerHTML; }
    function amount(record) {
      var field = setup.fields.filter(function (each) { return each.kind === "money" || each.kind === "number"; })[0];
      return field ? Number(record[field.key]) || 0 : 0;
    }
    function button(mark, id, text, of, pressed) {
      return '<button class="btn btn-soft" type="button" data-' + mark + '="' + id + '"' + (pressed === undefined ? "" : ' aria-pressed="' + pressed + '"') + ">" + App.escape(text) + '<span class="visually-hidden">: ' + of + "</span></button>";
    }
    function small(mark, id, text, of, shape) {
      return '<button class="btn btn-icon" type="button" data-' + mark + '="' + id + '" aria-label="' + App.escape(text) + ": " + of + '">' + icon(shape) + "</button>";
    }
    function details(record, name) {
      var made = setup.fields.map(function (field) {
        if (field === state || field.key === setup.rating) { return ""; }
        if (field.kind === "photo") { return record[field.key] ? '<img class="record-photo" alt="' + name + '" src="' + App.escape(record[field.key]) + '">' : ""; }
        var value = shown(field, record[field.key]);
        return value === "" ? "" : "<div><dt>" + App.escape(field.label) + "</dt><dd>" + App.escape(value) + "</dd></div>";
      }).join("");
      return made ? '<dl class="record-fields">' + made + "</dl>" : "";
    }
    // What may be done with a record: what people do with it, and the states that follow the one it is in.
    function deeds(record, id, name) {
      var made = "";
      if (state) {
        var at = state.choices.indexOf(record[state.key]);
        var decided = setup.deeds.length && at > 0;
        var next = decided ? state.choices.slice(0, 1) : state.choices.slice(at + 1, setup.deeds.length ? undefined : at + 2);
        next.forEach(function (each, number) { made += button('state="' + App.escape(each) + '" data-next', id, !decided && setup.deeds[number] || "→ " + each, name); });
      }
      if (setup.rating) {
        made += '<label class="row">' + App.escape(setup.rate) + ' <select class="select" data-rate="' + id + '" aria-label="' + App.escape(setup.rate) + ": " + name + '">' + ["", 1, 2, 3, 4, 5].map(function (each) { return "<option" + (String(record[setup.rating]) === String(each) ? " selected" : "") + ">" + each + "</option>"; }).join("") + "</select></label>";
      }
      if (setup.action) { made += button("act", id, setup.action, name, Boolean(record.acted)); }
      if (view === "poll") { made += '<button class="btn btn-soft" type="button" data-vote="' + id + '">' + App.escape(setup.vote) + ": " + name + "</button><span>" + (record.votes || 0) + " " + App.escape(setup.votes) + "</span>"; }
      if (view === "shop") { made += '<button class="btn btn-soft" type="button" data-buy="' + id + '">' + App.escape(setup.cart) + "</button>"; }
      return made ? '<div class="row-wrap">' + made + "</div>" : "";
    }
    function row(record, most) {
      var id = App.escape(record.id), name = App.escape(record.name), before = "", after = "";
      if (view === "checklist") { before = '<label class="check tick"><input type="checkbox" data-done="' + id + '" aria-label="' + name + '"' + (record.done ? " checked" : "") + "></label>"; }
      if (view === "favourites") { before = '<button class="btn btn-icon favorite-button" type="button" data-kept="' + id + '" aria-pressed="' + Boolean(record.kept) + '" aria-label="' + App.escape(setup.keep) + ": " + name + '">' + icon("heart") + "</button>"; }
      if (view === "limits" || view === "chart" || view === "progress") { after = '<div class="progress" aria-hidden="true"><span style="width: ' + Math.round(100 * amount(record) / (most || 1)) + '%"></span></div>'; }
      var chip = state && record[state.key] ? '<span class="tag">' + App.escape(record[state.key]) + "</span>" : "";
      return '<li class="list-item record' + (record.done ? " is-done" : "") + '">' + before + '<div class="list-text"><h3 class="list-title">' + name + "</h3>" + chip + details(record, name) + after + deeds(record, id, name) + "</div>" +
        (setup.fixed ? "" : '<div class="record-actions">' + small("change-record", id, setup.edit, name, "edit") + small("remove-record", id, setup.remove, name, "trash") + "</div>") + "</li>";
    }
    function fits(record, word) {
      var values = Object.keys(record).map(function (key) { return key === "id" ? "" : record[key]; });
      return (!only || record[state.key] === only) && (!word || JSON.stringify(values).toLowerCase().indexOf(word) >= 0);
    }
    function draw() {
      var records = store.all().slice(), word = find ? find.value.trim().toLowerCase() : "";
      var date = setup.fields.filter(function (field) { return field.kind === "date"; })[0];
      if (date && view === "calendar") { records.sort(function (one, other) { return day(one[date.key]) - day(other[date.key]); }); }
      if (view === "form") { records.reverse(); }
      records = records.filter(function (each) { return fits(each, word); });
      var most = Math.max.apply(null, records.map(amount).concat([1]));
      App.render(place, records.map(function (each) { return row(each, most); }).join("") || '<li class="list-item muted">' + App.escape(word || only ? setup.nothing : setup.empty) + "</li>");
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
    function add(made) {
      if (state && !made[state.key]) { made[state.key] = state.choices[0]; }
      store.add(made);
    }
    function open(record) {
      editing = record;
      var form = App.$("form", sheet);
      form.reset();
      (record ? App.$$("input:not([type=file]), select, textarea", form) : []).forEach(function (field) {
        var value = record[field.name];
        if (value === undefined) { return; }
        field.value = field.type === "date" && typeof value === "number" ? App.day(value).toISOString().slice(0, 10) : value;
      });
      sheet.showModal();
    }
    if (find) { find.addEventListener("input", draw); }
    if (sheet) { App.$("form", sheet).addEventListener("submit", function (event) {
      event.preventDefault();
      if (!App.validate(event.target)) { return; }
      values(event.target, function (made) {
        if (editing) { store.change(editing.id, made); } else { add(made); }
        sheet.close();
      });
    }); }
    var own = App.$("[data-own-form]", part);
    if (own) { own.addEventListener("submit", function (event) {
      event.preventDefault();
      if (!App.validate(own)) { return; }
      values(own, function (made) { add(made); own.reset(); App.$("[data-sent]", own).textContent = setup.sent; });
    }); }
    part.addEventListener("click", function (event) {
      var pressed = event.target.closest("button"), id;
      if (!pressed) { return; }
      if (pressed.hasAttribute("data-new")) { open(null); }
      if (pressed.hasAttribute("data-only")) {
        only = pressed.getAttribute("data-only");
        App.$$("[data-only]", part).forEach(function (each) { each.setAttribute("aria-pressed", String(each === pressed)); });
        draw();
      }
      if ((id = pressed.getAttribute("data-change-record"))) { open(store.get(id)); }
      if ((id = pressed.getAttribute("data-remove-record"))) { store.remove(id); }
      if ((id = pressed.getAttribute("data-next"))) { var now = {}; now[state.key] = pressed.getAttribute("data-state"); store.change(id, now); }
      if ((id = pressed.getAttribute("data-act"))) {
        var acted = !store.get(id).acted;
        if (setup.choice) { store.where(function (each) { return each.acted; }).forEach(function (each) { store.change(each.id, { acted: false }); }); }
        store.change(id, { acted: acted });
      }
      if ((id = pressed.getAttribute("data-kept"))) { store.change(id, { kept: !store.get(id).kept }); }
      if ((id = pressed.getAttribute("data-vote"))) { store.change(id, { votes: (store.get(id).votes || 0) + 1 }); }
      if ((id = pressed.getAttribute("data-buy"))) {
        var record = store.get(id);
        App.items[id] = { id: id, name: record.name, price: amount(record) };
        App.cart.add(id, 1);
        App.toast(record.name);
      }
    });
    part.addEventListener("change", function (event) {
      var id = event.target.getAttribute("data-done");
      if (id) { store.change(id, { done: event.target.checked }); }
      if ((id = event.target.getAttribute("data-rate"))) { var rated = {}; rated[setup.rating] = Number(event.target.value) || ""; store.change(id, rated); }
    });
    document.addEventListener("app:change", draw);
    draw();
  }

  App.$$("[data-records]").forEach(list);
  App.$$("[data-figure]").forEach(figure);
})();
