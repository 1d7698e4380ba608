/** Goes from page to page inside the console, which takes a fraction of the time of loading it. */
import type { Page } from '@playwright/test';

/**
 * Shows a page of the loaded console, without what it showed before. A page that differs only by the
 * id in its path keeps its elements, so it is loaded instead.
 */
export async function visit(page: Page, path: string): Promise<void> {
  if (isShown(page, path)) await visit(page, '/about');
  await page.evaluate(`{ ${MARK_AS_LEFT} ${routeTo(path)} } ${IS_LEFT}`);
}

/** Waits until the page that is left is gone; it stays visible while the next one loads. */
export async function arrive(page: Page, go: () => Promise<unknown>): Promise<void> {
  await page.evaluate(MARK_AS_LEFT);
  await go();
  await page.evaluate(IS_LEFT);
}

function isShown(page: Page, path: string): boolean {
  return new URL(path, page.url()).pathname === new URL(page.url()).pathname;
}

/** As the browser's forward button does. */
const routeTo = (path: string) => `
  const { idx, ...state } = history.state;
  history.pushState({ ...state, idx: idx + 1 }, '', ${JSON.stringify(path)});
  dispatchEvent(new PopStateEvent('popstate', { state: history.state }));`;

const MARK_AS_LEFT = `for (const part of document.querySelectorAll('main > :not(#layers)')) part.dataset.left = '';`;

const ARRIVAL_MS = 30_000;

/** Looked at by the page itself: an assertion of Playwright looks up to half a second late. */
const IS_LEFT = `new Promise((resolve, reject) => {
  const endsAt = performance.now() + ${ARRIVAL_MS};
  const look = () => {
    if (document.querySelector('main > [data-left]') === null) resolve();
    else if (performance.now() > endsAt) reject(new Error('the page before is still shown'));
    else requestAnimationFrame(look);
  };
  look();
})`;
