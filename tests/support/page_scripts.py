"""Scripts of a page that keep data in localStorage, in the ways in which models write that."""

SHOP_SCRIPTS = """
<script>
window.Shop = (function () {
  var Shop = {};
  Shop.load = function (key, fallback) {
    var text = window.localStorage.getItem("shop:" + key);
    return text === null ? fallback : JSON.parse(text);
  };
  Shop.save = function (key, value) { localStorage.setItem(`shop:${key}`, JSON.stringify(value)); };
  return Shop;
})();
</script>
<script>
const VISITS = "bean:visits";
localStorage["theme"] = "dark";
localStorage.setItem(VISITS, "1");
Shop.save("cart", []);
const kept = Shop.load("favourites", []);
localStorage.removeItem("order-" + Date.now());
console.log("no key");
if (kept.length) { location.href = "thanks.html"; }
</script>
"""
