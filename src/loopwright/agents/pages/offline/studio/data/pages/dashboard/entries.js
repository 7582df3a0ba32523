var categories = {{ data.categories|tojson }};
function categoryOf(entry) { return categories.find(function (each) { return each.id === entry.categoryId; }) || categories[0]; }
function dayOf(entry) {
  if (entry.day === 0) { return {{ t('Today')|tojson }}; }
  if (entry.day === 1) { return {{ t('Yesterday')|tojson }}; }
  return App.dayName(App.day(-entry.day), { day: "numeric", month: "short" });
}
function entryRow(entry) {
  var category = categoryOf(entry), icon = App.$('[data-category-icon="' + category.id + '"]');
  return '<li class="entry-row"><span class="list-icon">' + icon.innerHTML + '</span><div><b>' + App.escape(entry.title) + '</b><p class="muted">' + App.escape(category.name + " · " + dayOf(entry)) +
    '</p></div><span class="price">' + App.entryAmount(entry.amount) + "</span></li>";
}
