var App = window.App;
// Measures: their points day by day, drawn from the measure itself, so that every page sees the same past.
App.measures = (function () {
  var DAYS = 180, made = {};

  function chance(text) {
    var seed = 2166136261;
    for (var at = 0; at < text.length; at += 1) { seed = Math.imul(seed ^ text.charCodeAt(at), 16777619); }
    return function () {
      seed = Math.imul(seed ^ (seed >>> 15), 2246822519) + 0x9e3779b9 | 0;
      return ((seed ^ (seed >>> 13)) >>> 0) / 4294967296;
    };
  }

  function entries() {
    return App.records("Entry").all().map(function (entry) {
      return Object.assign({}, entry, { day: entry.date ? Math.round((App.day(0) - new Date(entry.date + "T12:00")) / 86400000) : entry.ago });
    }).sort(function (one, other) { return one.day - other.day; });
  }

  // Records that came after the start count; those of the start are part of the past already.
  function added(measure, day) {
    if (!measure.entries) { return 0; }
    var own = entries().filter(function (entry) { return entry.date && (measure.entries === "minus" ? entry.day >= day : entry.day === day); });
    if (measure.entries === "count") { return own.length; }
    return (measure.entries === "minus" ? -1 : 1) * own.reduce(function (sum, entry) { return sum + Number(entry.amount); }, 0);
  }

  function past(measure) {
    if (!made[measure.id]) {
      var next = chance(measure.id);
      made[measure.id] = Array.from({ length: DAYS }, function (_, place) {
        var wave = Math.sin((place % 7) / 7 * 2 * Math.PI);
        var value = measure.base * (1 + measure.trend * (place - DAYS) / 90) * (1 + measure.season * wave) * (1 + measure.noise * (next() * 2 - 1));
        if (measure.kind === "percent") { value = Math.min(100, value); }
        return measure.kind === "count" ? Math.max(0, Math.round(value)) : Math.round(Math.max(0, value) * 100) / 100;
      });
    }
    return made[measure.id];
  }

  function points(measure, days, skip) {
    var all = past(measure), end = DAYS - (skip || 0);
    return all.slice(end - days, end).map(function (value, place) {
      var ago = days - 1 - place + (skip || 0);
      return { at: App.day(-ago), value: value + added(measure, ago) };
    });
  }

  function mean(list) { return list.reduce(function (sum, point) { return sum + point.value; }, 0) / list.length; }

  function show(measure, value) {
    var digits = measure.kind === "decimal" || (measure.kind === "percent" && measure.base > 90) ? 1 : 0;
    var text = App.number(value, digits);
    if (measure.kind === "money") { return {{ data.currency|tojson }} + text; }
    if (measure.kind === "percent") { return text + " %"; }
    return measure.unit ? text + " " + measure.unit : text;
  }

  // Change against the same time before, in per cent; good or bad depends on which way is better.
  function change(measure, days) {
    var now = mean(points(measure, days)), before = mean(points(measure, days, days));
    var share = before ? (now - before) / before * 100 : 0;
    return { now: now, before: before, share: share, good: measure.better === "up" ? share >= 0 : share <= 0 };
  }

  function delta(measure, days) {
    var found = change(measure, days);
    return '<span class="delta ' + (found.good ? "is-good" : "is-bad") + '">' + (found.share >= 0 ? "▲ " : "▼ ") + Math.abs(found.share).toFixed(1) + " %</span>";
  }

  function limits(measure) {
    return Object.assign({ low: measure.low, high: measure.high }, App.load("thresholds", {})[measure.id]);
  }

  // What is out of its limits today, then what was recorded.
  function alerts() {
    var live = App.list.map(function (measure) {
      var value = points(measure, 1)[0].value, limit = limits(measure);
      var low = limit.low !== null && limit.low !== undefined && value < limit.low, high = limit.high !== null && limit.high !== undefined && value > limit.high;
      if (!low && !high) { return null; }
      return {
        id: "live-" + measure.id, metricId: measure.id, severity: "high", ago: 0, live: true, done: App.load("quiet", []).indexOf(measure.id) >= 0,
        message: measure.name + ": " + show(measure, value) + (low ? " < " + show(measure, limit.low) : " > " + show(measure, limit.high))
      };
    }).filter(Boolean);
    return live.concat(App.records("Alert").all());
  }

  return { points: points, show: show, change: change, delta: delta, limits: limits, alerts: alerts, entries: entries, mean: mean };
})();
App.entryAmount = function (amount) {
  var sign = {{ data.entry_sign }} < 0 ? "−" : "";
  return sign + {{ data.currency|tojson }} + App.number(amount, amount % 1 ? 2 : 0);
};
