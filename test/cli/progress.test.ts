import { expect, test } from 'vitest';
import { Cli } from '../../src/cli/cli.ts';
import type { Globals } from '../../src/cli/command-context.ts';
import { progress } from '../../src/cli/output/progress.ts';
import { terminal } from './terminal.ts';

function result(errIsTTY: boolean, total: number | undefined, globals: Globals = {}): string {
  const io = terminal({ errIsTTY });
  const cli = new Cli(io, 'en');
  cli.globals = globals;
  const shown = progress(cli, total, 'work');
  for (let done = 0; done < 40; done += 1) shown.tick();
  shown.end();
  expect(io.stdout()).toBe('');
  return io.stderr();
}

test('draws a progress bar in a terminal and removes it at the end', () => {
  const text = result(true, 40);
  expect(text).toContain('work [....................] 0/40');
  expect(text).toContain('work [##########..........] 20/40');
  expect(text.endsWith('work [####################] 40/40\r\u001b[K')).toBe(true);
});

test('prints a progress line at intervals outside a terminal', () => {
  expect(result(false, 40).split('\n')).toEqual([
    ...Array.from({ length: 10 }, (_, index) => `work ${(index + 1) * 4}/40`),
    '',
  ]);
  expect(result(false, undefined)).toBe('');
});

test.each([[{ quiet: true }], [{ json: true }], [{ output: 'csv' }]])(
  'prints no progress with %j',
  (globals) => {
    expect(result(true, 40, globals)).toBe('');
  },
);
