/**
 * `npm run chaos`: three nodes behind nginx under load with random faults, followed by an audit of
 * the ledger. `--minutes N` (default 5), `--seed N`, `--rate N` calls per second, `--db
 * postgres|mariadb`; `--once` injects those of `plans.ts`, briefly and in a fixed order. Exits with
 * 1 if anything was lost or charged twice.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { rowsOf } from '../../../src/store/sql/sql-dialect.ts';
import { seededRandom } from '../../support/random.ts';
import { type Audit, audit, HOLDS_TIMEOUT_MS, isClean } from './checks/audit.ts';
import { type Limits, limitsHeld } from './checks/limits.ts';
import { registeredNodes, registryFindings, SILENCE_MS } from './checks/node-registry.ts';
import { FAULTS, type Fault, type FaultName } from './faults/faults.ts';
import { drawFaults, isPossible, ONCE, type Plan } from './faults/plans.ts';
import { type Load, startLoad } from './load.ts';
import { type Cluster, openCluster } from './site/cluster.ts';
import { DATABASES, isDatabaseKind } from './site/database.ts';
import { whyNoNetwork } from './site/network.ts';
import { recovery } from './site/waiting.ts';
import { type RunningWorkloads, startWorkloads } from './workloads/run-workloads.ts';
import type { Finding, Wrong } from './workloads/workload.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string', default: '30' },
    once: { type: 'boolean', default: false },
    db: { type: 'string', default: 'postgres' },
  },
});

/** Maximum time from the end of a fault until all nodes answer again. */
const RECOVERY_LIMIT_MS = 60_000;
/** Maximum time without responses during faults that should not delay calls. */
const GO_ON_LIMIT_MS = 10_000;
/** The pool of a gateway plus its health check connection. */
const MOST_CONNECTIONS_EACH = 11;
/** PostgreSQL drops cut-off connections after 30 seconds, MariaDB after 60. */
const CONNECTIONS_TIMEOUT_MS = 75_000;

