// Tests of the report and the explorer in a browser. .ci/browser/run makes what they look at.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { accessible, env, explore, fits, go, keep, mapped, newPage, open, settled, soon, views } from './person.mjs';

/** @type {import('playwright-core').Browser} */
let browser;
let wiki, million;
const output = join(env.WORK, 'steered');

before(async () => {
  browser = await open();
  [wiki, million] = await Promise.all([explore(env.WIKI, env.SHARDS, '--compare', env.EARLIER, '-o', output), explore(env.MILLION)]);
});
after(async () => {
  await browser?.close();
  await Promise.all([wiki?.end(), million?.end()]);
});

const reports = () => [['20 topics', join(env.WIKI, 'report.html')], ['a million items', join(env.WORK, 'million.html')]];

test('reports load, sort, search, switch to dark, and print', { timeout: 240000 }, async () => {
  for (const [name, file] of reports()) {
    const { page, close } = await newPage(browser);
    const began = performance.now();
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector('main section');
    soon(performance.now() - began, `the report of ${name}`);
    await keep(page, `report-${name.replaceAll(' ', '-')}-light`);
    for (const [width, form] of [[1400, 'wide'], [800, 'middle'], [390, 'narrow']]) {
      await page.setViewportSize({ width, height: 900 });
      const picture = page.locator('#cover .forms > svg:visible');
      assert.equal(await picture.getAttribute('class'), form);
      const left = await picture.locator('a').evaluateAll(areas => areas.filter(a => [...a.querySelectorAll('text')].some(text => {
        const [t, b] = [text.getBoundingClientRect(), a.querySelector('rect').getBoundingClientRect()];
        return t.right > b.right + 1 || t.left < b.left - 1 || t.bottom > b.bottom + 4;
      })).map(a => a.textContent));
      assert.deepEqual(left, [], `names leave their areas at ${width}`);
      const wider = await page.locator('.chart').evaluateAll(charts => charts.filter(chart => chart.scrollWidth > chart.clientWidth + 1).map(chart => chart.closest('figure').id));
      assert.deepEqual(wider, [], `charts are wider than the window at ${width}`);
      if (width === 390) assert.equal(await page.locator('.scroll').evaluateAll(tables => tables.filter(table => table.scrollWidth > table.clientWidth + 1).length), 0, 'tables are wider than their frames');
      assert.equal(await page.locator('#map .forms > svg:visible').count(), await page.locator('#map').count(), `the map of topics at ${width}`);
      await keep(page, `report-${name.replaceAll(' ', '-')}-${width}`);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    const first = page.locator('#cover .forms > svg:visible a').last();
    await first.focus();
    await page.keyboard.press('Enter');
    assert.ok(await page.locator('.card:target').or(page.locator('#topics:target')).count() === 1, 'an area does not lead to its card');
    const panel = page.locator('#panel');
    if (await panel.count() > 0) {
      assert.ok(await panel.isVisible(), 'the panel of a topic is hidden');
      const chosen = () => page.locator('#panel select').inputValue(), names = () => panel.locator('ol bdi').allInnerTexts();
      assert.equal(await chosen(), await page.locator('.card:target').getAttribute('id'), 'an area does not choose its topic in the panel');
      const [frequent, peculiar] = [await names(), await panel.locator('input').fill('0').then(names)];
      assert.ok(frequent.length === 20 && peculiar.length === 20 && frequent.join() !== peculiar.join(), 'λ changes nothing');
      assert.equal(await panel.locator('output').innerText(), 'λ = 0');
      await keep(page, `report-${name.replaceAll(' ', '-')}-panel`);
      const pointed = page.locator('#map a[href^="#topic-"]').first();
      await pointed.hover();
      const href = await pointed.getAttribute('href');
      assert.ok(await page.locator(`.forms a.marked[href="${href}"]`).count() > 0 && await page.locator(`.card.marked${href}`).count() === 1,
        'what belongs to a topic is not marked together');
    }
    const find = page.locator('input[data-find]');
    if (await find.count() > 0) { // the map of items among the anchors
      const map = page.locator('#items-rectified svg'), said = page.locator('.controls:has(input[data-find]) [role=status]');
      const [name, hostile] = await map.evaluate(svg => [svg.dots.find(dot => !dot.corner).name, svg.dots.filter(dot => /[<>]/.test(dot.name)).length]);
      await find.fill(name.toUpperCase());
      assert.match(await said.innerText(), /^[1-9]\d* of \d+ items$/);
      assert.ok((await map.locator('.found-name').allTextContents()).some(text => text.toLowerCase().includes(name.toLowerCase())), `${name} is not shown`);
      assert.equal(await map.locator('img, script').count(), 0, `${hostile} hostile names`);
      await find.fill('');
      assert.equal(await map.locator('.found').count(), 0);
      await map.scrollIntoViewIfNeeded();
      const at = await map.evaluate(svg => { const dot = svg.dots[0], p = new DOMPoint(dot.x, dot.y).matrixTransform(svg.getScreenCTM()); return [p.x, p.y]; });
      await page.mouse.move(...at);
      await map.locator('.found-name').waitFor({ timeout: 5000 }).catch(() => assert.fail('pointing at an item does not say its name'));
      await page.mouse.move(0, 0);
    }
    const search = page.locator('input[data-search]').first();
    const table = page.locator('#' + await search.getAttribute('data-search'));
    const all = await table.locator('tbody tr:not([hidden])').count();
    const wanted = (await table.locator('tbody tr').nth(3).locator('th, td').first().innerText()).slice(0, 4);
    await search.fill(wanted);
    const found = await table.locator('tbody tr:not([hidden])').count();
    assert.ok(found > 0 && found < all, `${found} of ${all} rows have ${wanted}`);
    await search.fill('');
    const head = table.locator('thead th').first();
    await head.locator('button').focus();
    await page.keyboard.press('Enter');
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    const names = await table.locator('tbody tr > :first-child').allInnerTexts();
    assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b)));
    const light = await background(page);
    await page.locator('[data-theme-switch]').click();
    assert.notEqual(await background(page), light);
    await keep(page, `report-${name.replaceAll(' ', '-')}-dark`);
    await page.setViewportSize({ width: 400, height: 900 });
    await fits(page, `the report of ${name}`);
    await keep(page, `report-${name.replaceAll(' ', '-')}-narrow`);
    assert.ok(pagesOf(await page.pdf({ format: 'A4' })) >= 2);
    assert.equal(await page.evaluate(() => window.attacked), undefined);
    await accessible(page, `the dark report of ${name}`, true);
    await page.locator('[data-theme-switch]').click();
    await accessible(page, `the report of ${name}`);
    await close();
  }
});

