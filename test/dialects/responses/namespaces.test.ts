import { expect, test } from 'vitest';
import { DIALECTS } from '../../../src/dialects/all.ts';
import { collected, context, encoded, framesIn } from '../hub/streams.ts';

const READ = { type: 'function', name: 'read', description: 'Reads' };
const PATCH = { type: 'custom', name: 'patch' };
const TOOLS = [
  { type: 'function', name: 'a__read' },
  { type: 'namespace', name: 'a', description: 'A', tools: [READ, PATCH] },
  { type: 'namespace', name: 'b__', tools: [READ] },
];

function read(extra: object) {
  return DIALECTS.responses.readRequest({ model: 'm', input: 'Hi', tools: TOOLS, ...extra }, {});
}

const NAMES = read({}).tools.flatMap((tool) => ('name' in tool ? [tool.name] : []));

test('members have unique names, also beside a tool of that name', () => {
  expect(NAMES).toEqual([
    'a__read',
    expect.stringMatching(/^a__read_[0-9a-f]{8}$/),
    'a__patch',
    'b__read',
  ]);
});

test('calls of the history, of tools that are no longer offered too, have these names', () => {
  const call = { type: 'function_call', call_id: 'c', arguments: '{}' };
  const input = [
    { ...call, namespace: 'a', name: 'read' },
    { ...call, name: 'a__read' },
    { type: 'custom_tool_call', call_id: 'd', namespace: 'a', name: 'patch', input: 'x' },
    { ...call, namespace: 'gone', name: 'read' },
  ];
  const blocks = read({ input }).messages.flatMap((message) => message.blocks);
  expect(blocks.map((block) => (block.kind === 'tool_call' ? block.name : ''))).toEqual([
    NAMES[1],
    'a__read',
    'a__patch',
    'gone__read',
  ]);
});

test('a tool choice may name members and whole namespaces', () => {
  const choice = (tool_choice: object) => read({ tool_choice }).toolChoice;
  expect(choice({ type: 'function', namespace: 'a', name: 'read' })).toEqual({
    mode: 'tool',
    name: NAMES[1],
  });
  const tools = [
    { type: 'namespace', name: 'a' },
    { type: 'function', name: 'a__read' },
  ];
  expect(choice({ type: 'allowed_tools', mode: 'auto', tools })).toEqual({
    mode: 'allowed',
    names: [NAMES[1], 'a__patch', 'a__read'],
    required: false,
  });
});

test('a call is returned with its namespace, whole and in every event of a stream', () => {
  const events = NAMES.flatMap((name, slot) => [
    { kind: 'tool_start' as const, slot, id: `c${slot}`, name },
    { kind: 'tool_args' as const, slot, json: '{"input":"x"}' },
    { kind: 'tool_end' as const, slot },
  ]);
  const given = context({ tools: read({}).tools });
  const expected = [
    { type: 'function_call', name: 'a__read' },
    { type: 'function_call', namespace: 'a', name: 'read' },
    { type: 'custom_tool_call', namespace: 'a', name: 'patch', input: 'x' },
    { type: 'function_call', namespace: 'b__', name: 'read' },
  ];
  const whole = DIALECTS.responses.writeAnswer(collected(events), given);
  expect(whole.output).toMatchObject(expected);
  expect(JSON.stringify(whole.output).match(/namespace/g)).toHaveLength(3);
  const frames = framesIn(encoded('responses', [events], given));
  const named = (type: string) =>
    frames.flatMap((frame) => (frame.type === type ? [frame.item] : []));
  expect(named('response.output_item.done')).toMatchObject(expected);
  expect(named('response.output_item.added')).toMatchObject(
    expected.map(({ input: _, ...item }: Record<string, unknown>) => item),
  );
});
