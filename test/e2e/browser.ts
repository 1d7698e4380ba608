/** The browser tests' own `test`: a gateway per worker, and pages that must not complain. */
import { test as base, expect, type Page } from '@playwright/test';
import { type Gateway, startGateway } from './gateway.ts';

interface TestFixtures {
  /** What the page's console and scripts complained of so far; must be empty at the end. */
  readonly complaints: string[];
}

interface WorkerFixtures {
  /** Set up and running; shared, so a test that stops one starts its own. */
  readonly gateway: Gateway;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  gateway: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixture's needs from this pattern
    async ({}, use) => {
      const gateway = await startGateway();
      await gateway.setUp();
      await use(gateway);
      await gateway.remove();
    },
    { scope: 'worker' },
  ],
  complaints: [
    async ({ page }, use) => {
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      await use(complaints);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

/** A page wider than its window is a layout fault on every screen. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const spare = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(spare).toBeLessThanOrEqual(0);
}
