var App = window.App;
// Whoever has signed up on this phone is thanked on every page that asks.
function showLead() {
  var form = App.$("#lead-form");
  var mine = App.records("Lead").where(function (lead) { return lead.source !== "contact"; }).pop();
  if (!form) { return; }
  form.hidden = Boolean(mine);
  App.$("#lead-done").hidden = !mine;
  App.$("#lead-number").textContent = {{ data.lead.start }} + App.records("Lead").all().length;
}
App.on("#lead-form", "form:done", function (event, form) {
  App.records("Lead").add({
    name: event.detail.get("lead-name"), email: event.detail.get("lead-email"),
    message: event.detail.get("lead-message") || "", source: form.dataset.source, createdAt: new Date().toISOString()
  });
  App.$("#lead-number").textContent = {{ data.lead.start }} + App.records("Lead").all().length;
});
App.on("#lead-undo", "click", function () {
  App.records("Lead").all().forEach(function (lead) { App.records("Lead").remove(lead.id); });
  App.$("#lead-form").reset();
  App.$("#lead-form").hidden = false;
  showLead();
});
showLead();
