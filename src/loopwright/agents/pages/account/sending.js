// Fill in one form as a person would and send it; tell whether the page then shows or keeps what was typed.
async (index) => {
  const form = document.forms[index], typed = "Qzprobe", today = new Date().toLocaleDateString("sv"); // what counts this week counts it
  const value = (field) => {
    const kinds = { email: "qzprobe@example.org", tel: "0301234567", number: field.min || "1", range: field.value, url: "https://example.org/qzprobe",
      date: today, time: "10:30", "datetime-local": "2031-05-17T10:30", month: "2031-05", week: "2031-W20", color: "#336699", password: "Qzprobe-1234" };
    return kinds[field.type] ?? typed;
  };
  const shown = () => document.body.innerText.replace(/\s+/g, " ").trim();
  const kept = () => JSON.stringify({ ...localStorage });
  const values = [];
  for (const field of form.elements) {
    if (field.disabled || field.matches("button,fieldset,output,input[type=hidden],input[type=submit],input[type=button],input[type=file]")) continue;
    if (field.matches("select")) field.selectedIndex = field.options.length - 1;
    else if (field.matches("[type=checkbox],[type=radio]")) field.checked = true;
    else { field.value = value(field); values.push(field.value); }
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  const before = [shown(), kept()];
  const send = [...form.elements].find((each) => each.matches("button:not([type=button]):not([type=reset]),input[type=submit]"));
  send.click();
  await new Promise((done) => setTimeout(done, 120));
  const after = [shown(), kept()];
  return { shown: after[0] !== before[0], stored: after[1] !== before[1],
    typed: values.some((each) => each && after.join(" ").includes(each) && !before.join(" ").includes(each)) };
}
