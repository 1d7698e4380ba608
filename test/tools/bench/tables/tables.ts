/**
 * `npm run bench -- --tables`: the browser's cost of turning to a page of a hundred rows, for every
 * long list of the console. Milliseconds, medians of ten turns to pages not loaded before. `first`,
 * `longest`, `script`, `layout` and `thread` are CPU time of the page's main thread.
 *
 *   --profile           builds the console with React profiling, for the column `react`
 *   --web <folder>      measures this console build instead
 *   --against <folder>  compares with another build, list by list in the same run
 *   --list <name>       one list only
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type CDPSession, chromium, type Page } from '@playwright/test';
import { build } from 'vite';
import { BROWSER } from '../../../../playwright.config.ts';
import { loadConfig } from '../../../../src/config.ts';
import { startServer } from '../../../../src/server/serve.ts';
import type { Serving } from '../../../../src/server/serving.ts';
import { seed } from '../../shots/seed.ts';
import { type Sessions, signAllIn } from '../../shots/shoot.ts';
import { median } from '../load.ts';
import { tasksOf } from '../tasks.ts';
import { fillLists } from './table-rows.ts';

const TURNS = 10;
const ROWS = 100;
/** The minimum number of visible rows. */
const SHOWN_ROWS = 10;
/** One extra page for the first view and one for the warm-up. */
const PAGES = TURNS + 2;

const LISTS = [
  { name: 'channels', path: '/admin/channels' },
  { name: 'log', path: '/app/logs/api-usage?from=0' },
  { name: 'users', path: '/admin/users' },
  { name: 'tokens', path: '/app/tokens' },
  { name: 'redemptions', path: '/admin/coupons' },
  { name: 'drawings', path: '/app/logs/drawing?from=0' },
  { name: 'tasks', path: '/app/logs/tasks?from=0' },
] as const;

type List = (typeof LISTS)[number];

interface Turn {
  /** Main thread work from the last byte of the list to the frame that shows the first rows. */
  readonly first: number;
  /** The longest task of the turn, during which the page does not respond. */
  readonly longest: number;
  /**
   * React's own measure of its rendering, summed over all commits of the turn; 0 without profiling.
   */
  readonly react: number;
  /** All scripts of the turn: React rendering, DOM changes and reading the response. */
  readonly script: number;
  /** Styles and layout. */
  readonly layout: number;
  /** All work of the page's main thread, including painting. */
  readonly thread: number;
  /** From the last byte of the list to the frame that shows it. */
  readonly shown: number;
  readonly nodes: number;
}

interface Side {
  readonly name: string;
  readonly serving: Serving;
  readonly sessions: Sessions;
}

/** Runs in the page before its own scripts: sums up React commits and waits for the new rows. */
const WATCH = `
  performance.setResourceTimingBufferSize(5000);
  // Or a profiling React reports every component to the browser as well.
  console.timeStamp = undefined;
  window.turn = { react: 0, shownAt: 0 };
  window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true, renderers: new Map(), checkDCE() {}, inject: () => 1,
    onCommitFiberUnmount() {}, onPostCommitFiberRoot() {},
    onCommitFiberRoot: (_id, { current }) => { turn.react += current.actualDuration ?? 0; },
  };
  window.turnPage = () => new Promise((shown) => {
    window.turn = { react: 0, shownAt: 0 };
    const first = () => document.querySelector('tbody tr')?.textContent;
    const before = first();
    new MutationObserver((_, observer) => {
      if (first() === before) return;
      observer.disconnect();
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          turn.shownAt = performance.mark('shown').startTime;
          shown();
        };
        port2.postMessage(0);
      });
    }).observe(document.querySelector('table'), { childList: true, subtree: true, characterData: true });
    document.querySelector('[aria-label="Next page"]').click();
  });
  window.listReadAt = () => performance.getEntriesByType('resource')
    .filter(({ name }) => /[?&]page_size=${ROWS}\\b/.test(name)).at(-1).responseEnd;
`;

/** Time within which requests after the rows (health, sums) have completed. */
const CALM_MS = 500;

const { values: flags } = parseArgs({
  options: {
    tables: { type: 'boolean' },
    profile: { type: 'boolean', default: false },
    web: { type: 'string' },
    against: { type: 'string' },
    list: { type: 'string' },
  },
});

