/**
 * Every page, dialog, menu and notice shows only texts of the locale files, the gateway refuses in the
 * reader's language, and no page is painted before its texts.
 */
import { expect, type Page } from '@playwright/test';
import { matchPath } from 'react-router-dom';
import { SCREENS } from '../../../web/src/app/routing/screens.ts';
import { call, PASSWORD } from '../support/admin-calls.ts';
import { overrideStatus, signIn, test } from '../support/browser.ts';
import { type Gateway, ROOT } from '../support/gateway.ts';
import { aCall, aDrawing, aTask, ROOT_ID, store } from '../support/log-data.ts';
import {
  expectNoKeys,
  foreignRefusals,
  markTexts,
  unmarkedTexts,
  watchKeys,
} from '../support/marked-texts.ts';
import { ageSessions } from '../support/own-account.ts';
import {
  type Act,
  accepted,
  accountMenu,
  asksOwner,
  badValue,
  batchMenu,
  chosenRow,
  clickUntilAlert,
  closeLayers,
  columnSettings,
  discardSettings,
  endToken,
  entered,
  filled,
  leaveSettings,
  message,
  opened,
  openRow,
  pressed,
  ready,
  rowButton,
  rowItem,
  rowMenu,
  savedView,
  submit,
  unanswered,
  watchCalls,
  wrongLink,
} from '../support/page-acts.ts';
import { type Language, watchRefusals } from '../support/server-texts.ts';

/** A page, and what is done on it, by name: the texts are read before and after each act. */
type PageVisit = readonly [path: string, acts?: Readonly<Record<string, Act>>];

/** On a gateway without an administrator. */
const SETUP_PAGES: readonly PageVisit[] = [
  [
    '/setup',
    {
      'no code': submit,
      'the account': accepted('1'),
      'no password': submit,
      'the mode': accepted('root', PASSWORD, PASSWORD),
      'the review': accepted(),
      'the end': accepted(),
    },
  ],
];

const NEW_SITE = {
  status: false,
  root_init: false,
  database_type: 'sqlite',
  code_needed: true,
  proxy_detected: 'nginx',
};

const GUEST_PAGES: readonly PageVisit[] = [
  ['/'],
  ['/login', { 'nothing entered': submit, 'a wrong password': entered('root', 'wrong password') }],
  ['/register', { 'nothing entered': submit, 'a taken name': entered('root', PASSWORD, PASSWORD) }],
  ['/reset', { 'nothing entered': submit }],
  ['/user/reset?email=a%40b.c&token=t', { 'a wrong link': wrongLink }],
  ['/pricing'],
  ['/about'],
  ['/user-agreement'],
  ['/privacy-policy'],
  // Two seconds pass before it gives up, then the page leaves.
  ['/oauth/oidc?code=1&state=1'],
  ['/nope'],
  ['/oauth/github?code=1&state=1'],
  ['/chat/9'],
];

