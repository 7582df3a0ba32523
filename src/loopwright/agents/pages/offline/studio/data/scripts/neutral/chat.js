App.$$("[data-chat]").forEach(function (part) {
  var key = "chat:" + part.getAttribute("data-chat"), said = App.load(key, []), talk = App.$("[data-talk]", part), field = App.$("input", part);
  function add(text) { var line = document.createElement("p"); line.className = "bubble bubble-mine"; line.textContent = text; talk.appendChild(line); }
  said.forEach(add);
  App.$("[data-say]", part).addEventListener("submit", function (event) {
    event.preventDefault();
    if (!field.value.trim()) { return; }
    said.push(field.value.trim());
    App.save(key, said);
    add(field.value.trim());
    field.value = "";
  });
});
