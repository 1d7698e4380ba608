/** The `test` of files about channels: it makes some that lead to the worker's upstream. */
import type { Page } from '@playwright/test';
import { aName, call } from './admin-calls.ts';
import { test as base, UPSTREAM_KEY } from './browser.ts';

interface Made {
  readonly id: number;
  readonly name: string;
}

interface Fixtures {
  /** As the page's signed-in reader, who must be an administrator. */
  readonly makeChannel: (fields?: object) => Promise<Made>;
}

export const test = base.extend<Fixtures>({
  makeChannel: async ({ page, upstream }, use) => {
    await use((fields = {}) =>
      call(page, 'POST', '/api/channel/', {
        name: aName('channel-'),
        type: 1,
        key: UPSTREAM_KEY,
        base_url: upstream.url,
        models: 'gpt-4o,gpt-4o-mini',
        ...fields,
      }),
    );
  },
});

interface Stored {
  readonly status: number;
  readonly priority: number;
  readonly weight: number;
  readonly tag: string;
  readonly models: string;
  readonly base_url: string;
  readonly key: string;
  readonly auto_ban: number;
}

export const stored = (page: Page, id: number): Promise<Stored> =>
  call(page, 'GET', `/api/channel/${id}`);

export const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
