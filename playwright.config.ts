import { defineConfig } from '@playwright/test';

/** The browser of the system; Playwright downloads none. */
const CHROMIUM = '/usr/bin/chromium';

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  // The tests of a file share its set-up, so they run one after another.
  fullyParallel: false,
  // Tests wait about as much as they compute, so two cores can run three.
  workers: 3,
  // The gate repeats a failed test once and reports it; elsewhere it fails at once.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
  use: {
    // Shorter than a test's timeout, so that the error names the action.
    actionTimeout: 30_000,
    locale: 'en-US',
    viewport: { width: 1440, height: 900 },
    screenshot: 'only-on-failure',
    // Traces take a quarter of the time, and the gate does not keep them.
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
