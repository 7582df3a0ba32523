// Forms add to the list beside them, boxes stay ticked: both are kept in this browser.
(function () {
  function read(key) {
    try { return JSON.parse(localStorage.getItem(key)); } catch (error) { return null; }
  }
  function keep(key, value) {
    try { localStorage.setItem(key, JSON.stringify(value)); } catch (error) { return false; } // private windows keep nothing
    return true;
  }
  document.querySelectorAll("form[data-list]").forEach(function (form) {
    var key = "list:" + form.dataset.list;
    var list = document.getElementById(form.dataset.list);
    var said = form.querySelector("[data-said]");
    var added = read(key) || [];
    function show(values) {
      var item = document.createElement("li");
      item.className = "list-item";
      item.textContent = values.join(" · ");
      list.appendChild(item);
    }
    added.forEach(show);
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      var fields = Array.from(form.querySelectorAll("input, select, textarea"));
      var values = fields.map(function (input) { return input.value.trim(); }).filter(Boolean);
      if (!values.length) { return; }
      added.push(values);
      var kept = keep(key, added);
      show(values);
      if (said) { said.textContent = kept ? said.dataset.said : ""; }
      form.reset();
    });
  });
  document.querySelectorAll("[data-tick]").forEach(function (box) {
    var key = "tick:" + location.pathname + ":" + box.dataset.tick;
    box.checked = read(key) === true;
    box.addEventListener("change", function () { keep(key, box.checked); });
  });
})();
