/**
 * Runs before each test file. Test files share a process, so one that changes it would change the
 * result of another: a file fails if it leaves other values in the environment or in globals, another
 * folder, or handlers of signals and errors. What a library adds when it is loaded may stay. It also
 * removes the file's folders.
 */
import { afterAll, expect } from 'vitest';
import { removeTempFolders } from './temp-folder.ts';

const EVENTS = ['SIGHUP', 'SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'];

/** Without those that Node defines when they are first read. */
const globals = Object.entries(Object.getOwnPropertyDescriptors(globalThis)).filter(
  ([, { get }]) => get === undefined,
);
const before = stateOfProcess();

// Hooks of this file run after those of the test file, when nothing uses the folders.
afterAll(() => {
  removeTempFolders();
  expect(stateOfProcess(), 'what the file leaves behind').toEqual(before);
});

function stateOfProcess() {
  return {
    env: { ...process.env },
    replacedGlobals: globals
      .filter(([name, { value }]) => {
        const now = Object.getOwnPropertyDescriptor(globalThis, name);
        return !Object.is(now?.value, value);
      })
      .map(([name]) => name),
    clocks: [Date.now, Math.random, performance.now],
    folder: process.cwd(),
    handlers: EVENTS.map((name) => [name, process.listenerCount(name)]),
    exitCode: process.exitCode,
  };
}
