/** Every screen in the states worth a look. */
import type { Page } from '@playwright/test';
import {
  allProviders,
  answers,
  data,
  endless,
  expand,
  frame,
  hang,
  kept,
  needsPassword,
  newYear,
  next,
  noAnswer,
  noPayments,
  noRetries,
  oneModelHangs,
  pictures,
  press,
  say,
  status,
  stored,
  unset,
} from './acts.ts';

export type Who = 'guest' | 'root' | 'user' | 'newcomer';

export interface Scene {
  /** `<family>-<state>`; a family is shot together. */
  readonly name: string;
  readonly who: Who;
  readonly path: string;
  /** Wide windows only: what phones have instead is a scene of its own. */
  readonly isWide?: boolean;
  /** A refused call is part of the picture. */
  readonly fails?: boolean;
  /** Before the page loads, such as answers of calls that the seed cannot give. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** What is pressed once the page stands. Names are those of both languages. */
  readonly after?: (page: Page) => Promise<unknown>;
}

const MODELS = Array.from({ length: 12 }, (_, place) => `long-model-name-${place + 1}-20260101`);

/** The changes of a price list, as the server reports them. */
const PRICES_OF_SOURCE = {
  url: 'https://models.dev/api.json',
  items: [
    {
      price: { model: 'gpt-4o', input: 2.5, output: 10 },
      changes: [
        { field: 'in', from: 5, to: 2.5 },
        { field: 'out', from: 15, to: 10 },
      ],
    },
    {
      price: { model: 'long-model-name-of-a-preview-20260101', input: 0.15, output: 0.6 },
      changes: [{ field: 'in', from: null, to: 0.15 }],
    },
  ],
  same: 12,
  skipped: [{ reason: 'no_price', count: 494 }],
};

const ENDPOINTS_OF_PROVIDER = {
  authorization_endpoint: 'http://id.example.com/authorize',
  token_endpoint: 'http://id.example.com/token',
  userinfo_endpoint: 'http://id.example.com/userinfo',
};

async function saveSection(page: Page, name: string): Promise<void> {
  await page
    .locator(
      `[data-section="${name}"] button[aria-label^="保存"], [data-section="${name}"] button[aria-label^="Save"]`,
    )
    .click();
}

