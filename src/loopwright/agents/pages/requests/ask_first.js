// Asks before something is deleted: the press on a button that deletes waits for a yes.
(function () {
  var box = document.querySelector("[data-ask-first]"), pressed = null, sure = false;
  document.addEventListener("click", function (event) {
    var button = event.target.closest && event.target.closest("[data-remove-record]");
    if (!button || sure) { return; }
    event.preventDefault();
    event.stopPropagation();
    pressed = button;
    box.showModal();
  }, true);
  box.addEventListener("close", function () {
    if (box.returnValue !== "yes" || !pressed) { return; }
    box.returnValue = "";
    sure = true;
    pressed.click();
    sure = false;
  });
})();