test('levels, drift and numbers of topics are pictures that lead to topics, at every width', { timeout: 240000 }, async () => {
  const { page, close } = await newPage(browser);
  for (const [file, id] of [[env.LEVELS, 'levels-flow'], [env.DRIFT, 'drift-flow'], [env.CHOICE, 'topics']]) {
    await page.goto(pathToFileURL(file).href);
    for (const [width, form] of [[1400, 'wide'], [800, 'middle'], [390, 'narrow']]) {
      await page.setViewportSize({ width, height: 900 });
      const picture = page.locator(`#${id} .forms > svg:visible`);
      assert.equal(await picture.count(), 1);
      assert.equal(await picture.getAttribute('class'), form);
      const left = await picture.locator('svg text').evaluateAll(texts => texts.filter(text => {
        const box = text.parentNode.querySelector('rect')?.getBoundingClientRect(), t = text.getBoundingClientRect();
        return box && (t.right > box.right + 1 || t.left < box.left - 1);
      }).map(text => text.textContent));
      assert.deepEqual(left, [], `names leave their areas at ${width}`);
      await keep(page, `${id}-${width}`);
      await fits(page, id);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    if (id === 'topics') {
      const range = page.locator('#steps input'), shown = page.locator('#steps .step:visible');
      assert.match(await shown.locator('h3').innerText(), /readable/);
      await range.focus();
      await page.keyboard.press('Home');
      assert.match(await shown.locator('h3').innerText(), /^2 topics/);
      assert.match(await range.getAttribute('aria-valuetext'), /^2 topics/);
      const marks = [];
      for (let i = 0; i < 12; i++, await page.keyboard.press('ArrowRight')) marks.push(await shown.locator('h3').innerText());
      assert.ok(marks.some(mark => /there/.test(mark)), `none of ${marks} is there`);
    } else {
      await page.locator(`#${id} .forms > svg:visible a`).last().focus();
      await page.keyboard.press('Enter');
      assert.equal(await page.locator('.card:target').count(), 1, 'a topic does not lead to its card');
    }
    await accessible(page, id, true);
  }
  await close();
});

const background = page => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** Counts the pages of a PDF. */
const pagesOf = pdf => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length;

test('every view of the explorer can be used by everybody, in light, in dark and on a narrow screen', { timeout: 240000 }, async () => {
  for (const [look, options] of [['light', {}], ['dark', { colorScheme: 'dark' }], ['narrow', { viewport: { width: 400, height: 900 } }]]) {
    const { page, close } = await newPage(browser, options);
    await page.goto(wiki.url);
    await settled(page);
    assert.equal(new URL(page.url()).search, '', 'the token stays in the address');
    for (const view of views) {
      await go(page, wiki.base, view);
      if (view === 'document') {
        await page.fill('textarea', 'The church was built for the army\nguitarist xyzzy album songs');
        await page.click('button.main');
        await page.waitForSelector('.words');
        assert.ok(await page.locator('.words.text a.own').count() > 0, 'no word of the text is tinted');
        assert.equal(await page.locator('.words').count(), 1, 'the words of the text are listed again');
        const colours = await page.locator('.bars .bar').evaluateAll(bars => bars.map(bar => getComputedStyle(bar).fill));
        assert.ok(new Set(colours).size > 1, 'all topics have one colour');
      }
      if (view === 'map') await mapped(page);
      await page.waitForFunction(() => !document.querySelector('#view')?.textContent.includes('are being read'));
      for (const more of await page.locator('details > summary').all()) await more.click();
      const black = await page.locator('.inline-bar rect').evaluateAll(bars => bars.filter(bar => getComputedStyle(bar).fill === 'rgb(0, 0, 0)').length);
      assert.equal(black, 0, `${view}, ${look}: bars have no colour`);
      await accessible(page, `${view}, ${look}`);
      await fits(page, `${view}, ${look}`);
      if (look === 'narrow') assert.equal(await page.locator('#view .scroll').evaluateAll(tables => tables.filter(table => table.scrollWidth > table.clientWidth + 1).length), 0, `${view}: a table is wider than its frame`);
      await keep(page, `explore-${view.replace(/\W.*/, '')}-${look}`, true);
    }
    await close();
  }
});

test('documents are shown as their texts, whatever these hold', { timeout: 240000 }, async () => {
  const file = join(env.WORK, 'texts.jsonl');
  const texts = ['<img src=x onerror="window.attacked=1"> The orchestra played an album of songs.\nA <script>window.attacked=2</script> band 👩‍👩‍👧 sang.',
    'The album and its songs \u202egnitirw\u202c مرحبا بالعالم. '.repeat(4), 'The band released an album of songs. '.repeat(30000)];
  writeFileSync(file, texts.map((text, at) => JSON.stringify({ title: `<b>Title ${at}</b>`, text })).join('\n') + '\n');
  const shown = await explore(env.WIKI, file, '--text-column', 'text', '--document-column', 'title');
  try {
    for (const options of [{}, { viewport: { width: 390, height: 900 }, colorScheme: 'dark' }]) {
      const { page, close } = await newPage(browser, options);
      await page.goto(shown.url);
      await settled(page);
      const topics = await (await page.request.get(`${shown.base}/api/topics`)).json();
      await go(page, shown.base, `topic/${topics.find(topic => topic.prominent.some(item => ['album', 'band', 'songs'].includes(item.name))).topic}`);
      await page.waitForFunction(() => document.querySelectorAll('.documents .words.text a').length > 100);
      assert.deepEqual((await page.locator('.documents .title').allInnerTexts()).sort(), [0, 1, 2].map(at => `<b>Title ${at}</b>`));
      const read = await page.locator('.documents .words.text').allTextContents();
      assert.ok(read.includes(texts[0]) && read.some(text => text.includes('\\u202egnitirw') && text.includes('مرحبا')), read.map(text => text.slice(0, 200)).join('\n'));
      assert.equal([...read.find(text => text.endsWith('…'))].length, 4001);
      assert.equal(await page.locator('.documents .words').count(), 3, 'words are listed beside a text');
      const more = page.getByRole('button', { name: 'Whole text' }).first(), long = page.locator('.words.short').first(), box = await long.boundingBox();
      await more.click();
      assert.ok((await page.locator('.words.text').filter({ hasText: '…' }).boundingBox()).height > 2 * box.height, 'the whole text is not shown');
      assert.equal(await page.evaluate(() => window.attacked), undefined);
      await fits(page, 'documents as texts');
      await accessible(page, 'documents as texts');
      await keep(page, `explore-texts-${options.colorScheme ?? 'light'}`, true);
      await close();
    }
  } finally {
    await shown.end();
  }
});

test('the search forgives, and missing pages lead back', { timeout: 240000 }, async () => {
  const { page, close } = await newPage(browser);
  await page.goto(wiki.url);
  await settled(page);
  await page.keyboard.press('/');
  await page.waitForFunction(() => document.querySelector('h1')?.innerText === 'Items');
  await settled(page);
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.type), 'search');
  await page.keyboard.type('ORCHESTAR');
  await page.waitForFunction(() => [...document.querySelectorAll('tbody th')].some(th => th.innerText === 'orchestra'));
  await page.goto(`${wiki.base}/#/nowhere`);
  await page.getByRole('link', { name: 'All topics' }).click();
  await page.waitForFunction(() => document.querySelector('h1').innerText === 'Topics');
  const answer = await page.goto(`${wiki.base}/nowhere.html`);
  assert.equal(answer.status(), 404);
  await page.getByRole('link', { name: 'All topics' }).click();
  await page.waitForFunction(() => document.querySelector('#view h1')?.innerText === 'Topics');
  await close(/status of 404/);
});

