// A workout is a row of steps: every set, and the rest after it. Timed steps end by themselves, counted ones by a tap.
var workout = null, steps = [], at = 0, left = 0, running = false, began = 0, last = 0;
var player = App.$("#player");

function stepsOf(item) {
  var row = [];
  item.exercises.forEach(function (exercise) {
    for (var set = 1; set <= exercise.sets; set += 1) {
      row.push({ exercise: exercise, set: set, seconds: exercise.seconds || 0, rest: false });
      if (exercise.rest) { row.push({ exercise: exercise, set: set, seconds: exercise.rest, rest: true }); }
    }
  });
  if (row[row.length - 1].rest) { row.pop(); }
  return row;
}
function show() {
  workout = App.current();
  steps = stepsOf(workout);
  App.$("#workout-name").textContent = workout.name;
  App.$("#workout-text").textContent = workout.text;
  App.$("#workout-gear").textContent = workout.gear;
  App.$("#keep").setAttribute("data-favorite", workout.id);
  App.$("#keep").setAttribute("aria-pressed", String(App.favorites.has(workout.id)));
  ["minutes", "kcal", "level"].forEach(function (name) { App.$("#fact-" + name).textContent = workout[name]; });
  App.render("#cover-art", App.art(workout.id));
  App.render("#exercise-list", workout.exercises.map(function (exercise, index) {
    return '<li class="exercise"><span class="figure">' + (index + 1) + "</span><div><h3>" + App.escape(exercise.name) + '</h3><p class="muted">' +
      App.escape(exercise.cue) + '</p></div><span class="exercise-load">' + (exercise.sets > 1 || exercise.reps ? exercise.sets + " × " : "") + (exercise.reps || (exercise.seconds < 120 ? exercise.seconds + {{ t(" s")|tojson }} : Math.round(exercise.seconds / 60) + {{ t(" min")|tojson }})) + "</span></li>";
  }).join(""));
  var kept = App.load("player", null);
  App.$("#start-label").textContent = kept && kept.id === workout.id && kept.at ? {{ ui.worded(t('Go on at set {}'), '(setsBefore(kept.at) + 1)') }} : {{ t("Start workout")|tojson }};
}
function setsBefore(index) { return steps.slice(0, index).filter(function (step) { return !step.rest; }).length; }
function go(index) {
  at = Math.max(0, index);
  if (at >= steps.length) { finish(); return; }
  left = steps[at].seconds;
  running = left > 0;
  last = Date.now();
  App.save("player", { id: workout.id, at: at });
  draw();
}
function draw() {
  var step = steps[at], timed = step.seconds > 0;
  var next = steps.slice(at + 1).find(function (each) { return !each.rest; });
  player.classList.toggle("is-rest", step.rest);
  App.$("#player-title").textContent = step.rest ? {{ t("Rest")|tojson }} : step.exercise.name;
  App.$("#player-set").textContent = {{ ui.worded(t('Set {} of {}'), 'step.set', 'step.exercise.sets') }};
  App.$("#player-next").textContent = next ? {{ ui.worded(t('Next: {}, set {}'), 'next.exercise.name', 'next.set') }} : {{ t("This is the last one")|tojson }};
  App.$("#dial-label").textContent = step.rest ? {{ t("Breathe")|tojson }} : timed ? {{ t("Hold on")|tojson }} : {{ t("Repetitions")|tojson }};
  App.$("#dial-value").textContent = timed ? clock(Math.ceil(left)) : step.exercise.reps;
  App.$("#dial-cue").textContent = step.rest ? "" : step.exercise.cue;
  App.$("#player-main").textContent = !timed ? {{ t("Set done")|tojson }} : step.rest ? {{ t("Enough rest")|tojson }} : running ? {{ t("Pause")|tojson }} : {{ t("Go on")|tojson }};
  setRing(App.$("#dial-ring"), timed ? left / step.seconds : 1);
  App.render("#player-steps", steps.map(function (each, index) { return each.rest ? "" : '<i class="' + (index <= at ? "is-done" : "") + '"></i>'; }).join(""));
}
function tick() {
  var now = Date.now(), passed = (now - last) / 1000;
  last = now;
  if (!player.open || at >= steps.length) { return; }
  App.$("#player-clock").textContent = clock((now - began) / 1000);
  if (!running) { return; }
  left -= passed;
  if (left > 0) { draw(); return; }
  if (navigator.vibrate) { navigator.vibrate(120); }
  go(at + 1);
}
function finish() {
  var minutes = Math.max(1, Math.round((Date.now() - began) / 60000));
  App.save("player", null);
  running = false;
  Fit.log(workout.id, minutes, Math.round(workout.kcal * Math.min(1, minutes / workout.minutes)) || 1);
  App.$("#player-work").hidden = true;
  App.$("#player-summary").hidden = false;
  App.$("#sum-minutes").textContent = minutes;
  App.$("#sum-kcal").textContent = Fit.on(0)[0].kcal;
  App.$("#sum-streak").textContent = Fit.streak();
}
App.$("#start").addEventListener("click", function () {
  var kept = App.load("player", null);
  began = Date.now();
  App.$("#player-work").hidden = false;
  App.$("#player-summary").hidden = true;
  player.showModal();
  go(kept && kept.id === workout.id ? kept.at : 0);
});
App.$("#player-main").addEventListener("click", function () {
  var step = steps[at];
  if (!step.seconds || step.rest) { go(at + 1); return; }
  running = !running;
  draw();
});
App.$("#player-back").addEventListener("click", function () { go(at - 1); });
App.$("#player-skip").addEventListener("click", function () { go(at + 1); });
App.$("#player-close").addEventListener("click", function () { player.close(); });
App.$("#player-finish").addEventListener("click", function () { player.close(); App.toast({{ t("Your rings have it")|tojson }}); });
player.addEventListener("close", function () { running = false; show(); });
window.addEventListener("hashchange", show);
window.setInterval(tick, 200);
show();
