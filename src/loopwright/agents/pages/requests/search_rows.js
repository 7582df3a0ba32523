// A field that leaves only the rows of its page that say what is typed.
(function () {
  var field = document.querySelector("[data-row-search]"), said = document.querySelector("[data-row-search-said]");
  field.addEventListener("input", function () {
    var wanted = field.value.trim().toLowerCase(), hits = 0;
    document.querySelectorAll("li, tbody tr, article").forEach(function (row) {
      if (row.closest("nav, header, footer") || row.querySelector("li, tr, article")) { return; }
      var fits = row.textContent.toLowerCase().indexOf(wanted) >= 0;
      row.style.display = fits ? "" : "none";
      hits += fits ? 1 : 0;
    });
    said.textContent = hits ? "" : said.dataset.none;
  });
})();
