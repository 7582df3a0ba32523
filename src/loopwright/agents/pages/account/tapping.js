// Taps a switch, and tells the page's ground before it, after one tap, and after a second.
async (path) => {
  const ground = () => {
    for (const el of [document.body, document.documentElement]) {
      const colour = getComputedStyle(el).backgroundColor;
      if (!/^rgba\(.*, 0\)$|^transparent$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const rest = () => new Promise((done) => setTimeout(done, 350));
  const control = document.querySelector(path), seen = [ground()];
  for (const _ of [1, 2]) {
    control.click();
    await rest();
    seen.push(ground());
  }
  return seen;
}
