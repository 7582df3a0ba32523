// The result follows what is entered.
document.querySelectorAll("form[data-calculates]").forEach(function (form) {
  var fields = Array.from(form.querySelectorAll("[data-value]"));
  var output = form.querySelector("output");
  function show() {
    var values = fields.map(function (field) { return field.value === "" ? NaN : Number(field.value); });
    var result = formula(values);
    var known = Number.isFinite(result);
    output.textContent = known ? result.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 2 }) : "–";
  }
  form.addEventListener("input", show);
  form.addEventListener("change", show);
  form.addEventListener("submit", function (event) { event.preventDefault(); show(); });
});
