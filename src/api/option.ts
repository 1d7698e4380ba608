/** Options: what admins change while the gateway runs. Secrets go in and never come out. */
import * as z from 'zod/mini';
import { call, Nothing } from './call.ts';
import { FilterText, Flag } from './fields.ts';

const Key = z.string().check(z.minLength(1), z.maxLength(100));

export const Option = z.object({
  key: z.string(),
  value: z.string(),
  /** False when the default is in force. */
  changed: z.boolean(),
});

export const optionCalls = {
  list: call({
    method: 'GET',
    path: '/api/option/',
    role: 10,
    summary: 'Lists the options the caller may change, without secrets',
    input: z.object({ prefix: FilterText, changed: z.optional(Flag) }),
    reply: z.array(Option),
  }),
  get: call({
    method: 'GET',
    path: '/api/option/:key',
    role: 10,
    summary: 'Shows an option; of a secret only whether it is set',
    input: z.object({ key: Key }),
    reply: z.extend(Option, { secret: z.boolean(), is_set: z.boolean() }),
  }),
  set: call({
    method: 'PUT',
    path: '/api/option/',
    role: 10,
    summary: 'Changes an option; an empty secret leaves it as it is',
    input: z.object({ key: Key, value: z.union([z.string(), z.boolean(), z.number()]) }),
    reply: Nothing,
  }),
  unset: call({
    method: 'DELETE',
    path: '/api/option/:key',
    role: 10,
    summary: 'Puts an option back to its default',
    input: z.object({ key: Key }),
    reply: Nothing,
  }),
  resetModelRatio: call({
    method: 'POST',
    path: '/api/option/rest_model_ratio',
    role: 10,
    summary: 'Drops all own model ratios, so that the built-in prices are in force',
    input: z.object({}),
    reply: Nothing,
  }),
};
