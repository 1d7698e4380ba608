/**
 * Clerks: beside the model calls they change tokens, balances, codes, options and sessions, one errand
 * after the other each, and know what must hold of each. What they find wrong is noted when it is seen,
 * and at the end against the database.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../src/context.ts';
import type { Clerk, Finding, Workplace } from './clerks/clerk.ts';
import { codeClerk } from './clerks/codes.ts';
import { optionClerk } from './clerks/options.ts';
import { quotaClerk } from './clerks/quota.ts';
import { sessionClerk } from './clerks/sessions.ts';
import { tokenClerk } from './clerks/tokens.ts';
import type { Cluster } from './cluster.ts';
import { openDesk } from './desk.ts';

export interface Office {
  readonly clerks: readonly Clerk[];
  /** Begins no more errands and waits for those under way. */
  stop(): Promise<void>;
  /** What was found, the database included. */
  judge(ctx: Context): Promise<readonly Finding[]>;
}

const CLERKS = [tokenClerk, quotaClerk, codeClerk, optionClerk, sessionClerk] as const;

export function openOffice(cluster: Cluster, dice: () => number): Office {
  const desk = openDesk((ms) => pause(ms));
  const underWay = new Set<Promise<void>>();
  let last = 0;
  const place: Workplace = {
    cluster,
    desk,
    dice,
    next: () => ++last,
    aside(work) {
      const noted = work.finally(() => underWay.delete(noted));
      underWay.add(noted);
    },
  };
  const clerks = CLERKS.map((employ) => employ(place));
  let isOpen = true;
  const working = clerks.map(async (clerk) => {
    while (isOpen) {
      const startedAtMs = performance.now();
      await clerk.turn();
      await pause(Math.max(0, clerk.everyMs - (performance.now() - startedAtMs)));
    }
  });
  return {
    clerks,
    async stop() {
      isOpen = false;
      await Promise.all(working);
      while (underWay.size > 0) await Promise.all(underWay);
    },
    async judge(ctx) {
      for (const clerk of clerks) await clerk.judge(ctx);
      await desk.close();
      return clerks.flatMap(({ tally }) => tally.findings);
    },
  };
}