test('the explorer of a million items loads, searches and pages', { timeout: 240000 }, async () => {
  const { page, close } = await newPage(browser);
  let began = performance.now();
  await page.goto(million.url);
  await settled(page);
  soon(performance.now() - began, 'the explorer of a million items');
  await go(page, million.base, 'items');
  assert.match(await page.locator('.controls').innerText(), /1–50 of 1,000,000 items/);
  began = performance.now();
  await page.fill('input[type=search]', 'item 7777');
  await page.waitForFunction(() => document.querySelector('.controls').innerText.includes('100 items with'));
  soon(performance.now() - began, 'a search among a million items');
  const rows = page.locator('tbody tr > th');
  assert.ok((await rows.allInnerTexts()).every(name => name.startsWith('item 7777')));
  const begin = await rows.first().innerText();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.waitForFunction(before => document.querySelector('tbody th').innerText !== before, begin);
  assert.match(page.url(), /from=50/);
  const first = await rows.first().innerText();
  await page.reload();
  await settled(page);
  assert.equal(await rows.first().innerText(), first);
  await keep(page, 'explore-million-items');
  await rows.first().locator('a').click();
  await page.waitForFunction(name => document.querySelector('h1').innerText === name, first);
  assert.equal(await page.locator('h2', { hasText: 'Items like it' }).count(), 1);
  await close();
});

