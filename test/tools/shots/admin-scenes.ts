/** The screens of administrators, and the frame of the console, in the states worth a look. */
import type { Page } from '@playwright/test';
import {
  answers,
  data,
  kept,
  needsPassword,
  newYear,
  noRetries,
  oneModelHangs,
  press,
  scrolledTo,
  status,
  stored,
} from './acts.ts';
import type { Scene } from './scene.ts';

/** The changes of a price list, as the server reports them. */
const PRICES_OF_SOURCE = {
  source: 'models.dev',
  date: '2026-11-20',
  items: [
    {
      price: { model: 'gpt-4o', rates: { input: 2.5, output: 10 }, variants: [] },
      changes: [
        { field: 'input', from: 5, to: 2.5 },
        { field: 'cache_write_1h', from: 15, to: 10 },
        { field: 'input', when: { prompt_above: 272_000 }, from: 5, to: null },
      ],
      origin: 'pi-ai 2026-11-10',
      since: '2026-11-10',
    },
    {
      price: {
        model: 'long-model-name-of-a-preview-20260101',
        rates: { input: 0.15 },
        variants: [],
      },
      changes: [{ field: 'input', from: null, to: 0.15 }],
      origin: '',
      since: '',
    },
  ],
  same: 12,
  own: 3,
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

/** One that works, and one that does not. */
const DESTINATIONS = [
  {
    name: 'Operators',
    kind: 'slack',
    address: 'https://hooks.slack.com/services/T0/B0/X',
    language: null,
    has_secret: false,
    failing_since: 0,
    failure: '',
  },
  {
    name: 'on-call',
    kind: 'feishu',
    address: 'https://open.feishu.cn/open-apis/bot/v2/hook/1',
    language: 'zh',
    has_secret: true,
    failing_since: 1_795_800_000,
    failure: 'The receiver answered 200 19021 sign match fail.',
  },
];

export const ADMIN_SCENES: readonly Scene[] = [
  { name: 'channel-list', who: 'root', path: '/admin/channels' },
  {
    name: 'channel-unhealthy',
    who: 'root',
    path: '/admin/channels',
    fails: true,
    before: (page) => page.route('**/api/channel/health*', (route) => route.abort()),
  },
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
    after: scrolledTo('[data-section="transform"]'),
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
  { name: 'budget-list', who: 'root', path: '/admin/budgets' },
  { name: 'budget-open', who: 'root', path: '/admin/budgets?id=6' },
  {
    name: 'budget-edit',
    who: 'root',
    path: '/admin/budgets?id=8',
    after: press(/^(编辑预算|Edit budget)$/),
  },
  { name: 'budget-new', who: 'root', path: '/admin/budgets?id=new&subject=token' },
  { name: 'coupon-list', who: 'root', path: '/admin/coupons' },
  { name: 'coupon-last', who: 'root', path: '/admin/coupons?page=2' },
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
        .getByRole('button', { name: /^(创建|Create)$/ })
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
    name: 'setting-alerts',
    who: 'root',
    path: '/admin/settings?tab=system',
    before: answers('/api/alert/destination/', data(DESTINATIONS)),
    after: scrolledTo('#section-alerts'),
  },
  {
    name: 'setting-alert-new',
    who: 'root',
    path: '/admin/settings?tab=system',
    after: press(/^(添加接收处|Add destination)$/),
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
      await scrolledTo('#section-prices')(page);
    },
  },
  {
    name: 'setting-audit',
    who: 'root',
    path: '/admin/settings?tab=other',
    after: scrolledTo('#section-audit'),
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
