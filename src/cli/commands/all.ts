/** All commands, in the order of the help. */
import type { Noun } from '../command.ts';
import { apply, exportSite, plan } from './apply.ts';
import { backup, restore } from './backup.ts';
import { bench } from './bench.ts';
import { channel } from './channel.ts';
import { chat } from './chat.ts';
import { completionOf } from './completion.ts';
import { config } from './config.ts';
import { db } from './db.ts';
import { doctor } from './doctor.ts';
import { explain } from './explain.ts';
import { group } from './group.ts';
import { importSiteNoun } from './import.ts';
import { ledger } from './ledger.ts';
import { log } from './log.ts';
import { login, logout, whoami } from './login.ts';
import { message } from './message.ts';
import { node } from './node.ts';
import { option } from './option.ts';
import { price } from './price.ts';
import { redemption } from './redemption.ts';
import { run } from './run.ts';
import { secretKey } from './secret-key.ts';
import { demo, serve } from './serve.ts';
import { setup } from './setup.ts';
import { status, version } from './status.ts';
import { drawing, task } from './task.ts';
import { token } from './token.ts';
import { tui } from './tui.ts';
import { upgradeCheck } from './upgrade-check.ts';
import { user } from './user.ts';

export const NOUNS: readonly Noun[] = [
  setup,
  serve,
  status,
  tui,
  doctor,
  demo,
  user,
  group,
  channel,
  token,
  redemption,
  option,
  price,
  plan,
  apply,
  exportSite,
  importSiteNoun,
  chat,
  bench,
  run,
  log,
  task,
  drawing,
  message,
  ledger,
  node,
  explain,
  login,
  logout,
  whoami,
  config,
  backup,
  restore,
  db,
  secretKey,
  upgradeCheck,
  version,
  completionOf(() => NOUNS),
];