test('hostile names stay text', { timeout: 240000 }, async () => {
  const { page, close } = await newPage(browser);
  await page.goto(million.url);
  await settled(page);
  for (let item = 0; item < 12; item++) {
    await go(page, million.base, `item/${item}`);
    for (const more of await page.locator('details > summary').all()) await more.click();
    if (item === 0) assert.equal(await page.locator('h1').innerText(), '<img src=x onerror="window.attacked=1">');
    if (item === 10) {
      assert.ok((await page.locator('h1').innerText()).length <= 60);
      assert.equal((await page.locator('.whole-name').innerText()).trim().length, 'long '.repeat(2048).trim().length);
      await keep(page, 'explore-long-name');
    }
    await fits(page, `item ${item}`);
    assert.equal(await page.locator('#view img, #view iframe, #view script').count(), 0);
  }
  await go(page, million.base, 'basket?items=0,1,2,5,10');
  await go(page, million.base, 'items?search=' + encodeURIComponent('<'));
  assert.ok(await page.locator('tbody tr').count() >= 3);
  await go(page, million.base, 'map');
  await mapped(page);
  assert.match(await page.locator('.map-view').innerText(), /<img src=x/);
  assert.equal(await page.locator('#view img, #view iframe, #view script').count(), 0);
  await go(page, million.base, 'topics');
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  await close();
});

