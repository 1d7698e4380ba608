import { defineConfig } from '@playwright/test';

/** The system's browser: Playwright's own is never downloaded. */
const CHROMIUM = '/usr/bin/chromium';

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  // A file's tests stay together: what it prepares for them, it prepares once.
  fullyParallel: false,
  // Tests wait as much as they compute: two cores carry three.
  workers: 3,
  // The gate tries once more and names the test; at a desk an unsteady test shows at once.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  use: {
    // What is not there to be pressed is missed long before the test's own time is over.
    actionTimeout: 30_000,
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
    screenshot: 'only-on-failure',
    // A quarter of the time; the gate has no use for it.
    trace: process.env.CI ? 'off' : 'retain-on-failure',
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        '--disable-component-update',
        '--no-first-run',
      ],
    },
  },
});
