/** Names of keys, read from the bytes that a terminal sends. */
import { Readable } from 'node:stream';
import { cleanup, render } from 'ink-testing-library';
import { afterEach, expect, test, vi } from 'vitest';
import { useKeys, withBackspace } from '../../src/tui/use-keys.ts';

afterEach(cleanup);

function typed(...chunks: readonly string[]): readonly string[] {
  const keys: string[] = [];
  function Keys() {
    useKeys((key) => keys.push(key));
    return null;
  }
  const { stdin } = render(<Keys />);
  for (const chunk of chunks) stdin.write(chunk);
  return keys;
}

test.each([
  ['jk', ['j', 'k']],
  ['\u001B[A\u001B[6~', ['up', 'pagedown']],
  ['\u001B[1;2B', ['down']],
  ['\b\u001B[3~', ['backspace', 'delete']],
  ['\u0004\r\t ', ['ctrl+d', 'enter', 'tab', 'space']],
  ['\u001B[Z', ['shift+tab']],
  ['\u001B[200~a\nb\u001B[201~c', ['paste:a\nb', 'c']],
  ['中👩‍💻', ['中', '👩‍💻']],
  ['\u001B[I\u001B[O', ['focus', 'blur']],
  ['\u001B[99~x', ['x']],
])('the keys of %j have names', (bytes, keys) => {
  expect(typed(bytes)).toEqual(keys);
});

test('reads a sequence that arrives in two parts as one key', () => {
  expect(typed('x\u001B[', 'A')).toEqual(['x', 'up']);
});

test('reads a lone escape as the Escape key', async () => {
  const keys = typed('\u001B');
  await vi.waitFor(() => expect(keys).toEqual(['escape']));
});

test('distinguishes Backspace, which terminals send as DEL, from Delete', () => {
  const stdin = withBackspace(Readable.from(['ab\u007F\u001B[3~']) as NodeJS.ReadStream);
  return vi.waitFor(() => expect(stdin.read()).toBe('ab\b\u001B[3~'));
});
