/** What is done on a page in any language, so without the words of its buttons. */
import { expect, type Page } from '@playwright/test';
import { PASSWORD } from './admin-calls.ts';
import { beforeScripts } from './browser.ts';

export type Act = (page: Page) => Promise<unknown>;

const LAYERS = '[role="dialog"]:visible, [role="menu"]:visible';
const PROBLEM = '[role="alert"]:visible, [data-error]:visible';
/** What disappears once the page is ready. */
export const BUSY = '.mantine-Skeleton-root, [aria-busy="true"]';

const READY_MS = 15_000;

/** Counts the calls that the page waits for. */
export async function watchCalls(page: Page): Promise<void> {
  await beforeScripts(
    page,
    `{
      const { fetch } = window;
      window.openCalls = 0;
      window.fetch = async (...call) => {
        openCalls += 1;
        try {
          return await fetch(...call);
        } finally {
          openCalls -= 1;
        }
      };
    }`,
  );
}

/**
 * Waits until the page has its data and this condition holds, in two frames one after the other. The
 * page itself looks: an assertion of Playwright looks up to a second late, and the site's
 * Content-Security-Policy forbids `waitForFunction`.
 */
export async function ready(page: Page, condition = 'true'): Promise<void> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const endsAt = performance.now() + ${READY_MS};
    let frames = 0;
    const look = () => {
      const isReady = openCalls === 0 && document.querySelector('${BUSY}') === null && ${condition};
      frames = isReady ? frames + 1 : 0;
      if (frames > 1) resolve();
      else if (performance.now() > endsAt) reject(new Error(openCalls + ' open calls, or not: ' + ${JSON.stringify(condition)}));
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** A form that was filled asks before it closes. */
export async function closeLayers(page: Page): Promise<void> {
  const layers = page.locator(LAYERS);
  await expect(async () => {
    const count = await layers.count();
    if (count > 1) await layers.last().getByRole('button').last().click({ timeout: 500 });
    else if (count > 0) await page.keyboard.press('Escape');
    await expect(layers).toHaveCount(0, { timeout: 500 });
  }).toPass();
}

function rowOf(page: Page) {
  return page.getByRole('main').getByRole('row').nth(1);
}

export async function openRow(page: Page): Promise<void> {
  await rowOf(page).click();
  await page.locator('td[colspan]').waitFor();
}

export async function message(page: Page): Promise<void> {
  await page.locator('a[href="/app/inbox/1"]').click();
  await page.getByRole('article').waitFor();
}

/** @param at Counts from the end if it is negative. */
export function rowButton(at: number): Act {
  return async (page) => {
    await closeLayers(page);
    await rowOf(page).getByRole('button').nth(at).click();
    await page.locator(LAYERS).first().waitFor();
  };
}

/** Opens the layer of a button of the page. @param at Counts from the end if it is negative. */
export function opened(button: string, at: number): Act {
  return async (page) => {
    await closeLayers(page);
    await page.getByRole('main').locator(button).nth(at).click();
    await page.locator(LAYERS).first().waitFor();
  };
}

/** The actions on many rows, in the head of the page. */
export const batchMenu = opened('[aria-haspopup="menu"]', 0);

/** The last of the popovers above a table. */
export const columnSettings = opened('[role="search"] [aria-haspopup="dialog"]', -1);

/** Keeps the filters of the open popover under a name. */
export async function savedView(page: Page): Promise<void> {
  const popover = page.getByRole('dialog');
  await popover.getByRole('textbox').fill('1');
  await page.keyboard.press('Enter');
  await popover.getByRole('button', { name: '1', exact: true }).waitFor();
}

export async function chosenRow(page: Page): Promise<void> {
  await closeLayers(page);
  await rowOf(page).getByRole('checkbox').first().check();
  await page.locator('[role="region"]:has(> * [aria-live])').waitFor();
}

export async function unanswered(page: Page): Promise<void> {
  await closeLayers(page);
  const box = page.getByRole('main').locator('textarea:visible').last();
  await box.fill('1');
  await box.press('Enter');
  await page.locator('article[data-status="error"]').waitFor();
}

export function clickUntilAlert(at: number): Act {
  return async (page) => {
    await closeLayers(page);
    await rowOf(page).getByRole('button').nth(at).click();
    await page.getByRole('alert').first().waitFor();
  };
}

export async function rowMenu(page: Page): Promise<void> {
  await rowButton(-1)(page);
}

export function rowItem(at: number): Act {
  return async (page) => {
    await rowMenu(page);
    await page.getByRole('menuitem').nth(at).click();
    await expect(page.getByRole('menu')).toHaveCount(0);
    await page.getByRole('dialog').first().waitFor();
  };
}

export async function accountMenu(page: Page): Promise<void> {
  await page.getByRole('banner').locator('[aria-haspopup="menu"]').last().click();
  await page.getByRole('menu').waitFor();
}

export function pressed(key: string): Act {
  return async (page) => {
    if (key !== 'Escape') await closeLayers(page);
    const before = await page.locator(LAYERS).count();
    await page.keyboard.press(key);
    await expect(page.locator(LAYERS)).toHaveCount(before + 1);
  };
}

/** A notice may lie over the button. */
export async function submit(page: Page): Promise<void> {
  await page.locator('[type="submit"]:visible').last().dispatchEvent('click');
  await page.locator(PROBLEM).first().waitFor();
}

/** Fields in their order, which the page accepts. */
export function accepted(...values: readonly string[]): Act {
  return async (page) => {
    await fill(page, values);
    await page.locator('[type="submit"]:visible').last().dispatchEvent('click');
  };
}

/** The gateway itself refuses it. */
async function refused(page: Page): Promise<void> {
  await Promise.all([
    page.waitForResponse((response) => response.request().method() !== 'GET'),
    page.locator('[type="submit"]:visible').last().dispatchEvent('click'),
  ]);
  await page.locator(PROBLEM).first().waitFor();
}

async function fill(page: Page, values: readonly string[]): Promise<void> {
  const fields = page
    .locator('form:has(input)')
    .last()
    .locator('input:not([type="checkbox"], [type="radio"])');
  for (const [index, value] of values.entries()) await fields.nth(index).fill(value);
}

/** Fields in their order, which the page refuses. */
export function filled(...values: readonly string[]): Act {
  return async (page) => {
    await fill(page, values);
    await submit(page);
  };
}

/** Fields in their order, which the gateway refuses. */
export function entered(...values: readonly string[]): Act {
  return async (page) => {
    await fill(page, values);
    await refused(page);
  };
}

/** The session is too old to change the password without the current one. */
export async function asksOwner(page: Page): Promise<void> {
  await fill(page, [PASSWORD, PASSWORD]);
  await page.locator('[type="submit"]:visible').last().dispatchEvent('click');
  await page.getByRole('dialog').waitFor();
}

export async function endToken(page: Page): Promise<void> {
  await closeLayers(page);
  await page.getByRole('tabpanel').locator('section').nth(1).getByRole('button').last().click();
  await page.getByRole('dialog').waitFor();
}

function dataBoard(page: Page) {
  return page.locator('[data-section="dataBoard"]');
}

export async function badValue(page: Page): Promise<void> {
  await page.locator('[id="option-DataExportInterval"] input').fill('0');
  await dataBoard(page).getByRole('button').last().click();
  await page.locator(PROBLEM).first().waitFor();
}

export async function leaveSettings(page: Page): Promise<void> {
  await page.getByRole('banner').locator('a[href="/about"]').click();
  await page.getByRole('dialog').waitFor();
}

export async function discardSettings(page: Page): Promise<void> {
  await closeLayers(page);
  await dataBoard(page).getByRole('button').first().click();
}

export async function wrongLink(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button').last().click();
  await page.locator(PROBLEM).first().waitFor();
}
