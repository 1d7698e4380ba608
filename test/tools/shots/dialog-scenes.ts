/** Scenes of dialogs that an answer of the server or another administrator brings about. */
import type { Page } from '@playwright/test';
import { answers, data, press, scrolledTo } from './acts.ts';
import { asRoot, asUser, type Scene } from './scene.ts';

const PUBLISHED = {
  source: 'upstream.example.com',
  items: [
    { model: 'deepseek-chat', rates: { input: 0.28, output: 0.42 } },
    { model: 'deepseek-reasoner', rates: { input: 0.55, output: 2.19 } },
    { model: 'an-image-model-with-a-long-name-20260101', rates: { call: 0.04 } },
  ],
};

const CHANNEL = 7;

/** Adds a budget at its place, with all fields; `opened` shows the place first. */
const budgetAdded = (opened?: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await opened?.(page);
  await press(/^(添加预算|Add budget)$/)(page);
  await press(/^(更多设置|More settings)$/)(page);
  await page
    .getByRole('group', { name: /^(添加预算|Add budget)$/ })
    .evaluate((fields: { scrollIntoView(): void }) => fields.scrollIntoView());
};

/** Fills a cost and shows its section. */
async function withCost(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: /^(成本系数|Cost factor)$/ }).fill('0.8');
  await scrolledTo('[data-section="cost"]')(page);
}

/** Another administrator saves the fields that are being edited here. */
async function edited(page: Page): Promise<void> {
  const drawer = page.getByRole('dialog').first();
  const own = Math.floor(Math.random() * 900);
  await drawer.getByRole('textbox', { name: /^(优先级|Priority)$/ }).fill(String(own));
  await drawer.getByRole('textbox', { name: /^(权重|Weight)$/ }).fill('3');
  await page.request.put(new URL('/api/channel/', page.url()).href, {
    data: { id: CHANNEL, priority: own + 1, weight: own },
  });
  await press(/^(提交|Submit)$/)(page);
  await page
    .getByRole('dialog', { name: /^(内容已被他人修改|Another user has changed)/ })
    .waitFor();
}

/** Deletes every channel of some models, which the server names first. */
async function removed(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: /^(选择本页|Select this page)$/ }).check();
  await press(/^(删除|Delete)$/)(page);
  await press(/^(删除 .* 个渠道|Delete channels)/)(page);
  await page.getByRole('dialog', { name: /^(正在使用|This is in use)$/ }).waitFor();
}

/** The upstream publishes prices of models that have none here. */
async function offered(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /(更多操作|More actions)/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: /^(对比上游模型|Compare upstream models)$/ }).click();
  await press(/^(应用|Apply)$/)(page);
  await page.getByRole('dialog', { name: /^(采用公布的价格|Adopt published)/ }).waitFor();
}

export const DIALOG_SCENES: readonly Scene[] = [
  asRoot('channel-cost', `/channel/edit/${CHANNEL}`, { after: withCost }),
  asRoot('channel-conflict', `/admin/channels?id=${CHANNEL}`, {
    fails: true,
    after: edited,
  }),
  asRoot('channel-impact', '/admin/channels?q=claude-direct', {
    isWide: true,
    fails: true,
    after: removed,
  }),
  asRoot('channel-prices', '/admin/channels?q=openai-main', {
    before: answers('/api/channel/*/prices*', data(PUBLISHED)),
    after: offered,
  }),
  asRoot('channel-budget', `/channel/edit/${CHANNEL}`, {
    after: budgetAdded(scrolledTo('[data-section="budgets"]')),
  }),
  asRoot('token-budget', '/app/tokens?id=1', { after: budgetAdded() }),
  asRoot('user-budget', '/admin/users?id=2', { after: budgetAdded() }),
  asRoot('setting-budget', '/admin/settings', { after: budgetAdded() }),
  asUser('token-draft', '/app/tokens?id=new', {
    after: async (page) => {
      await page
        .getByRole('switch', { name: /^(限制每个周期的用量|Limit what it may use)/ })
        .click({ force: true });
    },
  }),
];
