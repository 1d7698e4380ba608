/**
 * `npm run agents`: Claude Code and Codex from npm work on small balances, against a scripted
 * upstream that counts tokens, until the gateway refuses a call. Prints what they spent before, and
 * exits with 1 if a goal of `goals.ts` is missed. Needs the npm registry and no other machine.
 * `--only codex` runs the goals with this word in their name, `--commands <folder>` uses agents that
 * are installed.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Calls, callsOf } from './calls.ts';
import { GOALS, type Goal } from './goals.ts';
import { installAgents, runAgent } from './programs.ts';
import { startRecorder } from './recorder.ts';
import { FILE, notes } from './script.ts';
import { type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.ts';
import { type AgentSite, startSite } from './site.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, commands: { type: 'string' } },
});
const say = (line: string) => process.stdout.write(`${line}\n`);

interface Place {
  readonly folder: string;
  readonly commands: string;
  readonly upstream: ScriptedUpstream;
  readonly site: AgentSite;
}

async function run(folder: string): Promise<boolean> {
  const commands = values.commands ?? (await installAgents(path.join(folder, 'agents')));
  const upstream = await scriptedUpstream();
  const site = await startSite(folder, upstream.url);
  try {
    say(
      'agent | balance | calls | spent | before the first refusal | refused | lowest limit | goal',
    );
    const chosen = GOALS.filter(({ name }) => name.toLowerCase().includes(values.only));
    const reached: boolean[] = [];
    for (const [at, goal] of chosen.entries())
      reached.push(await reaches({ folder, commands, upstream, site }, goal, `user${at}`));
    say(await site.run(['ledger', 'verify'])); // fails if a balance is wrong
    return reached.length > 0 && reached.every(Boolean);
  } finally {
    await site.stop();
    await upstream.close();
  }
}

async function reaches(place: Place, goal: Goal, username: string): Promise<boolean> {
  const { upstream, site, commands } = place;
  const folder = path.join(place.folder, username);
  await mkdir(folder);
  await writeFile(path.join(folder, FILE), notes());
  upstream.start(goal);
  const key = await site.addUser(username, goal.usd);
  const recorder = await startRecorder(site.url);
  const { client, args, model } = goal;
  const target = { url: recorder.url, key, model, smallModel: model };
  const printed = await runAgent({ client, args, target, folder, commands });
  await recorder.close();
  const calls = await callsOf(site, username, recorder.calls);
  const missed = problemOf(goal, calls, upstream);
  say(rowOf(goal, calls, upstream, missed));
  if (missed !== undefined) say(printed.slice(-2_000));
  return missed === undefined;
}

function problemOf(goal: Goal, calls: Calls, upstream: ScriptedUpstream): string | undefined {
  if (calls.failed.length > 0) return `failed: ${calls.failed[0]}`;
  if (upstream.tooLong() > 0) return `${upstream.tooLong()} answers above their limit`;
  return goal.missed(calls);
}

function rowOf({ name, usd }: Goal, calls: Calls, upstream: ScriptedUpstream, missed?: string) {
  const { answered, spentUsd, refusedAtUsd } = calls;
  const [first] = refusedAtUsd;
  return [
    name,
    `$${usd}`,
    answered,
    `$${spentUsd.toFixed(4)}`,
    first === undefined ? '-' : `${((100 * first) / usd).toFixed(1)} %`,
    refusedAtUsd.length,
    upstream.lowestLimit(),
    missed === undefined ? 'reached' : `MISSED: ${missed}`,
  ].join(' | ');
}

const folder = await mkdtemp(path.join(tmpdir(), 'gateway-agents-'));
try {
  process.exitCode = (await run(folder)) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
