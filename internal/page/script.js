// What a page can do beyond showing itself: a switch of theme, tables that sort and filter, cards that open together. Nothing needs it.
(() => {
  const root = document.documentElement, all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const number = cell => { const n = parseFloat((cell.dataset.value ?? cell.textContent).replace(/[,\s]/g, '').replace('−', '-')); return isNaN(n) ? -Infinity : n; };
  const keep = (key, value) => { try { value === undefined ? 0 : localStorage.setItem(key, value); return localStorage.getItem(key); } catch { return null; } };
  const theme = name => { name === 'light' || name === 'dark' ? root.dataset.theme = name : delete root.dataset.theme; };
  theme(keep('anchorage-theme'));
  addEventListener('DOMContentLoaded', () => {
    for (const button of all('[data-theme-switch]')) {
      const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
      const label = () => { button.textContent = dark() ? 'Light' : 'Dark'; };
      button.hidden = false;
      button.addEventListener('click', () => { const name = dark() ? 'light' : 'dark'; theme(name); keep('anchorage-theme', name); label(); });
      label();
    }
    for (const table of all('.scroll table')) {
      const titles = all('thead th', table).map(head => head.textContent);
      for (const cell of all('td', table)) cell.dataset.column = titles[cell.cellIndex];
    }
    for (const table of all('table[data-sort]')) all('thead th', table).forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button'; button.append(...head.childNodes); head.append(button);
      button.addEventListener('click', () => {
        const up = head.getAttribute('aria-sort') ? head.getAttribute('aria-sort') !== 'ascending' : !head.classList.contains('n');
        all('thead th', table).forEach(other => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        const numeric = head.classList.contains('n'), body = table.tBodies[0];
        const rows = [...body.rows].map(row => [numeric ? number(row.cells[column]) : row.cells[column].textContent, row]);
        const compare = numeric ? (a, b) => a[0] - b[0] : (a, b) => a[0].localeCompare(b[0]);
        rows.sort(up ? compare : (a, b) => compare(b, a));
        body.append(...rows.map(row => row[1]));
      });
    });
    for (const input of all('input[data-search]')) {
      const table = document.getElementById(input.dataset.search), told = document.getElementById(input.dataset.search + '-found');
      input.closest('.controls').hidden = false;
      const rows = [...table.tBodies[0].rows].map(row => [row.textContent.toLowerCase(), row]);
      input.addEventListener('input', () => {
        const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        let found = 0;
        for (const [text, row] of rows) found += (row.hidden = !words.every(word => text.includes(word))) ? 0 : 1;
        told.textContent = words.length ? `${found} of ${rows.length} rows` : '';
      });
    }
    // Maps say the name of the item that is pointed at, and show those that are searched.
    const plain = text => text.normalize('NFD').replace(/\p{Mn}/gu, '').toLowerCase();
    const shape = (svg, name, attributes, text = '') => { const e = document.createElementNS(svg.namespaceURI, name); for (const key in attributes) e.setAttribute(key, attributes[key]); e.textContent = text; return e; };
    const showMap = (svg, list) => {
      all('.found, .found-name', svg).forEach(e => e.remove());
      list.slice(0, 200).forEach((dot, n) => {
        svg.append(shape(svg, 'circle', { class: 'found', cx: dot.x, cy: dot.y, r: 4 }));
        if (n < 8) svg.append(shape(svg, 'text', { class: 'name halo found-name', x: dot.x + (dot.x > svg.viewBox.baseVal.width * 0.7 ? -7 : 7), y: dot.y + 4, 'text-anchor': dot.x > svg.viewBox.baseVal.width * 0.7 ? 'end' : 'start' }, dot.name));
      });
    };
    for (const svg of new Set(all('path[data-names]').map(path => path.ownerSVGElement))) {
      svg.dots = all('path[data-names]', svg).flatMap(path => {
        const names = path.dataset.names.split('\n');
        return [...path.getAttribute('d').matchAll(/M(-?[\d.]+) (-?[\d.]+)/g)].map((at, n) => ({ x: +at[1] + 1.5, y: +at[2], name: names[n], plain: plain(names[n]) }));
      });
      for (const corner of all('path.anchor', svg)) {
        const [x, y] = corner.getAttribute('d').match(/-?[\d.]+/g), name = corner.textContent.replace(/: Topic \d+: .*/, '');
        svg.dots.push({ x: +x, y: +y + 6, name, plain: plain(name), corner: true });
      }
      svg.wanted = [];
      svg.addEventListener('pointermove', event => {
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        const away = dot => Math.hypot(dot.x - at.x, dot.y - at.y);
        const near = svg.dots.reduce((best, dot) => away(dot) < away(best) ? dot : best, svg.dots[0]);
        showMap(svg, away(near) < 9 ? [near, ...svg.wanted] : svg.wanted);
      });
      svg.addEventListener('pointerleave', () => showMap(svg, svg.wanted));
    }
    for (const input of all('input[data-find]')) {
      const maps = input.dataset.find.split(' ').map(id => document.querySelector(`#${id} svg`)).filter(svg => svg?.dots);
      input.closest('.controls').hidden = maps.length === 0;
      input.addEventListener('input', () => {
        const text = plain(input.value.trim());
        for (const svg of maps) {
          svg.wanted = text ? svg.dots.filter(dot => dot.plain.includes(text)).sort((a, b) => a.name.length - b.name.length) : [];
          showMap(svg, svg.wanted);
        }
        input.closest('.controls').querySelector('[role=status]').textContent = text ? `${maps[0].wanted.length} of ${maps[0].dots.length} items` : '';
      });
    }
    for (const button of all('[data-open]')) {
      button.closest('.controls').hidden = false;
      button.addEventListener('click', () => all('#' + button.dataset.open + ' details.card').forEach(card => { card.open = button.dataset.to === 'open'; }));
    }
    for (const panel of all('#panel')) {
      const data = JSON.parse(panel.querySelector('pre').textContent), select = panel.querySelector('select');
      const range = panel.querySelector('input'), list = panel.querySelector('ol');
      const element = (name, text, className) => { const e = document.createElement(name); e.textContent = text; e.className = className ?? ''; return e; };
      const percent = v => (100 * v).toPrecision(2).replace(/e.*/, '') + '%';
      const draw = () => {
        const topic = data.topics.find(t => t.id === select.value), lambda = +range.value;
        panel.querySelector('output').textContent = 'λ = ' + lambda;
        const rows = topic.items.map((item, n) => ({ name: data.names[item], all: data.all[item], of: topic.of[n] }))
          .sort((a, b) => b.of / b.all ** (1 - lambda) - a.of / a.all ** (1 - lambda)).slice(0, data.shown);
        const most = Math.max(...rows.map(row => Math.max(row.all, row.of * topic.share)));
        list.className = 'bars over k' + topic.hue;
        list.replaceChildren(...rows.map(row => {
          const li = document.createElement('li'), part = Math.min(row.of * topic.share / row.all, 1);
          const bar = value => element('i', '', 'w' + Math.ceil(50 * value / most));
          li.append(element('bdi', row.name), bar(row.all), bar(part * row.all), element('small', Math.round(100 * part) + '%'));
          li.title = `${row.name}: ${(100 * row.of).toPrecision(2)}% of the topic, ${Math.round(100 * part)}% of its tokens are in it`;
          return li;
        }));
      };
      panel.hidden = false;
      panel.show = id => { if (data.topics.some(t => t.id === id)) { select.value = id; draw(); } };
      select.addEventListener('change', draw);
      range.addEventListener('input', draw);
      draw();
    }
    for (const ladder of all('#steps')) { // one number of topics at a time
      const range = ladder.querySelector('input'), steps = all('.step', ladder);
      const show = () => {
        steps.forEach((step, n) => { step.hidden = n !== +range.value; });
        range.setAttribute('aria-valuetext', ladder.querySelector('output').textContent = steps[range.value].dataset.name);
      };
      ladder.querySelector('.controls').hidden = false;
      range.addEventListener('input', show);
      show();
    }
    // Whatever leads to a topic is marked while one of them is pointed at or has the focus.
    const topicOf = target => target.closest?.('a[href^="#topic-"]')?.getAttribute('href') ?? '#' + (target.closest?.('.card')?.id ?? '');
    const mark = event => {
      const to = topicOf(event.target);
      all('.marked').forEach(e => e.classList.remove('marked'));
      if (to !== '#') all(`a[href="${to}"], .card[id="${to.slice(1)}"]`).forEach(e => e.classList.add('marked'));
    };
    addEventListener('pointerover', mark);
    addEventListener('focusin', mark);
    const reveal = () => { const at = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1))); if (at && at.tagName === 'DETAILS') { at.open = true; document.getElementById('panel')?.show?.(at.id); } };
    addEventListener('hashchange', reveal);
    reveal();
  });
})();
