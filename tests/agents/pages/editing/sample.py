"""A page with the shapes that edits meet: sections, lists without end tags, a table, a template, drawings, scripts."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Sample</title>
<link rel="stylesheet" href="../design-system.css">
<style>
/* .x { } */ .card, .tile { color: red; background: url(data:a;b{c}) }
.box {
  color: red;
  margin: 0
}
@media (max-width: 300px) { .card { color: blue } }
.card > p::before { content: "}" }
.app-bar { background: black }
</style>
</head>
<body>
<div id="app" class="page">
<header class="app-bar"><h1>Sample</h1></header>
<main class="content">
  <section id="a" class="card first">
    <h2>One</h2>
    <p>Text<br>more &amp; more</p>
  </section>
  <section id="b" class="card"><h2>Two</h2><img src="x.png" alt="An x"></section>
  <ul id="list"><li>1<li>2<li>3</ul>
  <table><tr><td>cell<tr><td>other</table>
  <!-- a remark -->
  <template id="row"><p class="row">Row</p></template>
  <svg viewBox="0 0 9 9"><title>Art</title><path d="M0 0h9"/></svg>
  <p>Some <b>bold <i>and</i></b> words < 3</p>
</main>
<nav aria-label="Main"><a href="index.html">Home</a><a href="menu.html">Menu</a></nav>
</div>
<script>const label = "<p>not markup</p>";</script>
</body>
</html>
"""