test('everything can be done with the keyboard', { timeout: 240000 }, async () => {
  const { page, close } = await newPage(browser);
  await page.goto(wiki.url);
  await settled(page);
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Skip to the content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  await go(page, wiki.base, 'basket');
  await page.locator('.finder input').focus();
  await page.keyboard.type('guitar');
  await page.waitForSelector('.found li');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const second = await page.locator('.found li').nth(1).locator('bdi').innerText();
  assert.equal(await page.locator('.found li[aria-selected=true] bdi').innerText(), second);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.chips li');
  assert.equal(await page.locator('.chips li a').innerText(), second);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'combobox');
  assert.equal(await page.locator('#status').innerText(), `${second} is in the basket`);
  await page.waitForSelector('tbody tr');
  await page.getByRole('button', { name: `Remove ${second}` }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.chips li').length === 0);
  // A person sees where the focus is, and meets every control in the order of the page.
  await go(page, wiki.base, 'topic/4');
  await page.locator('nav a').first().focus();
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, 'solid', `${await focused(page)} does not show the focus`);
  }
  await page.locator('nav a', { hasText: 'Items' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('h1').innerText === 'Items');
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
  await close();
});

const focused = page => page.evaluate(() => document.activeElement.textContent.trim().slice(0, 60));

test('the theme can be switched, and is remembered', { timeout: 240000 }, async () => {
  const { page, close } = await newPage(browser);
  await page.goto(wiki.url);
  await settled(page);
  const light = await background(page);
  await page.locator('[data-theme-switch]').click();
  const dark = await background(page);
  assert.notEqual(dark, light);
  await page.goto(`${wiki.base}/#/items`);
  await page.reload();
  await settled(page);
  assert.equal(await background(page), dark);
  assert.ok(pagesOf(await page.pdf({ format: 'A4' })) >= 1);
  await close();
});