const PAGES: readonly PageVisit[] = [
  [
    '/app/dashboard',
    {
      'the account menu': accountMenu,
      'the search': pressed('Control+k'),
      'a search without result': (page) => page.locator('input:focus').fill('q1q1'),
      'the shortcuts': pressed('?'),
    },
  ],
  [
    '/app/tokens',
    {
      'the menu of a row': rowMenu,
      'its use': rowButton(-3),
      'to delete it': rowItem(-1),
      'the columns': columnSettings,
      'a chosen row': chosenRow,
    },
  ],
  ['/app/tokens?id=new', { 'nothing entered': submit }],
  [
    '/app/logs/api-usage',
    {
      'the views': opened('[aria-haspopup="dialog"]', 0),
      'a saved view': savedView,
      'the columns': columnSettings,
      'an open row': openRow,
      'an entry': rowButton(-1),
    },
  ],
  ['/app/logs/drawing'],
  ['/app/logs/tasks'],
  ['/app/logs/tasks?id=1'],
  ['/pricing?model=gpt-4o'],
  ['/app/wallet', { 'nothing entered': submit, 'a wrong code': entered('nosuchcode') }],
  ['/app/me'],
  [
    '/app/me?tab=security',
    {
      'a short password': filled('short', 'other'),
      'to end the access token': endToken,
    },
  ],
  ['/app/me?tab=notice'],
  ['/app/me?tab=price'],
  ['/app/me?tab=other'],
  ['/app/inbox', { 'a message': message }],
  [
    '/playground',
    {
      'the history': batchMenu,
      'the inspector': opened('button:not([aria-haspopup])', 0),
      'a failed answer': unanswered,
    },
  ],
  // In a frame, as an application, and as a page that the browser leaves for.
  ['/chat/0'],
  ['/chat/1'],
  ['/chat2link'],
  ['/user/edit'],
  [
    '/admin/channels',
    {
      'the menu of a row': rowMenu,
      'its models': rowItem(0),
      'its models at the upstream': rowItem(1),
      'its test': clickUntilAlert(-3),
      'to delete it': rowItem(-1),
      'many of them': batchMenu,
      'the filters': opened('[role="search"] [aria-haspopup="dialog"]', 0),
      'the columns': columnSettings,
      'a chosen row': chosenRow,
    },
  ],
  ['/admin/channels?id=1'],
  ['/admin/channels?id=new', { 'nothing entered': submit }],
  ['/channel/add'],
  ['/channel/edit/1'],
  ['/admin/budgets', { 'the menu of a row': rowMenu, 'the columns': columnSettings }],
  ['/admin/budgets?id=1'],
  ['/admin/budgets?id=new', { 'nothing entered': submit }],
  [
    '/admin/coupons',
    {
      'the menu of a row': rowMenu,
      'its QR code': rowItem(-2),
      'to delete it': rowItem(-1),
      'many of them': batchMenu,
      'a chosen row': chosenRow,
    },
  ],
  ['/admin/coupons?id=1'],
  [
    '/admin/coupons?id=new',
    { 'too many': filled('', '1', '101'), 'to leave it': pressed('Escape') },
  ],
  ['/admin/messages', { 'to delete one': rowButton(-1) }],
  ['/admin/messages?id=1'],
  ['/admin/messages?id=new', { 'nothing entered': submit }],
  [
    '/admin/users',
    { 'the menu of a row': rowMenu, 'to promote one': rowItem(0), 'to delete one': rowItem(-1) },
  ],
  ['/admin/users?id=2'],
  ['/user/edit/2'],
  ['/admin/statement?user=2'],
  ['/admin/users?tokens=2'],
  [
    '/admin/users?id=new',
    { 'nothing entered': submit, 'a taken name': entered('root', '', PASSWORD) },
  ],
  [
    '/admin/settings',
    { 'a bad value': badValue, 'to leave it': leaveSettings, 'to stay': discardSettings },
  ],
  ['/admin/settings?tab=ratelimit'],
  ['/admin/settings?tab=models'],
  ['/admin/settings?tab=system'],
  ['/admin/settings?tab=other'],
];

const OLD_SESSION_PAGES: readonly PageVisit[] = [
  [
    '/app/me?tab=security',
    { 'the owner is asked': asksOwner, 'a wrong current password': entered('wrong password') },
  ],
];

test('every screen has a visit', () => {
  const visits = [...SETUP_PAGES, ...GUEST_PAGES, ...PAGES];
  const visited = visits.map(([address]) => address.replace(/\?.*/, ''));
  const seen = SCREENS.filter(({ path }) => visited.some((address) => matchPath(path, address)));
  const missing = SCREENS.filter(({ load }) => !seen.some((screen) => screen.load === load));
  expect(missing.map(({ path }) => path)).toEqual([]);
});

test.slow();
// Data of other tests would be found.
test.use({ site: 'marked' });

for (const language of ['en', 'zh'] as const) {
  test.describe(language, () => {
    test.use({ language });

    test('every page, dialog, menu and notice shows only texts of the locale files, and data', async ({
      page,
      gateway,
      complaints,
    }) => {
      await markTexts(page);
      await watchKeys(page);
      await watchCalls(page);
      const newRefusals = watchRefusals(page);
      const found = new Map<string, string>();
      const refusals: string[] = [];
      const look = async (step: string) => {
        const received = await newRefusals();
        refusals.push(...received);
        const texts = await unmarkedTexts(page, language, refusals);
        for (const text of [...foreignRefusals(received, language), ...texts])
          if (!found.has(text)) found.set(text, step);
      };
      await beNew(page);
      await page.goto('/setup');
      await walk(page, SETUP_PAGES, look);
      await page.unroute('**/api/status');
      await page.unroute('**/api/setup');
      await page.route('**/api/oauth/oidc?*', (route) => route.abort());
      // A browser that gets no content stays on its page.
      await page.route('https://chat.example/**', (route) => route.fulfill({ status: 204 }));
      await page.goto('/about');
      await walk(page, GUEST_PAGES, look);
      // A session of its own: `ageSessions` makes it old.
      await signIn(page, { ...ROOT });
      await makeRecords(page, gateway, language);
      await page.goto('/about');
      await walk(page, PAGES, look);
      await ageSessions(gateway.folder, ROOT_ID);
      await walk(page, OLD_SESSION_PAGES, look);
      // The router warns that `open` is no navigation of its own, and the browser notes refusals.
      const others = complaints.filter(
        (text) => !/use a blocker on a POP|status of [45]\d\d|ERR_FAILED/.test(text),
      );
      complaints.splice(0, Number.POSITIVE_INFINITY, ...others);
      expect([...found].map(([text, step]) => `${step}: ${text}`)).toEqual([]);
      await expectNoKeys(page);
    });
  });
}

