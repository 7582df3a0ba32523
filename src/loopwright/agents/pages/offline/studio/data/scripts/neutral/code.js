App.$$("[data-copy]").forEach(function (button) {
  button.addEventListener("click", function () { App.copy(document.getElementById(button.getAttribute("data-copy")).textContent); });
});
