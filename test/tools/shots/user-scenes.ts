import {
  allProviders,
  answers,
  data,
  endless,
  expand,
  frame,
  hang,
  kept,
  next,
  noAnswer,
  noPayments,
  pictures,
  press,
  say,
  status,
  unset,
} from './acts.ts';
import type { Scene } from './scene.ts';

const MODELS = Array.from({ length: 12 }, (_, index) => `long-model-name-${index + 1}-20260101`);

export const USER_SCENES: readonly Scene[] = [
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
        .getByRole('button', { name: /^(创建|Create)$/ })
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
];