interface Round {
  readonly name: FaultName;
  readonly lastedMs: number;
  readonly recoveredMs: number;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

async function run(cluster: Cluster): Promise<boolean> {
  const random = seededRandom(Number(values.seed));
  const { url, setup } = cluster;
  const load = startLoad({ url, setup, callsPerSec: Number(values.rate), random });
  const workloads = startWorkloads(cluster, seededRandom(Number(values.seed) + 1));
  const startedAtMs = performance.now();
  const rounds: Round[] = [];
  let failure: unknown;
  const minute = setInterval(() => say(progress(load, rounds, startedAtMs)), 60_000);
  try {
    await pause(2_000);
    const { kind } = cluster.database;
    if (values.once)
      for (const round of ONCE) {
        const plans = round.filter(({ name }) => isPossible(name, kind));
        rounds.push(...(await runFaults(cluster, load, plans)));
      }
    else {
      const endsAtMs = startedAtMs + Number(values.minutes) * 60_000;
      while (performance.now() < endsAtMs)
        rounds.push(
          ...(await runFaults(cluster, load, drawFaults(random, kind, cluster.nodes.length))),
        );
    }
  } catch (error) {
    // The results so far are still reported.
    failure = error;
  } finally {
    clearInterval(minute);
    await Promise.all([load.stop(), workloads.stop()]);
  }
  const connectionsGoneMs = await recovery(
    () => hasFewConnections(cluster),
    CONNECTIONS_TIMEOUT_MS,
  ).catch(() => -1);
  const holdsMs = await recovery(() => hasNoHolds(cluster), HOLDS_TIMEOUT_MS).catch(() => -1);
  const found = await audit(cluster, load.calls);
  say(report(found, rounds, { holdsMs, tookMs: performance.now() - startedAtMs }));
  const findings = await cluster.withSite(({ ctx }) => workloads.judge(ctx));
  const wrongNodes = registryFindings(
    cluster.running(),
    await cluster.withSite(({ ctx }) => registeredNodes(ctx)),
  );
  const limits = limitsHeld(cluster, load.calls);
  for (const line of [...workloadReport(workloads, findings), ...limitsReport(limits)]) say(line);
  say(`nodes removed while they ran, or whose clock is wrong: ${wrongNodes.length}`);
  for (const line of [...wrongNodes, ...cluster.ended]) say(line);
  say(
    connectionsGoneMs < 0
      ? 'THE DATABASE KEEPS CONNECTIONS that no node uses'
      : `connections that no node uses: none ${connectionsGoneMs / 1000} s after the load`,
  );
  if (failure !== undefined) console.error(failure);
  const wrongs =
    findings.length + limits.excesses.length + wrongNodes.length + cluster.ended.length;
  return isClean(found) && wrongs === 0 && connectionsGoneMs >= 0 && failure === undefined;
}

/** Runs faults that start together; resolves when all nodes answer again. */
async function runFaults(cluster: Cluster, load: Load, plans: readonly Plan[]): Promise<Round[]> {
  const startedAtMs = performance.now();
  await Promise.all(plans.map((plan) => runFault(cluster, load, plan)));
  const names = plans.map(({ name }) => name).join(' + ');
  const recoveredMs = await allAnswer(cluster, load, RECOVERY_LIMIT_MS, `after ${names}`);
  if (performance.now() - startedAtMs > SILENCE_MS) cluster.markAlive();
  return plans.map(({ name, lastsMs }) => ({ name, lastedMs: Math.round(lastsMs), recoveredMs }));
}

/** Runs one fault from start to end. */
async function runFault(cluster: Cluster, load: Load, plan: Plan): Promise<void> {
  const { name, node, lastsMs } = plan;
  const machine = cluster.nodes[node % cluster.nodes.length];
  if (machine === undefined) return;
  const fault: Fault = FAULTS[name];
  const revert = await fault.inject(cluster, machine);
  try {
    const lasting = pause(lastsMs);
    if (fault.callsGoOn) await allAnswer(cluster, load, GO_ON_LIMIT_MS, `during ${name}`);
    await lasting;
  } finally {
    await revert();
  }
}

/** Milliseconds until every node has answered a call. */
async function allAnswer(
  { nodes, nodeUrl }: Cluster,
  load: Load,
  limitMs: number,
  when: string,
): Promise<number> {
  const times = nodes.map((node) =>
    recovery(() => load.probe(nodeUrl(node)), limitMs).catch((cause) => {
      throw new Error(`${node.name} ${when}`, { cause });
    }),
  );
  return Math.max(...(await Promise.all(times)));
}

function hasFewConnections(cluster: Cluster): Promise<boolean> {
  return cluster.withSite(async ({ ctx }) => {
    const { connections } = DATABASES[cluster.database.kind];
    const [row] = rowsOf(await ctx.reads.raw(connections));
    return Number(row?.n) <= MOST_CONNECTIONS_EACH * (cluster.nodes.length + 1);
  });
}

function hasNoHolds(cluster: Cluster): Promise<boolean> {
  return cluster.withSite(async ({ ctx }) => {
    const [row] = await ctx.reads('holds').count({ n: '*' });
    return Number(row?.n) === 0;
  });
}

function progress(load: Load, rounds: readonly Round[], startedAtMs: number): string {
  const minutes = Math.round((performance.now() - startedAtMs) / 60_000);
  const answered = load.calls.filter(({ seen }) => seen === 'answered').length;
  return `${minutes} min: ${load.calls.length} requests, ${answered} answered, ${rounds.length} faults`;
}

function report(
  found: Audit,
  rounds: readonly Round[],
  { holdsMs, tookMs }: { readonly holdsMs: number; readonly tookMs: number },
): string {
  const faults = [...new Set(rounds.map(({ name }) => name))].sort().map((name) => {
    const own = rounds.filter((round) => round.name === name);
    const longest = Math.max(...own.map(({ recoveredMs }) => recoveredMs));
    return `  ${String(own.length).padStart(4)}  ${name}; longest recovery ${longest / 1000} s`;
  });
  const { seen } = found;
  return [
    '',
    `chaos: seed ${values.seed}, ${(tookMs / 60_000).toFixed(1)} minutes, ${values.rate} calls a second, ${values.db}`,
    `requests ${found.requests}: answered ${seen.answered ?? 0}, refused ${seen.refused ?? 0}, broken ${seen.broken ?? 0}, left ${seen.left ?? 0}`,
    `reached the provider ${found.reached}, charges ${found.charges}`,
    ...found.how.map(
      ({ how, calls, medianMs, mostMs, slowestMs }) =>
        `  ${String(calls).padStart(6)}  ${how}; median ${medianMs} ms, 95 of 100 within ${mostMs} ms, slowest ${slowestMs} ms`,
    ),
    `faults ${rounds.length}`,
    ...faults,
    `lost ${found.lost}, doubled ${found.doubled}, wrong amount ${found.wrong}, charged though refused ${found.unjust}, charged without a call ${found.strange}`,
    `holds open ${found.holdsOpen}${holdsMs >= 0 ? ` (gone ${holdsMs / 1000} s after the load)` : ''}, ledger ${found.isLedgerClean ? 'clean' : 'NOT CLEAN'}, stuck jobs ${found.stuckJobs.join(', ') || 'none'}`,
    ...found.examples,
  ].join('\n');
}

const MOST_SHOWN = 20;

function workloadReport({ workloads }: RunningWorkloads, findings: readonly Finding[]): string[] {
  const count = (wrong: Wrong) => findings.filter((finding) => finding.wrong === wrong).length;
  return [
    'management calls',
    ...workloads.map(({ name, tally: { counts } }) => {
      const { done, refused, unknown } = counts;
      return `  ${String(done).padStart(6)}  ${name}; refused ${refused}, unknown ${unknown}`;
    }),
    `writes lost ${count('lost')}, doubled ${count('doubled')}, old value seen too late ${count('stale')}, accepted after the sign-out ${count('revived')}`,
    ...findings.slice(0, MOST_SHOWN).map(({ what }) => what),
  ];
}

function limitsReport({ rated, capped, excesses }: Limits): string[] {
  return [
    `limits: at most ${rated.most} calls in a window of ${rated.limit} (${rated.calls} let through), ${capped.most} at once of ${capped.limit} (${capped.calls}); beyond what the loss of Redis explains ${excesses.length}`,
    ...excesses
      .slice(0, MOST_SHOWN)
      .map(
        ({ what, atMs, calls, allowed }) =>
          `${calls} ${what}, ${allowed} allowed (${new Date(atMs).toISOString()})`,
      ),
  ];
}

const why = whyNoNetwork();
if (why !== undefined) {
  say(`*** NOT TESTED: the cluster. ${why} ***`);
  process.exit(1);
}
if (!isDatabaseKind(values.db))
  throw new Error(`--db must be one of ${Object.keys(DATABASES).join(', ')}`);
const cluster = await openCluster(values.db);
const ahead = cluster
  .running()
  .filter(({ aheadMs }) => aheadMs > 0)
  .map(({ name, aheadMs }) => `the clock of ${name} ${aheadMs / 1000} s ahead`)
  .join(', ');
say(`three nodes behind ${cluster.url} on ${values.db}, ${ahead}; logs in ${cluster.folder}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cluster.close().finally(() => process.exit(1)));
let hasPassed = false;
try {
  hasPassed = await run(cluster);
} finally {
  if (!hasPassed) say(`logs stay in ${cluster.folder}`);
  await cluster.close(hasPassed ? 'nothing' : 'logs');
}
process.exit(hasPassed ? 0 : 1);
