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
import { asGuest, asNewcomer, asRoot, asUser, type Scene } from './scene.ts';

const MODELS = Array.from({ length: 12 }, (_, index) => `long-model-name-${index + 1}-20260101`);

export const USER_SCENES: readonly Scene[] = [
  asGuest('home-guest', '/'),
  asUser('home-user', '/'),
  asGuest('about', '/about'),
  asUser('notfound', '/nope'),
  asUser('notfound-nopermission', '/admin/channels'),

  asGuest('setup-database', '/', { before: unset }),
  asGuest('setup-errors', '/setup#code=3pVnq0', {
    before: unset,
    after: async (page) => {
      await next(page);
      await next(page);
    },
  }),
  asGuest('setup-modes', '/setup#code=3pVnq0', {
    before: unset,
    after: async (page) => {
      await next(page);
      for (const box of await page.locator('input[type="password"]').all())
        await box.fill('battery staple');
      await next(page);
    },
  }),

  asGuest('sign-login', '/login'),
  asGuest('sign-expired', '/login?expired=true', { before: allProviders }),
  asGuest('sign-register', '/register?aff=ab12'),
  asGuest('sign-register-mail', '/register', { before: allProviders }),
  asGuest('sign-register-wait', '/register', {
    before: async (page) => {
      await allProviders(page);
      await page.clock.setFixedTime(new Date('2026-11-21T12:00:00Z'));
      await kept('code-wait-until', String(Date.parse('2026-11-21T12:00:17Z')))(page);
    },
  }),
  asGuest('sign-reset', '/reset'),
  asGuest('sign-reset-sent', '/reset', {
    before: answers('/api/reset_password*', data(null)),
    after: async (page) => {
      await page.getByRole('main').getByRole('textbox').fill('ann@example.com');
      await press(/^(发送重置链接|Send the link)$/)(page);
    },
  }),
  asGuest('sign-reset-done', '/user/reset?email=a@example.com&token=x', {
    before: answers('/api/user/reset', data('k7Vq2mXw9sTd')),
    after: press(/^(重置密码|Reset password)$/),
  }),
  asGuest('sign-reset-confirm', '/user/reset?email=a@example.com&token=x'),
  asGuest('sign-reset-incomplete', '/user/reset'),
  asGuest('sign-callback', '/oauth/github?code=1&state=2', {
    before: hang('**/api/oauth/github*'),
  }),

  asRoot('dashboard-root', '/app/dashboard?from=7d'),
  asUser('dashboard-user', '/app/dashboard'),
  asNewcomer('dashboard-empty', '/app/dashboard'),
  asRoot('dashboard-failed', '/app/dashboard', {
    fails: true,
    before: (page) =>
      page.route('**/api/data/overview*', (route) =>
        route.fulfill({ status: 500, json: { success: false, message: 'database is locked' } }),
      ),
  }),

  asRoot('token-list', '/app/tokens'),
  asNewcomer('token-empty', '/app/tokens'),
  asUser('token-drawer', '/app/tokens?id=new'),
  asUser('token-edit', '/app/tokens?id=19'),
  asNewcomer('token-made', '/app/tokens?id=new', {
    after: async (page) => {
      await page.getByRole('dialog').getByRole('textbox').first().fill('laptop');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(创建|Create)$/ })
        .click();
      await page.getByRole('tab', { name: 'Claude Code' }).click();
    },
  }),

  asUser('me-account', '/app/me'),
  asUser('me-models', '/app/me', { before: answers('/api/user/models', data(MODELS)) }),
  asUser('me-security', '/app/me?tab=security'),
  asUser('me-notifications', '/app/me?tab=notice'),
  asUser('me-webhook', '/app/me?tab=notice', { after: press(/^Webhook/, 'radio') }),
  asUser('me-webhook-refused', '/app/me?tab=notice', {
    fails: true,
    after: async (page) => {
      await press(/^Webhook/, 'radio')(page);
      await page.getByRole('textbox', { name: /^Webhook/ }).fill('https://127.0.0.1/hook');
      await press(/^(保存|Save)$/)(page);
    },
  }),
  asUser('me-price', '/app/me?tab=price'),
  asUser('me-other', '/app/me?tab=other'),
  asUser('wallet', '/app/wallet?code=abcdef123456'),
  asUser('wallet-confirm', '/app/wallet', { after: press(/^(充值|Top up)$/) }),
  asUser('wallet-off', '/app/wallet', { before: noPayments }),

  asRoot('log-root', '/app/logs/api-usage?from=7d&type=2'),
  asUser('log-user', '/app/logs/api-usage?from=30d'),
  asRoot('log-errors', '/app/logs/api-usage?from=30d&type=6'),
  asRoot('log-none', '/app/logs/api-usage?model=nothing'),
  asRoot('log-inspector', '/app/logs/api-usage?from=7d&id=4990'),
  asRoot('log-expanded', '/app/logs/api-usage?from=30d&type=2', { after: expand }),
  asRoot('task-drawing', '/app/logs/drawing', { before: pictures }),
  asRoot('task-gallery', '/app/logs/drawing?view=gallery', { before: pictures }),
  asRoot('task-music', '/app/logs/tasks'),

  asRoot('inbox-list', '/app/inbox'),
  asUser('inbox-markdown', '/app/inbox/12'),
  asUser('inbox-html', '/app/inbox/10'),
  asUser('inbox-missing', '/app/inbox/999'),

  asGuest('pricing-guest', '/pricing'),
  asUser('pricing-user', '/pricing'),
  asUser('pricing-cards', '/pricing?view=cards'),
  asUser('pricing-drawer', '/pricing?model=gpt-4o&with=gpt-4o-mini'),

  asRoot('playground-empty', '/playground'),
  asRoot('playground-answer', '/playground', { after: say('你好 👋') }),
  asRoot('playground-inspector', '/playground', {
    after: async (page) => {
      await say('What is a gateway?')(page);
      await press(/^(检查器|Inspector)$/)(page);
    },
  }),
  asRoot('playground-error', '/playground', {
    fails: true,
    before: noAnswer,
    after: say('?'),
  }),
  asRoot('playground-streaming', '/playground', {
    before: endless,
    after: async (page) => {
      const box = page.getByRole('textbox', { name: /^(消息|Message)$/ });
      await box.fill('What is a gateway?');
      await box.press('Enter');
    },
  }),
  asRoot('playground-pair', '/playground?with=gpt-4o', {
    after: async (page) => {
      await say('What is a gateway?')(page);
      await page.locator('article[data-status="complete"]').nth(3).waitFor();
    },
  }),
  asRoot('playground-long', '/playground', {
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
  }),
  asRoot('chat-app', '/chat/0', {
    before: (page) => status(page, { chats: [{ AMA: 'ama://set-api-key?key={key}' }] }),
  }),
  asRoot('chat-frame', '/chat/0', { before: frame }),
  asRoot('chat-missing', '/chat/9'),
];
