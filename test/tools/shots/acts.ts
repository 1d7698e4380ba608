/** How a page comes into the state that a scene shows. */
import type { Page } from '@playwright/test';

/** Presses the first button or tab of a name in either language. */
export const press =
  (name: RegExp, role: 'button' | 'tab' | 'menuitem' | 'radio' | 'link' = 'button') =>
  (page: Page) =>
    page.getByRole(role, { name }).first().click();

export const answers = (path: string, json: unknown) => (page: Page) =>
  page.route(`**${path}`, (route) => route.fulfill({ json }));

export const data = (value: unknown) => ({ success: true, message: '', data: value });

export async function status(page: Page, fields: object): Promise<void> {
  await page.route('**/api/status', async (route) => {
    const answer = await route.fetch();
    const reply = await answer.json();
    await route.fulfill({ json: { ...reply, data: { ...reply.data, ...fields } } });
  });
}

export function allProviders(page: Page): Promise<unknown> {
  return status(page, {
    github_oauth: true,
    github_client_id: 'id',
    oidc_enabled: true,
    oidc_client_id: 'id',
    oidc_authorization_endpoint: 'https://id.example.com/authorize',
    linuxdo_oauth: true,
    linuxdo_client_id: 'id',
    wechat_login: true,
    telegram_oauth: true,
    telegram_bot_name: 'gateway_bot',
    email_verification: true,
  });
}

export const noPayments = (page: Page) =>
  status(page, { enable_online_topup: false, top_up_link: '' });

/** Calls of this address are never answered; the picture shows the page meanwhile. */
export const hang = (path: string) => (page: Page) => page.route(path, () => undefined);

/** A gateway before its first run. */
export async function unset(page: Page): Promise<void> {
  const state = { status: false, root_init: false, database_type: 'sqlite' };
  await status(page, { setup: false });
  await answers('/api/setup', data({ ...state, code_needed: true, proxy_detected: '' }))(page);
}

/** On to the step after this one. */
export const next = press(/^(下一步|Next)$/);

/** Words come, and the last one never does. */
export function endless(page: Page): Promise<unknown> {
  return page.addInitScript(`{
    const own = window.fetch;
    const piece = (text) => 'data: ' + JSON.stringify({ choices: [{ delta: { content: text } }] }) + '\\n\\n';
    window.fetch = (place, init) => {
      if (!String(place).endsWith('/pg/chat/completions')) return own(place, init);
      const words = 'A gateway stands between your programs and the model providers: '.split(' ');
      const body = new ReadableStream({
        start: (to) => words.forEach((word) => to.enqueue(new TextEncoder().encode(piece(word + ' ')))),
      });
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    };
  }`);
}

/** 1 January, at noon. */
export const newYear = (page: Page) => page.clock.setFixedTime(new Date(2027, 0, 1, 12));

export function noAnswer(page: Page): Promise<unknown> {
  return page.route('**/pg/chat/completions', (route) =>
    route.fulfill({
      status: 503,
      json: {
        error: { message: 'No channel is available for gpt-4o-mini', type: 'gateway_error' },
      },
    }),
  );
}

/** The test of one model takes for ever. */
export function oneModelHangs(page: Page): Promise<unknown> {
  return page.route('**/api/channel/test/*', (route) =>
    route.request().postData()?.includes('gpt-4o-mini') ? undefined : route.fallback(),
  );
}

/** One option of a section is refused while the others are saved. */
export function noRetries(page: Page): Promise<unknown> {
  return page.route('**/api/option/', async (route) => {
    if (!route.request().postData()?.includes('RetryTimes')) return route.fallback();
    return route.fulfill({ json: { success: false, message: 'database is locked' } });
  });
}

/** Stores options, then opens the page once more: a save of the scene then always changes something. */
export async function stored(page: Page, options: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(options))
    await page.request.put(new URL('/api/option/', page.url()).href, { data: { key, value } });
  await page.reload();
}

/** Keys of a channel are asked for with a sign-in that is no longer recent. */
export function needsPassword(page: Page): Promise<unknown> {
  return page.route(/\/api\/channel\/\d+\?.*reveal=true/, (route) =>
    route.fulfill({
      status: 403,
      json: { success: false, message: '', code: 'password_needed', param: 'password' },
    }),
  );
}

export function frame(page: Page): Promise<unknown> {
  return page.route('https://chat.example.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1 style="font:20px sans-serif">chat</h1>' }),
  );
}

export function kept(key: string, value: string) {
  return (page: Page) =>
    page.addInitScript(`localStorage.setItem(${JSON.stringify(key)}, ${JSON.stringify(value)})`);
}

export function say(text: string) {
  return async (page: Page) => {
    const box = page.getByRole('textbox', { name: /^(消息|Message)$/ });
    await box.fill(text);
    await box.press('Enter');
    const end = ':is([data-status="complete"], [data-status="error"])';
    await page.locator(`article[data-role="assistant"]${end}`).first().waitFor();
  };
}

/** Scrolls an element to the top of the window. */
export const scrolledTo = (selector: string) => async (page: Page) => {
  await page.locator(selector).waitFor();
  await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).scrollIntoView()`);
};

/** Opens the first two entries. */
export async function expand(page: Page): Promise<void> {
  const closed = page.getByRole('button', { name: /^(展开详情|Show details)/ });
  await closed.nth(1).click();
  await closed.first().click();
}

const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
  <defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="#27306b"/><stop offset="1" stop-color="#f2a65a"/></linearGradient></defs>
  <rect width="64" height="64" fill="url(#sky)"/><circle cx="44" cy="34" r="9" fill="#ffe3a3"/>
  <path d="M0 50q16-9 32-3t32-4v21H0z" fill="#16313a"/><path d="M15 51l3-25h6l3 25z" fill="#f4efe6"/>
</svg>`;

/** What no upstream has drawn here. */
export function pictures(page: Page): Promise<unknown> {
  return page.route('**/mj/image/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }),
  );
}
