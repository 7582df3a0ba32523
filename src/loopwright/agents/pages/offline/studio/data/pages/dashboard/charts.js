// Charts as SVG, drawn from points { at, value }; colours come from the style sheet.
App.chart = (function () {
  var WIDTH = 360;

  function scale(values, height, zero) {
    var most = Math.max.apply(null, values), least = zero ? 0 : Math.min.apply(null, values);
    var room = (most - least || 1) * 0.08;
    most += room;
    least = zero ? 0 : Math.max(0, least - room);
    return { most: most, least: least, y: function (value) { return Math.round((height - (value - least) / (most - least || 1) * height) * 10) / 10; } };
  }

  function svg(height, label, inside) {
    return '<svg class="chart" viewBox="0 0 ' + WIDTH + " " + height + '" role="img" aria-label="' + App.escape(label) + '">' + inside + "</svg>";
  }

  function spark(points) {
    var fit = scale(points.map(function (point) { return point.value; }), 36), step = 120 / (points.length - 1);
    return '<svg class="chart spark" viewBox="0 0 120 40" preserveAspectRatio="none" aria-hidden="true"><path class="line" vector-effect="non-scaling-stroke" d="' +
      points.map(function (point, place) { return (place ? "L" : "M") + (place * step).toFixed(1) + " " + (fit.y(point.value) + 2); }).join("") + '"/></svg>';
  }

  function line(points, options) {
    var height = 150, values = points.map(function (point) { return point.value; });
    var fit = scale(options.goal ? values.concat([options.goal]) : values, height), step = WIDTH / (points.length - 1);
    var path = points.map(function (point, place) { return (place ? "L" : "M") + (place * step).toFixed(1) + " " + fit.y(point.value); }).join("");
    var marks = [0, 0.5, 1].map(function (part) {
      var value = fit.least + (fit.most - fit.least) * (1 - part);
      return '<line class="grid" x1="0" x2="' + WIDTH + '" y1="' + height * part + '" y2="' + height * part + '"/><text x="0" y="' + (height * part - 4) + '">' + App.escape(options.show(value)) + "</text>";
    }).join("");
    var days = [0, Math.floor(points.length / 2), points.length - 1].map(function (place, number) {
      return '<text x="' + (place * step).toFixed(0) + '" y="' + (height + 20) + '" text-anchor="' + ["start", "middle", "end"][number] + '">' + App.dayName(points[place].at, { day: "numeric", month: "short" }) + "</text>";
    }).join("");
    var last = points[points.length - 1];
    return svg(height + 26, options.label, '<g transform="translate(0 2)">' + marks + '<path class="area" d="' + path + "L" + WIDTH + " " + height + "L0 " + height + 'z"/>' +
      (options.goal ? '<line class="goal" x1="0" x2="' + WIDTH + '" y1="' + fit.y(options.goal) + '" y2="' + fit.y(options.goal) + '"/>' : "") +
      '<path class="line" d="' + path + '"/><circle class="point" data-cursor cx="' + WIDTH + '" cy="' + fit.y(last.value) + '" r="5"/>' + days + "</g>");
  }

  function columns(groups, options) {
    var height = 150, values = [].concat.apply([], groups.map(function (group) { return [group.now, group.before]; }));
    var fit = scale(values, height, true), room = WIDTH / groups.length, wide = Math.min(26, room * 0.32);
    return svg(height + 26, options.label, groups.map(function (group, place) {
      var x = room * place + room / 2;
      return '<rect class="column is-before" x="' + (x - wide - 2) + '" y="' + fit.y(group.before) + '" width="' + wide + '" height="' + (height - fit.y(group.before)) + '" rx="3"/><rect class="column" x="' + (x + 2) + '" y="' + fit.y(group.now) + '" width="' + wide + '" height="' + (height - fit.y(group.now)) + '" rx="3"/><text x="' + x + '" y="' + (height + 20) + '" text-anchor="middle">' + App.escape(group.name) + "</text>";
    }).join(""));
  }

  function ring(parts, label) {
    var total = parts.reduce(function (sum, part) { return sum + part.value; }, 0) || 1, round = 2 * Math.PI * 46, done = 0;
    return '<svg class="chart" viewBox="0 0 132 132" role="img" aria-label="' + App.escape(label) + '"><g transform="rotate(-90 66 66)">' + parts.map(function (part, place) {
      var length = part.value / total * round, piece = '<circle class="ring hue-' + place % 5 + '" cx="66" cy="66" r="46" stroke-dasharray="' + Math.max(0, length - 2).toFixed(1) + " " + round.toFixed(1) + '" stroke-dashoffset="' + (-done).toFixed(1) + '"/>';
      done += length;
      return piece;
    }).join("") + "</g></svg>";
  }

  // The finger on a line chart reads its points.
  function follow(holder, points, read) {
    function move(event) {
      var box = holder.getBoundingClientRect(), place = Math.round((event.clientX - box.left) / box.width * (points.length - 1));
      read(points[Math.max(0, Math.min(points.length - 1, place))], place);
    }
    holder.onpointermove = move;
    holder.onpointerdown = move;
  }

  return { spark: spark, line: line, columns: columns, ring: ring, follow: follow };
})();
