/** First run: the root account and the mode of the site. */
import * as z from 'zod/mini';
import { call, Nothing } from './call.ts';
import { Flag } from './fields.ts';
import { Password, Username } from './user.ts';

export const SetupState = z.object({
  /** True when the site is set up; the other fields then say nothing. */
  status: z.boolean(),
  /** True when a root account exists already. */
  root_init: z.boolean(),
  database_type: z.enum(['sqlite', 'mysql', 'postgres', '']),
});

export const SetupRun = z.object({
  username: Username,
  password: Password,
  confirmPassword: z.string(),
  SelfUseModeEnabled: z._default(Flag, false),
  DemoSiteEnabled: z._default(Flag, false),
  /** One-time code of a set-up from another machine; the server checks it before the call. */
  code: z.optional(z.string()),
});

export const setupCalls = {
  state: call({
    method: 'GET',
    path: '/api/setup',
    role: 0,
    summary: 'Shows whether the site is set up',
    input: z.object({}),
    reply: SetupState,
  }),
  run: call({
    method: 'POST',
    path: '/api/setup',
    role: 0,
    summary: 'Creates the root account and sets the mode of the site',
    input: SetupRun,
    reply: Nothing,
  }),
};
