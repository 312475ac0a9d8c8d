// Makes the pictures of the docs: node pictures.mjs FOLDER OLD. Says which of those in OLD show something else now.

import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { env, explore, go, mapped, open, serve, settled } from './person.mjs';

const [folder, old] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await open();
const context = await browser.newContext({ viewport: { width: 1240, height: 840 } });
const [page, judge] = [await context.newPage(), await context.newPage()]; // reports allow no images

/** Photographs a part of a page, or what the window shows. */
async function picture(name, part) {
  const path = join(folder, name + '.png');
  await (part ? page.locator(part) : page).screenshot({ path });
  const before = join(old, name + '.png');
  const differs = existsSync(before) ? await judge.evaluate(differing, [path, before].map(file => 'data:image/png;base64,' + readFileSync(file, 'base64'))) : 1;
  if (differs > 0.03) console.log(`STALE: ${before} differs in ${(100 * differs).toFixed(1)}% of its pixels: bash .ci/pictures makes it again`);
}

/** The share of pixels in which two images differ; 1 if their sizes do. Runs in the page. */
async function differing(sources) {
  const [a, b] = await Promise.all(sources.map(async source => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  }));
  if (a.width !== b.width || Math.abs(a.height - b.height) > 40) return 1;
  const most = Math.min(a.data.length, b.data.length);
  let count = 0;
  for (let i = 0; i < most; i += 4) if (Math.abs(a.data[i] - b.data[i]) + Math.abs(a.data[i + 1] - b.data[i + 1]) + Math.abs(a.data[i + 2] - b.data[i + 2]) > 60) count++;
  return count / (most / 4);
}

await page.goto(pathToFileURL(resolve(env.WIKI, 'report.html')).href);
await picture('report');
await page.goto(pathToFileURL(env.LEVELS).href);
await picture('levels', '#levels-flow');
await page.goto(pathToFileURL(env.DRIFT).href);
await picture('drift', '#drift-flow');
await page.setViewportSize({ width: 1280, height: 1000 });
const server = await explore(env.WIKI, env.SHARDS, '-o', 'steered-model');
await page.goto(server.url);
await go(page, server.base, 'topics');
await picture('explore');
await go(page, server.base, 'items?search=army');
await page.locator('#view tbody a').first().click();
await page.waitForFunction(() => document.querySelector('h1').innerText === 'army');
await settled(page);
await picture('item');
await go(page, server.base, 'map');
await mapped(page);
await page.waitForTimeout(3000);
await picture('explore-map');
await go(page, server.base, 'document');
await page.fill('textarea', 'The band played its first songs in a church near the river, before the album was released. Years later an orchestra recorded them for a film about the war and its ships.');
await page.click('button.main');
await page.locator('.words.text a').first().waitFor();
await picture('transform');
await go(page, server.base, 'steer');
await page.getByLabel('A step as a line of a script').fill('merge 8 2');
await page.getByRole('button', { name: 'Make this step' }).click();
await page.locator('.script li').first().waitFor();
await settled(page);
await picture('steer');
await server.end();
const api = await serve(env.WIKI);
await page.goto(api.url);
await picture('serve');
await page.goto(pathToFileURL(env.CHOICE).href);
await picture('choose');
await browser.close();
await api.end();
for (const name of readdirSync(old)) if (!name.startsWith('python-') && !existsSync(join(folder, name))) console.log(`STALE: nothing makes ${join(old, name)}`);
