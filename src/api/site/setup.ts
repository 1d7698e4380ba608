/** Initial set-up: the root account and the site's mode. */
import * as z from 'zod/mini';
import { LANGUAGES } from '../../domain/languages.ts';
import { REVERSE_PROXIES } from '../../domain/reverse-proxies.ts';
import { Password, Username } from '../accounts/user.ts';
import { call } from '../call.ts';
import { Flag } from '../fields.ts';

export const SetupState = z.object({
  /** True when the site is set up; the other fields are meaningless then. */
  status: z.boolean(),
  /** True when a root account exists. */
  root_init: z.boolean(),
  database_type: z.enum(['sqlite', 'mysql', 'postgres', '']),
  /** True when the call requires the one-time code printed by `gateway serve`: always over HTTP. */
  code_needed: z.boolean(),
  /** Reverse proxy of this request, which `trust_proxy` would configure; '' if none. */
  proxy_detected: z.enum([...REVERSE_PROXIES, '']),
});

const SetupRun = z.object({
  username: Username,
  password: Password,
  confirmPassword: z.string(),
  SelfUseModeEnabled: z._default(Flag, false),
  DemoSiteEnabled: z._default(Flag, false),
  /** Language of the site; nothing keeps the default. */
  DefaultLanguage: z.optional(z.enum(LANGUAGES)),
  /** Public address of the site; empty keeps the default. */
  ServerAddress: z._default(z.string().check(z.trim(), z.maxLength(2000)), ''),
  /** One-time code of `gateway serve`, required over HTTP. */
  code: z.optional(z.string().check(z.trim(), z.maxLength(100))),
  /** Trust the reverse proxy of this request for client addresses; no effect without one. */
  trust_proxy: z._default(Flag, false),
});

export const setupCalls = {
  state: call.guest('GET /api/setup', {
    summary: 'Shows whether the site is set up',
    reply: SetupState,
  }),
  run: call.guest('POST /api/setup', {
    failureStatus: 400,
    summary: 'Creates the root account and sets the mode of the site',
    input: SetupRun,
  }),
};
