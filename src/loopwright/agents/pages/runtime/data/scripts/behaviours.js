(function () {
  "use strict";
  var App = window.App;
  var filters = {};

  // Filters and search of a group work together: an item shows when it passes both.
  function apply(group) {
    var scope = App.$('[data-filter-target="' + group + '"]') || document;
    var state = filters[group] || {};
    var shown = 0;
    App.$$("[data-tags], [data-text]", scope).forEach(function (item) {
      var tags = (item.getAttribute("data-tags") || "").split(" ");
      var text = (item.getAttribute("data-text") || item.textContent).toLowerCase();
      var fits = (!state.filter || tags.indexOf(state.filter) >= 0) && (!state.words || text.indexOf(state.words) >= 0);
      item.hidden = !fits;
      shown += fits ? 1 : 0;
    });
    App.$$("[data-group-section]", scope).forEach(function (section) {
      section.hidden = !App.$("[data-tags]:not([hidden]), [data-text]:not([hidden])", section);
    });
    var none = App.$('[data-no-results="' + group + '"]');
    if (none) { none.hidden = shown > 0; }
  }

  App.filter = function (group, change) {
    filters[group] = Object.assign(filters[group] || {}, change);
    apply(group);
  };

  App.on("[data-filter]", "click", function (event, chip) {
    var bar = chip.closest("[data-filter-group]");
    App.$$("[data-filter]", bar).forEach(function (each) { each.setAttribute("aria-pressed", String(each === chip)); });
    bar.scrollTo({ left: chip.offsetLeft - bar.offsetLeft - 20 });
    App.filter(bar.getAttribute("data-filter-group") || "items", { filter: chip.getAttribute("data-filter") });
  });

  App.on("[data-search]", "input", function (event, input) {
    App.filter(input.getAttribute("data-search") || "items", { words: input.value.trim().toLowerCase() });
  });

  function choose(tab) {
    var list = tab.closest("[role=tablist]") || tab.parentElement;
    App.$$("[role=tab]", list).forEach(function (each) {
      var chosen = each === tab;
      each.setAttribute("aria-selected", String(chosen));
      each.tabIndex = chosen ? 0 : -1;
      var panel = document.getElementById(each.getAttribute("aria-controls"));
      if (panel) { panel.hidden = !chosen; }
    });
  }

  App.on("[role=tab]", "click", function (event, tab) { choose(tab); });
  App.on("[role=tab]", "keydown", function (event, tab) {
    var step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) { return; }
    var tabs = App.$$("[role=tab]", tab.closest("[role=tablist]") || tab.parentElement);
    var next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  });

  App.sheet = function (id) { document.getElementById(id).showModal(); };
  App.on("[data-sheet-open]", "click", function (event, button) { App.sheet(button.getAttribute("data-sheet-open")); });
  App.on("[data-sheet-close]", "click", function (event, button) { button.closest("dialog").close(); });
  App.on("dialog.sheet", "click", function (event, dialog) { if (event.target === dialog) { dialog.close(); } });

  App.on("[data-stepper] [data-step]", "click", function (event, button) {
    var stepper = button.closest("[data-stepper]");
    var output = App.$("output", stepper);
    var least = Number(stepper.getAttribute("data-min") || 1);
    var most = Number(stepper.getAttribute("data-max") || 20);
    var value = Math.min(most, Math.max(least, Number(output.textContent) + Number(button.getAttribute("data-step"))));
    output.textContent = value;
    stepper.dispatchEvent(new CustomEvent("stepper:change", { bubbles: true, detail: { value: value } }));
  });

  App.on("[data-choice]", "click", function (event, button) {
    App.$$("[data-choice]", button.parentElement).forEach(function (each) {
      each.setAttribute("aria-pressed", String(each === button));
    });
  });

  function problem(field) {
    var value = field.value.trim();
    if (field.required && (field.type === "checkbox" ? !field.checked : !value)) { return App.text("Please fill this in."); }
    if (value && field.type === "email" && !/^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/.test(value)) {
      return App.text("Please enter an email address like name@example.com.");
    }
    if (value && field.type === "tel" && value.replace(/\D/g, "").length < 6) { return App.text("Please enter a phone number."); }
    return "";
  }

  App.validate = function (form) {
    var first = null;
    App.$$("input, select, textarea", form).forEach(function (field) {
      var message = problem(field);
      var note = field.id ? App.$('[data-error-for="' + field.id + '"]', form) : null;
      field.setAttribute("aria-invalid", String(Boolean(message)));
      if (note) { note.textContent = message; note.hidden = !message; }
      if (message && !first) { first = field; }
    });
    if (first) { first.focus(); }
    return !first;
  };

  App.$$("form[data-form]").forEach(function (form) {
    form.noValidate = true;
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      if (!App.validate(form)) { return; }
      var done = App.$("[data-form-done]", form.parentElement) || App.$("[data-form-done]");
      form.dispatchEvent(new CustomEvent("form:done", { bubbles: true, detail: new FormData(form) }));
      if (done) {
        form.hidden = true;
        done.hidden = false;
        done.scrollIntoView({ block: "center" });
      }
    });
  });

  App.$$("[data-setting]").forEach(function (input) {
    var key = input.getAttribute("data-setting");
    if (key === "dark-mode") { input.checked = App.mode() === "dark"; }
    else { input.checked = App.load("setting:" + key, input.checked); }
    input.addEventListener("change", function () {
      if (key === "dark-mode") { App.mode(input.checked ? "dark" : "light"); }
      else { App.save("setting:" + key, input.checked); }
    });
  });
})();
