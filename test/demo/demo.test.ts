import { expect, it } from 'vitest';
import { runDemo } from '../../src/demo/demo.ts';

it('shows two calls, what they cost and a correct ledger', async () => {
  let printed = '';
  const io = {
    out(text: string) {
      printed += text;
    },
    signal: new AbortController().signal,
  };
  const options = { exit: true, port: 0, baseUrl: '', key: '', model: 'gpt-4o-mini' };
  expect(await runDemo(options, io)).toBe(0);
  const answers = [...printed.matchAll(/^(?:plain|streamed) +(.*)$/gm)].map(([, text]) => text);
  expect(answers).toEqual(Array(2).fill('You said: Say hello to the person who runs this demo.'));
  expect(printed.match(/^ {2}tokens {3}input 18, output 11 \(upstream\)$/gm)).toHaveLength(2);
  expect(printed).toMatch(/^✓ ledger .* 0 open holds$/m);
});
