// Pointer events serve mouse and finger alike; the browser's own drag and drop ignores most phones.
var drag = null;
function columnAt(x, y) {
  var under = document.elementFromPoint(x, y);
  return under ? under.closest("[data-column]") : null;
}
function follow(event) {
  drag.shadow.style.left = event.clientX - drag.dx + "px";
  drag.shadow.style.top = event.clientY - drag.dy + "px";
  var edge = board.getBoundingClientRect();
  if (event.clientX > edge.right - 48) { board.scrollLeft += 14; }
  if (event.clientX < edge.left + 48) { board.scrollLeft -= 14; }
  drag.target = columnAt(event.clientX, event.clientY);
  App.$$(".column").forEach(function (column) { column.classList.toggle("is-target", column === drag.target); });
}
function drop(event) {
  var held = drag;
  drag = null;
  held.shadow.remove();
  held.card.classList.remove("is-ghost");
  board.classList.remove("is-dragging");
  App.$$(".is-target").forEach(function (column) { column.classList.remove("is-target"); });
  if (event.type === "pointerup" && held.target) { move(held.card.dataset.task, held.target.dataset.column); }
}
App.on("[data-drag]", "pointerdown", function (event, handle) {
  var source = handle.closest("[data-task]");
  var box = source.getBoundingClientRect();
  var shadow = source.cloneNode(true);
  event.preventDefault();
  handle.setPointerCapture(event.pointerId);
  shadow.classList.add("is-moving");
  shadow.setAttribute("aria-hidden", "true");
  document.body.appendChild(shadow);
  source.classList.add("is-ghost");
  board.classList.add("is-dragging");
  drag = { card: source, shadow: shadow, target: null, dx: event.clientX - box.left, dy: event.clientY - box.top };
  follow(event);
});
document.addEventListener("pointermove", function (event) { if (drag) { follow(event); } });
document.addEventListener("pointerup", function (event) { if (drag) { drop(event); } });
document.addEventListener("pointercancel", function (event) { if (drag) { drop(event); } });
App.on("[data-drag]", "keydown", function (event, handle) {
  var step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  var source = handle.closest("[data-task]");
  var column = step && neighbour(source.closest("[data-column]").dataset.column, step);
  if (!column) { return; }
  event.preventDefault();
  move(source.dataset.task, column.id);
  App.$('[data-task="' + source.dataset.task + '"] [data-drag]').focus();
});