test('topics are steered, and every step can be undone; only saving writes, and only where it was told', { timeout: 240000 }, async () => {
  const { page, close } = await newPage(browser);
  await page.goto(wiki.url);
  await settled(page);
  const rows = page.locator('#view > .scroll tbody tr');
  const before = await rows.allInnerTexts();
  const files = readdirSync(env.WORK).sort();
  await go(page, wiki.base, 'topic/4');
  await page.getByLabel('Name').fill('animals <b>and</b> plants');
  await page.getByRole('button', { name: 'Name it' }).click();
  await page.waitForFunction(() => document.querySelector('h1').innerText === 'topic 4: animals <b>and</b> plants');
  await page.getByRole('button', { name: 'Split it' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.script li').length === 2);
  await page.getByLabel('A step as a line of a script').fill('merge 1 nothing');
  await page.getByRole('button', { name: 'Make this step' }).click();
  assert.match(await page.locator('[role=alert]').innerText(), /nothing/);
  assert.ok(await page.locator('tbody tr').count() >= 2, 'what the split changed is not shown');
  await keep(page, 'explore-steered');
  await go(page, wiki.base, 'topics');
  assert.equal(await rows.count(), before.length + 1);
  const download = page.waitForEvent('download');
  await go(page, wiki.base, 'steer');
  await page.getByText('Download the script').click();
  assert.equal((await download).suggestedFilename(), 'steer.txt');
  assert.deepEqual(readdirSync(env.WORK).sort(), files);
  await page.getByRole('button', { name: 'Save the model' }).click();
  await page.getByRole('button', { name: 'Saved' }).waitFor();
  assert.deepEqual(readdirSync(env.WORK).sort(), [...files, 'steered'].sort());
  assert.ok(existsSync(join(output, '_SUCCESS')));
  for (const left of [1, 0]) {
    await page.getByRole('button', { name: 'Undo the last step' }).click();
    await page.waitForFunction(n => document.querySelectorAll('.script li').length === n, left);
  }
  await go(page, wiki.base, 'topics');
  assert.deepEqual(await rows.allInnerTexts(), before);
  await close(/status of 422/); // of the impossible step
});

/** Counts the pixels of the map that have a colour. */
async function coloured(page) {
  const source = 'data:image/png;base64,' + (await page.locator('.map-stage').screenshot()).toString('base64');
  return page.evaluate(async source => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const context = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height }).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let n = 0;
    for (let i = 0; i < data.length; i += 4) if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60) n++;
    return n;
  }, source);
}

/** The middle of the map in the window, and its width. */
const middle = page => page.locator('.map-stage').evaluate(stage => { const box = stage.getBoundingClientRect(); return { x: box.left + box.width / 2, y: box.top + box.height / 2, wide: box.width }; });

