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
import { asRoot, type Scene } from './scene.ts';

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
  asRoot('channel-list', '/admin/channels'),
  asRoot('channel-unhealthy', '/admin/channels', {
    fails: true,
    before: (page) => page.route('**/api/channel/health*', (route) => route.abort()),
  }),
  asRoot('channel-tags', '/admin/channels', { before: kept('channel-tag-mode', 'true') }),
  asRoot('channel-new', '/admin/channels?id=new'),
  asRoot('channel-edit', '/channel/edit/7'),
  asRoot('channel-azure', '/admin/channels?id=2'),
  asRoot('channel-transform', '/channel/edit/7', {
    after: scrolledTo('[data-section="transform"]'),
  }),
  asRoot('channel-vertex', '/admin/channels?id=12'),
  asRoot('channel-coze', '/channel/add', {
    after: async (page) => {
      const type = page.getByRole('combobox', { name: /^(类型|Type)$/ });
      await type.click();
      await type.fill('Coze');
      await page.getByRole('option', { name: 'Coze' }).click();
      await press(/^(提交|Submit)$/)(page);
    },
  }),
  asRoot('channel-errors', '/channel/edit/7', {
    fails: true,
    after: async (page) => {
      await page.getByRole('textbox', { name: /^(名称|Name)$/ }).fill('');
      await press(/^(提交|Submit)$/)(page);
    },
  }),
  asRoot('channel-password', '/channel/edit/7', {
    fails: true,
    before: needsPassword,
    after: press(/^(显示完整密钥|Show full keys)$/),
  }),
  asRoot('channel-password-wrong', '/channel/edit/7', {
    fails: true,
    before: needsPassword,
    after: async (page) => {
      await press(/^(显示完整密钥|Show full keys)$/)(page);
      await page.getByRole('dialog').getByRole('textbox').fill('not it');
      await press(/^(确认|Confirm)$/)(page);
      await page.getByText(/^(当前密码不正确|The current password is wrong)$/).waitFor();
    },
  }),
  asRoot('channel-test', '/admin/channels?q=openai-main', {
    isWide: true,
    before: oneModelHangs,
    after: async (page) => {
      await press(/^(更多操作|More actions)$/)(page);
      await page.getByRole('menuitem', { name: /^(测试模型|Test models)$/ }).click();
      await press(/^(测试全部|Test all)$/)(page);
    },
  }),
  asRoot('channel-tested', '/admin/channels', {
    after: async (page) => {
      await press(/^(批量操作|Batch actions)$/)(page);
      await press(/^(测试所有渠道|Test all channels)$/, 'menuitem')(page);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: /^(测试所有渠道|Test all channels)$/ }).click();
      await page.getByRole('dialog', { name: /^(测试结果|Test results)$/ }).waitFor();
    },
  }),
  asRoot('channel-bulk', '/admin/channels', {
    isWide: true,
    after: (page) => page.getByRole('checkbox', { name: /^(选择本页|Select this page)$/ }).check(),
  }),
  asRoot('budget-list', '/admin/budgets'),
  asRoot('budget-open', '/admin/budgets?id=6'),
  asRoot('budget-edit', '/admin/budgets?id=8', { after: press(/^(编辑预算|Edit budget)$/) }),
  asRoot('budget-new', '/admin/budgets?id=new&subject=token'),
  asRoot('coupon-list', '/admin/coupons'),
  asRoot('coupon-last', '/admin/coupons?page=2'),
  asRoot('coupon-new', '/admin/coupons?id=new'),
  asRoot('coupon-byname', '/admin/coupons', {
    after: async (page) => {
      await press(/^(批量操作|Batch actions)$/)(page);
      await press(/^(按名称删除|Delete by name)$/, 'menuitem')(page);
      await page.getByRole('dialog').getByRole('textbox').fill('spring');
      await press(/^(查询数量|Count codes)$/)(page);
    },
  }),
  asRoot('coupon-made', '/admin/coupons?id=new', {
    after: async (page) => {
      await page.getByLabel(/^(数量|Count)$/).fill('5');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(创建|Create)$/ })
        .click();
    },
  }),
  asRoot('user-list', '/admin/users'),
  asRoot('user-edit', '/admin/users?id=3'),
  asRoot('user-adjust', '/admin/users?id=3', { after: press(/^(增减|Adjust)$/) }),
  asRoot('user-page', '/user/edit/3'),
  asRoot('message-list', '/admin/messages'),
  asRoot('message-new', '/admin/messages?id=new'),
  asRoot('message-edit', '/admin/messages?id=12'),

  asRoot('setting-operation', '/admin/settings'),
  asRoot('setting-ratelimit', '/admin/settings?tab=ratelimit'),
  asRoot('setting-models', '/admin/settings?tab=models'),
  asRoot('setting-system', '/admin/settings?tab=system'),
  asRoot('setting-failed', '/admin/settings', {
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
  }),
  asRoot('setting-fallback', '/admin/settings', {
    after: async (page) => {
      await page
        .locator('[id="option-fallback_pricing_enabled"]')
        .getByRole('switch')
        .check({ force: true });
      await page.locator('[id="option-fallback_input_ratio"] input').first().fill('2');
      await saveSection(page, 'fallback');
    },
  }),
  asRoot('setting-groups', '/admin/settings', {
    after: (page) => page.getByRole('button', { name: /^(添加分组|Add a group)$/ }).hover(),
  }),
  asRoot('setting-oidc', '/admin/settings?tab=system', {
    fails: true,
    after: async (page) => {
      await page.locator('[id="option-oidc.well_known"] input').fill('http://127.0.0.1:9/none');
      await saveSection(page, 'oidc');
    },
  }),
  asRoot('setting-oidc-found', '/admin/settings?tab=system', {
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
  }),
  asRoot('setting-alerts', '/admin/settings?tab=system', {
    before: answers('/api/alert/destination/', data(DESTINATIONS)),
    after: scrolledTo('#section-alerts'),
  }),
  asRoot('setting-alert-new', '/admin/settings?tab=system', {
    after: press(/^(添加接收处|Add destination)$/),
  }),
  asRoot('setting-demo', '/admin/settings', {
    after: (page) =>
      page.locator('[id="option-DemoSiteEnabled"]').getByRole('switch').click({ force: true }),
  }),
  asRoot('setting-presets', '/admin/settings', {
    before: answers('/api/price/source*', data(PRICES_OF_SOURCE)),
    after: async (page) => {
      await stored(page, { PriceSourceUrl: '' });
      await page.locator('[id="option-PriceSourceUrl"] input').fill('https://models.dev/api.json');
      await saveSection(page, 'presets');
      await page.getByText(/^(保存成功|Saved)$/).waitFor();
      await press(/^(获取价格|Fetch prices)$/)(page);
    },
  }),
  asRoot('setting-prices', '/admin/settings', {
    after: async (page) => {
      await page.locator('#section-prices').scrollIntoViewIfNeeded();
      await press(/^(可视化|Visual)/, 'tab')(page);
      await scrolledTo('#section-prices')(page);
    },
  }),
  asRoot('setting-audit', '/admin/settings?tab=other', { after: scrolledTo('#section-audit') }),
  asRoot('setting-job', '/admin/settings?tab=other', { after: scrolledTo('#section-jobs') }),
  asRoot('setting-other', '/admin/settings?tab=other'),

  asRoot('shell-folded', '/app/tokens', {
    isWide: true,
    before: kept('default_collapse_sidebar', 'true'),
  }),
  asRoot('shell-search', '/app/tokens', { after: (page) => page.keyboard.press('Control+k') }),
  asRoot('shell-keys', '/app/tokens', { after: (page) => page.keyboard.press('?') }),
  asRoot('shell-avatar', '/app/tokens', { after: press(/root/) }),
  asRoot('shell-menu', '/app/tokens', {
    after: async (page) => {
      const burger = page.getByRole('button', { name: /菜单|menu/i }).first();
      if (await burger.isVisible()) await burger.click();
    },
  }),
  asRoot('shell-newyear', '/app/tokens', { before: newYear }),
  asRoot('shell-modes', '/app/tokens', {
    before: async (page) => {
      await status(page, { self_use_mode_enabled: true, demo_site_enabled: true });
      await answers('/api/user/messages/unread_count', data({ unread_count: 137 }))(page);
    },
  }),
];
