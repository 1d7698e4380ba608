/** The browser tests' own `test`: a gateway and a browser profile per worker, and pages that must not complain. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  test as base,
  type Cookie,
  expect,
  type Page,
} from '@playwright/test';
import { type FakeUpstream, startFakeUpstream } from '../upstream/server.ts';
import { type Gateway, ROOT, startGateway } from './gateway.ts';

interface TestFixtures {
  /** What the page's console and scripts complained of so far; must be empty at the end. */
  readonly complaints: string[];
}

interface WorkerFixtures {
  /** Whose gateway it is: a file that changes the site's settings names one of its own (`test.use`). */
  readonly site: string;
  /** Set up and running; shared, so a test that stops one starts its own. */
  readonly gateway: Gateway;
  /** Answers those who show `UPSTREAM_KEY`; it lives as long as the channels that lead to it. */
  readonly upstream: FakeUpstream;
  /** Made by the first test, for only tests know their project's window. */
  readonly profile: { context?: BrowserContext };
}

/** Once per tab: what the test stores afterwards stays. Frames of other origins have no storage. */
const EMPTY_STORAGE = `if (location.protocol === 'http:' && sessionStorage.getItem('test-tab') === null) {
  localStorage.clear();
  sessionStorage.setItem('test-tab', 'used');
}`;

export const UPSTREAM_KEY = 'sk-fake-upstream-key';

/** Counted apart from the test that happens to be the first. */
const START_MS = 60_000;

export const test = base.extend<TestFixtures, WorkerFixtures>({
  site: ['shared', { option: true, scope: 'worker' }],
  gateway: [
    async ({ site: _differsPerWorker }, use) => {
      const gateway = await startGateway();
      await gateway.setUp();
      await use(gateway);
      await gateway.remove();
    },
    { scope: 'worker', timeout: START_MS },
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
  profile: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this pattern
    async ({}, use) => {
      const profile: { context?: BrowserContext } = {};
      await use(profile);
      await profile.context?.close();
    },
    { scope: 'worker' },
  ],
  // A profile of its own costs a test as much as opening a page. Tests share one, with its file cache,
  // and find it without cookies, permissions and tabs.
  context: async ({ browser, profile }, use) => {
    profile.context ??= await newProfile(browser);
    const { context } = profile;
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
  page: async ({ context }, use) => {
    const page = await context.newPage();
    await page.addInitScript(EMPTY_STORAGE);
    await use(page);
  },
  complaints: [
    async ({ page }, use) => {
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      await use(complaints);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

/** Its first tab stays, for the window closes with the last. */
async function newProfile(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext();
  await context.newPage();
  return context;
}

/** The page reads the gateway's own status with these fields changed. */
export async function tellStatus(
  page: Page,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  await page.route('**/api/status', async (route) => {
    const response = await route.fetch();
    const reply = await response.json();
    await route.fulfill({ response, json: { ...reply, data: { ...reply.data, ...fields } } });
  });
}

/** A page wider than its window is a layout fault on every screen. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const spare = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(spare).toBeLessThanOrEqual(0);
}

/** Fits its window, and axe finds nothing wrong in either theme; a narrow window changes no colours. */
export async function expectReadable(page: Page): Promise<void> {
  // Rows fade while newer ones are on their way: what is judged is what stays.
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await expectNoSidewaysScroll(page);
  for (const colorScheme of isPhone(page) ? LIGHT : BOTH_THEMES) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    await expectAccessible(page, colorScheme === 'dark' ? COLOURS : {});
  }
}

/** What a theme may change; the rest is the same in both. */
const COLOURS = { runOnly: ['color-contrast', 'link-in-text-block'] };
const LIGHT = ['light'] as const;
const BOTH_THEMES = ['dark', 'light'] as const;

export function isPhone(page: Page): boolean {
  return (page.viewportSize()?.width ?? 0) < 600;
}

/** Signs the page's browser in, as the sign-in page does, and leaves the page where it is. */
export async function signIn(page: Page, url: string, account: Account = ROOT): Promise<void> {
  const user = JSON.stringify(JSON.stringify(await beReader(page, url, account)));
  signedIn += 1;
  await page.addInitScript(
    `if (location.protocol === 'http:' && Number(sessionStorage.getItem('test-user')) < ${signedIn}) {
      localStorage.setItem('user', ${user});
      sessionStorage.setItem('test-user', ${signedIn});
    }`,
  );
}

/** Of a page's readers the last one stays, until the page itself changes them. */
let signedIn = 0;

interface Session {
  readonly user: unknown;
  readonly cookies: readonly Cookie[];
}

/** Root's, by gateway: a password is slow to check, on purpose. */
const rootSessions = new Map<string, Session>();

/** The page's own requests are this account's from here on. Answers what signing in tells of it. */
export async function beReader(page: Page, url: string, account: Account): Promise<unknown> {
  const context = page.context();
  const kept = account === ROOT ? rootSessions.get(url) : undefined;
  if (kept) {
    await context.clearCookies();
    await context.addCookies(kept.cookies);
    const answer = await page.request.get(`${url}/api/user/self`);
    if ((await answer.json()).success) return kept.user;
  }
  const answer = await page.request.post(`${url}/api/user/login`, { data: account });
  const { success, data, message } = await answer.json();
  if (!success) throw new Error(`could not sign in: ${message}`);
  if (account === ROOT) rootSessions.set(url, { user: data, cookies: await context.cookies(url) });
  return data;
}

export interface Account {
  readonly username: string;
  readonly password: string;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with the page as it stands, by rule and place. `options` are those of `axe.run`. */
export async function expectAccessible(page: Page, options: object = {}): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const found = await page.evaluate<string[]>(
    `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...options })}).then(({ violations }) =>
      violations.map(({ id, nodes }) =>
        id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join(' | ')))`,
  );
  expect(found).toEqual([]);
}
