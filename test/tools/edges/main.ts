/**
 * `npm run edges`: budgets whose windows end every few seconds, under 64 callers with several
 * answers, of which some leave, while processes are killed. `--minutes N` (default 5), `--db
 * sqlite|postgres|mysql`. Exits with 1 if a window was exceeded, a call was refused while its
 * windows had room for it, or the ledger differs.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Engine } from '../../../src/store/connection/engine.ts';
import { type Caller, callUntil, noCounts } from './callers.ts';
import { type EdgeSite, openEdgeSite } from './site.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    db: { type: 'string', default: 'sqlite' },
  },
});

const CALLERS = 64;
/** Between the ends of windows. */
const LONGEST_WINDOW_MS = 6_000;
const KILL_EVERY_MS = 75_000;
const REPORT_EVERY_MS = 60_000;

async function run(site: EdgeSite): Promise<boolean> {
  const counts = noCounts();
  const endsAtMs = Date.now() + Number(values.minutes) * 60_000;
  const isOver = () => Date.now() > endsAtMs;
  const callers = Array.from({ length: CALLERS }, (_, number): Caller => ({ number, counts }));
  const report = setInterval(() => console.log(JSON.stringify(counts)), REPORT_EVERY_MS);
  let edges = 0;
  let kills = 0;
  const work = async (task: () => Promise<void>, everyMs: () => number) => {
    while (!isOver()) {
      await pause(Math.min(everyMs(), Math.max(0, endsAtMs - Date.now()) + 1));
      if (!isOver()) await task();
    }
  };
  await Promise.all([
    ...callers.map((caller) => callUntil(site, caller, isOver)),
    work(
      async () => {
        await site.endWindow(edges);
        edges += 1;
      },
      () => Math.random() * LONGEST_WINDOW_MS,
    ),
    work(
      async () => {
        await site.killOne(kills);
        kills += 1;
      },
      () => KILL_EVERY_MS,
    ),
  ]);
  clearInterval(report);
  await site.settled();
  const { windows, exceeded, held } = await site.windows();
  const { ok } = await site.verify();
  console.log({ ...counts, edges, kills, windows, exceeded, held, verified: ok });
  const isUsed = counts.answered > 0 && counts.exhausted > 0 && edges > 0;
  return ok && isUsed && exceeded === 0 && held === 0 && counts.falselyRefused === 0;
}

const site = await openEdgeSite(values.db as Engine);
try {
  if (!(await run(site))) process.exitCode = 1;
} finally {
  await site.close();
}