test('the map paints, flies, names and selects; a step is shown before it is made, and undone', { timeout: 240000 }, async () => {
  const { page, close } = await newPage(browser, { reducedMotion: 'reduce' });
  await page.goto(wiki.url);
  await go(page, wiki.base, 'map');
  await mapped(page);
  await page.waitForTimeout(1000);
  const [points, files] = [await coloured(page), readdirSync(env.WORK).sort()];
  assert.ok(points > 2000, `${points} pixels have a colour`);
  assert.ok(await page.locator('.map-names .topic').count() >= 3, 'topics have no names');
  assert.match(await page.locator('.map-view h2').innerText(), /In view: 12,\d\d\d items/);
  assert.equal(await page.locator('.map-view .map-items li').count(), 12);
  // Search, with the keyboard: the map goes there, and neighbours light up.
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'combobox');
  await page.route(/search=guitar&/, async route => { await page.waitForTimeout(1000); await route.continue().catch(() => {}); }); // that its page has abandoned
  await page.keyboard.type('guita');
  await page.waitForFunction(() => document.querySelector('.found li bdi')?.innerText === 'guitar');
  await page.keyboard.type('r');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.map-card h2')?.innerText === 'guitar');
  await page.waitForTimeout(1500); // for the late answer to the last letter
  assert.equal(await page.locator('.found:visible').count(), 0, 'a late answer opens the list of a search that has ended');
  assert.ok(await page.locator('.map-card .map-items li').count() > 5);
  await page.keyboard.press('Escape');
  await page.locator('.map-card').waitFor({ state: 'hidden' });
  const at = await middle(page);
  await page.mouse.move(at.x + 1, at.y);
  await page.waitForFunction(() => document.querySelector('.map-tip:not([hidden]) b')?.innerText === 'guitar');
  await keep(page, 'explore-map-hover');
  // Keys on the map.
  await page.locator('.map canvas').focus();
  const where = () => page.url().match(/at=([^&]*)/)[1];
  const settles = async act => { const before = await page.locator('.map').getAttribute('data-settled'); await act(); await page.waitForFunction(before => document.querySelector('.map').dataset.settled !== before, before); return where(); };
  const [near, right] = [where(), await settles(() => page.keyboard.press('ArrowRight'))];
  assert.ok(Number(right.split(',')[0]) > Number(near.split(',')[0]), `${near} and ${right}`);
  assert.ok(Number((await settles(() => page.keyboard.press('+'))).split(',')[2]) > Number(near.split(',')[2]));
  await settles(() => page.keyboard.press('ArrowLeft'));
  await page.keyboard.press('Enter');
  await page.waitForSelector('.map-card h2');
  await page.keyboard.press('Escape');
  assert.equal(await settles(() => page.keyboard.press('0')), '0.0000,0.0000,1.00');
  await page.keyboard.press('s');
  await page.waitForFunction(() => /^12,\d\d\d items selected/.test(document.querySelector('.map-card h2')?.innerText));
  await page.keyboard.press('Escape');
  // A lasso around a part of the map, and what merging its topics would change.
  await page.keyboard.down('Shift');
  await page.mouse.move(at.x - at.wide / 4, at.y - 250);
  await page.mouse.down();
  for (const [x, y] of [[at.wide / 4, -250], [at.wide / 4, 250], [-at.wide / 4, 250], [-at.wide / 4, -240]]) await page.mouse.move(at.x + x, at.y + y, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.waitForFunction(() => /items selected/.test(document.querySelector('.map-card h2')?.innerText));
  const boxes = page.locator('.map-card input[type=checkbox]');
  for (const at of [0, 1]) await boxes.nth(at).check();
  for (let at = 2; at < await boxes.count(); at++) await boxes.nth(at).uncheck();
  await page.getByRole('button', { name: 'Merge those ticked…' }).click();
  await page.waitForSelector('.preview table');
  const told = await page.locator('.preview tbody').innerText();
  assert.match(told, /gone/);
  assert.match(told, /moved/);
  await keep(page, 'explore-map-preview');
  await accessible(page, 'the preview of a step');
  assert.equal((await (await page.request.get(`${wiki.base}/api/steer`)).json()).steps.length, 0, 'a preview has made its step');
  await page.getByRole('button', { name: 'Do it' }).click();
  await page.getByText('1 step so far').waitFor();
  assert.equal((await (await page.request.get(`${wiki.base}/api/model`)).json()).topics, 19);
  await page.getByRole('button', { name: 'Undo the last step' }).click();
  await page.waitForFunction(() => document.querySelector('#about').innerText.startsWith('20 topics'));
  assert.deepEqual(readdirSync(env.WORK).sort(), files);
  await close();
});

test('the map of a million items is there at once and follows the hand', { timeout: 240000 }, async () => {
  const { page, close } = await newPage(browser);
  await page.goto(million.url);
  await go(page, million.base, 'map');
  await page.waitForFunction(() => performance.getEntriesByName('map-painted').length > 0);
  soon(await page.evaluate(() => performance.getEntriesByName('map-painted')[0].startTime - performance.getEntriesByName('map-asked')[0].startTime), 'the first points of a million');
  await mapped(page);
  await page.waitForTimeout(2000);
  await page.evaluate(() => { window.times = []; const tick = now => { window.times?.push(now); if (window.times) requestAnimationFrame(tick); }; requestAnimationFrame(tick); });
  const at = await middle(page);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  for (let i = 0; i < 200; i++) { await page.mouse.move(at.x + 200 * Math.sin(i / 25), at.y + 150 * Math.sin(i / 31)); await page.waitForTimeout(8); }
  await page.mouse.up();
  const times = await page.evaluate(() => { const { times } = window; window.times = null; return times; });
  console.log(`moving a million items: ${Math.round(1000 * (times.length - 1) / (times.at(-1) - times[0]))} frames per second`);
  assert.ok(times.length > 20, `${times.length} frames`);
  await keep(page, 'explore-map-million');
  await close();
});