/** Answers as a gateway does before its set-up, and accepts any. */
async function beNew(page: Page): Promise<void> {
  await overrideStatus(page, { setup: false });
  await page.route('**/api/setup', (route) =>
    route.fulfill({ json: { success: true, message: '', data: NEW_SITE } }),
  );
}

/** Chat applications whose names are no words. */
const CHATS = [{ '1': 'https://chat.example/#{key}' }, { '2': 'app://open?key={key}' }];

/** One record of each kind, whose names are no words. */
async function makeRecords(page: Page, gateway: Gateway, language: Language): Promise<void> {
  const make = (path: string, data: object) => call(page, 'POST', `/api/${path}`, data);
  const nowhere = { base_url: 'http://127.0.0.1:9', key: 'sk-1', models: 'gpt-4o' };
  await make('token/', { name: '1' });
  await call(page, 'PUT', '/api/option/', {
    key: 'Chats',
    value: JSON.stringify(CHATS),
  });
  await make('channel/', { name: '1', type: 1, ...nowhere });
  await make('budget/', { subject: 'site', period: 'month', limit_amount: 5_000_000 });
  await make('redemption/', { name: '1', quota: 500_000, count: 1 });
  await make('user/', { username: `1${language}`, password: PASSWORD });
  await make('admin/messages', { title: '1', content: '1', user_ids: [ROOT_ID] });
  await store(gateway, {
    logs: [aCall({ token_name: '1' })],
    drawings: [aDrawing({ prompt: '1', prompt_en: '1' })],
    tasks: [aTask()],
  });
}

async function walk(
  page: Page,
  visits: readonly PageVisit[],
  look: (step: string) => Promise<void>,
): Promise<void> {
  for (const [path, acts = {}] of visits) {
    await test.step(path, async () => {
      await open(page, path);
      await look(path);
      for (const [name, act] of Object.entries(acts)) {
        await test.step(name, () => act(page));
        await ready(page);
        await look(`${path}, ${name}`);
      }
      await closeLayers(page);
    });
  }
}

/** Opens a page without loading the console again, which would take most of the time. */
async function open(page: Page, path: string): Promise<void> {
  const before = await page.locator('h1').first().innerText();
  const isSamePage = new URL(path, page.url()).pathname === new URL(page.url()).pathname;
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  const heading = `(document.querySelector('h1')?.innerText ?? ${JSON.stringify(before)})`;
  const dialogs = `document.querySelectorAll('[role="dialog"]').length`;
  await ready(
    page,
    `(${isSamePage} || ${heading} !== ${JSON.stringify(before)}) &&
      ${dialogs} === ${/[?&](id|tokens|model)=/.test(path) ? 1 : 0}`,
  );
}

test('no key is painted while the texts of a page load late, also after a change of language', async ({
  page,
  complaints,
}) => {
  await watchKeys(page);
  await signIn(page);
  const held: (() => void)[] = [];
  await page.route(/\/assets\/user-[\w-]+\.js$/, async (route) => {
    const answer = await route.fetch();
    const isTexts = (await answer.text()).includes('"user.added":');
    if (isTexts) await new Promise<void>((resolve) => held.push(resolve));
    await route.fulfill({ response: answer });
  });
  await page.goto('/app/me');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Personal settings');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await expect.poll(() => held.length).toBe(1);
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitemradio', { name: '中文' }).click();
  await expect.poll(() => held.length).toBe(2);
  for (const release of held) release();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('用户管理');
  await expectNoKeys(page);
  expect(complaints).toEqual([]);
});
