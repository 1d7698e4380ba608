/** Figures that link to log entries show the sum of these entries. */
import { expect, type Page } from '@playwright/test';
import { LOG_TYPE } from '../../src/domain/logs/log-types.ts';
import { call, makeUser, onlyChannel } from './support/admin-calls.ts';
import { signIn, test } from './support/browser.ts';
import type { Gateway } from './support/gateway.ts';
import { aCall, onOwnSite, store } from './support/log-data.ts';
import { visit } from './support/visit.ts';

test.slow();

test.beforeEach(({ page }) => signIn(page));

/** Calls of two users, models, tokens and channels, of which one was refunded. */
async function storeCalls(page: Page, gateway: Gateway): Promise<void> {
  const { id, username } = await makeUser(page);
  const other = { user_id: id, username, token_id: 2, token_name: 'server' };
  await store(gateway, {
    used: 700_000,
    logs: [
      aCall({ quota: 500_000 }),
      aCall({ quota: 300_000, model_name: 'gpt-4o', channel_id: 4 }),
      aCall({ quota: 100_000, model_name: 'gpt-4o', channel_id: 4, type: LOG_TYPE.refund }),
      aCall({ quota: 250_000, ...other }),
      aCall({ quota: 40_000, ...other, model_name: 'gpt-4o', channel_id: 4 }),
      aCall({ quota: 1_000_000, type: LOG_TYPE.top_up, model_name: '', channel_id: 0 }),
      aCall({ quota: 0, type: LOG_TYPE.error }),
    ],
  });
}

interface Figure {
  readonly amount: string;
  readonly href: string;
}

/** Every amount beside or in a link to the log, of the page and of its drawer. */
async function figuresOf(page: Page): Promise<readonly Figure[]> {
  return page.locator('body').evaluate((body) =>
    [...body.querySelectorAll<HTMLAnchorElement>('a[href^="/app/logs/api-usage"]')].flatMap(
      (link) => {
        const text = link.textContent?.includes('$')
          ? link.textContent
          : link.parentElement?.textContent;
        const amount = /\$[\d.,]+/.exec(text ?? '')?.[0];
        return amount === undefined ? [] : [{ amount, href: link.getAttribute('href') ?? '' }];
      },
    ),
  );
}

test.describe(() => {
  onOwnSite('figures');

  test('every amount that leads to the log is the sum of its entries', async ({
    page,
    gateway,
  }) => {
    await storeCalls(page, gateway);
    const found: Figure[] = [];
    for (const [path, least] of [
      ['/app/dashboard', 7],
      ['/app/wallet', 1],
    ] as const) {
      await page.goto(path);
      await expect.poll(async () => (await figuresOf(page)).length).toBeGreaterThan(least);
      found.push(...(await figuresOf(page)));
    }
    await expectSums(page, found);

    await store(gateway, {
      logs: [
        aCall({ quota: 500_000, cost: 200_000 }),
        aCall({ quota: 300_000, cost: 100_000, model_name: 'gpt-4o' }),
      ],
    });
    const follow = async (title: string, text: string) => {
      const card = page
        .locator('.mantine-Card-root')
        .filter({ has: page.getByText(title, { exact: true }) });
      // The chart has some of these titles too, with other links.
      const link = card.locator('a').filter({ hasText: text });
      await expect(async () => {
        await page.goto('/app/dashboard');
        await expect(link).toBeVisible();
      }).toPass();
      await link.click();
      await expect(page).toHaveURL(/api-usage/);
    };
    const sum = (name: string) =>
      page
        .getByLabel('Sums of the filter')
        .locator('div', { has: page.getByText(name, { exact: true }) })
        .locator('dd')
        .first();
    await follow('Upstream cost', '$0.60');
    await expect(sum('Upstream cost')).toHaveText('$0.60');
    await follow('Margin', '$1.00');
    await expect(sum('Margin')).toHaveText('$1.00');
    await follow('Requests', '6');
    await expect(page.getByText('1-6 of 6')).toBeVisible();
  });
});

test.describe(() => {
  onOwnSite('used-quota');

  test('used quota and the sums of budgets lead to their entries', async ({ page, upstream }) => {
    await onlyChannel(page, upstream, 'gpt-4o-mini');
    const channels = '/api/channel/';
    const listed = await call<{ items: { id: number }[] }>(page, 'GET', channels);
    const id = listed.items[0]?.id;
    await call(page, 'PUT', channels, { id, tag: 'eu' });
    for (const [subject, subject_id] of SUBJECTS) {
      const budget = { subject, subject_id: subject_id ?? String(id), limit_amount: 50_000_000 };
      await call(page, 'POST', '/api/budget/', { ...budget, period: 'day' });
    }
    await chat(page, 3);
    const found = await figuresAt(page, [
      '/app/tokens',
      '/admin/users',
      '/app/wallet',
      '/admin/channels',
      '/admin/budgets',
      '/admin/budgets?id=1',
      '/pricing?model=gpt-4o-mini',
    ]);
    await page.evaluate(() => localStorage.setItem('channel-tag-mode', 'true'));
    await expectSums(page, [...found, ...(await figuresAt(page, ['/admin/channels']))]);
  });
});

/** The figures of these pages, each once it shows that something was used. */
async function figuresAt(page: Page, paths: readonly string[]): Promise<readonly Figure[]> {
  const found: Figure[] = [];
  for (const path of paths) {
    // A job adds up what channels were used for.
    await expect(async () => {
      await page.goto(path);
      await expect
        .poll(async () => (await figuresOf(page)).filter(({ amount }) => amount !== '$0.00').length)
        .toBeGreaterThan(0);
    }).toPass();
    found.push(...(await figuresOf(page)));
  }
  return found;
}

/** One of each kind; the channel has no name here. */
const SUBJECTS = [
  ['site', ''],
  ['model', 'gpt-4o-mini'],
  ['group', 'default'],
  ['user', '1'],
  ['channel', undefined],
] as const;

async function expectSums(page: Page, figures: readonly Figure[]): Promise<void> {
  const each = new Map(figures.map((figure) => [`${figure.amount} ${figure.href}`, figure]));
  for (const { amount, href } of each.values()) {
    await visit(page, href);
    const sum = page.getByLabel('Sums of the filter').locator('dd').first();
    await expect(sum, href).toHaveText(amount);
  }
}

/** Charged calls of the signed-in user with a new token. */
async function chat(page: Page, times: number): Promise<void> {
  const token = { name: 'figures', unlimited_quota: true };
  const { key } = await call<{ key: string }>(page, 'POST', '/api/token/', token);
  for (let done = 0; done < times; done += 1) {
    const answer = await page.request.post('/v1/chat/completions', {
      headers: { authorization: `Bearer ${key}` },
      data: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] },
    });
    expect(answer.status()).toBe(200);
  }
}
