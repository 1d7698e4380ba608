/** Playwright's `test` with a gateway and a browser profile per worker; console errors fail the test. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  test as base,
  type ConsoleMessage,
  type Cookie,
  type Disposable,
  expect,
  type Page,
  type ViewportSize,
} from '@playwright/test';
import { type FakeUpstream, startFakeUpstream } from '../../upstream/server.ts';
import { type Gateway, ROOT, startGateway } from './gateway.ts';

interface TestFixtures {
  /** The language of the console. */
  readonly language: 'en' | 'zh';
  /** The name of the gateway; a file that changes the site's settings uses its own (`test.use`). */
  readonly site: string;
  /** Set up and running. It is shared: a test that stops a gateway starts its own. */
  readonly gateway: Gateway;
  /** A page with its own browser profile, so with its own cookies and clock. */
  readonly ownPage: Page;
  /** Errors and warnings of the page so far; must be empty at the end. */
  readonly complaints: string[];
}

interface Gateways {
  /** Starts the gateway of a site when its first test asks for it. */
  readonly of: (site: string) => Promise<Gateway>;
  /** Removes the gateway of a site that no other file uses. */
  readonly end: (site: string) => Promise<void>;
}

interface WorkerFixtures {
  readonly gateways: Gateways;
  /** Accepts `UPSTREAM_KEY`; lives as long as the worker, like the channels that use it. */
  readonly upstream: FakeUpstream;
  /** By site, window size and touch support. */
  readonly profiles: Map<string, BrowserContext>;
}

/** Clears the storage once per test, so that later pages of the test keep what it stored. */
const freshStorage = (test: string, language: string) => `if (
  location.protocol === 'http:' && sessionStorage.getItem('test') !== '${test}'
) {
  localStorage.clear();
  sessionStorage.clear();
  localStorage.setItem('language', '${language}');
  sessionStorage.setItem('test', '${test}');
}`;

export const UPSTREAM_KEY = 'sk-fake-upstream-key';

/** Does not count towards the time of the first test. */
const START_MS = 60_000;

export const test = base.extend<TestFixtures, WorkerFixtures>({
  language: ['en', { option: true }],
  site: ['shared', { option: true }],
  gateways: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this pattern
    async ({}, use) => {
      const started = new Map<string, Promise<Gateway>>();
      const end = async (site: string) => {
        const gateway = await started.get(site);
        started.delete(site);
        await gateway?.remove();
      };
      await use({
        of: (site) => {
          const gateway = started.get(site) ?? startSetUpGateway();
          started.set(site, gateway);
          return gateway;
        },
        end,
      });
      await Promise.all([...started.keys()].map(end));
    },
    { scope: 'worker', timeout: START_MS },
  ],
  gateway: [
    async ({ gateways, site }, use) => use(await gateways.of(site)),
    { scope: 'test', timeout: START_MS },
  ],
  upstream: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this pattern
    async ({}, use) => {
      const upstream = await startFakeUpstream({ keys: [UPSTREAM_KEY] });
      await use(upstream);
      await upstream.close();
    },
    { scope: 'worker' },
  ],
  profiles: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this pattern
    async ({}, use) => {
      const profiles = new Map<string, BrowserContext>();
      await use(profiles);
      await Promise.all([...profiles.values()].map((context) => context.close()));
    },
    { scope: 'worker' },
  ],
  // Creating a profile takes as long as loading a page. Tests share one with its cache and first tab;
  // cookies, permissions and other tabs are removed between tests.
  context: async ({ browser, gateway: { url }, profiles, viewport, hasTouch }, use) => {
    const kind = JSON.stringify([url, viewport, hasTouch]);
    const context = profiles.get(kind) ?? (await newProfile(browser, url));
    profiles.set(kind, context);
    await use(context);
    await context.clearCookies();
    await context.clearPermissions();
    await Promise.all(
      context
        .pages()
        .slice(1)
        .map((page) => page.close()),
    );
  },
  // Keeping the tab with its compiled scripts saves a third of the time that loading a page takes.
  page: async ({ context, language, viewport }, use, { testId, retry }) => {
    const [page] = context.pages();
    if (page === undefined) throw new Error('the first tab was closed');
    await beforeScripts(page, freshStorage(`${testId}-${retry}`, language));
    await use(page);
    await emptyTab(page, viewport);
  },
  ownPage: async ({ browser, gateway, language }, use) => {
    const context = await browser.newContext({ baseURL: gateway.url });
    await context.addInitScript(freshStorage('own', language));
    await use(await context.newPage());
    await context.close();
  },
  complaints: [
    async ({ page }, use) => {
      const complaints: string[] = [];
      const onError = (error: Error) => complaints.push(error.message);
      const onMessage = (message: ConsoleMessage) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      };
      page.on('pageerror', onError);
      page.on('console', onMessage);
      await use(complaints);
      page.off('pageerror', onError);
      page.off('console', onMessage);
      const ofThePage = complaints.filter(
        (text) => ![...aborted].some((url) => text.includes(url)),
      );
      aborted.clear();
      expect(ofThePage).toEqual([]);
    },
    { auto: true },
  ],
});

async function startSetUpGateway(): Promise<Gateway> {
  const gateway = await startGateway();
  await gateway.setUp();
  return gateway;
}

/** The scripts that a navigation stopped. The page reports them as errors. */
const aborted = new Set<string>();

/** Its first tab is the `page` of all tests; addresses without an origin are those of its site. */
async function newProfile(browser: Browser, baseURL: string): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL });
  context.on('requestfailed', (request) => {
    if (request.failure()?.errorText === 'net::ERR_ABORTED') aborted.add(request.url());
  });
  await context.newPage();
  return context;
}

