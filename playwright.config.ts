import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/** The system's browser, because Playwright downloads none. The build without windows needs less CPU. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

export const BROWSER = {
  executablePath: existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
    // As in a browser with windows: pages of other sites run in processes of their own.
    '--site-per-process',
  ],
};

/**
 * Pages of tests end before optimised code would pay off. They load the same scripts again and again:
 * compiled functions stay, and the first collection of garbage comes late.
 */
const SHORT_LIVED = '--js-flags=--no-maglev --no-opt --no-flush-bytecode --min-semi-space-size=32';

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  // The tests of a file share its set-up, so they run one after another.
  fullyParallel: false,
  // A browser and its gateway use more than one core: a third worker makes the run longer.
  workers: 2,
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
    // Traces double the time, and the gate does not keep them.
    trace: process.env.CI ? 'off' : 'retain-on-failure',
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { ...BROWSER, args: [...BROWSER.args, SHORT_LIVED] },
  },
});
