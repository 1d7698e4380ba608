/** The command tree, in the order of its help. */
import type { Noun } from '../command.ts';
import { channel } from './channel.ts';
import { completionOf } from './completion.ts';
import { db } from './db.ts';
import { doctor } from './doctor.ts';
import { explain } from './explain.ts';
import { group } from './group.ts';
import { ledger } from './ledger.ts';
import { log } from './log.ts';
import { option } from './option.ts';
import { price } from './price.ts';
import { demo, serve } from './serve.ts';
import { setup } from './setup.ts';
import { status, version } from './status.ts';
import { token } from './token.ts';
import { user } from './user.ts';

export const NOUNS: readonly Noun[] = [
  setup,
  serve,
  status,
  doctor,
  demo,
  user,
  group,
  channel,
  token,
  option,
  price,
  log,
  ledger,
  explain,
  db,
  version,
  completionOf(() => NOUNS),
];
