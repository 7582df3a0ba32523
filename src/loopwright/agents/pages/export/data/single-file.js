// Shows one page of the app: the one that the address names (?page=menu), else the first. Pages are written as whole
// documents into this one, so that their scripts and their storage work as they do on their own.
(function () {
  "use strict";
  var app = JSON.parse(document.getElementById("app").textContent);
  var wanted = new URLSearchParams(location.search).get("page");
  var slug = Object.prototype.hasOwnProperty.call(app.pages, wanted) ? wanted : app.start;

  // A link that a script has made up still says menu.html.
  function inside(address) {
    var url = new URL(address, location.href);
    var name = url.pathname.split("/").pop().replace(/\.html?$/, "");
    if (url.protocol !== location.protocol || !/\.html?$/.test(url.pathname)) return null;
    if (url.pathname === location.pathname || !Object.prototype.hasOwnProperty.call(app.pages, name)) return null;
    var query = url.search.slice(1);
    return "?page=" + name + (query ? "&" + query : "") + url.hash;
  }

  var html = Object.keys(app.shared).reduce(function (page, mark) {
    return page.split(mark).join(app.shared[mark]);
  }, app.pages[slug]);
  document.open();
  document.write(html);
  document.close();
  document.addEventListener("click", function (event) {
    var link = event.target.closest && event.target.closest("a[href]");
    var target = link && !event.defaultPrevented && inside(link.getAttribute("href"));
    if (!target) return;
    event.preventDefault();
    location.href = target;
  });
})();