const scripts = new WeakMap<Page, Disposable[]>();

/** Runs a script before those of every page that this test loads. */
export async function beforeScripts(page: Page, script: string): Promise<void> {
  const added = await page.addInitScript(script);
  scripts.set(page, [...(scripts.get(page) ?? []), added]);
}

/** Stops running work of the page, which would act in the next test, and its reports of what was stopped. */
const SILENCE = `{
  console.error = console.warn = () => {};
  for (const name of ['error', 'unhandledrejection'])
    addEventListener(name, (event) => event.preventDefault());
  window.fetch = () => new Promise(() => {});
  window.stop();
  for (let timer = setTimeout(() => {}); timer > 0; timer -= 1) clearTimeout(timer);
}`;

/** Leaves the page without scripts at work: the next page loads faster in its place than in an empty tab. */
async function emptyTab(page: Page, viewport: ViewportSize | null): Promise<void> {
  for (const script of scripts.get(page) ?? []) await script.dispose();
  scripts.delete(page);
  page.removeAllListeners('request');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate(SILENCE);
  await page.mouse.move(0, 0);
  await page.emulateMedia({ colorScheme: 'light', media: null });
  if (viewport !== null) await page.setViewportSize(viewport);
}

interface Window {
  readonly name: string;
  readonly use: { readonly viewport: ViewportSize; readonly hasTouch: boolean };
}

const DESKTOP: Window = {
  name: 'on a desktop',
  use: { viewport: { width: 1440, height: 900 }, hasTouch: false },
};

export const PHONE: Window = {
  name: 'on a phone',
  use: { viewport: { width: 390, height: 844 }, hasTouch: true },
};

/** For tests of layout and touch. */
export const WINDOWS: readonly Window[] = [DESKTOP, PHONE];

/** Drops the errors that a test wants; the browser itself notes refusals and broken connections. */
export function forgive(complaints: string[], wanted = /./): void {
  expect(complaints.filter((text) => !wanted.test(text))).toEqual([]);
  complaints.length = 0;
}

/** Changes these fields of the gateway's status for the page. */
export async function overrideStatus(
  page: Page,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  await page.route('**/api/status', async (route) => {
    const response = await route.fetch();
    const reply = await response.json();
    await route.fulfill({ response, json: { ...reply, data: { ...reply.data, ...fields } } });
  });
}

export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const spare = () =>
    page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
  await expect.poll(spare).toBeLessThanOrEqual(0);
}

/** The page fits a desktop and a phone, and axe finds no violations; on the phone only in the light theme. */
export async function expectReadable(page: Page): Promise<void> {
  // Rows fade while newer ones load.
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expectAccessible(page, COLOURS);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  await expectToFit(page);
}

/** The same in the light theme only. The page keeps its content, and ends in the window that it had. */
export async function expectToFit(page: Page): Promise<void> {
  const before = page.viewportSize() ?? DESKTOP.use.viewport;
  for (const { use } of WINDOWS) {
    await page.setViewportSize(use.viewport);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
  }
  await page.setViewportSize(before);
}

/** The rules that depend on the theme. */
const COLOURS = { runOnly: ['color-contrast', 'link-in-text-block'] };

export function isPhone(page: Page): boolean {
  return (page.viewportSize()?.width ?? 0) < 600;
}

/** Signs the page's browser in, as the sign-in page does, and leaves the page where it is. */
export async function signIn(page: Page, account: Account = ROOT): Promise<void> {
  const user = JSON.stringify(JSON.stringify(await beReader(page, account)));
  signedIn += 1;
  await beforeScripts(
    page,
    `if (location.protocol === 'http:' && Number(sessionStorage.getItem('test-user')) < ${signedIn}) {
      localStorage.setItem('user', ${user});
      sessionStorage.setItem('test-user', ${signedIn});
    }`,
  );
}

/** The latest sign-in of a page is in effect until the page itself changes it. */
let signedIn = 0;

interface Session {
  readonly user: unknown;
  readonly cookies: readonly Cookie[];
}

/** Sessions of root by browser profile, because checking a password is slow. */
const rootSessions = new WeakMap<BrowserContext, Session>();

/** Signs the page's requests in to this account; returns the user. */
export async function beReader(page: Page, account: Account): Promise<unknown> {
  const context = page.context();
  const kept = account === ROOT ? rootSessions.get(context) : undefined;
  if (kept) {
    await context.clearCookies();
    await context.addCookies(kept.cookies);
    const answer = await page.request.get('/api/user/self');
    if ((await answer.json()).success) return kept.user;
  }
  const answer = await page.request.post('/api/user/login', { data: account });
  const { success, data, message } = await answer.json();
  if (!success) throw new Error(`could not sign in: ${message}`);
  if (account === ROOT) rootSessions.set(context, { user: data, cookies: await context.cookies() });
  return data;
}

export interface Account {
  readonly username: string;
  readonly password: string;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Its rules need no style sheets, and a violation is printed without its selector: copying the ones
 * and finding the others takes half of the time.
 */
const AXE_OPTIONS = {
  resultTypes: ['violations'],
  preload: { assets: ['media'] },
  selectors: false,
};

/** What lies under a modal dialog is looked at without it. */
const LOOKED_AT = `[...document.querySelectorAll('[aria-modal="true"]')].at(-1) ?? document`;

/** Expects no violations of axe; `options` are those of `axe.run`. */
export async function expectAccessible(page: Page, options: object = {}): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const found = await page.evaluate<string[]>(
    `axe.run(${LOOKED_AT}, ${JSON.stringify({ ...AXE_OPTIONS, ...options })}).then(({ violations }) =>
      violations.map(({ id, nodes }) =>
        id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join(' | ')))`,
  );
  expect(found).toEqual([]);
}
