var App = window.App;
// What was read and which steps are done: one key each, the same on all pages.
App.reading = {
  read: function () { return App.load("read", []); },
  isRead: function (id) { return App.reading.read().indexOf(id) >= 0; },
  mark: function (id, read) {
    var others = App.reading.read().filter(function (each) { return each !== id; });
    App.save("read", read ? others.concat([id]) : others);
  },
  steps: function (id) { return App.load("steps", {})[id] || []; },
  step: function (id, done) {
    var all = App.load("steps", {});
    all[id] = done;
    App.save("steps", all);
  }
};
function showRead() {
  App.$$("[data-state]").forEach(function (mark) { mark.classList.toggle("is-read", App.reading.isRead(mark.dataset.state)); });
  var count = App.list.filter(function (item) { return App.reading.isRead(item.id); }).length;
  if (App.$("#read-bar")) {
    App.$("#read-bar").style.width = 100 * count / App.list.length + "%";
    App.$("#read-count").textContent = count + " / " + App.list.length;
    App.$("#read-share .progress").setAttribute("aria-valuenow", count);
  }
}
document.addEventListener("app:change", showRead);
showRead();
