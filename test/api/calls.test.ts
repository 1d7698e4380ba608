import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { apiCalls } from '../../src/api/all.ts';
import type { Call } from '../../src/api/call.ts';
import { handlers } from '../../src/handlers.ts';

const rows: readonly { readonly name: string; readonly call: Call; readonly run: unknown }[] =
  Object.entries(apiCalls).flatMap(([noun, calls]) =>
    Object.entries(calls).map(([verb, call]) => ({
      name: `${noun}.${verb}`,
      call,
      run: Reflect.get(Reflect.get(handlers, noun), verb),
    })),
  );

it('no two calls share a method and path', () => {
  const routes = rows.map(({ call }) => `${call.method} ${call.path.replaceAll(/:\w+/g, ':x')}`);
  expect([...routes].sort()).toEqual([...new Set(routes)].sort());
});

it.each(rows)(
  '$name has a service, a description, and its path parameters as input',
  ({ call, run }) => {
    expect(run).toBeTypeOf('function');
    expect(call.summary).toMatch(/^[A-Z].*[^.]$/);
    const properties = Object.keys(schemaOf(call.input, 'input').properties ?? {});
    for (const [, name] of call.path.matchAll(/:(\w+)/g)) expect(properties).toContain(name);
  },
);

it.each(rows)('$name returns no internal fields', ({ call }) => {
  const text = JSON.stringify(schemaOf(call.reply, 'output'));
  expect(text).not.toMatch(/"(password|key_cipher|key_hash|access_token\w*|setting_secret)"/);
});

function schemaOf(schema: z.ZodMiniType, io: 'input' | 'output'): { properties?: object } {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' });
}
