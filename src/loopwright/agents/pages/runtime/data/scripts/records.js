// The records of the data model's entities: one store for all pages of the app.
// Each entity is one key in storage; until it is written to, it holds the records that the app starts with.
(function () {
  "use strict";
  var App = window.App;
  var embedded = JSON.parse(document.getElementById("app-data").textContent);

  App.language = embedded.language;

  App.records = function (entity) {
    var shape = embedded.entities[entity];
    if (!shape) { throw new Error("The data model has no " + entity); }
    var name = "records:" + entity;

    function all() { return App.load(name, embedded.records[entity]); }

    function save(records) { App.save(name, records); }

    function position(records, id) {
      return records.findIndex(function (each) { return String(each[shape.key]) === String(id); });
    }

    function fresh(records) {
      var number = records.length + 1;
      while (position(records, entity.toLowerCase() + "-" + number) >= 0) { number += 1; }
      return entity.toLowerCase() + "-" + number;
    }

    return {
      all: all,
      get: function (id) { return all()[position(all(), id)]; },
      where: function (test) { return all().filter(test); },
      // A record has all that the model requires; what nobody was asked for is empty rather than missing.
      add: function (values) {
        var records = all();
        var record = Object.assign({}, shape.empty, values);
        record[shape.key] = values[shape.key] === undefined ? fresh(records) : values[shape.key];
        if (record.createdAt === "") { record.createdAt = new Date().toISOString(); }
        save(records.concat([record]));
        return record;
      },
      change: function (id, values) {
        var records = all();
        var at = position(records, id);
        if (at < 0) { return undefined; }
        records[at] = Object.assign({}, records[at], values);
        save(records);
        return records[at];
      },
      remove: function (id) {
        save(all().filter(function (each) { return String(each[shape.key]) !== String(id); }));
      }
    };
  };

  App.day = function (offset) {
    var day = new Date();
    day.setHours(12, 0, 0, 0);
    day.setDate(day.getDate() + offset);
    return day;
  };

  App.dayName = function (date, options) {
    return new Intl.DateTimeFormat({ zh: "zh-CN", en: "en-GB" }[App.language] || App.language, options).format(date);
  };

  App.number = function (value, digits) {
    return new Intl.NumberFormat("en-US", { maximumFractionDigits: digits || 0, minimumFractionDigits: digits || 0 }).format(value);
  };

  // Copies without permission where the clipboard is closed (files, sandboxed previews): by selecting.
  App.copy = function (text) {
    var field = document.createElement("textarea");
    field.value = text;
    field.setAttribute("aria-hidden", "true");
    field.className = "visually-hidden";
    document.body.appendChild(field);
    field.select();
    var copied = document.execCommand("copy");
    field.remove();
    App.toast(copied ? App.text("Copied") : text);
    return copied;
  };

  App.saveFile = function (name, type, text) {
    var link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: type }));
    link.download = name;
    link.click();
    window.setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  };

  // The date an occasion falls on: the year that was said, else the next time the day comes round.
  App.occasion = function (when) {
    var now = new Date();
    var date = new Date(when.year || now.getFullYear(), when.month - 1, when.day, when.hour || 0, when.minute || 0);
    if (!when.year && date < now) { date.setFullYear(date.getFullYear() + 1); }
    return date;
  };
})();
