import { describe, expect, test } from 'vitest';
import { DIALECTS } from '../../../src/dialects/all.ts';
import { eventsOf } from '../../../src/dialects/hub/answer/answer.ts';
import type { HubEvent } from '../../../src/dialects/hub/answer/events.ts';
import { readResponsesError } from '../../../src/dialects/responses/errors.ts';
import { emptyUsage } from '../../../src/domain/pricing/usage.ts';
import { collected, context, encoded, eventsIn, framesIn, wireOf } from '../hub/streams.ts';

const SCRIPT: readonly HubEvent[] = [
  { kind: 'start' },
  { kind: 'thinking', text: 'hm' },
  { kind: 'signature', signature: { origin: 'openai', value: 'gAA' } },
  { kind: 'block_end' },
  { kind: 'text', text: 'Hel' },
  { kind: 'text', text: 'lo' },
  { kind: 'citation', citation: { url: 'https://a.example/', title: 'A' } },
  { kind: 'block_end' },
  { kind: 'text', text: ' you' },
  { kind: 'tool_start', slot: 0, id: 'c1', name: 'f' },
  { kind: 'tool_start', slot: 1, id: 'c2', name: 'patch' },
  { kind: 'tool_args', slot: 0, json: '{"a":' },
  { kind: 'tool_args', slot: 1, json: '{"input":"***"}' },
  { kind: 'tool_args', slot: 0, json: '1}' },
  { kind: 'tool_end', slot: 0 },
  { kind: 'tool_end', slot: 1 },
  { kind: 'usage', usage: { ...emptyUsage(), input: 5, cacheRead: 2, output: 3, reasoning: 1 } },
  { kind: 'finish', stop: 'tool_calls' },
];

const WITH_PATCH = context({ tools: [{ kind: 'custom', name: 'patch' }] });

/** The type, position and content of each frame, one line per frame. */
function script(wire: string): string[] {
  return framesIn(String(wire)).map((frame) => {
    const { type, sequence_number, output_index, content_index, delta } = frame;
    const position = [output_index, content_index].filter((at) => at !== undefined).join('.');
    const written = delta === undefined ? '' : JSON.stringify(delta);
    return [sequence_number, String(type).replace('response.', ''), position, written]
      .filter((part) => part !== '')
      .join(' ');
  });
}

