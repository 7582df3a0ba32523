var App = window.App;
// Big words fill the column whatever they say: measured once, set to the width there is.
function fit() {
  App.$$(".fit").forEach(function (word) {
    word.style.fontSize = "100px";
    var size = 100 * word.parentElement.clientWidth / (word.getBoundingClientRect().width + 6);
    word.style.fontSize = Math.max(28, Math.min(Number(word.dataset.most || 230), size * 0.985)) + "px";
  });
}
window.addEventListener("resize", fit);
fit();