export const SCENES: readonly Scene[] = [
  { name: 'home-guest', who: 'guest', path: '/' },
  { name: 'home-user', who: 'user', path: '/' },
  { name: 'about', who: 'guest', path: '/about' },
  { name: 'notfound', who: 'user', path: '/nope' },
  { name: 'notfound-nopermission', who: 'user', path: '/admin/channels' },

  { name: 'setup-database', who: 'guest', path: '/', before: unset },
  {
    name: 'setup-errors',
    who: 'guest',
    path: '/setup#code=3pVnq0',
    before: unset,
    after: async (page) => {
      await next(page);
      await next(page);
    },
  },
  {
    name: 'setup-modes',
    who: 'guest',
    path: '/setup#code=3pVnq0',
    before: unset,
    after: async (page) => {
      await next(page);
      for (const box of await page.locator('input[type="password"]').all())
        await box.fill('battery staple');
      await next(page);
    },
  },

  { name: 'sign-login', who: 'guest', path: '/login' },
  { name: 'sign-expired', who: 'guest', path: '/login?expired=true', before: allProviders },
  { name: 'sign-register', who: 'guest', path: '/register?aff=ab12' },
  { name: 'sign-register-mail', who: 'guest', path: '/register', before: allProviders },
  {
    name: 'sign-register-wait',
    who: 'guest',
    path: '/register',
    before: async (page) => {
      await allProviders(page);
      await page.clock.setFixedTime(new Date('2026-11-21T12:00:00Z'));
      await kept('code-wait-until', String(Date.parse('2026-11-21T12:00:17Z')))(page);
    },
  },
  { name: 'sign-reset', who: 'guest', path: '/reset' },
  {
    name: 'sign-reset-sent',
    who: 'guest',
    path: '/reset',
    before: answers('/api/reset_password*', data(null)),
    after: async (page) => {
      await page.getByRole('main').getByRole('textbox').fill('ann@example.com');
      await press(/^(发送重置链接|Send the link)$/)(page);
    },
  },
  {
    name: 'sign-reset-done',
    who: 'guest',
    path: '/user/reset?email=a@example.com&token=x',
    before: answers('/api/user/reset', data('k7Vq2mXw9sTd')),
    after: press(/^(重置密码|Reset password)$/),
  },
  { name: 'sign-reset-confirm', who: 'guest', path: '/user/reset?email=a@example.com&token=x' },
  { name: 'sign-reset-incomplete', who: 'guest', path: '/user/reset' },
  {
    name: 'sign-callback',
    who: 'guest',
    path: '/oauth/github?code=1&state=2',
    before: hang('**/api/oauth/github*'),
  },

  { name: 'dashboard-root', who: 'root', path: '/app/dashboard?from=7d' },
  { name: 'dashboard-user', who: 'user', path: '/app/dashboard' },
  { name: 'dashboard-empty', who: 'newcomer', path: '/app/dashboard' },
  {
    name: 'dashboard-failed',
    fails: true,
    who: 'root',
    path: '/app/dashboard',
    before: (page) =>
      page.route('**/api/data/overview*', (route) =>
        route.fulfill({ status: 500, json: { success: false, message: 'database is locked' } }),
      ),
  },

  { name: 'token-list', who: 'root', path: '/app/tokens' },
  { name: 'token-empty', who: 'newcomer', path: '/app/tokens' },
  { name: 'token-drawer', who: 'user', path: '/app/tokens?id=new' },
  { name: 'token-edit', who: 'user', path: '/app/tokens?id=19' },
  {
    name: 'token-made',
    who: 'newcomer',
    path: '/app/tokens?id=new',
    after: async (page) => {
      await page.getByRole('dialog').getByRole('textbox').first().fill('laptop');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(新建|Create)$/ })
        .click();
      await page.getByRole('tab', { name: 'Claude Code' }).click();
    },
  },

  { name: 'me-account', who: 'user', path: '/app/me' },
  {
    name: 'me-models',
    who: 'user',
    path: '/app/me',
    before: answers('/api/user/models', data(MODELS)),
  },
  { name: 'me-security', who: 'user', path: '/app/me?tab=security' },
  { name: 'me-notifications', who: 'user', path: '/app/me?tab=notice' },
  {
    name: 'me-webhook',
    who: 'user',
    path: '/app/me?tab=notice',
    after: press(/^Webhook/, 'radio'),
  },
  {
    name: 'me-webhook-refused',
    who: 'user',
    path: '/app/me?tab=notice',
    fails: true,
    after: async (page) => {
      await press(/^Webhook/, 'radio')(page);
      await page.getByRole('textbox', { name: /^Webhook/ }).fill('https://127.0.0.1/hook');
      await press(/^(保存|Save)$/)(page);
    },
  },
  { name: 'me-price', who: 'user', path: '/app/me?tab=price' },
  { name: 'me-other', who: 'user', path: '/app/me?tab=other' },
  { name: 'wallet', who: 'user', path: '/app/wallet?code=abcdef123456' },
  {
    name: 'wallet-confirm',
    who: 'user',
    path: '/app/wallet',
    after: press(/^(充值|Top up)$/),
  },
  { name: 'wallet-off', who: 'user', path: '/app/wallet', before: noPayments },

  { name: 'log-root', who: 'root', path: '/app/logs/api-usage?from=7d&type=2' },
  { name: 'log-user', who: 'user', path: '/app/logs/api-usage?from=30d' },
  { name: 'log-errors', who: 'root', path: '/app/logs/api-usage?from=30d&type=6' },
  { name: 'log-none', who: 'root', path: '/app/logs/api-usage?model=nothing' },
  { name: 'log-inspector', who: 'root', path: '/app/logs/api-usage?from=7d&id=4990' },
  { name: 'log-expanded', who: 'root', path: '/app/logs/api-usage?from=30d&type=2', after: expand },
  { name: 'task-drawing', who: 'root', path: '/app/logs/drawing', before: pictures },
  { name: 'task-gallery', who: 'root', path: '/app/logs/drawing?view=gallery', before: pictures },
  { name: 'task-music', who: 'root', path: '/app/logs/tasks' },

  { name: 'inbox-list', who: 'root', path: '/app/inbox' },
  { name: 'inbox-markdown', who: 'user', path: '/app/inbox/12' },
  { name: 'inbox-html', who: 'user', path: '/app/inbox/10' },
  { name: 'inbox-missing', who: 'user', path: '/app/inbox/999' },

  { name: 'pricing-guest', who: 'guest', path: '/pricing' },
  { name: 'pricing-user', who: 'user', path: '/pricing' },
  { name: 'pricing-cards', who: 'user', path: '/pricing?view=cards' },
  { name: 'pricing-drawer', who: 'user', path: '/pricing?model=gpt-4o&with=gpt-4o-mini' },

  { name: 'playground-empty', who: 'root', path: '/playground' },
  { name: 'playground-answer', who: 'root', path: '/playground', after: say('你好 👋') },
  {
    name: 'playground-inspector',
    who: 'root',
    path: '/playground',
    after: async (page) => {
      await say('What is a gateway?')(page);
      await press(/^(检查器|Inspector)$/)(page);
    },
  },
  {
    name: 'playground-error',
    who: 'root',
    path: '/playground',
    fails: true,
    before: noAnswer,
    after: say('?'),
  },
  {
    name: 'playground-streaming',
    who: 'root',
    path: '/playground',
    before: endless,
    after: async (page) => {
      const box = page.getByRole('textbox', { name: /^(消息|Message)$/ });
      await box.fill('What is a gateway?');
      await box.press('Enter');
    },
  },
  {
    name: 'playground-pair',
    who: 'root',
    path: '/playground?with=gpt-4o',
    after: async (page) => {
      await say('What is a gateway?')(page);
      await page.locator('article[data-status="complete"]').nth(3).waitFor();
    },
  },
  {
    name: 'playground-long',
    who: 'root',
    path: '/playground',
    after: async (page) => {
      for (const [place, text] of ['one', 'two', 'three'].entries()) {
        await say(text)(page);
        await page
          .locator('article[data-role="assistant"][data-status="complete"]')
          .nth(place)
          .waitFor();
      }
      await page.locator('article').first().scrollIntoViewIfNeeded();
      await say('What is a gateway?')(page);
      await page.locator('article[data-role="assistant"][data-status="complete"]').nth(3).waitFor();
    },
  },
  {
    name: 'chat-app',
    who: 'root',
    path: '/chat/0',
    before: (page) => status(page, { chats: [{ AMA: 'ama://set-api-key?key={key}' }] }),
  },
  { name: 'chat-frame', who: 'root', path: '/chat/0', before: frame },
  { name: 'chat-missing', who: 'root', path: '/chat/9' },

  { name: 'channel-list', who: 'root', path: '/admin/channels' },
  {
    name: 'channel-tags',
    who: 'root',
    path: '/admin/channels',
    before: kept('channel-tag-mode', 'true'),
  },
  { name: 'channel-new', who: 'root', path: '/admin/channels?id=new' },
  { name: 'channel-edit', who: 'root', path: '/channel/edit/7' },
  { name: 'channel-azure', who: 'root', path: '/admin/channels?id=2' },
  {
    name: 'channel-transform',
    who: 'root',
    path: '/channel/edit/7',
    after: (page) =>
      page.locator('[data-section="transform"]').evaluate('(one) => one.scrollIntoView()'),
  },
  { name: 'channel-vertex', who: 'root', path: '/admin/channels?id=12' },
  {
    name: 'channel-coze',
    who: 'root',
    path: '/channel/add',
    after: async (page) => {
      const type = page.getByRole('combobox', { name: /^(类型|Type)$/ });
      await type.click();
      await type.fill('Coze');
      await page.getByRole('option', { name: 'Coze' }).click();
      await press(/^(提交|Submit)$/)(page);
    },
  },
  {
    name: 'channel-errors',
    who: 'root',
    path: '/channel/edit/7',
    fails: true,
    after: async (page) => {
      await page.getByRole('textbox', { name: /^(名称|Name)$/ }).fill('');
      await press(/^(提交|Submit)$/)(page);
    },
  },
  {
    name: 'channel-password',
    who: 'root',
    path: '/channel/edit/7',
    fails: true,
    before: needsPassword,
    after: press(/^(显示完整密钥|Show full keys)$/),
  },
  {
    name: 'channel-password-wrong',
    who: 'root',
    path: '/channel/edit/7',
    fails: true,
    before: needsPassword,
    after: async (page) => {
      await press(/^(显示完整密钥|Show full keys)$/)(page);
      await page.getByRole('dialog').getByRole('textbox').fill('not it');
      await press(/^(确认|Confirm)$/)(page);
      await page.getByText(/^(当前密码不正确|The current password is wrong)$/).waitFor();
    },
  },
  {
    name: 'channel-test',
    who: 'root',
    path: '/admin/channels?q=openai-main',
    isWide: true,
    before: oneModelHangs,
    after: async (page) => {
      await press(/^(更多操作|More actions)$/)(page);
      await page.getByRole('menuitem', { name: /^(测试模型|Test models)$/ }).click();
      await press(/^(测试全部|Test all)$/)(page);
    },
  },
  {
    name: 'channel-tested',
    who: 'root',
    path: '/admin/channels',
    after: async (page) => {
      await press(/^(批量操作|Batch actions)$/)(page);
      await press(/^(测试所有渠道|Test all channels)$/, 'menuitem')(page);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: /^(测试所有渠道|Test all channels)$/ }).click();
      await page.getByRole('dialog', { name: /^(测试结果|Test results)$/ }).waitFor();
    },
  },
  {
    name: 'channel-bulk',
    who: 'root',
    path: '/admin/channels',
    isWide: true,
    after: (page) => page.getByRole('checkbox', { name: /^(选择本页|Select this page)$/ }).check(),
  },
  { name: 'coupon-list', who: 'root', path: '/admin/coupons' },
  { name: 'coupon-new', who: 'root', path: '/admin/coupons?id=new' },
  {
    name: 'coupon-byname',
    who: 'root',
    path: '/admin/coupons',
    after: async (page) => {
      await press(/^(批量操作|Batch actions)$/)(page);
      await press(/^(按名称删除|Delete by name)$/, 'menuitem')(page);
      await page.getByRole('dialog').getByRole('textbox').fill('spring');
      await press(/^(查询数量|Count codes)$/)(page);
    },
  },
  {
    name: 'coupon-made',
    who: 'root',
    path: '/admin/coupons?id=new',
    after: async (page) => {
      await page.getByLabel(/^(数量|Count)$/).fill('5');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(新建|Create)$/ })
        .click();
    },
  },
  { name: 'user-list', who: 'root', path: '/admin/users' },
  { name: 'user-edit', who: 'root', path: '/admin/users?id=3' },
  {
    name: 'user-adjust',
    who: 'root',
    path: '/admin/users?id=3',
    after: press(/^(增减|Adjust)$/),
  },
  { name: 'user-page', who: 'root', path: '/user/edit/3' },
  { name: 'message-list', who: 'root', path: '/admin/messages' },
  { name: 'message-new', who: 'root', path: '/admin/messages?id=new' },
  { name: 'message-edit', who: 'root', path: '/admin/messages?id=12' },

  { name: 'setting-operation', who: 'root', path: '/admin/settings' },
  { name: 'setting-ratelimit', who: 'root', path: '/admin/settings?tab=ratelimit' },
  { name: 'setting-models', who: 'root', path: '/admin/settings?tab=models' },
  { name: 'setting-system', who: 'root', path: '/admin/settings?tab=system' },
  {
    name: 'setting-failed',
    who: 'root',
    path: '/admin/settings',
    fails: true,
    before: noRetries,
    after: async (page) => {
      await page
        .getByLabel(/^(失败重试次数|Retries)/)
        .first()
        .fill('3');
      await page
        .getByLabel(/^(文档链接|Docs link)/)
        .first()
        .fill('https://docs.example.org');
      await page
        .locator('#section-general')
        .getByRole('button', { name: /^(保存|Save)/ })
        .click();
    },
  },
  {
    name: 'setting-fallback',
    who: 'root',
    path: '/admin/settings',
    after: async (page) => {
      await page
        .locator('[id="option-fallback_pricing_enabled"]')
        .getByRole('switch')
        .check({ force: true });
      await page.locator('[id="option-fallback_input_ratio"] input').first().fill('2');
      await saveSection(page, 'fallback');
    },
  },
  {
    name: 'setting-groups',
    who: 'root',
    path: '/admin/settings',
    after: (page) => page.getByRole('button', { name: /^(添加分组|Add a group)$/ }).hover(),
  },
  {
    name: 'setting-oidc',
    who: 'root',
    path: '/admin/settings?tab=system',
    fails: true,
    after: async (page) => {
      await page.locator('[id="option-oidc.well_known"] input').fill('http://127.0.0.1:9/none');
      await saveSection(page, 'oidc');
    },
  },
  {
    name: 'setting-oidc-found',
    who: 'root',
    path: '/admin/settings?tab=system',
    before: answers('/api/oauth/oidc/discover', data(ENDPOINTS_OF_PROVIDER)),
    after: async (page) => {
      await stored(page, { 'oidc.well_known': '' });
      await page
        .locator('[id="option-oidc.well_known"] input')
        .fill('http://id.example.com/.well-known/openid-configuration');
      await saveSection(page, 'oidc');
      await page.getByText(/^(保存成功|Saved)$/).waitFor();
      await page.locator('#section-oidc-title').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'setting-demo',
    who: 'root',
    path: '/admin/settings',
    after: (page) =>
      page.locator('[id="option-DemoSiteEnabled"]').getByRole('switch').click({ force: true }),
  },
  {
    name: 'setting-presets',
    who: 'root',
    path: '/admin/settings',
    before: answers('/api/price/source*', data(PRICES_OF_SOURCE)),
    after: async (page) => {
      await stored(page, { PriceSourceUrl: '' });
      await page.locator('[id="option-PriceSourceUrl"] input').fill('https://models.dev/api.json');
      await saveSection(page, 'presets');
      await page.getByText(/^(保存成功|Saved)$/).waitFor();
      await press(/^(获取价格|Fetch prices)$/)(page);
    },
  },
  {
    name: 'setting-prices',
    who: 'root',
    path: '/admin/settings',
    after: async (page) => {
      await page.locator('#section-prices').scrollIntoViewIfNeeded();
      await press(/^(可视化|Visual)/, 'tab')(page);
      await page.locator('#section-prices').evaluate('(one) => one.scrollIntoView()');
    },
  },
  {
    name: 'setting-audit',
    who: 'root',
    path: '/admin/settings?tab=other',
    after: (page) => page.locator('#section-audit').evaluate('(one) => one.scrollIntoView()'),
  },
  { name: 'setting-other', who: 'root', path: '/admin/settings?tab=other' },

  {
    name: 'shell-folded',
    who: 'root',
    path: '/app/tokens',
    isWide: true,
    before: kept('default_collapse_sidebar', 'true'),
  },
  {
    name: 'shell-search',
    who: 'root',
    path: '/app/tokens',
    after: (page) => page.keyboard.press('Control+k'),
  },
  {
    name: 'shell-keys',
    who: 'root',
    path: '/app/tokens',
    after: (page) => page.keyboard.press('?'),
  },
  { name: 'shell-avatar', who: 'root', path: '/app/tokens', after: press(/root/) },
  {
    name: 'shell-menu',
    who: 'root',
    path: '/app/tokens',
    after: async (page) => {
      const burger = page.getByRole('button', { name: /菜单|menu/i }).first();
      if (await burger.isVisible()) await burger.click();
    },
  },
  { name: 'shell-newyear', who: 'root', path: '/app/tokens', before: newYear },
  {
    name: 'shell-modes',
    who: 'root',
    path: '/app/tokens',
    before: async (page) => {
      await status(page, { self_use_mode_enabled: true, demo_site_enabled: true });
      await answers('/api/user/messages/unread_count', data({ unread_count: 137 }))(page);
    },
  },
];
