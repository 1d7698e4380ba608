/** One scene in one look, in a browser of its own: nothing is left over from the scene before. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { faultsOf } from './faults.ts';
import type { Scene, Who } from './scene.ts';
import { NEWCOMER, ROOT, USER } from './seed.ts';

export const SIZES = {
  d: { width: 1440, height: 900 },
  t: { width: 1024, height: 768 },
  m: { width: 390, height: 844 },
} as const;
export const THEMES = ['light', 'dark'] as const;
export const LANGUAGES = ['zh', 'en'] as const;

export interface Look {
  readonly size: keyof typeof SIZES;
  readonly theme: (typeof THEMES)[number];
  readonly language: (typeof LANGUAGES)[number];
}

export interface TaskSite {
  readonly browser: Browser;
  /** Of the gateway, without a slash at the end. */
  readonly url: string;
  /** Where the pictures go. */
  readonly folder: string;
  /** The whole page instead of the window. */
  readonly isWhole: boolean;
  /** Every text key of the console: none may be seen. */
  readonly textKeys: ReadonlySet<string>;
  readonly sessions: Sessions;
}

const ACCOUNTS = { root: ROOT, user: USER, newcomer: NEWCOMER } as const;
/** Longer than any change of a drawer or a colour takes. */
const STANDS_STILL_MS = 450;
const IDLE_MS = 8_000;

interface Session {
  readonly state: Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>;
  /** JSON text, as the console keeps it. */
  readonly user: string;
}

type Sessions = Readonly<Record<keyof typeof ACCOUNTS, Session>>;

/** Signs all accounts in, as the sign-in page does. */
export async function signAllIn(browser: Browser, url: string): Promise<Sessions> {
  const signIn = async (who: keyof typeof ACCOUNTS): Promise<Session> => {
    const context = await browser.newContext();
    const answer = await context.request.post(`${url}/api/user/login`, { data: ACCOUNTS[who] });
    const { success, data, message } = await answer.json();
    if (!success) throw new Error(`${who} could not sign in: ${message}`);
    const state = await context.storageState();
    await context.close();
    return { state, user: JSON.stringify(data) };
  };
  return {
    root: await signIn('root'),
    user: await signIn('user'),
    newcomer: await signIn('newcomer'),
  };
}

/** Answers what is wrong with the picture, each fault after the picture's name. */
export async function shoot(taskSite: TaskSite, scene: Scene, look: Look): Promise<string[]> {
  const page = await open(taskSite, scene.who, look);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    if (scene.fails && /Failed to load resource/.test(message.text())) return;
    faults.push(`console: ${message.text()}`);
  });
  try {
    await scene.before?.(page);
    await page.goto(`${taskSite.url}${scene.path}`);
    await settled(page);
    await scene.after?.(page);
    await settled(page);
  } catch (error) {
    faults.push(`not reached: ${String(error).split('\n')[0]}`);
  }
  const name = [scene.name, look.size, look.theme, look.language].join('.');
  const folder = path.join(taskSite.folder, scene.name.split('-')[0] ?? '');
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: taskSite.isWhole });
  faults.push(...(await faultsOf(page, look.language, taskSite.textKeys)));
  await page.context().close();
  return faults.map((fault) => `${name}: ${fault}`);
}

async function open({ browser, sessions }: TaskSite, who: Who, look: Look): Promise<Page> {
  const session = who === 'guest' ? undefined : sessions[who];
  const context = await browser.newContext({
    viewport: SIZES[look.size],
    hasTouch: look.size === 'm',
    locale: look.language === 'zh' ? 'zh-CN' : 'en-US',
    reducedMotion: 'reduce',
    ...(session && { storageState: session.state }),
  });
  const kept = {
    'theme-mode': look.theme,
    language: look.language,
    ...(session && { user: session.user }),
  };
  // Not in frames: those of other sites have no storage.
  await context.addInitScript(
    `if (window === top)
      for (const [key, value] of Object.entries(${JSON.stringify(kept)}))
        if (localStorage.getItem(key) === null) localStorage.setItem(key, value)`,
  );
  return context.newPage();
}

/** Nothing is under way, nothing moves any more. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: IDLE_MS }).catch(() => undefined);
  const coming = page.locator('.mantine-Skeleton-root').first();
  await coming.waitFor({ state: 'detached', timeout: IDLE_MS }).catch(() => undefined);
  await page.waitForTimeout(STANDS_STILL_MS);
}
