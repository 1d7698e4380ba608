/** Every call's service, by noun: what a server mounts and a local command calls. */
import type { apiCalls } from '../api/all.ts';
import type { Service } from '../api/call.ts';
import type { Context } from '../context.ts';
import * as channel from './channels.ts';
import * as group from './groups.ts';
import * as ledger from './ledger.ts';
import * as log from './logs.ts';
import * as option from './options.ts';
import * as price from './prices.ts';
import * as setup from './setup.ts';
import * as status from './status.ts';
import * as token from './tokens.ts';
import * as user from './users.ts';

type Nouns = typeof apiCalls;

export const services = {
  status,
  setup,
  user,
  group,
  channel,
  token,
  option,
  price,
  log,
  ledger,
} satisfies { readonly [N in keyof Nouns]: Service<Nouns[N], Context> };
