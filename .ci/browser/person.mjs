// What the tests share: a browser, servers of the program, and looks at a page.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const env = process.env;

/** Starts Chromium, which draws WebGL without a graphics card. evil.example is this machine, as after a rebinding of its name. */
export const open = () => chromium.launch({ executablePath: env.CHROMIUM, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--host-resolver-rules=MAP evil.example 127.0.0.1'] });

/** Starts anchorage explore and returns its address, and a function that ends it. @param {string[]} args */
export const explore = (...args) => start('explore', ...args, '--no-browser', '--quiet');

/** Starts anchorage serve, as explore does. @param {string} model */
export const serve = model => start('serve', model, '--listen', '127.0.0.1:0', '--quiet');

async function start(...args) {
  const child = spawn(env.PROGRAM, args, { stdio: ['ignore', 'inherit', 'pipe'] });
  const ended = new Promise(resolve => child.once('exit', resolve));
  let said = '';
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', text => {
      said += text;
      const found = /http:\S+/.exec(said);
      if (found) resolve(found[0]);
    });
    child.once('exit', code => reject(new Error(`anchorage ${args[0]} ended with code ${code}: ${said}`)));
  });
  return { url, base: new URL(url).origin, end: async () => { child.kill('SIGINT'); assert.equal(await ended, 0, said); } };
}

/** The views of the explorer that are looked at, and what is done there before. */
export const views = ['topics', 'topic/4', 'items?search=ch', 'item/100', 'map', 'basket?items=100,101', 'document', 'drift', 'levels', 'trends', 'steer'];

/** Returns a page that fails the test if the console shows an error. @param {import('playwright-core').Browser} browser */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  const problems = [];
  page.on('console', message => { if (['error', 'warning'].includes(message.type())) problems.push(`${page.url()}: ${message.text()}`); });
  page.on('pageerror', error => problems.push(`${page.url()}: ${error.message}`));
  return { page, close: async expected => { await context.close(); assert.deepEqual(problems.filter(one => !expected?.test(one)), []); } };
}

/** Goes to a view of the explorer, and waits until it is there. */
export async function go(page, base, view) {
  await page.goto(`${base}/#/${view}`);
  await settled(page);
}

/** Waits until the map has all its points and names. */
export const mapped = page => page.waitForSelector('.map[data-loaded][data-settled]', { timeout: 30000 });

/** Waits until a view is shown. */
export const settled = page => page.waitForSelector('#view:not([aria-busy]) h1', { timeout: 20000 });

/**
 * Fails if axe finds what keeps people from using a page: serious and critical findings. A page with thousands of equal rows, cards and
 * points is thinned first, since axe looks at every element several times; it is of no use after that.
 */
export async function accessible(page, where, thin = false) {
  if (thin) {
    await page.evaluate(() => {
      for (const parent of document.querySelectorAll('tbody, ol, ul, svg, svg g, .cards')) {
        for (const child of [...parent.children].slice(12)) child.remove();
      }
    });
  }
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const grave = violations.filter(one => ['serious', 'critical'].includes(one.impact));
  assert.deepEqual(grave.map(one => `${where}: ${one.id}: ${one.nodes.slice(0, 3).map(node => `${node.target} ${node.failureSummary}`)}`), []);
}

/** Fails if a page is wider than its window. */
export async function fits(page, where) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `${where} is ${over} pixels wider than the window`);
}

/** Keeps what a page looks like, if somebody wants to see it. */
export async function keep(page, name, fullPage = false) {
  if (env.ANCHORAGE_SCREENSHOTS) await page.screenshot({ path: join(env.ANCHORAGE_SCREENSHOTS, `${name}.png`), fullPage });
}

/** Fails if something took longer than a person waits. The aim is 2 s; a busy machine gets four times that. This is the one time that is a test. */
export function soon(milliseconds, what) {
  console.log(`${what}: ${Math.round(milliseconds)} ms`);
  assert.ok(milliseconds < 4 * 2000, `${what} took ${milliseconds} ms`);
}
