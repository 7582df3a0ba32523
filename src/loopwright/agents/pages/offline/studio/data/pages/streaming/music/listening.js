var App = window.App;
// What is playing: one record for all pages. A clock runs while it plays, so that time goes on between pages.
App.listening = (function () {
  function now() { return App.load("listening", { id: App.list[0].id, track: 0, at: 0, since: 0, touched: false }); }
  function item() { return App.items[now().id] || App.list[0]; }
  function track() { return item().tracks[Math.min(now().track, item().tracks.length - 1)]; }
  function place() {
    var state = now(), passed = state.since ? (Date.now() - state.since) / 1000 : 0;
    return Math.min(track().seconds, state.at + passed);
  }
  function save(change) { return App.save("listening", Object.assign(now(), { touched: true }, change)); }
  function play(id, number) {
    save({ id: id, track: number, at: 0, since: Date.now() });
    App.save("played", [id].concat(App.load("played", []).filter(function (each) { return each !== id; })).slice(0, 8));
  }
  function toggle() { var state = now(); save(state.since ? { at: place(), since: 0 } : { at: place() >= track().seconds ? 0 : place(), since: Date.now() }); }
  function seek(seconds) { save({ at: Math.max(0, Math.min(track().seconds, seconds)), since: now().since ? Date.now() : 0 }); }
  function step(by) {
    var all = item().tracks.length, number = now().track;
    if (App.load("shuffle", false) && all > 1 && by > 0) { number = (number + 1 + Math.floor(Date.now() / 7) % (all - 1)) % all; } else { number = (number + by + all) % all; }
    save({ track: number, at: 0, since: now().since ? Date.now() : 0 });
  }
  function clock(seconds) { return Math.floor(seconds / 60) + ":" + ("0" + Math.floor(seconds % 60)).slice(-2); }
  return { now: now, item: item, track: track, place: place, play: play, toggle: toggle, seek: seek, step: step, clock: clock };
})();
function showMini() {
  var state = App.listening.now(), item = App.listening.item();
  App.$$("[data-toggle]").forEach(function (button) { button.setAttribute("aria-pressed", String(Boolean(state.since))); });
  App.$$("[data-track]").forEach(function (row) { row.classList.toggle("is-on", row.dataset.album === state.id && Number(row.dataset.track) === state.track && state.touched); });
  if (!App.$("#mini")) { return; }
  App.$("#mini").hidden = !state.touched;
  App.render("#mini-art", App.art(item.id));
  App.$("#mini-name").textContent = App.listening.track().name;
  App.$("#mini-by").textContent = item.artist;
}
App.on("[data-toggle]", "click", function () { App.listening.toggle(); });
App.on("[data-track]", "click", function (event, row) { App.listening.play(row.dataset.album, Number(row.dataset.track)); });
App.on("[data-play]", "click", function (event, button) { App.listening.play(button.dataset.play, 0); });
document.addEventListener("app:change", showMini);
window.setInterval(function () {
  if (App.listening.now().since && App.listening.place() >= App.listening.track().seconds) { App.listening.step(App.load("repeat", false) ? 0 : 1); }
}, 500);
showMini();