test('without a map the page says what makes one, and without WebGL it has the lists', { timeout: 240000 }, async () => {
  const bare = await explore(env.EARLIER);
  try {
    const { page, close } = await newPage(browser);
    await page.goto(bare.url);
    await go(page, bare.base, 'map');
    assert.equal(await page.locator('#view code').innerText(), `anchorage map ${env.EARLIER}`);
    // Once it is drawn, and drawn again, the page that is open shows it to who comes back to the window.
    const back = () => page.evaluate(() => dispatchEvent(new Event('focus')));
    for (const [seed, other] of [['1', true], ['2', true], ['2', false]]) {
      execFileSync(env.PROGRAM, ['map', env.EARLIER, '--seed', seed, '--quiet']);
      const asked = page.waitForResponse(`${bare.base}/api/map`);
      await back();
      await asked;
      await page.waitForTimeout(500);
      await mapped(page);
      const changed = await page.evaluate(() => { const was = window.before; window.before = document.querySelector('.map'); return window.before !== was; });
      assert.equal(changed, other, `with seed ${seed} the map ${changed ? 'changes' : 'stays'}`);
    }
    await close();
  } finally {
    await bare.end();
  }
  const { page, close } = await newPage(browser);
  await page.addInitScript(() => { const get = HTMLCanvasElement.prototype.getContext; HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind === 'webgl2' ? null : get.call(this, kind, ...rest); }; });
  await page.goto(wiki.url);
  await go(page, wiki.base, 'map');
  await mapped(page);
  assert.match(await page.locator('.map-note').innerText(), /no WebGL/);
  await page.locator('.map-view .map-items button').first().click();
  await page.waitForSelector('.map-card .map-items li');
  await keep(page, 'explore-map-flat');
  await close();
});

test('pages of other sites, foreign names and people without the token get nothing', { timeout: 240000 }, async () => {
  const { page } = await newPage(browser); // refusals are errors in the console
  await page.goto(wiki.url);
  await settled(page);
  const stranger = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<!DOCTYPE html><title>stranger</title><p>'));
  await new Promise(resolve => stranger.listen(0, '127.0.0.1', resolve));
  try {
    const elsewhere = await page.context().newPage(); // has the cookie of the explorer, as every port of this host
    await elsewhere.goto(`http://127.0.0.1:${stranger.address().port}/`);
    const before = (await (await page.request.get(`${wiki.base}/api/model`)).json()).version;
    const got = await elsewhere.evaluate(async base => {
      const attempt = async (path, init) => { try { return (await fetch(base + path, init)).type; } catch { return 'refused'; } };
      const frame = document.createElement('iframe');
      frame.src = base + '/';
      document.body.append(frame);
      await new Promise(resolve => frame.addEventListener('load', resolve));
      let framed = 'refused';
      try { framed = frame.contentDocument ? 'read' : 'refused'; } catch { /* another origin */ }
      const step = JSON.stringify({ line: 'pin 0' });
      return [
        await attempt('/api/topics', { credentials: 'include' }),
        await attempt('/api/steer', { method: 'POST', credentials: 'include', headers: { 'Content-Type': 'application/json' }, body: step }),
        await attempt('/api/steer', { method: 'POST', mode: 'no-cors', credentials: 'include', body: step }),
        framed,
      ];
    }, wiki.base);
    assert.deepEqual(got, ['refused', 'refused', 'refused', 'refused']);
    assert.equal((await (await page.request.get(`${wiki.base}/api/model`)).json()).version, before, 'a page of another site has changed the model');
  } finally {
    stranger.close();
  }
  const rebound = await page.context().newPage();
  const answer = await rebound.goto(wiki.url.replace('127.0.0.1', 'evil.example'));
  assert.equal(answer.status(), 403);
  for (const [headers, want] of [[{}, 401], [{ Authorization: 'Bearer wrong' }, 401], [{ Host: 'evil.example' }, 403], [{ Origin: 'https://evil.example' }, 403]]) {
    assert.equal(await statusOf(`${wiki.base}/api/topics`, headers), want, JSON.stringify(headers));
  }
  await page.context().close();
});

/** Returns the status of an answer to a request with headers that browsers do not let pages set. */
const statusOf = (url, headers) => new Promise((resolve, reject) => {
  request(url, { headers }, response => { response.resume(); resolve(response.statusCode); }).once('error', reject).end();
});
