import { expect, test } from 'vitest';
import { CONVERSE } from '../../../src/dialects/converse/converse.ts';
import { CONTEXT } from '../hub/streams.ts';

/** Decoded events of these frames. */
function eventsOf(...frames: readonly (readonly [event: string, data: object])[]) {
  const decoder = CONVERSE.decoder(CONTEXT);
  return frames.flatMap(([event, data]) => decoder.decode({ event, data: JSON.stringify(data) }));
}

test.each(['malformed_model_output', 'malformed_tool_use'])(
  '%s is an error unless the answer has content',
  (stopReason) => {
    const stop = ['messageStop', { stopReason }] as const;
    const text = ['contentBlockDelta', { delta: { text: 'Hi' } }] as const;
    expect(eventsOf(stop)).toMatchObject([{ kind: 'error', error: { status: 502 } }]);
    expect(eventsOf(text, stop).at(-1)).toMatchObject({ kind: 'finish', stop: 'end' });
    const whole = (content: object[]) =>
      CONVERSE.readAnswer({ output: { message: { content } }, stopReason }, CONTEXT);
    expect(whole([]).error).toMatchObject({ retryable: true });
    expect(whole([{ text: 'Hi' }]).error).toBe(undefined);
  },
);
