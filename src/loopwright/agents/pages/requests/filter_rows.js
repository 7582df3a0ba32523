// Choices above lists that leave only the rows which have the chosen value beside the label.
(function () {
  document.querySelectorAll("select[data-row-filter]").forEach(function (choice) {
    var list = choice.closest("[data-records]").querySelector("[data-list]"), every = choice.options[0];
    function valueOf(row) {
      var terms = Array.prototype.slice.call(row.querySelectorAll("dt"));
      var own = terms.filter(function (each) { return each.textContent.trim() === choice.dataset.rowFilter; })[0];
      return own && own.nextElementSibling ? own.nextElementSibling.textContent.trim() : "";
    }
    function update() {
      var rows = Array.prototype.slice.call(list.children), chosen = choice.value;
      var values = rows.map(valueOf).filter(function (each, at, all) { return each && all.indexOf(each) === at; }).sort();
      choice.replaceChildren.apply(choice, [every].concat(values.map(function (each) { return new Option(each, each); })));
      choice.value = values.indexOf(chosen) < 0 ? "" : chosen;
      rows.forEach(function (row) { row.style.display = !choice.value || valueOf(row) === choice.value ? "" : "none"; });
    }
    choice.addEventListener("change", update);
    new MutationObserver(update).observe(list, { childList: true });
    update();
  });
})();
