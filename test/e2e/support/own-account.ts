/** New accounts for tests of the account pages. */
import path from 'node:path';
import type { Page } from '@playwright/test';
import { openDatabases } from '../../../src/store/connection/database.ts';
import { call, type MadeUser, makeUser, PASSWORD } from './admin-calls.ts';
import { beReader, signIn } from './browser.ts';
import { ROOT } from './gateway.ts';

type Options = Readonly<Record<string, string | number | boolean>>;

/** Sets the options in order, creates an account, and signs the page in to it. */
export async function asNewUser(
  page: Page,
  options: Options = {},
  fields: Readonly<Record<string, unknown>> = {},
): Promise<MadeUser> {
  await asRoot(page);
  for (const [key, value] of Object.entries(options))
    await call(page, 'PUT', '/api/option/', { key, value });
  const user = await makeUser(page, fields);
  await signIn(page, { username: user.username, password: PASSWORD });
  return user;
}

/** Signs the page's requests in as root; the page itself does not change. */
export async function asRoot(page: Page): Promise<void> {
  await beReader(page, ROOT);
}

/** Makes the sessions of a user eleven minutes old. */
export async function ageSessions(folder: string, userId: number): Promise<void> {
  const { db, close } = await openDatabases(path.join(folder, 'gateway.sqlite'));
  try {
    await db('sessions')
      .where({ user_id: userId })
      .decrement('created_at', 11 * 60);
  } finally {
    await close();
  }
}
