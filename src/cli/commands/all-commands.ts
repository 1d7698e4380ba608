/** All commands, in the order of the help. */
import type { Noun } from '../command.ts';
import { group } from './accounts/group.ts';
import { message } from './accounts/message.ts';
import { token } from './accounts/token.ts';
import { user } from './accounts/user.ts';
import { budget } from './billing/budget.ts';
import { ledger } from './billing/ledger.ts';
import { price } from './billing/price.ts';
import { redemption } from './billing/redemption.ts';
import { channel } from './channel/channel.ts';
import { explain } from './log/explain.ts';
import { log } from './log/log.ts';
import { drawing, task } from './log/task.ts';
import { bench } from './models/bench.ts';
import { chat } from './models/chat.ts';
import { run } from './models/run-client.ts';
import { alert } from './site/alert.ts';
import { apply, exportSite, plan } from './site/apply.ts';
import { backup, restore } from './site/backup.ts';
import { db } from './site/db.ts';
import { doctor } from './site/doctor.ts';
import { importSiteNoun } from './site/import.ts';
import { node } from './site/node.ts';
import { option } from './site/option.ts';
import { secretKey } from './site/secret-key.ts';
import { demo, serve } from './site/serve.ts';
import { setup } from './site/setup.ts';
import { status, version } from './site/status.ts';
import { upgradeCheck } from './site/upgrade-check.ts';
import { api } from './terminal/api.ts';
import { completionOf } from './terminal/completion.ts';
import { config } from './terminal/config.ts';
import { docs } from './terminal/docs.ts';
import { login, logout, whoami } from './terminal/login.ts';
import { tui } from './terminal/tui.ts';

export const NOUNS: readonly Noun[] = [
  setup,
  serve,
  status,
  tui,
  doctor,
  docs,
  demo,
  user,
  group,
  channel,
  token,
  budget,
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
  alert,
  ledger,
  node,
  explain,
  api,
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