describe('the stream of a response', () => {
  const wire = encoded('responses', [SCRIPT], WITH_PATCH);

  test('D21 sends every step, numbered, in order', () => {
    expect(script(wire)).toEqual([
      '0 created',
      '1 in_progress',
      '2 output_item.added 0',
      '3 reasoning_summary_part.added 0',
      '4 reasoning_summary_text.delta 0 "hm"',
      '5 reasoning_summary_text.done 0',
      '6 reasoning_summary_part.done 0',
      '7 output_item.done 0',
      '8 output_item.added 1',
      '9 content_part.added 1.0',
      '10 output_text.delta 1.0 "Hel"',
      '11 output_text.delta 1.0 "lo"',
      '12 output_text.annotation.added 1.0',
      '13 output_text.done 1.0',
      '14 content_part.done 1.0',
      '15 content_part.added 1.1',
      '16 output_text.delta 1.1 " you"',
      '17 output_text.done 1.1',
      '18 content_part.done 1.1',
      '19 output_item.done 1',
      '20 output_item.added 2',
      '21 output_item.added 3',
      '22 function_call_arguments.delta 2 "{\\"a\\":"',
      '23 function_call_arguments.delta 2 "1}"',
      '24 function_call_arguments.done 2',
      '25 output_item.done 2',
      '26 custom_tool_call_input.delta 3 "***"',
      '27 custom_tool_call_input.done 3',
      '28 output_item.done 3',
      '29 completed',
    ]);
  });

  test('names every frame by its type and has no end mark', () => {
    const names = [...wire.matchAll(/^event: (.+)\ndata: (.+)$/gm)];
    expect(names).toHaveLength(30);
    for (const [, name, data = ''] of names) expect(JSON.parse(data).type).toBe(name);
    expect(wire).not.toContain('[DONE]');
  });

  test('ends with the whole answer and its usage', () => {
    expect(framesIn(String(wire)).at(-1)?.response).toMatchObject({
      id: 'resp_R1',
      object: 'response',
      status: 'completed',
      model: 'asked-model',
      store: false,
      output: [
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: 'gAA',
        },
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [
            {
              type: 'output_text',
              text: 'Hello',
              annotations: [
                {
                  type: 'url_citation',
                  url: 'https://a.example/',
                  title: 'A',
                  start_index: 0,
                  end_index: 5,
                },
              ],
            },
            { type: 'output_text', text: ' you', annotations: [] },
          ],
        },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '***' },
      ],
      usage: {
        input_tokens: 7,
        input_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 10,
      },
    });
  });

  test('has the same content as the whole answer', () => {
    const answer = collected(eventsIn('responses', wire, WITH_PATCH));
    const whole = DIALECTS.responses.writeAnswer(answer, WITH_PATCH);
    const last = framesIn(String(wire)).at(-1)?.response;
    expect(whole).toEqual(last);
    const read = DIALECTS.responses.readAnswer(whole, WITH_PATCH);
    expect(encoded('responses', [eventsOf(read)], WITH_PATCH)).toContain('"text":"Hello"');
  });

  test('repeats the settings of its request', () => {
    const requested = { instructions: 'Be brief.', tool_choice: 'required', temperature: 0.2 };
    const [created] = framesIn(encoded('responses', [SCRIPT], context({ requestBody: requested })));
    expect(created?.response).toMatchObject({ ...requested, status: 'in_progress', output: [] });
  });

  test('streams the input of a free-text tool if the upstream supports such tools', () => {
    const raw: HubEvent[] = [
      { kind: 'tool_start', slot: 0, id: 'c', name: 'patch', custom: true },
      { kind: 'tool_args', slot: 0, json: '*** ' },
      { kind: 'tool_args', slot: 0, json: 'Begin' },
      { kind: 'tool_end', slot: 0 },
    ];
    const written = script(encoded('responses', [raw], WITH_PATCH));
    expect(written).toContain('3 custom_tool_call_input.delta 0 "*** "');
    expect(written).toContain('4 custom_tool_call_input.delta 0 "Begin"');
  });

  test('puts a refusal in its own part and is incomplete after a filter or a limit', () => {
    const refused = encoded('responses', [
      [
        { kind: 'text', text: 'Well' },
        { kind: 'refusal', text: 'No.' },
        { kind: 'finish', stop: 'refusal' },
      ],
    ]);
    const last = framesIn(refused).at(-1);
    expect(last).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    });
    expect(script(refused)).toContain('7 content_part.added 0.1');
    const cut = encoded('responses', [[{ kind: 'finish', stop: 'max_tokens' }]]);
    expect(framesIn(cut).at(-1)?.response).toMatchObject({
      incomplete_details: { reason: 'max_output_tokens' },
    });
  });

  test('shows a generated image as an item', () => {
    const block = {
      kind: 'image',
      source: { kind: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    } as const;
    const drawn = encoded('responses', [[{ kind: 'media', block }]]);
    expect(framesIn(drawn).at(-1)?.response).toMatchObject({
      output: [{ type: 'image_generation_call', status: 'completed', result: 'iVBORw0KGgo=' }],
    });
    expect(collected(eventsIn('responses', drawn)).blocks).toEqual([block]);
  });

  test('puts the signature of a call on a reasoning item before it', () => {
    const signature = { origin: 'gemini', value: 'sig' } as const;
    const call: HubEvent[] = [{ kind: 'tool_start', slot: 0, id: 'c', name: 'f', signature }];
    const { blocks } = collected(eventsIn('responses', encoded('responses', [call])));
    expect(blocks).toMatchObject([
      { kind: 'thinking', text: '', signature },
      { kind: 'tool_call' },
    ]);
  });

  test('reports a break in the one way that clients handle', () => {
    const encoder = DIALECTS.responses.encoder(context());
    const begun = encoder.encode([{ kind: 'text', text: 'Hi' }]);
    const error = { status: 502, message: 'gone', type: 'upstream_error', requestId: 'R1' };
    const frames = framesIn(begun + encoder.fail(error));
    expect(frames.at(-1)).toMatchObject({
      type: 'response.failed',
      sequence_number: frames.length - 1,
      response: {
        status: 'failed',
        error: { code: 'server_error', message: 'gone (request id: R1)' },
      },
    });
  });

  test('does not grow without bound', () => {
    const encoder = DIALECTS.responses.encoder(context());
    const text = 'x'.repeat(8 * 1024 * 1024);
    const flood = () => {
      for (let piece = 0; piece < 9; piece += 1) encoder.encode([{ kind: 'text', text }]);
    };
    expect(flood).toThrow(expect.objectContaining({ code: 'upstream_too_large' }));
  });
});