const folder = mkdtempSync(path.join(tmpdir(), 'gateway-tables-'));
const browser = await chromium.launch(BROWSER);
const sides: Side[] = [];
try {
  const own = flags.web ?? (flags.profile ? await profilingBuild(path.join(folder, 'web')) : '');
  sides.push(await startSide('this', own));
  if (flags.against !== undefined) sides.push(await startSide('other', flags.against));
  const report = await measureAll();
  mkdirSync('bench-results', { recursive: true });
  writeFileSync('bench-results/tables.json', `${JSON.stringify(report, null, 2)}\n`);
} finally {
  await browser.close();
  for (const { serving } of sides) await serving.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function profilingBuild(outDir: string): Promise<string> {
  await build({
    root: 'web',
    logLevel: 'warn',
    build: { outDir },
    resolve: { alias: { 'react-dom/client': 'react-dom/profiling' } },
  });
  return outDir;
}

/** @param webRoot a console build; '' is `dist/web` */
async function startSide(name: string, webRoot: string): Promise<Side> {
  const environment = {
    GATEWAY_WEB_ROOT: webRoot === '' ? '' : path.resolve(webRoot),
    GATEWAY_WEB_RATE_LIMIT_ENABLED: 'false',
    GATEWAY_API_RATE_LIMIT_ENABLED: 'false',
    GATEWAY_CRITICAL_RATE_LIMIT_ENABLED: 'false',
    GATEWAY_TASK_POLLING: 'false',
  };
  const place = { dataDir: path.join(folder, name), port: 0, logLevel: 'error' } as const;
  const serving = await startServer(loadConfig(place, environment));
  await seed(serving.booted, serving.url, serving.url);
  await fillLists(serving.booted.ctx.db, PAGES * ROWS);
  return { name, serving, sessions: await signAllIn(browser, serving.url) };
}

async function measureAll() {
  const report: Record<string, Record<keyof Turn, number>> = {};
  for (const list of LISTS) {
    if (flags.list !== undefined && flags.list !== list.name) continue;
    const rows = [...(await alternately(list))].map(([side, turns]) => {
      const name = sides.length === 1 ? list.name : `${list.name} (${side})`;
      return [name, medians(turns)] as const;
    });
    console.table(Object.fromEntries(rows));
    Object.assign(report, Object.fromEntries(rows));
  }
  return report;
}

/** Alternates between the sides, so that both see the same load of the machine. */
async function alternately(list: List): Promise<Map<string, Turn[]>> {
  const turns = new Map(sides.map(({ name }) => [name, [] as Turn[]]));
  const tables = await Promise.all(sides.map((side) => openTable(side, list)));
  for (let round = 0; round <= TURNS; round += 1)
    for (const [place, { name }] of sides.entries()) {
      const turn = await tables[place]?.turn();
      // The first turn warms up.
      if (turn !== undefined && round > 0) turns.get(name)?.push(turn);
    }
  for (const { page } of tables) await page.context().close();
  return turns;
}

function medians(turns: readonly Turn[]): Record<keyof Turn, number> {
  const of = (name: keyof Turn) => Math.round(median(turns.map((turn) => turn[name])) * 10) / 10;
  return {
    first: of('first'),
    longest: of('longest'),
    react: of('react'),
    script: of('script'),
    layout: of('layout'),
    thread: of('thread'),
    shown: of('shown'),
    nodes: of('nodes'),
  };
}

async function openTable({ serving, sessions }: Side, list: List) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    storageState: sessions.root.state,
  });
  const kept = {
    language: 'en',
    user: sessions.root.user,
    'page-size': ROWS,
    'log-page-size': ROWS,
  };
  await context.addInitScript(
    `for (const [key, value] of Object.entries(${JSON.stringify(kept)})) localStorage.setItem(key, value)`,
  );
  await context.addInitScript(WATCH);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  // CPU time of the page's thread, which excludes other work on the machine.
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`${serving.url}${list.path}`);
  await page.locator('tbody tr').nth(SHOWN_ROWS).waitFor();
  await page.waitForTimeout(CALM_MS);
  return { page, turn: () => turnPage(page, cdp) };
}

async function turnPage(page: Page, cdp: CDPSession): Promise<Turn> {
  await browser.startTracing(page, { categories: ['-*', 'toplevel', 'blink.user_timing'] });
  const before = await spentMs(cdp);
  await page.evaluate('turnPage()');
  await page.waitForTimeout(CALM_MS);
  const after = await spentMs(cdp);
  const trace = await browser.stopTracing();
  const { react, shown, nodes } = await page.evaluate<Pick<Turn, 'react' | 'shown' | 'nodes'>>(
    `({ react: turn.react, shown: turn.shownAt - listReadAt(),
        nodes: document.querySelectorAll('table *').length })`,
  );
  return {
    ...tasksOf(trace, shown),
    react,
    script: after.script - before.script,
    layout: after.layout - before.layout,
    thread: after.thread - before.thread,
    shown,
    nodes,
  };
}

/** CPU time of the page's main thread so far. */
async function spentMs(cdp: CDPSession) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  const ms = (name: string) => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000;
  return {
    script: ms('ScriptDuration'),
    layout: ms('LayoutDuration') + ms('RecalcStyleDuration'),
    thread: ms('TaskDuration'),
  };
}
