import { defineConfig } from 'vitest/config';

/** Too long for every change: `npm run nightly -- packed`. */
const NIGHTLY = 'test/**/*.nightly.test.ts';

export default defineConfig(({ mode }) => ({
  resolve: {
    alias: [
      ...['password-cost.ts', 'thread-limits.ts'].map((name) => ({
        find: `./${name}`,
        replacement: `${import.meta.dirname}/test/support/${name}`,
      })),
    ],
  },
  test: {
    include: mode === 'nightly' ? [NIGHTLY] : ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    exclude: mode === 'nightly' ? [] : ['test/e2e/**', NIGHTLY],
    pool: 'forks',
    // One more than the cores of the gate: many tests wait for something.
    maxWorkers: 3,
    // Test files share a process and what it loaded: reading the sources anew for each took half of
    // the time. `left-behind.ts` fails a file that leaves something in globals or the environment.
    isolate: false,
    // A larger young generation: collecting garbage took a seventh of the time.
    execArgv: ['--max-semi-space-size=64'],
    globalSetup: ['test/support/drop-databases.ts'],
    setupFiles: ['test/support/left-behind.ts'],
    // They stop what hangs. How fast something must be says the test itself, or the bench.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // Transformed sources are kept in node_modules, for the next run.
    experimental: { fsModuleCache: true },
  },
}));