describe('unusual upstream streams', () => {
  test('an answer that arrives only in its last event is passed on', () => {
    const response = {
      id: 'resp_1',
      status: 'completed',
      output: [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      ],
      usage: { input_tokens: 3, output_tokens: 2 },
    };
    const data = JSON.stringify({ type: 'response.completed', response });
    const answer = collected(eventsIn('responses', `data: ${data}\n\ndata: [DONE]\n\n`));
    expect(answer).toMatchObject({
      id: 'resp_1',
      blocks: [
        { kind: 'text', text: 'Hi' },
        { kind: 'tool_call', id: 'c', name: 'f', args: '{}' },
      ],
      stop: 'tool_calls',
      usage: { input: 3, output: 2 },
    });
  });

  test('items without deltas are read from their final event', () => {
    const done = (index: number, item: object) =>
      `data: ${JSON.stringify({ type: 'response.output_item.done', output_index: index, item })}\n\n`;
    const wire =
      done(0, { type: 'reasoning', summary: [], encrypted_content: 'gAA' }) +
      done(1, { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }) +
      done(2, { type: 'custom_tool_call', call_id: 'c', name: 'p', input: '***' }) +
      done(3, { type: 'image_generation_call', result: 'iVBORw0KGgo=' });
    expect(collected(eventsIn('responses', wire)).blocks).toMatchObject([
      { kind: 'thinking', text: '', signature: { origin: 'openai', value: 'gAA' } },
      { kind: 'text', text: 'Hi' },
      { kind: 'tool_call', name: 'p', args: '***', custom: true },
      { kind: 'image' },
    ]);
  });

  test('a failed response reports its usage and its error', () => {
    const events = eventsIn('responses', wireOf('responses', 'openai/responses-failed'));
    expect(events.slice(-2)).toMatchObject([
      { kind: 'usage', usage: { input: 12, output: 3 } },
      { kind: 'error', error: { status: 500, message: 'The model crashed.' } },
    ]);
  });

  test('a passed-through stream fails with its own sequence numbers and name', () => {
    const decoder = DIALECTS.responses.decoder(context());
    const wire = wireOf('responses', 'openai/responses-incomplete');
    for (const frame of framesIn(String(wire)).slice(0, 5))
      decoder.decode({ event: '', data: JSON.stringify(frame) });
    const error = { status: 429, message: 'slow down', type: 'requests' };
    const [failed] = framesIn(decoder.failure?.(error) ?? '');
    expect(failed).toMatchObject({
      type: 'response.failed',
      sequence_number: 5,
      response: { id: 'resp_68af0c1', status: 'failed', error: { code: 'rate_limit_exceeded' } },
    });
    expect(decoder.keptIds).toEqual(['resp_68af0c1']);
  });

  test.each([
    [{ type: 'error', code: 'rate_limit_exceeded', message: 'slow' }, 429, 'slow'],
    [{ type: 'error', error: { code: 'x', message: 'inner' } }, 500, 'inner'],
    [{ error: { code: 'invalid_prompt', message: 'bad' } }, 400, 'bad'],
    [{ status: 'failed', error: null }, 500, 'The response failed.'],
  ])('%j is an error', (json, status, message) => {
    expect(readResponsesError(json)).toMatchObject({ status, message });
  });

  test('an answer without an error is not one', () => {
    expect(readResponsesError({ status: 'completed', error: null, output: [] })).toBe(undefined);
  });
});
