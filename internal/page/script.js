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
    for (const button of all('[data-open]')) {
      button.closest('.controls').hidden = false;
      button.addEventListener('click', () => all('#' + button.dataset.open + ' details.card').forEach(card => { card.open = button.dataset.to === 'open'; }));
    }
    const reveal = () => { const at = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1))); if (at && at.tagName === 'DETAILS') at.open = true; };
    addEventListener('hashchange', reveal);
    reveal();
  });
})();
