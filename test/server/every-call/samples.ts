/**
 * One sample for every management call. A missing one is a compile error, and fails the test of all
 * calls by its name.
 */
import type { apiCalls } from '../../../src/api/all.ts';
import type { HandledCall } from '../../../src/handlers.ts';
import { account, group, message, notice, setup, status, user } from './samples/accounts.ts';
import {
  channel,
  channelBalance,
  channelBatch,
  channelHealth,
  channelModel,
  channelTag,
  channelTest,
  channelTransfer,
  probe,
} from './samples/channels.ts';
import { data, job, ledger, log, mjTask, node, task } from './samples/history.ts';
import {
  option,
  price,
  priceSource,
  publicInfo,
  redemption,
  token,
  wallet,
} from './samples/money.ts';
import { By, type SamplesOf } from './samples/sample.ts';
import { oauth } from './samples/sign-in.ts';
import type { Walker } from './walker.ts';

type Nouns = typeof apiCalls;

const samples: { readonly [N in keyof Nouns]: SamplesOf<Nouns[N]> } = {
  status,
  setup,
  user,
  account,
  group,
  channel,
  channelBatch,
  channelTag,
  channelTransfer,
  probe,
  channelTest,
  channelBalance,
  channelModel,
  channelHealth,
  token,
  redemption,
  wallet,
  option,
  price,
  priceSource,
  public: publicInfo,
  message,
  notice,
  log,
  data,
  ledger,
  mjTask,
  task,
  job,
  node,
  oauth,
};

/** The input of the call, and its caller. */
export async function sampleOf(walker: Walker, { noun, name, call }: HandledCall) {
  const table: Readonly<Record<string, unknown>> = samples[noun];
  const sample = table[name];
  if (sample === undefined) throw new Error(`samples.ts says nothing of ${noun}.${name}`);
  const given: unknown = typeof sample === 'function' ? await sample(walker) : sample;
  const asked = given instanceof By ? given : new By(walker.person(call.role), given);
  return asked as By<Readonly<Record<string, unknown>>>; // every input is an object
}
